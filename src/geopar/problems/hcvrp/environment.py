"""HCVRP as a batched environment with parallel steps (paper, appendix A.1)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from geopar.problems.batch import HCVRPBatch
from geopar.problems.chains import put, stops_of
from geopar.problems.hcvrp.trips import cheapest_place
from geopar.problems.tensors import distance, take

# Sums of decimal fractions may miss a capacity by their rounding; a tenth of what check allows.
LOAD_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class HCVRPState:
    """Where the fleet is; the fields that all states have are described at :class:`State`.

    ``left`` is ``(B, R, M)`` float64: the load that still fits on board. ``start`` and ``follow``
    are the open trips where customers may be put anywhere into them (see
    :mod:`geopar.problems.chains`), and have no columns elsewhere. There ``place`` is the
    customer who was put last, and ``length`` such that with the way home from him it is that of
    all trips.
    """

    place: Tensor
    position: Tensor
    length: Tensor
    left: Tensor
    open: Tensor
    steps: Tensor
    start: Tensor
    follow: Tensor

    @property
    def done(self) -> Tensor:
        """``(B, R)``: whether everything is served."""
        return ~self.open.any(-1)


class HCVRPEnvironment:
    """The rules of HCVRP for one batch.

    A customer comes behind the one before, as in the paper; with ``inserts`` it is put where it
    makes the vehicle's open trip the least longer.
    """

    def __init__(self, batch: HCVRPBatch, inserts: bool = False) -> None:
        self.batch = batch
        self.inserts = inserts
        self._home = batch.num_tasks
        self._roomy = batch.capacity * (1.0 + LOAD_TOLERANCE)

    def on(self, batch: HCVRPBatch) -> HCVRPEnvironment:
        """The same rules for other instances."""
        return HCVRPEnvironment(batch, self.inserts)

    def reset(self, rollouts: int = 1) -> HCVRPState:
        """All vehicles at the depot, empty of work."""
        batch, shape = self.batch, (self.batch.size, rollouts, self.batch.num_vehicles)
        device = batch.device
        is_open = torch.ones(*shape[:2], self._home + 1, dtype=torch.bool, device=device)
        is_open[..., -1] = False
        trips = shape if self.inserts else (*shape[:2], 0)
        follow = is_open.shape if self.inserts else trips
        return HCVRPState(
            place=torch.full(shape, self._home, device=device),
            position=batch.starts[:, None].expand(-1, rollouts, -1, -1).contiguous(),
            length=torch.zeros(shape, device=device),
            left=self._roomy[:, None].expand(shape).contiguous(),
            open=is_open,
            steps=torch.zeros(shape[:2], dtype=torch.int64, device=device),
            start=torch.full(trips, self._home, device=device),
            follow=torch.full(follow, self._home, device=device),
        )

    def step(self, state: HCVRPState, action: Tensor) -> HCVRPState:
        """Everybody drives to the place named, or stays."""
        batch, home = self.batch, self._home
        place = torch.where(action > home, state.place, action)
        served = action.clamp(max=home)
        position = take(batch.places, place)
        is_open = state.open.scatter(-1, served, False)
        # A stay takes no load twice: it looks up the depot's demand, which is none.
        left = torch.where(
            place == home, self._roomy[:, None], state.left - take(batch.demand, served)
        )
        length, start, follow = state.length, state.start, state.follow
        if self.inserts:
            length, start, follow = self._insert(state, action, place, position)
        else:
            length = length + distance(position, state.position)
        return HCVRPState(
            place=place,
            position=position,
            length=length,
            left=left,
            open=is_open,
            steps=state.steps + ~state.done,
            start=start,
            follow=follow,
        )

    def _insert(
        self, state: HCVRPState, action: Tensor, place: Tensor, position: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Lengths and open trips with the customers of an action in their places."""
        batch, home = self.batch, self._home
        depot = batch.reference[:, None, None]
        served = action.clamp(max=home)
        stops = stops_of(state.start, state.follow)
        extra, spot = cheapest_place(batch.places, stops, served[..., None])
        behind = stops.gather(-1, spot)[..., 0]
        start, follow = put(state.start, state.follow, served, behind)
        start = start.masked_fill(place == home, home)
        closed = state.length + distance(state.position, depot)
        closed = closed + extra[..., 0].masked_fill(served == home, 0.0)
        return closed - distance(position, depot), start, follow

    def feasible(self, state: HCVRPState, candidates: Tensor) -> Tensor:
        """Open customers that still fit, and home while it is open."""
        if candidates.dim() == 2:
            shared = candidates[:, None].expand(-1, state.open.shape[1], -1)
            allowed = (
                state.open.gather(-1, shared)[:, :, None]
                & (take(self.batch.demand, candidates)[:, None, None] <= state.left[..., None])
            )  # fmt: skip
            home = (candidates == self._home)[:, None, None]
        else:
            flat = candidates.flatten(2)
            allowed = (
                state.open.gather(-1, flat).view(candidates.shape)
                & (take(self.batch.demand, candidates) <= state.left[..., None])
            )  # fmt: skip
            home = candidates == self._home
        return allowed | (home & self.home_allowed(state)[..., None])

    def mask(self, state: HCVRPState) -> Tensor:
        """What each vehicle may do; home is the last column."""
        demand = self.batch.demand[:, None, None]
        allowed = state.open[:, :, None] & (demand <= state.left[..., None])
        allowed[..., -1] = self.home_allowed(state)
        return allowed

    def unserved(self, state: HCVRPState) -> Tensor:
        """All open customers."""
        return state.open

    def has_task(self, state: HCVRPState) -> Tensor:
        """Whether the lightest open customer fits."""
        demand = self.batch.demand[:, None]
        lightest = torch.where(state.open, demand, torch.inf).amin(-1, keepdim=True)
        return lightest <= state.left

    def home_allowed(self, state: HCVRPState) -> Tensor:
        """The depot rule: closed only when all stand at it, to those who could serve somebody."""
        everybody = (state.place == self._home).all(-1, keepdim=True)
        return ~(everybody & self.has_task(state))

    def cost(self, state: HCVRPState) -> Tensor:
        """The makespan with the way home (Eqs. 14 and 15), in the user's units."""
        return self.finish(state).amax(-1).double() * self.batch.scale[:, None]

    def finish(self, state: HCVRPState) -> Tensor:
        """``(B, R, M)``: when each vehicle would be home if it went now."""
        length = state.length + distance(state.position, self.batch.reference[:, None, None])
        return length / self.batch.speed[:, None]
