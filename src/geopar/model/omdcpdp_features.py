"""OMDCPDP seen from an agent, in terms that mean the same at 50 and at 50,000 tasks.

Distances are counted in the instance's spacing and in the mean length of an order, lengths driven
in an estimate of what each vehicle will drive; nothing here has a gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from geopar.model.deliveries import deliver_nearest
from geopar.model.features import (
    ONWARD_NEIGHBOURS,
    TINY,
    Neighbourhood,
    rival_distance,
    rows_of,
    share_before,
    squash,
)
from geopar.model.look import FeatureSizes, Frame, Look, rows_of_state
from geopar.model.neighbours import others_near
from geopar.problems.batch import OMDCPDPBatch
from geopar.problems.omdcpdp.environment import OMDCPDPEnvironment, OMDCPDPState
from geopar.problems.tensors import distance, take

# Driven per order with a few on board at a time, in mean lengths of an order.
LENGTHS_PER_ORDER = 0.5
# Of the orders on board so many are looked at; arriving sooner than others counts up to this many
# mean lengths of an order.
MOST_CARRIED_SEEN = 4
MOST_LEAD = 3.0
# What an order costs counts up to this many mean lengths.
MOST_COST = 6.0


@dataclass(frozen=True, eq=False)
class OMDCPDPScene:
    """What stays the same during a rollout. Tables have one row per task and one for waiting.

    Parameters
    ----------
    environment
        The rules.
    neighbourhood
        Which pickups and deliveries are near each task.
    next_pickups
        ``(B, N, 16)``: the pickups near each task, nearest first; fewer when there are fewer.
    table
        ``(B, N + 1, 6)``: x, y, the partner's x and y, length of the order, whether it is a pickup.
    mean_length
        ``(B,)``: of the orders.
    route
        ``(B,)``: the estimate of what a vehicle drives in all.
    waits
        Whether idle vehicles may let others go first.
    """

    environment: OMDCPDPEnvironment
    neighbourhood: Neighbourhood
    next_pickups: Tensor
    table: Tensor
    mean_length: Tensor
    route: Tensor
    waits: bool = False

    SIZES: ClassVar = FeatureSizes(agents=11, fleet=7, dynamic=3, pairs=37)

    @classmethod
    def of(cls, environment: OMDCPDPEnvironment, waits: bool = False) -> OMDCPDPScene:
        """Look at a batch once."""
        batch: OMDCPDPBatch = environment.batch
        pickups, deliveries = batch.tasks.chunk(2, 1)
        length = distance(pickups, deliveries)
        mean = length.mean(-1).clamp(min=TINY)
        partner = torch.cat([deliveries, pickups], 1)
        is_pickup = torch.zeros_like(batch.tasks[..., :1])
        is_pickup[:, : batch.num_orders] = 1.0
        lengths = torch.cat([length, length], 1)[..., None]
        rows = torch.cat([batch.tasks, partner, lengths, is_pickup], -1)
        orders_each = batch.num_orders / batch.num_vehicles
        return cls(
            environment=environment,
            neighbourhood=Neighbourhood.of(batch.tasks),
            next_pickups=others_near(pickups, batch.tasks, ONWARD_NEIGHBOURS)[1],
            table=F.pad(rows, (0, 0, 0, 1)),
            mean_length=mean,
            route=mean * (1.0 + LENGTHS_PER_ORDER * orders_each),
            waits=waits,
        )

    def look(self, state: OMDCPDPState, candidates: Tensor, pairs: bool) -> Look:
        """Look at given candidates with tensor operations, on any device."""
        feasible = self.environment.feasible(state, candidates)
        if self.waits:
            is_home = candidates == self.environment.batch.num_tasks
            if candidates.dim() == 2:
                is_home = is_home[:, None, None]
            feasible |= is_home & self._may_wait(state, candidates, feasible)[..., None]
        agents, fleet = self.agents_and_fleet(state)
        tasks, shown = self.tasks(state), candidates
        if candidates.dim() == 2:
            shown = candidates[:, None, None].expand(-1, state.open.shape[1], 1, -1)
        seen = None
        if pairs:
            seen = self.pairs(state, candidates, feasible, agents, fleet, tasks)
        return Look(
            candidates,
            feasible,
            self.environment.has_task(state),
            agents,
            fleet,
            rows_of(tasks, shown),
            seen,
        )

    def compiled_look(
        self,
        state: OMDCPDPState,
        pairs: bool,
        near: int = 0,
        candidates: Tensor | None = None,
        include: Tensor | None = None,
    ) -> Look:
        """The same in compiled loops, on a CPU; without candidates it finds ``near`` of them.

        They are those that :func:`geopar.model.reach.near` finds.
        """
        from geopar.model.omdcpdp_kernel import look

        environment = self.environment
        frame = Frame(state, self.SIZES, near, candidates, include, pairs)
        look(
            *self.arrays,
            *rows_of_state(
                state.place, state.position, state.length, state.load, state.carrier, state.board,
                state.open, environment.has_room(state), environment.working(state),
                environment.home_allowed(state),
            ),
            frame.choose, frame.shared, frame.include, pairs, True, *frame.results,
        )  # fmt: skip
        return frame.look()

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What the compiled look reads of the instances."""
        batch = self.environment.batch
        spacing = self.neighbourhood.spacing
        scale = torch.stack([spacing, self.mean_length, self.route], -1).double()
        near, pickups = self.neighbourhood.index, self.next_pickups
        tables = (self.table, batch.capacity, scale, near, pickups)
        return (*(t.contiguous().numpy() for t in tables), batch.num_tasks, self.waits)

    def _may_wait(self, state: OMDCPDPState, candidates: Tensor, feasible: Tensor) -> Tensor:
        """``(B, R, M)``: idle, and not the one on whom all others wait."""
        idle = state.load == 0
        if candidates.dim() == 2:
            candidates = candidates[:, None, None]
        places = take(self.table, candidates.flatten(1)).unflatten(1, candidates.shape[1:])
        gap = distance(places[..., :2], state.position[..., None, :])
        can = feasible & (candidates != self.environment.batch.num_tasks)
        start = torch.where(can, gap, torch.inf).amin(-1) + state.length
        first = start == start.amin(-1, keepdim=True)
        return idle & ~(idle.all(-1, keepdim=True) & first)

    def room(self, state: OMDCPDPState) -> Tensor:
        """``(B, R, M)`` float64: how many orders still fit on board."""
        return (self.environment.batch.capacity[:, None] - state.load).double()

    def idle(self, state: OMDCPDPState) -> Tensor:
        """``(B, R, M)``: who has nothing on board."""
        return state.load == 0

    @property
    def pace(self) -> Tensor:
        """``(B, M)``: length that each vehicle drives in a unit of the features."""
        return self.route[:, None].expand(-1, self.environment.batch.num_vehicles)

    def plain_agents(self, state: OMDCPDPState) -> Tensor:
        """PARCO's state of an agent: length so far, orders on board; padded to three."""
        return torch.stack([state.length, state.load.float(), state.load > 0], -1)

    def plain_fleet(self, state: OMDCPDPState) -> Tensor:
        """PARCO's state of the environment: the share of tasks still open."""
        return self._unserved(state)

    def _unserved(self, state: OMDCPDPState) -> Tensor:
        """``(B, R, 1)``: the share of tasks not yet served."""
        half = self.environment.batch.num_orders
        free = state.open[..., :half].sum(-1, keepdim=True)
        aboard = state.open[..., half:].sum(-1, keepdim=True)
        return (2.0 * free + aboard) / (2.0 * half)

    def agents_and_fleet(self, state: OMDCPDPState) -> tuple[Tensor, Tensor]:
        """``(B, R, M, 11)`` of each agent and ``(B, R, 7)`` of the fleet, all relative."""
        batch = self.environment.batch
        route = self.route[:, None, None]
        length = state.length / route
        mean, most = length.mean(-1, keepdim=True), length.amax(-1, keepdim=True)
        load, capacity = state.load.float(), batch.capacity.float()[:, None]
        free = state.open[..., : batch.num_orders].float().sum(-1, keepdim=True)
        idle = (state.load == 0).float()
        _, ways, carried = self._ways(state)
        carried = carried.sum(-1).clamp(min=1)
        agents = torch.stack(
            [
                (state.place == batch.num_tasks).float(),
                load / capacity,
                squash(capacity - load),
                squash(load),
                idle,
                length,
                length - mean,
                length - most,
                squash(length * 4.0),
                share_before(state.length),
                ways.sum(-1) / carried / self.mean_length[:, None, None],
            ],
            -1,
        )
        unserved = self._unserved(state)
        fleet = torch.cat(
            [
                unserved,
                free / batch.num_orders,
                mean,
                most - mean,
                idle.mean(-1, keepdim=True),
                squash(free / batch.num_vehicles),
                load.mean(-1, keepdim=True) / capacity.mean(-1, keepdim=True),
            ],
            -1,
        )
        return agents, fleet

    def tasks(self, state: OMDCPDPState) -> Tensor:
        """ξ, ``(B, R, N + 1, 3)``: on board or not, free pickups and open deliveries near it."""
        batch = self.environment.batch
        is_open = state.open[..., :-1].float()
        pickups, deliveries = is_open.clone(), is_open.clone()
        pickups[..., batch.num_orders :] = 0.0
        deliveries[..., : batch.num_orders] = 0.0
        around = [self.neighbourhood.share_of(part) for part in (pickups, deliveries)]
        return F.pad(torch.stack([deliveries, *around], -1), (0, 0, 0, 1))

    def pairs(
        self,
        state: OMDCPDPState,
        candidates: Tensor,
        feasible: Tensor,
        agents: Tensor,
        fleet: Tensor,
        tasks: Tensor,
    ) -> Tensor:
        """``(B, R, M, K, 37)``: every agent and each candidate; as in HCVRP, with all of ξ."""
        batch = self.environment.batch
        home, half = batch.num_tasks, batch.num_orders
        spacing = self.neighbourhood.spacing[:, None, None, None]
        typical = self.mean_length[:, None, None, None]
        # Orders that are still free for each vehicle: so many wait for it to be done.
        fleet_left = state.open[..., :half].sum(-1).float()[..., None, None] / batch.num_vehicles
        partner_of = torch.where(candidates < half, candidates + half, candidates - half)
        partner_of = torch.where(candidates == home, home, partner_of)
        if candidates.dim() == 2:
            there = take(self.table, candidates)[:, None, None]
            rollouts = state.open.shape[1]
            shared = [part[:, None].expand(-1, rollouts, -1) for part in (candidates, partner_of)]
            crowd, beyond = (rows_of(tasks, part)[:, :, None] for part in shared)
            is_home = (candidates == home)[:, None, None]
        else:
            there = take(self.table, candidates)
            crowd, beyond = rows_of(tasks, candidates), rows_of(tasks, partner_of)
            is_home = candidates == home
        x, y, u, v, order, is_pickup = there.unbind(-1)
        px, py = (part[..., None] for part in state.position.unbind(-1))
        dx, dy = x - px, y - py
        # Waiting happens where the vehicle is.
        gap = torch.hypot(dx, dy).masked_fill(is_home, 0.0)
        own = torch.where(feasible & ~is_home, gap, torch.inf)
        rival = rival_distance(candidates, own, home)
        nearest = own.amin(-1, keepdim=True).clamp(min=TINY, max=10.0)
        turn = (dx * (u - x) + dy * (v - y)) / (gap * order).clamp(min=TINY)
        beyond_gap = torch.hypot(u - px, v - py)
        to_carried, mean_carried, delay = self._to_carried(state, x, y, gap, candidates)
        cost, longer, detour = self._costs(state, there, gap, candidates)
        later = cost + longer * fleet_left
        dearer = self._lead(state.length[..., None] + cost, candidates, feasible)
        much_dearer = self._lead(state.length[..., None] + later, candidates, feasible)
        lead = self._lead(state.length[..., None] + gap, candidates, feasible)
        onward = self._onward(state)
        if candidates.dim() == 2:
            ahead, past = (rows_of(onward, part)[:, :, None, :, 0] for part in shared)
        else:
            ahead, past = (rows_of(onward, part)[..., 0] for part in (candidates, partner_of))
        load = state.load[..., None].float()
        length = (state.length[..., None] + gap) / self.route[:, None, None, None]
        mean, most = fleet[..., 2, None, None], (fleet[..., 2] + fleet[..., 3])[..., None, None]
        ones = torch.ones_like(gap)
        some = (load > 0.5).float()
        return torch.stack(
            [
                torch.log1p(gap / spacing),
                gap / typical,
                ones * is_pickup,
                ones * (1.0 - is_pickup) * ~is_home,
                ones * order / typical,
                ones * is_pickup * beyond_gap / typical,
                is_pickup * turn,
                is_pickup * (gap + order - beyond_gap) / typical,
                load * gap / typical,
                some * torch.log1p(to_carried / spacing),
                some * to_carried / typical,
                some * mean_carried / typical,
                ones * crowd[..., 1],
                ones * crowd[..., 2],
                ones * beyond[..., 1],
                ones * beyond[..., 2],
                is_pickup * squash((gap - rival.clamp(max=10.0)) / spacing),
                length - mean,
                length - most,
                nearest / gap.maximum(nearest),
                ones * is_home,
                ones * agents[..., 1, None],
                is_pickup * squash(lead.clamp(min=-10.0) / spacing),
                is_pickup * (lead / typical).clamp(-MOST_LEAD, MOST_LEAD),
                ones * torch.log1p(ahead / spacing),
                ones * ahead / typical,
                ones * is_pickup * torch.log1p(past / spacing),
                squash(delay / typical),
                (cost / typical).clamp(max=MOST_COST),
                torch.log1p(cost.clamp(min=0.0) / spacing),
                detour / typical,
                torch.log1p(detour / spacing),
                is_pickup * squash(dearer.clamp(min=-10.0) / spacing),
                is_pickup * (dearer / typical).clamp(-MOST_LEAD, MOST_LEAD),
                (longer / typical).clamp(-MOST_LEAD, MOST_LEAD),
                (later / (typical * (1.0 + fleet_left))).clamp(-MOST_LEAD, MOST_COST),
                is_pickup
                * (much_dearer / (typical * (1.0 + fleet_left))).clamp(-MOST_LEAD, MOST_LEAD),
            ],
            -1,
        )

    def _lead(self, value: Tensor, candidates: Tensor, feasible: Tensor) -> Tensor:
        """By how much an agent's value is above the least of all others who may do the same."""
        home = self.environment.batch.num_tasks
        is_home = candidates == home
        if candidates.dim() == 2:
            is_home = is_home[:, None, None]
        own = torch.where(feasible & ~is_home, value, torch.inf)
        return value - rival_distance(candidates, own, home)

    def _costs(
        self, state: OMDCPDPState, there: Tensor, gap: Tensor, candidates: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """What it costs to do each candidate next, ``(B, R, M, K)`` each.

        By how much all that is on board, and what is picked up, arrives later in sum; how much
        longer the vehicle is busy; and how far a pickup's delivery is from the nearest other one
        on board, zero where there is none.
        """
        home, half = self.environment.batch.num_tasks, self.environment.batch.num_orders
        places, _, carried = self._ways(state)
        now = deliver_nearest(state.position, torch.zeros_like(state.length), places, carried)
        if candidates.dim() == 2:
            candidates = candidates[:, None, None]
        lead = gap.shape
        is_home = (candidates == home).expand(lead)
        is_pickup, is_delivery = (candidates < half).expand(lead), (candidates >= half) & ~is_home
        delivery = state.board[..., :MOST_CARRIED_SEEN] + half
        others = carried[..., None, :] & (delivery[..., None, :] != candidates[..., None])
        shown = places[..., None, :, :].expand(*lead, -1, -1)
        partner = there[..., 2:4].expand(*lead, -1)
        start = torch.where(is_home[..., None], state.position[..., None, :], there[..., :2])
        then = deliver_nearest(
            start,
            gap,
            torch.cat([shown, partner[..., None, :]], -2),
            torch.cat([others, is_pickup[..., None]], -1),
        )
        cost = then.arrivals + gap * is_delivery - now.arrivals[..., None]
        apart = distance(shown, partner[..., None, :])
        detour = torch.where(others, apart, torch.inf).amin(-1)
        detour = torch.where(is_pickup & others.any(-1), detour, 0.0)
        return cost, then.end - now.end[..., None], detour

    def _onward(self, state: OMDCPDPState) -> Tensor:
        """``(B, R, N + 1, 1)``: from each task to the nearest free pickup, zero for waiting."""
        around = self.next_pickups
        lead = (*state.open.shape[:2], around.shape[1])
        if not around.shape[-1]:
            return torch.zeros(*lead[:2], lead[2] + 1, 1, device=around.device)
        gap = distance(take(self.table, around)[..., :2], self.table[:, :-1, None, :2])
        flat = around.flatten(1)[:, None].expand(-1, lead[1], -1)
        free = state.open.gather(-1, flat).view(*lead, -1)
        first = free.int().argmax(-1, keepdim=True)
        nearest = gap[:, None].expand(*lead, -1).gather(-1, first)
        found = torch.where(free.any(-1, keepdim=True), nearest, 2.0 * gap[:, None, :, -1:])
        return F.pad(found, (0, 0, 0, 1))

    def _ways(self, state: OMDCPDPState) -> tuple[Tensor, Tensor, Tensor]:
        """Deliveries on board: their places, how far each is, and whether there is one.

        ``(B, R, M, slots, 2)``, ``(B, R, M, slots)`` and the same; zero far where there is none.
        """
        half = self.environment.batch.num_orders
        order = state.board[..., :MOST_CARRIED_SEEN]
        places = take(self.table, (order + half).clamp(max=2 * half))[..., :2]
        carried = order < half
        gap = distance(places, state.position[..., None, :])
        return places, torch.where(carried, gap, 0.0), carried

    def _to_carried(
        self, state: OMDCPDPState, x: Tensor, y: Tensor, gap: Tensor, candidates: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """From each candidate to the other deliveries on board: the nearest, and the mean.

        And by how much they are delayed, all together, if the candidate comes first.
        """
        half = self.environment.batch.num_orders
        places, ways, carried = self._ways(state)
        if candidates.dim() == 2:
            candidates = candidates[:, None, None]
        delivery = state.board[..., :MOST_CARRIED_SEEN] + half
        other = (candidates[..., None] != delivery[..., None, :]) & carried[..., None, :]
        places = places[..., None, :, :]
        far = torch.hypot(x[..., None] - places[..., 0], y[..., None] - places[..., 1])
        count = other.sum(-1)
        least = torch.where(other, far, torch.inf).amin(-1)
        mean = torch.where(other, far, 0.0).sum(-1) / count.clamp(min=1)
        late = gap[..., None] + far - ways[..., None, :]
        delay = torch.where(other, late, 0.0).sum(-1)
        return torch.where(count > 0, least, 0.0), mean, delay
