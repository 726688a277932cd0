"""OMDCPDP seen from a vehicle that plans whole orders, in terms that mean the same at every size.

What an order costs is known, since it is put where it adds least: costs, delays and lengths are
counted in the mean length of an order. Nothing here has a gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from geopar.pointer.features import (
    TINY,
    Neighbourhood,
    rival_distance,
    rows_of,
    share_before,
    squash,
)
from geopar.pointer.look import FeatureSizes, Frame, Look, rows_of_state
from geopar.problems.batch import OMDCPDPBatch
from geopar.problems.omdcpdp.insertion import (
    InsertionEnvironment,
    InsertionState,
    Placing,
    Walk,
)
from geopar.problems.tensors import distance, take

# An order is due by what it costs now, less this part of what it would cost if a vehicle were free
# for it: far orders are not put off only because they are far. Trained weights rely on it, so it is
# not the search's, which may be tuned.
FORGIVEN = 0.4
# Driven per order with a few on board at a time, in mean lengths of an order.
LENGTHS_PER_ORDER = 0.5
# How much cheaper an order is for its only vehicle, in mean lengths.
NO_RIVAL = -3.0


@dataclass(frozen=True, eq=False)
class InsertionScene:
    """What stays the same during a rollout.

    Parameters
    ----------
    environment
        The rules.
    neighbourhood
        Which tasks are near each other.
    table
        ``(B, N + 1, 6)``: x, y, the partner's x and y, length of the order, what it costs at least.
    mean_length
        ``(B,)``: of the orders.
    route
        ``(B,)``: an estimate of what a vehicle drives in all.
    """

    environment: InsertionEnvironment
    neighbourhood: Neighbourhood
    table: Tensor
    mean_length: Tensor
    route: Tensor

    SIZES: ClassVar = FeatureSizes(agents=12, fleet=7, pairs=24)

    @classmethod
    def of(cls, environment: InsertionEnvironment) -> InsertionScene:
        """Look at a batch once."""
        batch: OMDCPDPBatch = environment.batch
        pickups, deliveries = batch.tasks.chunk(2, 1)
        length = distance(pickups, deliveries)
        mean = length.mean(-1).clamp(min=TINY)
        partner = torch.cat([deliveries, pickups], 1)
        least = length + _to_the_nearest(pickups, batch.starts)
        numbers = torch.stack([length, least], -1).repeat(1, 2, 1)
        rows = torch.cat([batch.tasks, partner, numbers], -1)
        orders_each = batch.num_orders / batch.num_vehicles
        return cls(
            environment=environment,
            neighbourhood=Neighbourhood.of(batch.tasks),
            table=F.pad(rows, (0, 0, 0, 1)),
            mean_length=mean,
            route=mean * (1.0 + LENGTHS_PER_ORDER * orders_each),
        )

    def look(self, state: InsertionState, candidates: Tensor) -> Look:
        """Look at ``(B, R, M, K)`` candidates with tensor operations, on any device."""
        environment, batch = self.environment, self.environment.batch
        home, half = batch.num_tasks, batch.num_orders
        feasible = environment.feasible(state, candidates)
        walk = environment.walk(state)
        placing = environment.placing(walk, candidates.clamp(max=half - 1))
        is_home = candidates == home
        cost = torch.where(feasible & ~is_home, placing.cost, torch.inf)
        due = cost - FORGIVEN * self.numbers(candidates)[..., 1]
        own_due = due.amin(-1)
        lowest_due = own_due.amin(-1, keepdim=True)
        active = environment.has_task(state)
        # Everybody may let others go first but who has the order that is due first of all.
        feasible = feasible | (is_home & (own_due != lowest_due)[..., None])
        agents, fleet = self._agents_and_fleet(state, walk, cost.amin(-1), own_due)
        ends = (walk.times.gather(-1, walk.last[..., None]), walk.last)
        pairs = self._pairs(state, candidates, cost, due, placing, ends)
        return Look(candidates, feasible, active, agents, fleet, pairs)

    def compiled_look(
        self,
        state: InsertionState,
        near: int = 0,
        candidates: Tensor | None = None,
        include: Tensor | None = None,
    ) -> Look:
        """The same in compiled loops, on a CPU; without candidates it finds ``near`` of them.

        They are those that :func:`geopar.pointer.reach.near` finds.
        """
        from geopar.pointer.insertion_kernel import look

        frame = Frame(state, self.SIZES, near, candidates, include)
        look(
            *self.arrays,
            *rows_of_state(state.place, state.position, state.start, state.follow, state.open),
            np.empty((0, 0, 0)), np.empty((0, 0), dtype=np.bool_),
            frame.choose, frame.include, *frame.results,
        )  # fmt: skip
        return frame.look()

    def numbers(self, orders: Tensor) -> Tensor:
        """``(…, 2)``: of ``(B, …)`` orders their lengths, and what they cost at least."""
        return take(self.table[..., 4:], orders)

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What the compiled look reads of the instances."""
        spacing = self.neighbourhood.spacing
        scale = torch.stack([spacing, self.mean_length, self.route], -1).double()
        capacity = self.environment.batch.capacity
        tables = (self.table, scale, self.neighbourhood.index, capacity)
        return tuple(t.contiguous().numpy() for t in tables)

    def _agents_and_fleet(
        self, state: InsertionState, walk: Walk, own: Tensor, own_due: Tensor
    ) -> tuple[Tensor, Tensor]:
        """``(B, R, M, 12)`` of each agent and ``(B, R, 7)`` of the fleet, all relative."""
        batch = self.environment.batch
        typical, route = self.mean_length[:, None, None], self.route[:, None, None]
        orders_each = batch.num_orders / batch.num_vehicles
        unit = typical * (1.0 + orders_each)
        free = state.open.float().sum(-1, keepdim=True)
        left = free / batch.num_vehicles
        ends = walk.times.gather(-1, walk.last[..., None])[..., 0]
        is_delivery = walk.is_stop & (walk.stops >= batch.num_orders)
        is_delivery = is_delivery & (walk.stops < batch.num_tasks)
        sums = (walk.times * is_delivery).sum(-1)
        mean = ends.mean(-1, keepdim=True)
        lowest, lowest_due = own.amin(-1, keepdim=True), own_due.amin(-1, keepdim=True)
        active = self.environment.has_task(state)
        sees = own < torch.inf
        agents = torch.stack(
            [
                walk.last / 2.0 / (1.0 + orders_each),
                ends / route,
                (ends - mean) / typical * 0.3,
                (sums - sums.mean(-1, keepdim=True)) / unit * 0.1,
                share_before(ends),
                torch.where(sees, own / unit, 0.0),
                torch.where(sees, (own - lowest) / typical * 0.3, 0.0),
                (walk.last == 0).float(),
                squash(batch.capacity / 4.0)[:, None].expand(ends.shape),
                (active & (own_due == lowest_due)).float(),
                squash(left / 2.0).expand(ends.shape),
                torch.where(sees, (own_due - lowest_due) / typical * 0.3, 0.0),
            ],
            -1,
        )
        fleet = torch.cat(
            [
                free / batch.num_orders,
                squash(left),
                mean / route,
                ends.amax(-1, keepdim=True) / route,
                torch.full_like(left, orders_each / 5.0 / (1.0 + orders_each / 5.0)),
                (typical / self.neighbourhood.spacing[:, None, None] * 0.1).expand(left.shape),
                torch.where(lowest < torch.inf, lowest / unit, 0.0),
            ],
            -1,
        )
        return agents, fleet

    def _crowds(self, state: InsertionState, candidates: Tensor) -> Tensor:
        """``(B, R, M, K, 2)``: the share of free pickups around both places of an order."""
        half = self.environment.batch.num_orders
        share = self.neighbourhood.share_of(state.open[..., :-1].float())
        both = torch.stack([share[..., :half], share[..., half:]], -1)
        # Deliveries and home are no orders to take.
        return rows_of(F.pad(both, (0, 0, 0, half + 1)), candidates)

    def _pairs(
        self,
        state: InsertionState,
        candidates: Tensor,
        cost: Tensor,
        due: Tensor,
        placing: Placing,
        ends: tuple[Tensor, Tensor],
    ) -> Tensor:
        """``(B, R, M, K, 24)``: every agent and each of its candidates, home among them.

        ``ends`` are when the routes end, and with which stop.
        """
        batch = self.environment.batch
        home, half = batch.num_tasks, batch.num_orders
        typical = self.mean_length[:, None, None, None]
        orders_each = half / batch.num_vehicles
        unit = typical * (1.0 + orders_each)
        left = state.open.float().sum(-1)[..., None, None] / batch.num_vehicles
        rival = rival_distance(candidates, cost, home)
        lead = torch.where(rival < torch.inf, (cost - rival) / typical, NO_RIVAL)
        two = cost.topk(min(2, cost.shape[-1]), largest=False).values
        own, following = two[..., :1], two[..., -1:]
        pick = torch.where(following < torch.inf, squash((following - own) / typical), 1.0)
        lowest = own.amin(-2, keepdim=True)
        end, last = ends
        arrival, longer = placing.arrival, placing.longer
        length = self.numbers(candidates)[..., 0]
        own_due = due.amin(-1, keepdim=True)
        behind = (due - own_due.amin(-2, keepdim=True)) / typical
        taken = torch.stack(
            [
                torch.zeros_like(cost),
                torch.log1p(cost / typical),
                cost / unit,
                squash(lead),
                squash(4.0 * lead),
                own / cost.clamp(min=TINY),
                squash((cost - own) / typical),
                torch.log1p(arrival / typical),
                squash((cost - arrival) / typical),
                placing.delayed / (1.0 + orders_each),
                squash((cost - placing.appended) / typical),
                length / typical,
                squash((arrival - end) / typical),
                squash((cost - lowest) / typical),
                (placing.delivery == last[..., None]).float(),
                pick.expand(cost.shape),
                *self._crowds(state, candidates).unbind(-1),
                squash(longer / typical),
                squash((end + longer - end.mean(-2, keepdim=True)) / typical),
                left * longer / unit,
                squash((due - own_due) / typical),
                squash(behind),
                squash(4.0 * behind),
            ],
            -1,
        )
        # Of what is not open to it an agent knows nothing but whether it is home.
        nothing = torch.zeros_like(taken)
        nothing[..., 0] = (candidates == home).float()
        return torch.where((cost < torch.inf)[..., None], taken, nothing)


def _to_the_nearest(pickups: Tensor, starts: Tensor) -> Tensor:
    """``(B, N / 2)``: from every pickup to the nearest start, some pickups at a time."""
    gaps = [torch.cdist(part, starts).amin(-1) for part in pickups.split(4096, 1)]
    return torch.cat(gaps, 1)
