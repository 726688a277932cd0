"""What is seen of HCVRP, in tensor operations."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from geopar.pointer.config import PointerConfig
from geopar.pointer.hcvrp import fleet_features, pair_features
from geopar.pointer.hcvrp.candidates import LEADER_BONUS, NEAREST_SHARE, PRESELECTED
from geopar.pointer.hcvrp.columns import Agent, Customer, Fleet, Pair, Scale
from geopar.pointer.hcvrp.tables import SECTORS, tables_of
from geopar.pointer.neighbourhood import NEIGHBOURS, TINY
from geopar.problems.chains import stops_of
from geopar.problems.hcvrp.environment import HCVRPEnvironment, HCVRPState
from geopar.problems.hcvrp.trips import cheapest_place
from geopar.problems.tensors import distance, take
from oracles.observed import (
    INF,
    Observed,
    best_rival,
    mean_around,
    rows_of,
    share_less,
    squash,
    table,
)


class HCVRPOracle:
    """Looks at the states of one batch."""

    def __init__(self, environment: HCVRPEnvironment, config: PointerConfig) -> None:
        self.environment, self.config = environment, config
        tables = tables_of(environment.batch, config.turns or 0)
        self.customers, self.work, self.sector, self.near, self.capacity = map(
            torch.from_numpy,
            (tables.customers, tables.work, tables.sector, tables.near, tables.relative_capacity),
        )
        scale = torch.from_numpy(tables.scale).float()
        self.spacing, self.mean_away, self.most_away, self.makespan = (
            scale[:, column] for column in Scale
        )

    def observe(self, state: HCVRPState) -> Observed:
        """Everything that is seen."""
        environment, home = self.environment, self.environment.batch.num_tasks
        candidates = self.candidates(state)
        active, queue = self.queue(state)
        is_home = candidates == home
        feasible = environment.feasible(state, candidates) & active[..., None] & ~is_home
        feasible |= is_home & (~active | environment.home_allowed(state))[..., None]
        agents, fleet = self.agents_and_fleet(state, queue)
        pairs = self.pairs(state, candidates, feasible & ~is_home, agents, fleet)
        return Observed(candidates, feasible, active, agents, fleet, pairs)

    def candidates(self, state: HCVRPState) -> Tensor:
        """``(B, R, M, K)``: the cheapest in the open trip, or what the depot shows; then home."""
        batch, home = self.environment.batch, self.environment.batch.num_tasks
        count = min(self.config.reach, home)
        allowed = self.environment.mask(state)[..., :-1]
        gap = torch.cdist(state.position.flatten(1, 2), batch.tasks).view(allowed.shape)
        nearest = gap.masked_fill(~allowed, INF).topk(min(PRESELECTED * count, home), largest=False)
        stops = stops_of(state.start, state.follow)
        extra, _ = cheapest_place(batch.places, stops, nearest.indices)
        extra = extra.masked_fill(nearest.values == INF, INF)
        found = nearest.indices.gather(-1, extra.topk(count, largest=False).indices)
        shown = self.shown(state.open[..., :-1], count)[:, :, None].expand_as(found)
        # A vehicle too small for all that is shown looks around instead.
        is_useful = (state.place == home) & allowed.gather(-1, shown).any(-1)
        return F.pad(torch.where(is_useful[..., None], shown, found), (0, 1), value=home)

    def shown(self, is_open: Tensor, count: int) -> Tensor:
        """``(B, R, count)`` open customers that the depot shows, closed ones where too few."""
        away = self.customers[:, None, :-1, Customer.DEPOT_DISTANCE].expand(is_open.shape)
        seen = torch.where(is_open, away, -1.0)
        sector = self.sector[:, None, :-1].expand(is_open.shape)
        shape = (*is_open.shape[:2], SECTORS)
        farthest = seen.new_full(shape, -1.0).scatter_reduce(-1, sector, seen, "amax")
        leads = is_open & (seen == farthest.gather(-1, sector))
        few = count // NEAREST_SHARE
        far = (seen + LEADER_BONUS * leads).topk(count - few).indices
        if not few:
            return far
        rest = torch.where(is_open, away, pair_features.FARTHEST).scatter(-1, far, INF)
        return torch.cat([far, rest.topk(few, largest=False).indices], -1)

    def queue(self, state: HCVRPState) -> tuple[Tensor, tuple[Tensor, Tensor, Tensor]]:
        """Who has a choice; when home after another trip, place in the queue, its length."""
        batch, home = self.environment.batch, self.environment.batch.num_tasks
        away = self.customers[:, None, :, Customer.DEPOT_DISTANCE]
        left = (state.open * away).sum(-1) / state.open.sum(-1).clamp(min=1)
        back = distance(state.position, batch.reference[:, None, None])
        pace = (batch.speed * self.makespan[:, None])[:, None]
        again = (state.length + back + 2.0 * left[..., None]) / pace
        active = self.environment.has_task(state)
        ready = active & (state.place == home)
        order = torch.where(ready, again, INF).argsort(dim=-1, stable=True)
        rank = order.argsort(dim=-1)
        has_turn = ready & (rank < self.config.turns) if self.config.turns else ready
        count = has_turn.sum(-1, keepdim=True).expand(rank.shape)
        return active & (~ready | has_turn), (again, rank * has_turn, count)

    def agents_and_fleet(
        self, state: HCVRPState, queue: tuple[Tensor, Tensor, Tensor]
    ) -> tuple[Tensor, Tensor]:
        """The features of each agent and of the fleet."""
        batch, home = self.environment.batch, self.environment.batch.num_tasks
        pace = batch.speed[:, None] * self.makespan[:, None, None]
        back = distance(state.position, batch.reference[:, None, None])
        elapsed, finish = state.length / pace, (state.length + back) / pace
        mean, most = finish.mean(-1, keepdim=True), finish.amax(-1, keepdim=True)
        work = (state.open * self.work[:, None]).sum(-1, keepdim=True)
        outlook = torch.maximum(mean + work, most)
        at_depot = (state.place == home).float()
        room = (state.left / batch.capacity[:, None]).float()
        load = torch.where(state.open, batch.demand[:, None], 0.0).sum(-1, keepdim=True)
        under_way = torch.where(state.place != home, state.left, 0.0).sum(-1, keepdim=True)
        trips, others = load / batch.capacity[:, None], (load - under_way) / batch.capacity[:, None]
        mean_capacity = self.capacity.mean(-1, keepdim=True)
        again, rank, ready = queue
        agents = table(Agent, {
            Agent.AT_DEPOT: at_depot,
            Agent.ROOM: room,
            Agent.ELAPSED: elapsed,
            Agent.FINISH: finish,
            Agent.BEHIND_MEAN: finish - mean,
            Agent.BEHIND_LATEST: finish - most,
            Agent.BEHIND_OUTLOOK: finish - outlook,
            Agent.WAY_HOME: back / self.mean_away[:, None, None],
            Agent.WAY_HOME_SQUASHED: squash(back / self.spacing[:, None, None]),
            Agent.SPEED: (batch.speed / batch.speed.mean(-1, keepdim=True) - 1.0)[:, None],
            Agent.CAPACITY: (self.capacity / mean_capacity - 1.0)[:, None],
            Agent.ROOM_IN_FLEET: self.capacity[:, None] * room / mean_capacity[:, None],
            Agent.SHARE_EARLIER: share_less(finish),
            Agent.QUEUE_PLACE: squash(rank / fleet_features.QUEUE_UNIT),
            Agent.QUEUE_LENGTH: squash(ready / fleet_features.QUEUE_UNIT),
            Agent.NEXT_BEHIND_OUTLOOK: again - outlook,
            Agent.TRIPS_ALONE: trips.clamp(max=fleet_features.MOST_TRIPS),
            Agent.TRIPS_LEFT: others.clamp(-1.0, fleet_features.MOST_TRIPS),
        })  # fmt: skip
        count = state.open.sum(-1, keepdim=True)
        fleet = table(Fleet, {
            Fleet.SHARE_OPEN: count / batch.num_tasks,
            Fleet.WORK_LEFT: work,
            Fleet.MEAN_FINISH: mean,
            Fleet.LATEST_FINISH: most,
            Fleet.IMBALANCE: most - mean,
            Fleet.OUTLOOK: outlook,
            Fleet.SHARE_AT_DEPOT: at_depot.mean(-1, keepdim=True),
            Fleet.CUSTOMERS_EACH: squash(count / batch.num_vehicles),
        })  # fmt: skip
        return agents, fleet[..., 0, :]

    def pairs(
        self, state: HCVRPState, candidates: Tensor, is_open: Tensor, agents: Tensor, fleet: Tensor
    ) -> Tensor:
        """The features of every agent and each of its candidates, of which some are open to it."""
        batch, home = self.environment.batch, self.environment.batch.num_tasks
        spacing, mean_away, most_away, makespan = (
            unit[:, None, None, None]
            for unit in (self.spacing, self.mean_away, self.most_away, self.makespan)
        )
        reference, capacity = batch.reference[:, None, None], self.capacity[:, None, :, None]
        x, y, away, east, north, demand = take(self.customers, candidates).unbind(-1)
        px, py = (part[..., None] for part in state.position.unbind(-1))
        gap = torch.hypot(x - px, y - py)
        back = distance(state.position, reference)[..., None]
        rival = best_rival(candidates, gap.masked_fill(~is_open, INF), home)
        rival = rival.clamp(max=pair_features.FARTHEST)
        nearest = gap.masked_fill(~is_open, INF).amin(-1, keepdim=True)
        nearest = nearest.clamp(min=TINY, max=pair_features.FARTHEST)
        dx, dy = px - reference[..., :1], py - reference[..., 1:]
        along = (dx * east + dy * north) / back.clamp(min=TINY)
        across = (dx * north - dy * east).abs() / back.clamp(min=TINY) * away
        room = (agents[..., Agent.ROOM, None] * capacity).clamp(min=TINY)
        detour, trip_distance = self.detour(state, candidates, gap, gap + away - back)
        after = agents[..., Agent.FINISH, None]
        after = after + detour / (batch.speed[:, None, :, None] * makespan)
        soonest = best_rival(candidates, after.masked_fill(~is_open, INF), home)
        onward = self.onward(state, candidates)
        excess = detour - 2.0 * away * demand / capacity
        share, load = self.around(state, candidates)
        mean, most, outlook = (
            fleet[..., column, None, None]
            for column in (Fleet.MEAN_FINISH, Fleet.LATEST_FINISH, Fleet.OUTLOOK)
        )
        lead = (pair_features.LEAD_UNIT * (after - soonest)).clamp(-2.0, 2.0)
        return table(Pair, {
            Pair.LOG_DISTANCE: torch.log1p(gap / spacing),
            Pair.DISTANCE: gap / mean_away,
            Pair.DETOUR_SQUASHED: squash(detour / spacing),
            Pair.SAVING: (back + away - gap) / (back + away).clamp(min=TINY),
            Pair.ACROSS: squash(across / spacing),
            Pair.ALONG: along,
            Pair.DEPOT_DISTANCE: away / most_away,
            Pair.OUTWARD: squash((away - back) / spacing),
            Pair.DEMAND_OF_ROOM: (demand / room).clamp(max=1.0),
            Pair.DEMAND_OF_CAPACITY: demand / capacity,
            Pair.ROOM_AFTER: (room - demand).clamp(min=0.0) / capacity,
            Pair.OPEN_AROUND: share,
            Pair.DEMAND_AROUND: (load * NEIGHBOURS / room).clamp(max=2.0),
            Pair.BEHIND_NEAREST_RIVAL: squash((gap - rival) / spacing),
            Pair.FINISH: after,
            Pair.FINISH_BEHIND_MEAN: after - mean,
            Pair.FINISH_BEHIND_LATEST: after - most,
            Pair.FINISH_BEHIND_OUTLOOK: after - outlook,
            Pair.IS_HOME: candidates == home,
            Pair.NEAREST_SHARE: nearest / gap.maximum(nearest),
            Pair.BEHIND_SOONEST_RIVAL: lead,
            Pair.LOG_ONWARD: torch.log1p(onward / spacing),
            Pair.ONWARD_OR_HOME: squash((onward - away) / spacing),
            Pair.DETOUR: detour / mean_away,
            Pair.LOG_TRIP_DISTANCE: torch.log1p(trip_distance / spacing),
            Pair.EXCESS: excess / mean_away,
            Pair.EXCESS_SQUASHED: squash(excess / spacing),
        })  # fmt: skip

    def around(self, state: HCVRPState, candidates: Tensor) -> tuple[Tensor, Tensor]:
        """The open share and the mean open demand of the candidates' neighbourhoods."""
        is_open, near = state.open[..., :-1].float(), self.near[..., :NEIGHBOURS]
        demand = self.customers[:, None, :-1, Customer.DEMAND]
        share, load = (mean_around(values, near) for values in (is_open, is_open * demand))
        return rows_of(F.pad(share, (0, 1)), candidates), rows_of(F.pad(load, (0, 1)), candidates)

    def detour(
        self, state: HCVRPState, candidates: Tensor, gap: Tensor, for_home: Tensor
    ) -> tuple[Tensor, Tensor]:
        """What each candidate adds to the open trip, and how near it is to that."""
        home = self.environment.batch.num_tasks
        places, stops = self.environment.batch.places, stops_of(state.start, state.follow)
        extra, _ = cheapest_place(places, stops, candidates)
        is_home = candidates == home
        apart = distance(
            take(places, candidates)[..., None, :], take(places, stops)[..., None, :, :]
        )
        apart = apart.masked_fill((stops == home)[..., None, :], INF).amin(-1)
        close = torch.where(is_home, gap, torch.minimum(gap, apart))
        return torch.where(is_home, for_home, extra), close

    def onward(self, state: HCVRPState, candidates: Tensor) -> Tensor:
        """From each candidate to the nearest open customer that still fits."""
        home, size = self.environment.batch.num_tasks, self.near.shape[-1]
        if not size:
            return torch.zeros(candidates.shape)
        demand: Any = self.environment.batch.demand
        around = take(self.near, candidates.clamp(max=home - 1))
        left = (state.left[..., None] - take(demand, candidates))[..., None]
        fits = rows_of(state.open, around) & (take(demand, around) <= left)
        places = self.customers[..., : Customer.Y + 1]
        gap = distance(take(places, around), take(places, candidates)[..., None, :])
        first = fits.int().argmax(-1, keepdim=True)
        found = torch.where(fits.any(-1), gap.gather(-1, first)[..., 0], 2.0 * gap[..., -1])
        return found.masked_fill(candidates == home, 0.0)
