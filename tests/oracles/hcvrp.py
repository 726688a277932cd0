"""HCVRP seen from an agent, in terms that mean the same at 60 and at 60,000 customers.

Distances are counted in the instance's spacing, times in an estimate of the makespan, loads in
what is left aboard; nothing here has a gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from geopar.pointer.features import (
    ONWARD_NEIGHBOURS,
    TINY,
    Neighbourhood,
    rival_distance,
    rows_of,
    share_before,
    squash,
)
from geopar.pointer.look import FeatureSizes, Frame, Look, PlainLook, rows_of_state
from geopar.problems.batch import HCVRPBatch
from geopar.problems.chains import stops_of
from geopar.problems.hcvrp.environment import HCVRPEnvironment, HCVRPState
from geopar.problems.hcvrp.trips import cheapest_place
from geopar.problems.tensors import distance, take

# Good plans are about so much above the lower bound.
MAKESPAN_OVER_BOUND = 1.15
SECTORS = 16
# Units of a place in the queue at the depot, and of being home sooner than others.
QUEUE = 8.0
LEAD = 4.0
# More trips than these are many.
MOST_TRIPS = 4.0


class Queue(NamedTuple):
    """Who leaves the depot in which order, all ``(B, R, M)``.

    Parameters
    ----------
    again
        When a vehicle would be home after another trip of the usual length.
    rank
        Its place in the queue, zero for who has no turn.
    ready
        How many have one.
    """

    again: Tensor
    rank: Tensor
    ready: Tensor


@dataclass(frozen=True, eq=False)
class HCVRPScene:
    """What stays the same during a rollout. Tables have one row per customer and one for the depot.

    Parameters
    ----------
    environment
        The rules.
    neighbourhood
        Who is near whom.
    table
        ``(B, N + 1, 6)``: x, y, distance to the depot, direction from it, demand over the largest
        capacity.
    work
        ``(B, N + 1)``: what each customer adds to the lower bound, over the estimated makespan.
    mean_depot_distance, most_depot_distance
        ``(B,)``.
    makespan
        ``(B,)``: the estimate.
    capacity
        ``(B, M)``: over the largest.
    sector
        ``(B, N + 1)``: in which of 16 directions from the depot each customer lies.
    turns
        How many may leave the depot at once; none: all.
    """

    environment: HCVRPEnvironment
    neighbourhood: Neighbourhood
    table: Tensor
    work: Tensor
    mean_depot_distance: Tensor
    most_depot_distance: Tensor
    makespan: Tensor
    capacity: Tensor
    sector: Tensor
    turns: int = 0

    SIZES: ClassVar = FeatureSizes(agents=18, fleet=8, pairs=27)

    @classmethod
    def of(cls, environment: HCVRPEnvironment, turns: int = 0) -> HCVRPScene:
        """Look at a batch once."""
        batch: HCVRPBatch = environment.batch
        offset = batch.places - batch.reference[:, None]
        away = distance(batch.places, batch.reference[:, None])
        largest = batch.capacity.amax(-1, keepdim=True)
        demand = (batch.demand / largest).float()
        capacity = (batch.capacity / largest).float()
        # The lower bound of geopar.problems.hcvrp.bound, in normalised units.
        work = 2.0 * demand * away / (batch.speed * capacity).sum(-1, keepdim=True)
        most = away.amax(-1)
        makespan = MAKESPAN_OVER_BOUND * torch.maximum(work.sum(-1), 2.0 * most).clamp(min=TINY)
        direction = offset / away.clamp(min=TINY)[..., None]
        angle = torch.atan2(offset[..., 1], offset[..., 0]) / (2.0 * torch.pi) + 0.5
        return cls(
            environment=environment,
            neighbourhood=Neighbourhood.of(batch.tasks, ONWARD_NEIGHBOURS),
            table=torch.cat([batch.places, away[..., None], direction, demand[..., None]], -1),
            work=work / makespan[:, None],
            mean_depot_distance=away[:, :-1].mean(-1).clamp(min=TINY),
            most_depot_distance=most.clamp(min=TINY),
            makespan=makespan,
            capacity=capacity,
            sector=(angle * SECTORS).long().clamp(max=SECTORS - 1),
            turns=turns,
        )

    def look(self, state: HCVRPState, candidates: Tensor) -> Look:
        """Look at ``(B, R, M, K)`` candidates with tensor operations, on any device."""
        active, queue = self.queue(state)
        may_wait = (~active | self.environment.home_allowed(state))[..., None]
        is_home = candidates == self.environment.batch.num_tasks
        feasible = self.environment.feasible(state, candidates) & active[..., None] & ~is_home
        feasible |= is_home & may_wait
        agents, fleet = self.agents_and_fleet(state, queue)
        pairs = self.pairs(state, candidates, feasible, agents, fleet)
        return Look(candidates, feasible, active, agents, fleet, pairs)

    def compiled_look(
        self,
        state: HCVRPState,
        near: int = 0,
        candidates: Tensor | None = None,
        include: Tensor | None = None,
    ) -> Look:
        """The same in compiled loops, on a CPU; without candidates it finds ``near`` of them.

        They are those that :func:`geopar.pointer.reach.near` finds.
        """
        from geopar.pointer.hcvrp_kernel import look

        frame = Frame(state, self.SIZES, near, candidates, include)
        look(
            *self.arrays,
            *rows_of_state(state.place, state.position, state.length, state.left, state.open),
            *rows_of_state(state.start, state.follow),
            frame.choose, frame.include, True, *frame.results,
        )  # fmt: skip
        return frame.look()

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What the compiled look reads of the instances."""
        batch = self.environment.batch
        scale = torch.stack(
            [
                self.neighbourhood.spacing.double(),
                self.mean_depot_distance.double(),
                self.most_depot_distance.double(),
                self.makespan.double(),
            ],
            -1,
        )
        tables = (
            self.table, self.work, batch.demand, batch.capacity, self.capacity, batch.speed, scale,
            self.sector,
        )  # fmt: skip
        arrays = tuple(t.contiguous().numpy() for t in tables)
        near = self.neighbourhood.index.contiguous().numpy()
        return (*arrays, SECTORS, near, batch.num_tasks, self.turns)

    @property
    def pace(self) -> Tensor:
        """``(B, M)``: length that each vehicle drives in a unit of time of the features."""
        return self.environment.batch.speed * self.makespan[:, None]

    def plain_look(self, state: HCVRPState, candidates: Tensor) -> PlainLook:
        """What the paper's network is told of ``(B, K)`` tasks."""
        listed = candidates[:, None].expand(-1, state.open.shape[1], -1)
        return PlainLook(
            candidates,
            self.environment.feasible(state, candidates),
            self.environment.has_task(state),
            self.plain_agents(state),
            self.plain_fleet(state),
            rows_of(self.tasks(state), listed),
        )

    def plain_agents(self, state: HCVRPState) -> Tensor:
        """PARCO's state of an agent: time so far, what fits, time to the depot; padded."""
        batch = self.environment.batch
        speed = batch.speed[:, None]
        left = (state.left / batch.capacity.amax(-1)[:, None, None]).float()
        back = distance(state.position, batch.reference[:, None, None]) / speed
        return torch.stack([state.length / speed, left, back], -1)

    def plain_fleet(self, state: HCVRPState) -> Tensor:
        """PARCO's state of the environment: the share of customers served."""
        return 1.0 - state.open.float().sum(-1, keepdim=True) / self.environment.batch.num_tasks

    def queue(self, state: HCVRPState) -> tuple[Tensor, Queue]:
        """Who has a choice, ``(B, R, M)``, and the order in which they leave the depot."""
        batch, home = self.environment.batch, self.environment.batch.num_tasks
        away = self.table[:, None, :, 2]
        pace = self.pace[:, None]
        left = (state.open * away).sum(-1) / state.open.sum(-1).clamp(min=1)
        back = distance(state.position, batch.reference[:, None, None])
        again = (state.length + back + 2.0 * left[..., None]) / pace
        active = self.environment.has_task(state)
        ready = active & (state.place == home)
        order = torch.where(ready, again, torch.inf).argsort(dim=-1, stable=True)
        rank = order.argsort(dim=-1)
        has_turn = ready & (rank < self.turns) if self.turns else ready
        count = has_turn.sum(-1, keepdim=True).expand(rank.shape)
        return active & (~ready | has_turn), Queue(again, rank * has_turn, count)

    def agents_and_fleet(self, state: HCVRPState, queue: Queue) -> tuple[Tensor, Tensor]:
        """``(B, R, M, 18)`` of each agent and ``(B, R, 8)`` of the fleet, all relative."""
        batch, home = self.environment.batch, self.environment.batch.num_tasks
        makespan = self.makespan[:, None, None]
        back = distance(state.position, batch.reference[:, None, None])
        elapsed = state.length / (batch.speed[:, None] * makespan)
        finish = elapsed + back / (batch.speed[:, None] * makespan)
        mean, most = finish.mean(-1, keepdim=True), finish.amax(-1, keepdim=True)
        is_open = state.open.float()
        work = (is_open * self.work[:, None]).sum(-1, keepdim=True)
        # If the work left is shared evenly, the fleet is home at about the mean plus it.
        outlook = torch.maximum(mean + work, most)
        at_depot = (state.place == home).float()
        left = (state.left / batch.capacity[:, None]).float()
        # Trips that this vehicle would still need alone, and once all under way are full.
        load = torch.where(state.open, batch.demand[:, None], 0.0).sum(-1, keepdim=True)
        under_way = torch.where(state.place != home, state.left, 0.0).sum(-1, keepdim=True)
        trips, others = load / batch.capacity[:, None], (load - under_way) / batch.capacity[:, None]
        speed = batch.speed / batch.speed.mean(-1, keepdim=True) - 1.0
        capacity = self.capacity / self.capacity.mean(-1, keepdim=True) - 1.0
        shape = finish.shape
        agents = torch.stack(
            [
                at_depot,
                left,
                elapsed,
                finish,
                finish - mean,
                finish - most,
                finish - outlook,
                back / self.mean_depot_distance[:, None, None],
                squash(back / self.neighbourhood.spacing[:, None, None]),
                speed[:, None].expand(shape),
                capacity[:, None].expand(shape),
                self.capacity[:, None] * left / self.capacity.mean(-1)[:, None, None],
                share_before(finish),
                squash(queue.rank / QUEUE),
                squash(queue.ready / QUEUE),
                queue.again - outlook,
                trips.clamp(max=MOST_TRIPS).float(),
                others.clamp(-1.0, MOST_TRIPS).float(),
            ],
            -1,
        )
        count = is_open.sum(-1, keepdim=True)
        fleet = torch.cat(
            [
                count / batch.num_tasks,
                work,
                mean,
                most,
                most - mean,
                outlook,
                at_depot.mean(-1, keepdim=True),
                squash(count / batch.num_vehicles),
            ],
            -1,
        )
        return agents, fleet

    def tasks(self, state: HCVRPState) -> Tensor:
        """ξ, ``(B, R, N + 1, 3)``: demand over the most that anybody can take, the neighbourhood.

        Of the neighbourhood: the share that is open, and its open demand.
        """
        demand = self.table[:, None, :, 5]
        roomiest = (state.left / self.environment.batch.capacity.amax(-1)[:, None, None]).amax(-1)
        heavy = (demand / roomiest.float().clamp(min=TINY)[..., None]).clamp(max=1.0)
        crowd = self._crowd(state)
        heavy = heavy.expand(*crowd.shape[:-1])
        return torch.cat([heavy[..., None], crowd], -1)

    def _crowd(self, state: HCVRPState) -> Tensor:
        """``(B, R, N + 1, 2)``: the open share of each neighbourhood, and its open demand."""
        is_open = state.open[..., :-1].float()
        around = self.neighbourhood.share_of(is_open)
        load = self.neighbourhood.share_of(is_open * self.table[:, None, :-1, 5])
        return F.pad(torch.stack([around, load], -1), (0, 0, 0, 1))

    def pairs(
        self,
        state: HCVRPState,
        candidates: Tensor,
        feasible: Tensor,
        agents: Tensor,
        fleet: Tensor,
    ) -> Tensor:
        """``(B, R, M, K, 27)``: every agent and each of its candidates, home among them.

        Parameters
        ----------
        state
            The state.
        candidates, feasible
            ``(B, R, M, K)``.
        agents, fleet
            As :class:`Look` holds them.
        """
        batch, home = self.environment.batch, self.environment.batch.num_tasks
        spacing = self.neighbourhood.spacing[:, None, None, None]
        makespan = self.makespan[:, None, None, None]
        reference = batch.reference[:, None, None]
        there, is_home = take(self.table, candidates), candidates == home
        share, crowd = rows_of(self._crowd(state), candidates).unbind(-1)
        x, y, away, east, north, demand = there.unbind(-1)
        px, py = (part[..., None] for part in state.position.unbind(-1))
        gap = torch.hypot(x - px, y - py)
        back = distance(state.position, reference)[..., None]
        own = torch.where(feasible & ~is_home, gap, torch.inf)
        rival = rival_distance(candidates, own, home)
        nearest = own.amin(-1, keepdim=True).clamp(min=TINY, max=10.0)
        # From the depot, along and across the line through the agent's place.
        dx, dy = px - reference[..., :1], py - reference[..., 1:]
        along = (dx * east + dy * north) / back.clamp(min=TINY)
        across = (dx * north - dy * east).abs() / back.clamp(min=TINY) * away
        left = (agents[..., 1] * self.capacity[:, None]).clamp(min=TINY)[..., None]
        extra, close = self._extra(state, candidates, gap, gap + away - back)
        after = agents[..., 3, None] + extra / (batch.speed[:, None, :, None] * makespan)
        mean, most = fleet[..., 2, None, None], fleet[..., 3, None, None]
        outlook = fleet[..., 5, None, None]
        capacity = self.capacity[:, None, :, None]
        ones = torch.ones_like(gap)
        ahead = (gap - rival.clamp(max=10.0)) / spacing
        own = torch.where(feasible & ~is_home, after, torch.inf)
        lead = after - rival_distance(candidates, own, home)
        onward = self._onward(state, candidates)
        # A full trip shares the way there and back among its customers by what they load.
        dear = extra - 2.0 * away * demand / capacity
        return torch.stack(
            [
                torch.log1p(gap / spacing),
                gap / self.mean_depot_distance[:, None, None, None],
                squash(extra / spacing),
                (back + away - gap) / (back + away).clamp(min=TINY),
                squash(across / spacing),
                along,
                ones * (away / self.most_depot_distance[:, None, None, None]),
                squash((away - back) / spacing),
                (demand / left).clamp(max=1.0),
                demand / capacity * ones,
                (left - demand).clamp(min=0.0) / capacity,
                share,
                (crowd * 8.0 / left).clamp(max=2.0),
                squash(ahead),
                after,
                after - mean,
                after - most,
                after - outlook,
                ones * is_home,
                nearest / gap.maximum(nearest),
                (LEAD * lead).clamp(-2.0, 2.0),
                torch.log1p(onward / spacing),
                squash((onward - away) / spacing),
                extra / self.mean_depot_distance[:, None, None, None],
                torch.log1p(close / spacing),
                dear / self.mean_depot_distance[:, None, None, None],
                squash(dear / spacing),
            ],
            -1,
        )

    def _extra(
        self, state: HCVRPState, candidates: Tensor, gap: Tensor, behind: Tensor
    ) -> tuple[Tensor, Tensor]:
        """``(B, R, M, K)``: what each candidate adds to the open trip, and how near it is to that.

        Home adds what ``behind`` says, and is as near as the last stop.
        """
        home = self.environment.batch.num_tasks
        places, stops = self.environment.batch.places, stops_of(state.start, state.follow)
        extra, _ = cheapest_place(places, stops, candidates)
        is_home = candidates == home
        apart = distance(
            take(places, candidates)[..., None, :], take(places, stops)[..., None, :, :]
        )
        apart = apart.masked_fill((stops == home)[..., None, :], torch.inf).amin(-1)
        close = torch.where(is_home, gap, torch.minimum(gap, apart))
        return torch.where(is_home, behind, extra), close

    def _onward(self, state: HCVRPState, candidates: Tensor) -> Tensor:
        """``(B, R, M, K)``: from each candidate to the nearest open customer that still fits."""
        home, size = self.environment.batch.num_tasks, self.neighbourhood.index.shape[-1]
        if not size:
            return torch.zeros(candidates.shape, device=candidates.device)
        demand = self.environment.batch.demand
        around = take(self.neighbourhood.index, candidates.clamp(max=home - 1))
        left = (state.left[..., None] - take(demand, candidates))[..., None]
        is_open = rows_of(state.open[..., None], around)[..., 0]
        fits = is_open & (take(demand, around) <= left)
        gap = distance(
            take(self.table, around)[..., :2], take(self.table, candidates)[..., None, :2]
        )
        first = fits.int().argmax(-1, keepdim=True)
        found = torch.where(fits.any(-1), gap.gather(-1, first)[..., 0], 2.0 * gap[..., -1])
        return found.masked_fill(candidates == home, 0.0)
