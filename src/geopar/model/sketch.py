"""A sketch: a quick plan by insertion that the network sees, and may follow or leave.

Inserting every task at its cheapest place takes a few milliseconds and sees the whole instance,
which a pointer that looks around an agent does not. So the network is told, for every agent and
candidate, what the sketch would do, who has the task in it, and how the work that remains in it is
shared out; what it makes of that is learned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from geopar.model.features import rows_of, squash
from geopar.model.look import FeatureSizes, Look, rows_of_state
from geopar.plan import Indices
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.batch import Batch, HCVRPBatch, OMDCPDPBatch
from geopar.problems.environment import Environment
from geopar.problems.hcvrp.canonical import canonical
from geopar.problems.omdcpdp.environment import OMDCPDPState
from geopar.problems.tensors import take

# What a sketch adds to the features of a look.
ADDED = FeatureSizes(agents=3, fleet=2, dynamic=0, pairs=7)
# Where the features of an agent tell when it would be home, or how far it has driven.
FINISH = {"hcvrp": 3, "omdcpdp": 5}
MOST_APART = 2.0

Routes = list[list[Indices]]


@dataclass(frozen=True, eq=False)
class Sketch:
    """Sketches of a batch. Tables have one entry per task and one for home.

    Parameters
    ----------
    owner
        ``(B, N + 1)``: who serves each task, ``M`` for home.
    trip
        ``(B, N + 1)``: a number for each trip, ``N`` for home.
    rank
        ``(B, N + 1)``: where each task stands in ``sequence``.
    sequence
        ``(B, N)``: the tasks in the order of vehicles, trips and stops.
    first
        ``(B, M + 1)``: where each vehicle's part of the sequence begins.
    share
        ``(B, N + 1)``: what is driven for each task: an equal part of its trip.
    demand
        ``(B, N + 1)`` float64: room that a task needs on board.
    """

    owner: Tensor
    trip: Tensor
    rank: Tensor
    sequence: Tensor
    first: Tensor
    share: Tensor
    demand: Tensor

    def wish(self, state: Any, left: Tensor) -> Tensor:
        """``(B, R, M)``: the next stop of each agent by the sketch, home when there is none.

        On a trip that is the next stop of it that is still possible, whoever's trip it was; at
        home the first possible one of its own trips. With pickups and deliveries, always the first
        possible one of its own.

        Parameters
        ----------
        state
            The state.
        left
            ``(B, R, M)`` float64: room on board.
        """
        if state.place.device.type == "cpu":
            from geopar.model.sketch_kernel import wish

            found = np.empty(tuple(state.place.shape), dtype=np.int64)
            rows = found.reshape(-1, found.shape[-1])
            wish(*self.arrays, *self._rows(state), *rows_of_state(left), rows)
            return torch.from_numpy(found)
        return self._wish_by_tensors(state, left)

    def _wish_by_tensors(self, state: Any, left: Tensor) -> Tensor:
        home = self.sequence.shape[1]
        rank = self.rank[:, None, None, :-1]
        own_trip = (self.trip[:, None, None, :-1] == take(self.trip, state.place)[..., None]) & (
            rank > take(self.rank, state.place)[..., None]
        )
        vehicle = torch.arange(state.place.shape[2], device=state.place.device)[:, None]
        own = self.owner[:, None, None, :-1] == vehicle
        there = (state.place == home)[..., None]
        if isinstance(state, OMDCPDPState):
            there = torch.ones_like(there)
        possible = torch.where(there, own, own_trip) & state.open[:, :, None, :-1]
        possible &= self.demand[:, None, None, :-1] <= left[..., None]
        if isinstance(state, OMDCPDPState):
            half = home // 2
            mine = state.carrier[:, :, None, :half] == vehicle
            possible &= torch.cat([torch.ones_like(mine), mine], -1)
        best = torch.where(possible, rank, home).amin(-1)
        sequence = torch.nn.functional.pad(self.sequence, (0, 1), value=home)
        return take(sequence, best)

    def seen(self, look: Look, state: Any, wish: Tensor, pace: Tensor, idle: Tensor) -> Look:
        """The look with what the sketch has to say of it.

        Where the rules would send an idle agent out, it may also wait if the sketch has nothing
        more for it and something for another agent, who may not: so somebody always moves on.

        Parameters
        ----------
        look
            Without it.
        state
            The state.
        wish
            What :meth:`wish` gave.
        pace
            ``(B, M)``: length that each vehicle drives in a unit of time of the features.
        idle
            ``(B, R, M)``: who has nothing on board that must be delivered.
        """
        assert look.pairs is not None
        column = FINISH["omdcpdp" if isinstance(state, OMDCPDPState) else "hcvrp"]
        finish = look.agents[..., column]
        if state.place.device.type == "cpu":
            agents, fleet, pairs = self._seen_compiled(look, state, wish, pace, finish)
        else:
            agents, fleet, pairs = self._seen_by_tensors(look, state, wish, pace, finish)
        home = self.sequence.shape[1]
        waits = (wish == home) & idle & (wish != home).any(-1, keepdim=True)
        feasible = look.feasible.clone()
        feasible[..., -1] |= waits
        return replace(
            look,
            feasible=feasible,
            agents=torch.cat([look.agents, agents], -1),
            fleet=torch.cat([look.fleet, fleet], -1),
            pairs=torch.cat([look.pairs, pairs], -1),
        )

    def _seen_compiled(
        self, look: Look, state: Any, wish: Tensor, pace: Tensor, finish: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        from geopar.model.sketch_kernel import seen

        shape = tuple(look.feasible.shape)
        is_shared = look.candidates.dim() == 2
        nothing = np.empty((0, 1), dtype=np.int64)
        listed = np.empty((0, 0, 0), dtype=np.int64)
        shared = look.candidates.contiguous().numpy() if is_shared else nothing
        if not is_shared:
            (listed,) = rows_of_state(look.candidates)
        agents = np.empty((*shape[:3], ADDED.agents), dtype=np.float32)
        fleet = np.empty((*shape[:2], ADDED.fleet), dtype=np.float32)
        pairs = np.empty((*shape, ADDED.pairs), dtype=np.float32)
        seen(
            *self.arrays, *self._rows(state), *rows_of_state(wish, finish),
            pace.contiguous().numpy(), shared, listed,
            *(array.reshape(-1, *array.shape[2:]) for array in (agents, fleet, pairs)),
        )  # fmt: skip
        return torch.from_numpy(agents), torch.from_numpy(fleet), torch.from_numpy(pairs)

    def _seen_by_tensors(
        self, look: Look, state: Any, wish: Tensor, pace: Tensor, finish: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        home, vehicles = self.sequence.shape[1], finish.shape[2]
        lead, device = finish.shape[:2], finish.device
        share, holder = self.share[:, None].expand(*lead, -1), self.owner[:, None]
        is_open = state.open
        waiting, holder = is_open, holder.expand(*lead, -1)
        if isinstance(state, OMDCPDPState):
            half = home // 2
            free, carried = is_open[..., :half], is_open[..., half:-1]
            waiting = torch.cat([free, free | carried, is_open[..., -1:]], -1)
            carrier = torch.where(carried, state.carrier[..., :half], holder[..., half:-1])
            holder = torch.cat([holder[..., :half], carrier, holder[..., -1:]], -1)
        work = torch.where(waiting, share, 0.0)
        pace = pace[:, None]
        left = torch.zeros(*lead, vehicles + 1, device=device).scatter_add(-1, holder, work)
        left = left[..., :-1] / pace
        outlook = finish + left
        mean, most = outlook.mean(-1, keepdim=True), outlook.amax(-1, keepdim=True)
        agents = torch.stack([outlook - mean, outlook - most, left], -1)
        fleet = torch.cat([most - mean, most], -1)
        trip, rank = self.trip[:, None].expand(*lead, -1), self.rank[:, None].expand(*lead, -1)
        in_trip = torch.zeros(*lead, home + 1, device=device).scatter_add(-1, trip, work)
        leader = torch.full((*lead, home + 1), home + 1, device=device).scatter_reduce(
            -1, trip, torch.where(is_open, rank, home + 1), "amin"
        )
        leads = is_open & (rank == leader.gather(-1, trip))
        of_task = torch.stack(
            [trip.float(), rank.float(), holder.float(), in_trip.gather(-1, trip), leads.float()],
            -1,
        )
        shown = look.candidates
        if shown.dim() == 2:
            shown = shown[:, None, None].expand(*lead, 1, -1)
        trips, ranks, holders, rest, first = rows_of(of_task, shown).unbind(-1)
        is_task = shown < home
        vehicle = torch.arange(vehicles, device=device)[:, None]
        together = (trips == take(self.trip, state.place)[..., None]) & is_task
        ahead = ranks - take(self.rank, state.place)[..., None]
        padded = torch.nn.functional.pad(outlook, (0, 1))
        theirs = padded[:, :, None].expand(*lead, shown.shape[2], -1).gather(-1, holders.long())
        slack = (theirs - outlook[..., None]).clamp(-MOST_APART, MOST_APART)
        pairs = torch.stack(
            [
                (shown == wish[..., None]).float(),
                ((holders == vehicle) & is_task).float(),
                together.float(),
                torch.where(together, squash(ahead), 0.0),
                torch.where(is_task, slack, 0.0),
                torch.where(is_task, squash(rest / pace[..., None] * 8.0), 0.0),
                (first.bool() & is_task).float() * torch.ones_like(finish)[..., None],
            ],
            -1,
        )
        return agents, fleet, pairs

    @cached_property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What compiled loops read of the sketches."""
        return tuple(
            t.contiguous().numpy()
            for t in (
                self.owner, self.trip, self.rank, self.sequence, self.first, self.share,
                self.demand,
            )
        )  # fmt: skip

    def _rows(self, state: Any) -> tuple[NDArray[Any], ...]:
        carrier = torch.zeros((*state.place.shape[:2], 0), dtype=torch.int64)
        if isinstance(state, OMDCPDPState):
            carrier = state.carrier
        return rows_of_state(state.place, state.open, carrier)


