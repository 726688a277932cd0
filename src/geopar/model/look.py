"""Everything that the network is told about a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Look:
    """A look at ``(B, R)`` states: who may do what, and how it appears to them.

    Parameters
    ----------
    candidates
        ``(B, R, M, K)`` tasks, home in the last column; or ``(B, K)`` shared by all.
    feasible
        ``(B, R, M, K)``.
    active
        ``(B, R, M)``: some task is open to the agent.
    agents, fleet
        ``(B, R, M, F)`` of each agent and ``(B, R, F)`` of all, relative.
    dynamic
        ξ of the candidates: ``(B, R, M, K, F)``, or ``(B, R, 1, K, F)`` when they are shared.
    pairs
        ``(B, R, M, K, F)`` of every agent and candidate, where asked for.
    """

    candidates: Tensor
    feasible: Tensor
    active: Tensor
    agents: Tensor
    fleet: Tensor
    dynamic: Tensor
    pairs: Tensor | None


class FeatureSizes(NamedTuple):
    """How many features each part of a look has."""

    agents: int
    fleet: int
    dynamic: int
    pairs: int


class Frame:
    """The arrays that compiled code fills, and the look that they become."""

    def __init__(
        self,
        state: Any,
        sizes: FeatureSizes,
        near: int,
        candidates: Tensor | None,
        include: Tensor | None,
        pairs: bool,
    ) -> None:
        self._lead, vehicles = tuple(state.place.shape[:2]), state.place.shape[2]
        rows = self._lead[0] * self._lead[1]
        self._given, self._has_pairs = candidates, pairs
        is_shared = candidates is not None and candidates.dim() == 2
        columns = near + 1 if candidates is None else candidates.shape[-1]
        nothing = np.empty((0, 1), dtype=np.int64)
        nobody = np.empty((0, 0, 1), dtype=np.int64)
        self.choose = candidates is None
        self.shared = candidates.contiguous().numpy() if is_shared else nothing  # type: ignore[union-attr]
        self.include = nobody if include is None else rows_of_state(include)[0]
        if candidates is None:
            listed = np.empty((rows, vehicles, columns), dtype=np.int64)
        elif is_shared:
            listed = np.empty((0, 0, 0), dtype=np.int64)
        else:
            (listed,) = rows_of_state(candidates)
        self.results: tuple[NDArray[Any], ...] = (
            listed,
            np.empty((rows, vehicles, columns), dtype=np.bool_),
            np.empty((rows, vehicles, sizes.agents), dtype=np.float32),
            np.empty((rows, sizes.fleet), dtype=np.float32),
            np.empty((rows, 1 if is_shared else vehicles, columns, sizes.dynamic), np.float32),
            np.empty((rows, vehicles), dtype=np.bool_),
            np.empty((rows, vehicles, columns, sizes.pairs) if pairs else (0, 0, 0, 0), np.float32),
        )

    def look(self) -> Look:
        """What was filled in, as tensors that share its memory."""
        listed, feasible, agents, fleet, dynamic, active, pairs = (
            torch.from_numpy(array).view(*self._lead, *array.shape[1:]) if array.size else None
            for array in self.results
        )
        return Look(
            listed if self._given is None else self._given,  # type: ignore[arg-type]
            feasible,  # type: ignore[arg-type]
            active,  # type: ignore[arg-type]
            agents,  # type: ignore[arg-type]
            fleet,  # type: ignore[arg-type]
            dynamic,  # type: ignore[arg-type]
            pairs,
        )


def rows_of_state(*tensors: Tensor) -> tuple[NDArray[Any], ...]:
    """Tensors ``(B, R, ...)`` as arrays ``(B·R, ...)``, sharing memory where they can."""
    return tuple(t.flatten(0, 1).contiguous().numpy() for t in tensors)


class Seen(NamedTuple):
    """What is seen in one state of a compiled rollout; one row each, filled up with zeros.

    Those that are ``…_added`` are what a sketch adds; without one they have no columns.
    """

    candidates: NDArray[np.int64]
    feasible: NDArray[np.bool_]
    agents: NDArray[np.float32]
    fleet: NDArray[np.float32]
    dynamic: NDArray[np.float32]
    active: NDArray[np.bool_]
    pairs: NDArray[np.float32]
    agents_added: NDArray[np.float32]
    fleet_added: NDArray[np.float32]
    pairs_added: NDArray[np.float32]
