"""What is seen of OMDCPDP where whole orders are planned, in tensor operations."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from geopar.pointer.config import PointerConfig
from geopar.pointer.neighbourhood import NEIGHBOURS, TINY
from geopar.pointer.omdcpdp import candidates as choosing
from geopar.pointer.omdcpdp import features
from geopar.pointer.omdcpdp.columns import Agent, Fleet, Pair, Scale, Task
from geopar.pointer.omdcpdp.tables import tables_of
from geopar.problems.omdcpdp.insertion import (
    InsertionEnvironment,
    InsertionState,
    Placing,
    Walk,
)
from geopar.problems.tensors import take
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

# So many orders are put into routes at once, which limits what that takes of memory.
COMPARED_AT_ONCE = 64


class OMDCPDPOracle:
    """Looks at the states of one batch."""

    def __init__(self, environment: InsertionEnvironment, config: PointerConfig) -> None:
        self.environment, self.config = environment, config
        tables = tables_of(environment.batch)
        self.tasks, self.near = torch.from_numpy(tables.tasks), torch.from_numpy(tables.near)
        scale = torch.from_numpy(tables.scale).float()
        self.spacing, self.order, self.route = (scale[:, column] for column in Scale)

    def observe(self, state: InsertionState) -> Observed:
        """Everything that is seen."""
        environment, batch = self.environment, self.environment.batch
        candidates, walk = self.candidates(state), environment.walk(state)
        feasible = environment.feasible(state, candidates)
        placing = environment.placing(walk, candidates.clamp(max=batch.num_orders - 1))
        is_home = candidates == batch.num_tasks
        cost = torch.where(feasible & ~is_home, placing.cost, INF)
        due = self.due(candidates, cost)
        # Everybody may let others go first but who has the order that is due first of all.
        leads = due.amin(-1) == due.amin((-1, -2))[..., None]
        feasible = feasible | (is_home & ~leads[..., None])
        agents, fleet = self.agents_and_fleet(state, walk, cost.amin(-1), due.amin(-1))
        pairs = self.pairs(state, candidates, cost, placing, walk)
        return Observed(candidates, feasible, environment.has_task(state), agents, fleet, pairs)

    def due(self, orders: Tensor, cost: Tensor) -> Tensor:
        """By what orders are due."""
        return cost - choosing.FORGIVEN * take(self.tasks, orders)[..., Task.LEAST_COST]

    def candidates(self, state: InsertionState) -> Tensor:
        """``(B, R, M, K)``: the free orders that are due first, others where too few; then home."""
        environment, batch = self.environment, self.environment.batch
        half, home = batch.num_orders, batch.num_tasks
        count, walk = min(self.config.reach, home), environment.walk(state)
        free = state.open[:, :, None, :half].expand(*state.place.shape, half)
        if half > choosing.MOST_COMPARED_ORDERS:
            last = walk.last[..., None, None].expand(*walk.last.shape, 1, 2)
            end = walk.places.gather(-2, last)[..., 0, :]
            gap = torch.cdist(end.flatten(1, 2), batch.tasks[:, :half]).view(free.shape)
            gap = gap.masked_fill(~free, INF)
            limit = gap.topk(choosing.NEAR_THE_END, largest=False).values[..., -1:]
            are_many = free.sum(-1, keepdim=True) > choosing.MOST_COMPARED_ORDERS
            free = free & ~(are_many & (gap > limit))
        orders = torch.arange(half).expand(free.shape)
        parts = orders.split(COMPARED_AT_ONCE, -1)
        cost = torch.cat([environment.placing(walk, part).cost for part in parts], -1)
        few = min(count, half)
        due = self.due(orders, cost.masked_fill(~free, INF))
        found = due.topk(few, largest=False).indices
        rest = torch.arange(half, half + count - few).expand(*found.shape[:-1], -1)
        return F.pad(torch.cat([found, rest], -1), (0, 1), value=home)

    def agents_and_fleet(
        self, state: InsertionState, walk: Walk, own: Tensor, own_due: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The features of each agent and of the fleet."""
        batch = self.environment.batch
        order, route = self.order[:, None, None], self.route[:, None, None]
        each = batch.num_orders / batch.num_vehicles
        unit = order * (1.0 + each)
        free = state.open.float().sum(-1, keepdim=True)
        left = free / batch.num_vehicles
        ends = walk.times.gather(-1, walk.last[..., None])[..., 0]
        is_delivery = walk.is_stop & (walk.stops >= batch.num_orders)
        sums = (walk.times * (is_delivery & (walk.stops < batch.num_tasks))).sum(-1)
        mean = ends.mean(-1, keepdim=True)
        lowest, lowest_due = own.amin(-1, keepdim=True), own_due.amin(-1, keepdim=True)
        is_active, sees = self.environment.has_task(state), own < INF
        agents = table(Agent, {
            Agent.ORDERS: walk.last / 2.0 / (1.0 + each),
            Agent.LENGTH: ends / route,
            Agent.LENGTH_BEHIND_MEAN: (ends - mean) / order * features.LENGTH_FACTOR,
            Agent.ARRIVALS_BEHIND_MEAN:
                (sums - sums.mean(-1, keepdim=True)) / unit * features.ARRIVALS_FACTOR,
            Agent.SHARE_SHORTER: share_less(ends),
            Agent.CHEAPEST: torch.where(sees, own / unit, 0.0),
            Agent.CHEAPEST_BEHIND_LOWEST:
                torch.where(sees, (own - lowest) / order * features.LENGTH_FACTOR, 0.0),
            Agent.IS_EMPTY: walk.last == 0,
            Agent.CAPACITY: squash(batch.capacity / features.CAPACITY_UNIT)[:, None],
            Agent.HAS_FIRST_DUE: is_active & (own_due == lowest_due),
            Agent.LEFT_EACH: squash(left / features.LEFT_EACH_UNIT),
            Agent.DUE_BEHIND_FIRST:
                torch.where(sees, (own_due - lowest_due) / order * features.LENGTH_FACTOR, 0.0),
        })  # fmt: skip
        spacing = self.spacing[:, None, None]
        fleet = table(Fleet, {
            Fleet.SHARE_FREE: free / batch.num_orders,
            Fleet.LEFT_EACH: squash(left),
            Fleet.MEAN_LENGTH: mean / route,
            Fleet.LONGEST: ends.amax(-1, keepdim=True) / route,
            Fleet.ORDERS_EACH: squash(torch.tensor(each / features.ORDERS_EACH_UNIT)),
            Fleet.ORDER_LENGTH: order / spacing * features.ORDER_LENGTH_FACTOR,
            Fleet.LOWEST_COST: torch.where(lowest < INF, lowest / unit, 0.0),
        })  # fmt: skip
        return agents, fleet[..., 0, :]

    def pairs(
        self, state: InsertionState, candidates: Tensor, cost: Tensor, placing: Placing, walk: Walk
    ) -> Tensor:
        """The features of every agent and each of its candidates, home among them."""
        batch = self.environment.batch
        home, half = batch.num_tasks, batch.num_orders
        order = self.order[:, None, None, None]
        each = half / batch.num_vehicles
        unit = order * (1.0 + each)
        left = state.open.float().sum(-1)[..., None, None] / batch.num_vehicles
        rival, due = best_rival(candidates, cost, home), self.due(candidates, cost)
        lead = torch.where(rival < INF, (cost - rival) / order, features.NO_RIVAL)
        two = cost.topk(min(2, cost.shape[-1]), largest=False).values
        own, following = two[..., :1], two[..., -1:]
        lowest, own_due = own.amin(-2, keepdim=True), due.amin(-1, keepdim=True)
        end = walk.times.gather(-1, walk.last[..., None])
        arrival, longer = placing.arrival, placing.longer
        behind = (due - own_due.amin(-2, keepdim=True)) / order
        share = mean_around(state.open[..., :-1].float(), self.near[..., :NEIGHBOURS])
        places = F.pad(share[..., :half], (0, half + 1)), F.pad(share[..., half:], (0, half + 1))
        taken = table(Pair, {
            Pair.IS_HOME: torch.zeros_like(cost),
            Pair.LOG_COST: torch.log1p(cost / order),
            Pair.COST: cost / unit,
            Pair.BEHIND_RIVAL: squash(lead),
            Pair.BEHIND_RIVAL_STEEP: squash(features.STEEP * lead),
            Pair.CHEAPEST_SHARE: own / cost.clamp(min=TINY),
            Pair.BEHIND_CHEAPEST: squash((cost - own) / order),
            Pair.LOG_ARRIVAL: torch.log1p(arrival / order),
            Pair.DELAY_OF_OTHERS: squash((cost - arrival) / order),
            Pair.DELAYED: placing.delayed / (1.0 + each),
            Pair.AGAINST_APPENDED: squash((cost - placing.appended) / order),
            Pair.ORDER_LENGTH: take(self.tasks, candidates)[..., Task.LENGTH] / order,
            Pair.ARRIVAL_BEHIND_END: squash((arrival - end) / order),
            Pair.BEHIND_LOWEST: squash((cost - lowest) / order),
            Pair.IS_LAST: placing.delivery == walk.last[..., None],
            Pair.SECOND_BEHIND_CHEAPEST:
                torch.where(following < INF, squash((following - own) / order), 1.0),
            Pair.FREE_AROUND_PICKUP: rows_of(places[0], candidates),
            Pair.FREE_AROUND_DELIVERY: rows_of(places[1], candidates),
            Pair.LONGER: squash(longer / order),
            Pair.LENGTH_BEHIND_MEAN:
                squash((end + longer - end.mean(-2, keepdim=True)) / order),
            Pair.LONGER_FOR_LEFT: left * longer / unit,
            Pair.DUE_BEHIND_OWN: squash((due - own_due) / order),
            Pair.DUE_BEHIND_FIRST: squash(behind),
            Pair.DUE_BEHIND_FIRST_STEEP: squash(features.STEEP * behind),
        })  # fmt: skip
        # Of what is not open to it an agent knows nothing but whether it is home.
        nothing = torch.zeros_like(taken)
        nothing[..., Pair.IS_HOME] = (candidates == home).float()
        return torch.where((cost < INF)[..., None], taken, nothing)