class Sketches(NamedTuple):
    """Sketches as compiled rollouts read them; of no instances if there are none.

    As :class:`Sketch`; ``pace`` is the length that each vehicle drives in a unit of time of the
    features.
    """

    owner: NDArray[np.int64]
    trip: NDArray[np.int64]
    rank: NDArray[np.int64]
    sequence: NDArray[np.int64]
    first: NDArray[np.int64]
    share: NDArray[np.float32]
    demand: NDArray[np.float64]
    pace: NDArray[np.float32]


_sketches: WeakKeyDictionary[Any, tuple[int, Sketch]] = WeakKeyDictionary()


def sketch_of(environment: Environment[Any], tries: int) -> Sketch:
    """The sketches of an environment's instances: the best of so many insertions of each.

    An environment that is encoded again, as in the second pass of training, keeps its sketches.
    """
    known = _sketches.get(environment)
    if known is None or known[0] != tries:
        known = tries, sketch_batch(environment.batch, tries)
        _sketches[environment] = known
    return known[1]


def sketch_batch(batch: Batch, tries: int) -> Sketch:
    """Sketch every instance of a batch."""
    on_cpu = batch.to("cpu")
    arrays = (
        _hcvrp_tables(on_cpu, tries)
        if isinstance(on_cpu, HCVRPBatch)
        else _omdcpdp_tables(on_cpu, tries)
    )
    return Sketch(*(torch.from_numpy(array).to(batch.device) for array in arrays))


