"""Problems of one size as tensors: the unit square, the fastest vehicle has speed one.

Places are float32; loads stay float64 in the user's units, so that a load that fits exactly does.
Every tensor has the instance first. ``B`` instances, ``N`` tasks, ``M`` vehicles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from geopar.errors import Faults
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.tensors import map_tensors

Device = torch.device | str | None


class Instances:
    """What batches of both problems have in common."""

    places: Tensor
    capacity: Tensor

    @property
    def size(self) -> int:
        """B: how many instances."""
        return self.places.shape[0]

    @property
    def num_tasks(self) -> int:
        """N: customers of each, or tasks, two per order."""
        return self.places.shape[1] - 1

    @property
    def num_vehicles(self) -> int:
        """M: vehicles of each."""
        return self.capacity.shape[1]

    @property
    def tasks(self) -> Tensor:
        """``(B, N, 2)``: where the tasks are."""
        return self.places[:, :-1]

    @property
    def reference(self) -> Tensor:
        """``(B, 2)``: the depot that geometric scores refer to (the paper's x_0)."""
        return self.places[:, -1]

    @property
    def device(self) -> torch.device:
        """Where the tensors are."""
        return self.places.device

    def lower_bounds(self) -> Tensor | None:
        """``(B,)``: less no plan can cost, in the user's units; none where no bound is known."""
        return None

    def to(self, device: Device) -> Self:
        """The same on another device."""
        return map_tensors(self, lambda t: t.to(device))

    def select(self, rows: Tensor | Sequence[int] | slice) -> Self:
        """Some of the instances."""
        return map_tensors(self, lambda t: t[rows])


@dataclass(frozen=True, eq=False)
class HCVRPBatch(Instances):
    """HCVRP instances of one size.

    Parameters
    ----------
    places
        ``(B, N + 1, 2)``: the customers, then the depot.
    demand
        ``(B, N + 1)`` float64, zero for the depot.
    capacity
        ``(B, M)`` float64.
    speed
        ``(B, M)``, the fastest of each instance has one.
    scale
        ``(B,)`` float64: the objective in the user's units of one unit here.
    """

    kind: ClassVar[Literal["hcvrp"]] = "hcvrp"

    places: Tensor
    demand: Tensor
    capacity: Tensor
    speed: Tensor
    scale: Tensor

    @property
    def starts(self) -> Tensor:
        """``(B, M, 2)``: where the vehicles begin."""
        return self.places[:, -1:].expand(-1, self.num_vehicles, -1)

    def lower_bounds(self) -> Tensor:
        """``(B,)``: those of :mod:`geopar.problems.hcvrp.bound`, in the user's units."""
        away = (self.tasks - self.reference[:, None]).double().norm(dim=-1)
        work = 2.0 * (self.demand[:, :-1] * away).sum(-1) / (self.speed * self.capacity).sum(-1)
        reach = 2.0 * away.amax(-1) / self.speed.amax(-1)
        return torch.maximum(work, reach) * self.scale


@dataclass(frozen=True, eq=False)
class OMDCPDPBatch(Instances):
    """OMDCPDP instances of one size.

    Parameters
    ----------
    places
        ``(B, N + 1, 2)``: pickups, their deliveries, then the first vehicle's start, which is the
        reference depot of the paper's savings (Eq. 18).
    starts
        ``(B, M, 2)``.
    capacity
        ``(B, M)`` int64: orders on board at once.
    scale
        ``(B,)`` float64: the objective in the user's units of one unit here.
    """

    kind: ClassVar[Literal["omdcpdp"]] = "omdcpdp"

    places: Tensor
    starts: Tensor
    capacity: Tensor
    scale: Tensor

    @property
    def num_orders(self) -> int:
        """N/2: orders of each."""
        return self.num_tasks // 2


Batch = HCVRPBatch | OMDCPDPBatch


def hcvrp_batch(
    depot: Any, tasks: Any, demand: Any, capacity: Any, speed: Any, device: Device = None
) -> HCVRPBatch:
    """From arrays ``(B, 2), (B, N, 2), (B, N), (B, M), (B, M)`` in any units."""
    depot, tasks, demand, capacity, speed = (
        np.asarray(a, dtype=np.float64) for a in (depot, tasks, demand, capacity, speed)
    )
    places, length = _unit_square(np.concatenate([tasks, depot[:, None]], axis=1))
    fastest = speed.max(axis=1, keepdims=True)
    batch = HCVRPBatch(
        places=torch.from_numpy(places.astype(np.float32)),
        demand=torch.from_numpy(np.pad(demand, ((0, 0), (0, 1)))),
        capacity=torch.from_numpy(capacity),
        speed=torch.from_numpy((speed / fastest).astype(np.float32)),
        scale=torch.from_numpy(length / fastest[:, 0]),
    )
    return batch if device is None else batch.to(device)


def omdcpdp_batch(tasks: Any, starts: Any, capacity: Any, device: Device = None) -> OMDCPDPBatch:
    """From arrays ``(B, N, 2)`` (pickups, then deliveries), ``(B, M, 2), (B, M)``."""
    tasks, starts = (np.asarray(a, dtype=np.float64) for a in (tasks, starts))
    count = tasks.shape[1]
    places, length = _unit_square(np.concatenate([tasks, starts], axis=1))
    batch = OMDCPDPBatch(
        places=torch.from_numpy(places[:, : count + 1].astype(np.float32)),
        starts=torch.from_numpy(places[:, count:].astype(np.float32)),
        # More room than orders changes nothing.
        capacity=torch.from_numpy(np.minimum(capacity, count // 2).astype(np.int64)),
        scale=torch.from_numpy(length),
    )
    return batch if device is None else batch.to(device)


def _unit_square(places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Moved and scaled, both axes alike, to fill the unit square; and the length of its side."""
    low = places.min(axis=1, keepdims=True)
    side = (places.max(axis=1, keepdims=True) - low).max(axis=2)
    side = np.where(side > 0.0, side, 1.0)
    return (places - low) / side[:, :, None], side[:, 0]


def make_batch(problems: Sequence[Problem], device: Device = None) -> Batch:
    """Problems of one kind and size as tensors.

    Raises
    ------
    geopar.errors.InputError
        When there are none, or kinds or sizes differ.
    """
    shapes = {(p.kind, p.num_tasks, p.num_vehicles) for p in problems}
    faults = Faults()
    if not shapes:
        faults.add("empty", "problems", ..., "is empty; at least one is needed.", "Add one.")
    elif len(shapes) > 1:
        faults.add(
            "mixed-sizes", "problems", sorted(shapes),
            "must all be of one kind with the same numbers of tasks and vehicles.",
            "Group them first: geopar.problems.batch.group_by_size.",
        )  # fmt: skip
    faults.raise_if_any()
    hcvrps = [p for p in problems if isinstance(p, HCVRP)]
    if hcvrps:
        return hcvrp_batch(
            np.stack([p.depot_xy for p in hcvrps]),
            np.stack([p.customers_xy for p in hcvrps]),
            np.stack([p.demand for p in hcvrps]),
            np.stack([p.capacity for p in hcvrps]),
            np.stack([p.speed for p in hcvrps]),
            device,
        )
    omdcpdps = [p for p in problems if isinstance(p, OMDCPDP)]
    return omdcpdp_batch(
        np.stack([p.tasks_xy for p in omdcpdps]),
        np.stack([p.starts_xy for p in omdcpdps]),
        np.stack([p.capacity for p in omdcpdps]),
        device,
    )


def group_by_size(problems: Sequence[Problem], most: int = 128) -> list[list[int]]:
    """Positions of problems that can share a batch, at most ``most`` to a group."""
    groups: dict[tuple[str, int, int], list[int]] = {}
    for row, problem in enumerate(problems):
        key = (problem.kind, problem.num_tasks, problem.num_vehicles)
        groups.setdefault(key, []).append(row)
    return [g[at : at + most] for g in groups.values() for at in range(0, len(g), most)]


def symmetric_copies(batch: Batch, count: int) -> Batch:
    """``count`` ≤ 8 copies of each instance, side by side, under the symmetries of the square.

    The first copy is the instance itself.
    """
    if count == 1:
        return batch
    turn, flip = torch.tensor([[0.0, -1.0], [1.0, 0.0]]), torch.tensor([[-1.0, 0.0], [0.0, 1.0]])
    matrices = [torch.linalg.matrix_power(turn, k) for k in range(4)]
    matrices += [matrix @ flip for matrix in matrices]
    return _moved_copies(batch, torch.stack(matrices[:count]).to(batch.device)[None])


def rotated_copies(batch: Batch, count: int, generator: torch.Generator | None = None) -> Batch:
    """``count`` copies of each instance, side by side: itself, then random turns and mirrorings.

    Turned about the middle of the square as in PARCO's training (Berto et al. 2025); places may
    leave the square.
    """
    shape = (batch.size, count)
    draw = {"generator": generator, "device": batch.device}
    angle = torch.rand(shape, **draw) * (2.0 * torch.pi)  # type: ignore[arg-type]
    mirror = torch.where(torch.rand(shape, **draw) < 0.5, -1.0, 1.0)  # type: ignore[arg-type]
    cos, sin = angle.cos(), angle.sin()
    matrix = torch.stack([cos * mirror, -sin, sin * mirror, cos], -1).view(*shape, 2, 2)
    matrix[:, 0] = torch.eye(2, device=batch.device)
    return _moved_copies(batch, matrix)


def _moved_copies(batch: Batch, matrix: Tensor) -> Batch:
    """Copies under ``(B or 1, C, 2, 2)`` matrices about the middle, instance-major."""
    count = matrix.shape[1]
    copies = map_tensors(batch, lambda t: t.repeat_interleave(count, 0))
    flat = matrix.expand(batch.size, -1, -1, -1).reshape(-1, 2, 2)

    def move(points: Tensor) -> Tensor:
        moved = (points - 0.5) @ flat.mT + 0.5
        moved[::count] = points[::count]  # the first copy to the bit
        return moved

    if isinstance(copies, HCVRPBatch):
        return replace(copies, places=move(copies.places))
    return replace(copies, places=move(copies.places), starts=move(copies.starts))
