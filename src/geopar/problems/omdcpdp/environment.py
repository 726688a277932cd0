"""OMDCPDP as a batched environment with parallel steps (paper, appendix A.2)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from geopar.problems.batch import OMDCPDPBatch
from geopar.problems.tensors import distance, take

# Room for the table of what everybody carries; fleets that could carry more are held back.
MOST_CARRIED_IN_ALL = 20_000_000


@dataclass(frozen=True, eq=False)
class OMDCPDPState:
    """Where the fleet is; the fields that all states have are described at :class:`State`.

    A pickup is open until somebody takes it; a delivery while its order is on board.

    Parameters
    ----------
    load
        ``(B, R, M)`` int64: orders on board.
    carrier
        ``(B, R, N/2 + 1)`` int64: who carries each order, ``M`` for nobody.
    board
        ``(B, R, M, W)`` int64: the orders on board of each vehicle, ``N/2`` for none, full slots
        first.
    arrivals
        ``(B, R)`` float64: the sum of the delivery arrivals so far.
    """

    place: Tensor
    position: Tensor
    length: Tensor
    load: Tensor
    carrier: Tensor
    board: Tensor
    arrivals: Tensor
    open: Tensor
    steps: Tensor

    @property
    def done(self) -> Tensor:
        """``(B, R)``: whether everything is delivered."""
        return ~self.open.any(-1)


class OMDCPDPEnvironment:
    """The rules of OMDCPDP for one batch.

    A vehicle waits only when no task is open to it. With ``retirement`` it follows PARCO's
    environment (Berto et al. 2025) instead: an empty vehicle that has moved may go home for good,
    and free pickups open to everybody again when the whole fleet has.
    """

    inserts = False

    def __init__(self, batch: OMDCPDPBatch, retirement: bool = False) -> None:
        self.batch = batch
        self.retirement = retirement
        self._home, self._half = batch.num_tasks, batch.num_orders
        width = int(batch.capacity.max())
        held_back = max(1, MOST_CARRIED_IN_ALL // (batch.size * batch.num_vehicles))
        self._width = min(width, held_back)
        self._capacity = batch.capacity.clamp(max=self._width)[:, None]
        self._vehicle = torch.arange(batch.num_vehicles, device=batch.device)

    def on(self, batch: OMDCPDPBatch) -> OMDCPDPEnvironment:
        """The same rules for other instances."""
        return OMDCPDPEnvironment(batch, self.retirement)

    def reset(self, rollouts: int = 1) -> OMDCPDPState:
        """All vehicles at their starts, empty."""
        batch = self.batch
        lead, device = (batch.size, rollouts), batch.device
        fleet = (*lead, batch.num_vehicles)
        is_open = torch.zeros(*lead, self._home + 1, dtype=torch.bool, device=device)
        is_open[..., : self._half] = True
        return OMDCPDPState(
            place=torch.full(fleet, self._home, device=device),
            position=batch.starts[:, None].expand(-1, rollouts, -1, -1).contiguous(),
            length=torch.zeros(fleet, device=device),
            load=torch.zeros(fleet, dtype=torch.int64, device=device),
            carrier=torch.full((*lead, self._half + 1), batch.num_vehicles, device=device),
            board=torch.full((*fleet, self._width), self._half, device=device),
            arrivals=torch.zeros(lead, dtype=torch.float64, device=device),
            open=is_open,
            steps=torch.zeros(lead, dtype=torch.int64, device=device),
        )

    def step(self, state: OMDCPDPState, action: Tensor) -> OMDCPDPState:
        """Everybody drives to the task named, or stays."""
        home, half = self._home, self._half
        task = action.clamp(max=home)
        serves, pickup = action < home, action < half
        delivery = serves & ~pickup
        order = torch.where(pickup, task, (task - half))  # home gives N/2, the column of nobody
        position = torch.where(serves[..., None], take(self.batch.places, task), state.position)
        length = state.length + distance(position, state.position)
        place = torch.where(serves, task, state.place)
        if self.retirement:
            place = torch.where(action == home, home, place)
        # What was named closes; a pickup opens its delivery.
        is_open = state.open.scatter(-1, task, False)
        is_open = is_open.scatter(-1, torch.where(pickup, task + half, home), True)
        is_open[..., -1] = False
        nobody = self.batch.num_vehicles
        holder = torch.where(pickup, self._vehicle, nobody)
        return OMDCPDPState(
            place=place,
            position=position,
            length=length,
            load=state.load + pickup.long() - delivery.long(),
            carrier=state.carrier.scatter(-1, order, holder),
            board=self._reload(state, order, pickup, delivery),
            arrivals=state.arrivals + (length * delivery).sum(-1, dtype=torch.float64),
            open=is_open,
            steps=state.steps + ~state.done,
        )

    def _reload(
        self, state: OMDCPDPState, order: Tensor, pickup: Tensor, delivery: Tensor
    ) -> Tensor:
        """Put what was picked up into the first empty slot; fill a gap with the last order."""
        board, last_slot = state.board, (state.load - 1).clamp(min=0)[..., None]
        slot = torch.where(pickup, state.load, (board == order[..., None]).int().argmax(-1))
        value = torch.where(delivery, board.gather(-1, last_slot)[..., 0], order)
        acts = pickup | delivery
        slot = torch.where(acts, slot, 0)[..., None]
        value = torch.where(acts, value, board[..., 0])[..., None]
        gone = delivery[..., None]
        return board.scatter(-1, slot, value).scatter(
            -1, torch.where(gone, last_slot, slot), torch.where(gone, self._half, value)
        )

    def feasible(self, state: OMDCPDPState, candidates: Tensor) -> Tensor:
        """Free pickups while there is room, deliveries of what is on board, home while open."""
        room = self.has_room(state)[..., None]
        me = self._vehicle[:, None]
        if candidates.dim() == 2:
            shared = candidates[:, None].expand(-1, state.open.shape[1], -1)
            is_open = state.open.gather(-1, shared)[:, :, None]
            order = (shared - self._half).clamp(min=0)
            mine = state.carrier.gather(-1, order)[:, :, None] == me
            pickup = (candidates < self._half)[:, None, None]
            home = (candidates == self._home)[:, None, None]
        else:
            flat = candidates.flatten(2)
            is_open = state.open.gather(-1, flat).view(candidates.shape)
            order = (flat - self._half).clamp(min=0)
            mine = state.carrier.gather(-1, order).view(candidates.shape) == me
            pickup, home = candidates < self._half, candidates == self._home
        allowed = is_open & torch.where(pickup, room, mine)
        if self.retirement:
            allowed = allowed & self.working(state)[..., None]
        return allowed | (home & self.home_allowed(state)[..., None])

    def mask(self, state: OMDCPDPState) -> Tensor:
        """What each vehicle may do; home is the last column."""
        everything = torch.arange(self._home + 1, device=self.batch.device)
        return self.feasible(state, everything.expand(self.batch.size, -1))

    def unserved(self, state: OMDCPDPState) -> Tensor:
        """Free pickups, and all deliveries that are not made."""
        free = state.open[..., : self._half]
        waiting = state.open[..., self._half : -1] | free
        return torch.cat([free, waiting, state.open[..., -1:]], -1)

    def has_task(self, state: OMDCPDPState) -> Tensor:
        """Whether something is on board, or free while there is room."""
        free = state.open[..., : self._half].any(-1, keepdim=True)
        has = (state.load > 0) | (free & self.has_room(state))
        return has & self.working(state)

    def home_allowed(self, state: OMDCPDPState) -> Tensor:
        """Waiting is for those who can do nothing else; going home for good has its own rules."""
        if not self.retirement:
            return ~self.has_task(state)
        free = state.open[..., : self._half].any(-1, keepdim=True)
        moved = state.length > 0.0
        # Nobody goes home with an order, not even one that was picked up where he stood.
        allowed = (state.load == 0) & (moved | ~free)
        return (allowed | ~self.working(state)) & ~self._all_home(state)

    def has_room(self, state: OMDCPDPState) -> Tensor:
        """``(B, R, M)``: whether another order fits on board."""
        return state.load < self._capacity

    def _all_home(self, state: OMDCPDPState) -> Tensor:
        """``(B, R, 1)``: everybody is at a depot, but work remains."""
        return (state.place == self._home).all(-1, keepdim=True) & ~state.done[..., None]

    def working(self, state: OMDCPDPState) -> Tensor:
        """``(B, R, M)``: not retired, or called back because the whole fleet was."""
        if not self.retirement:
            return torch.ones_like(state.place, dtype=torch.bool)
        retired = (state.place == self._home) & (state.length > 0.0)
        return ~retired | self._all_home(state)

    def cost(self, state: OMDCPDPState) -> Tensor:
        """The sum of the delivery arrivals (Eq. 16), in the user's units."""
        return state.arrivals * self.batch.scale[:, None]