def _hcvrp_tables(batch: HCVRPBatch, tries: int) -> tuple[NDArray[Any], ...]:
    """What :func:`hcvrp_sketch` gives for each instance, all at once."""
    from geopar.model.sketch_kernel import tables
    from geopar.search.hcvrp.sketches import best_insertions

    places, demand, capacity, speed = (
        t.numpy().astype(np.float64)
        for t in (batch.places, batch.demand, batch.capacity, batch.speed)
    )
    found = best_insertions(places, demand, capacity, speed, tries)
    size, tasks = batch.size, batch.num_tasks
    owner, trip, rank = (np.empty((size, tasks + 1), dtype=np.int64) for _ in range(3))
    sequence = np.empty((size, tasks), dtype=np.int64)
    first = np.empty((size, batch.num_vehicles + 1), dtype=np.int64)
    share = np.empty((size, tasks + 1), dtype=np.float32)
    tables(places, *found, owner, trip, rank, sequence, first, share)
    return owner, trip, rank, sequence, first, share, demand


def _omdcpdp_tables(batch: OMDCPDPBatch, tries: int) -> tuple[NDArray[Any], ...]:
    rows = [
        _omdcpdp_rows(places, starts, capacity, tries)
        for places, starts, capacity in zip(
            batch.places.numpy().astype(np.float64),
            batch.starts.numpy().astype(np.float64),
            batch.capacity.numpy(),
            strict=True,
        )
    ]
    return tuple(np.stack(parts) for parts in zip(*rows, strict=True))


def _omdcpdp_rows(
    places: NDArray[np.float64],
    starts: NDArray[np.float64],
    capacity: NDArray[np.int64],
    tries: int,
) -> tuple[NDArray[Any], ...]:
    tasks, vehicles = len(places) - 1, len(capacity)
    pickups, deliveries = np.split(places[:-1], 2)
    problem = OMDCPDP(pickups=pickups, deliveries=deliveries, starts=starts, capacity=capacity)
    demand = np.zeros(tasks + 1)
    demand[: tasks // 2] = 1.0
    owner = np.full(tasks + 1, vehicles)
    trip_of, rank = np.full(tasks + 1, tasks), np.full(tasks + 1, -1)
    share, first = np.zeros(tasks + 1, dtype=np.float32), np.zeros(vehicles + 1, dtype=np.int64)
    sequence: list[NDArray[np.int64]] = []
    count, number = 0, 0
    for vehicle, trips in enumerate(omdcpdp_sketch(problem, tries)):
        first[vehicle] = count
        for trip in trips:
            owner[trip], trip_of[trip] = vehicle, number
            rank[trip] = np.arange(count, count + len(trip))
            way = np.concatenate([starts[vehicle : vehicle + 1], places[trip]])
            share[trip] = np.hypot(*np.diff(way, axis=0).T).sum() / len(trip)
            sequence.append(trip)
            count, number = count + len(trip), number + 1
    first[vehicles] = count
    return owner, trip_of, rank, np.concatenate(sequence), first, share, demand


def hcvrp_sketch(problem: HCVRP, tries: int) -> Routes:
    """The best of some insertions; for each vehicle its trips in canonical order."""
    from geopar.search import hcvrp

    data = hcvrp.prepare(problem)
    best = hcvrp.best_initial(data, tries)
    return [canonical(problem, trips) for trips in hcvrp.best_routes(data, best)]


def omdcpdp_sketch(problem: OMDCPDP, tries: int) -> Routes:
    """The best of some insertions; for each vehicle its one trip, or none."""
    from geopar.search import omdcpdp

    data = omdcpdp.prepare(problem)
    routes = omdcpdp.best_routes(omdcpdp.best_initial(data, tries))
    return [[route.astype(np.int64)] if len(route) else [] for route in routes]
