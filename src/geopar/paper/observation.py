"""What agents see of a state: δ and φ_E of Eq. 6, ξ of Eq. 8, and what they may do.

The paper leaves the contents of δ, φ_E and ξ open. *Relative* ones compare times with the fleet and
with an estimate of the outcome, loads with capacities, so that they mean the same at every size of
the instance; the others are those of PARCO (Berto et al. 2025).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import torch
import torch.nn.functional as F
from torch import Tensor

from geopar.paper.config import NetworkConfig
from geopar.problems.batch import Batch, HCVRPBatch, OMDCPDPBatch
from geopar.problems.environment import Environment
from geopar.problems.hcvrp.environment import HCVRPState
from geopar.problems.omdcpdp.environment import OMDCPDPState
from geopar.problems.tensors import distance, take

TINY = 1e-6
# Good plans of HCVRP are about so much above the lower bound.
MAKESPAN_OVER_BOUND = 1.15
# A vehicle of OMDCPDP drives about so many mean order lengths more for each of its orders.
LENGTHS_PER_ORDER = 0.5
# A vehicle that would need more trips than these for all that is left: many.
MOST_TRIPS = 4.0


class Observation(NamedTuple):
    """What is seen of ``(B, R)`` states.

    Parameters
    ----------
    feasible
        ``(B, R, M, T + 1)``: the mask of Eq. 9 for the listed tasks and home.
    active
        ``(B, R, M)``: some task is open to the agent.
    agents
        ``(B, R, M, F)``: δ.
    fleet
        ``(B, R, F)``: φ_E.
    tasks
        ``(B, R, T + 1, F)``: ξ.
    """

    feasible: Tensor
    active: Tensor
    agents: Tensor
    fleet: Tensor
    tasks: Tensor


class ParcoAgent(NamedTuple):
    """PARCO's state of an agent.

    HCVRP: time so far, what fits, time to the depot. OMDCPDP: length so far, orders on board, any.
    """

    elapsed: Tensor
    load: Tensor
    last: Tensor


class ParcoFleet(NamedTuple):
    """PARCO's state of the environment: HCVRP the share served, OMDCPDP the share left."""

    share: Tensor


class HCVRPAgent(NamedTuple):
    """A vehicle of HCVRP; times over the estimated makespan, loads over its own capacity.

    ``finish`` is when it would be home if it went now; ``behind_…`` compares that with the fleet.
    ``outlook`` is when the fleet would be home if the work left were shared evenly.
    """

    at_depot: Tensor
    room: Tensor
    elapsed: Tensor
    finish: Tensor
    behind_mean: Tensor
    behind_latest: Tensor
    behind_outlook: Tensor
    way_home: Tensor
    speed: Tensor
    capacity: Tensor
    room_in_fleet: Tensor
    share_earlier: Tensor
    trips_alone: Tensor
    trips_left: Tensor


class HCVRPFleet(NamedTuple):
    """The fleet of HCVRP."""

    share_open: Tensor
    work_left: Tensor
    mean_finish: Tensor
    latest_finish: Tensor
    imbalance: Tensor
    outlook: Tensor
    share_at_depot: Tensor
    tasks_each: Tensor


class OMDCPDPAgent(NamedTuple):
    """A vehicle of OMDCPDP; lengths over an estimate of what it drives in all."""

    at_start: Tensor
    load: Tensor
    room: Tensor
    idle: Tensor
    driven: Tensor
    behind_mean: Tensor
    behind_latest: Tensor
    share_earlier: Tensor


class OMDCPDPFleet(NamedTuple):
    """The fleet of OMDCPDP."""

    share_left: Tensor
    share_free: Tensor
    mean_driven: Tensor
    imbalance: Tensor
    share_idle: Tensor
    orders_each: Tensor
    mean_load: Tensor


class Sizes(NamedTuple):
    """How many features agents, fleet and tasks have."""

    agents: int
    fleet: int
    tasks: int


def observation_sizes(config: NetworkConfig) -> Sizes:
    """For the layers that read an :class:`Observation`."""
    agent, fleet = {
        ("relative", "hcvrp"): (HCVRPAgent._fields, HCVRPFleet._fields),
        ("relative", "omdcpdp"): (OMDCPDPAgent._fields, OMDCPDPFleet._fields),
        ("parco", "hcvrp"): (ParcoAgent._fields, ParcoFleet._fields),
        ("parco", "omdcpdp"): (ParcoAgent._fields, ParcoFleet._fields),
    }[config.state, config.kind]
    return Sizes(len(agent), len(fleet), 1)


def squash(x: Tensor) -> Tensor:
    """Any number to (−1, 1), steep near zero."""
    return x / (1.0 + x.abs())


def share_before(value: Tensor) -> Tensor:
    """``(B, R, M)``: the share of the fleet whose value is less."""
    return (value[..., None, :] < value[..., None]).float().mean(-1)


def _stacked(parts: tuple[Tensor, ...]) -> Tensor:
    """Features of one shape, or one that broadcasts to it, side by side."""
    return torch.stack(torch.broadcast_tensors(*(part.float() for part in parts)), -1)


@dataclass(frozen=True, eq=False)
class HCVRPObserver:
    """Sees states of HCVRP.

    Parameters
    ----------
    batch
        The instances.
    makespan
        ``(B,)``: the estimate of the outcome.
    work
        ``(B, N + 1)``: what each customer adds to the lower bound, over the estimate.
    mean_depot_distance
        ``(B,)``.
    """

    batch: HCVRPBatch
    makespan: Tensor
    work: Tensor
    mean_depot_distance: Tensor

    @classmethod
    def of(cls, batch: HCVRPBatch) -> Self:
        """Look at the instances once."""
        away = distance(batch.places, batch.reference[:, None])
        largest = batch.capacity.amax(-1, keepdim=True)
        # The lower bound of geopar.problems.hcvrp.bound, in normalised units.
        strength = (batch.speed * batch.capacity / largest).sum(-1, keepdim=True)
        work = 2.0 * away * (batch.demand / largest) / strength
        bound = torch.maximum(work.sum(-1), 2.0 * away.amax(-1))
        makespan = MAKESPAN_OVER_BOUND * bound.clamp(min=TINY)
        return cls(
            batch,
            makespan.float(),
            (work / makespan[:, None]).float(),
            away[:, :-1].mean(-1).clamp(min=TINY),
        )

    def relative(self, state: HCVRPState) -> tuple[HCVRPAgent, HCVRPFleet]:
        """States of the agents and of the fleet."""
        batch, home = self.batch, self.batch.num_tasks
        pace = batch.speed[:, None] * self.makespan[:, None, None]
        back = distance(state.position, batch.reference[:, None, None])
        elapsed = state.length / pace
        finish = elapsed + back / pace
        mean, latest = finish.mean(-1, keepdim=True), finish.amax(-1, keepdim=True)
        is_open = state.open.float()
        work = (is_open * self.work[:, None]).sum(-1, keepdim=True)
        outlook = torch.maximum(mean + work, latest)
        at_depot = (state.place == home).float()
        capacity = batch.capacity[:, None]
        mean_capacity = capacity.mean(-1, keepdim=True)
        demand = torch.where(state.open, batch.demand[:, None], 0.0).sum(-1, keepdim=True)
        under_way = torch.where(state.place != home, state.left, 0.0).sum(-1, keepdim=True)
        count = is_open.sum(-1, keepdim=True)
        agents = HCVRPAgent(
            at_depot=at_depot,
            room=state.left / capacity,
            elapsed=elapsed,
            finish=finish,
            behind_mean=finish - mean,
            behind_latest=finish - latest,
            behind_outlook=finish - outlook,
            way_home=back / self.mean_depot_distance[:, None, None],
            speed=(batch.speed / batch.speed.mean(-1, keepdim=True) - 1.0)[:, None],
            capacity=capacity / mean_capacity - 1.0,
            room_in_fleet=state.left / mean_capacity,
            share_earlier=share_before(finish),
            trips_alone=(demand / capacity).clamp(max=MOST_TRIPS),
            trips_left=((demand - under_way) / capacity).clamp(-1.0, MOST_TRIPS),
        )
        fleet = HCVRPFleet(
            share_open=count / batch.num_tasks,
            work_left=work,
            mean_finish=mean,
            latest_finish=latest,
            imbalance=latest - mean,
            outlook=outlook,
            share_at_depot=at_depot.mean(-1, keepdim=True),
            tasks_each=squash(count / batch.num_vehicles),
        )
        return agents, fleet

    def parco(self, state: HCVRPState) -> tuple[ParcoAgent, ParcoFleet]:
        """PARCO's states."""
        batch, speed = self.batch, self.batch.speed[:, None]
        left = state.left / batch.capacity.amax(-1)[:, None, None]
        back = distance(state.position, batch.reference[:, None, None]) / speed
        served = 1.0 - state.open.float().sum(-1, keepdim=True) / batch.num_tasks
        return ParcoAgent(state.length / speed, left, back), ParcoFleet(served)

    def tasks(self, state: HCVRPState) -> Tensor:
        """ξ, ``(B, R, N + 1, 1)``: the demand over the most that anybody has room for."""
        roomiest = state.left.amax(-1, keepdim=True).clamp(min=TINY)
        heavy = (self.batch.demand[:, None] / roomiest).clamp(max=1.0)
        return heavy.float()[..., None]


@dataclass(frozen=True, eq=False)
class OMDCPDPObserver:
    """Sees states of OMDCPDP.

    Parameters
    ----------
    batch
        The instances.
    route
        ``(B,)``: the estimate of what a vehicle drives in all.
    """

    batch: OMDCPDPBatch
    route: Tensor

    @classmethod
    def of(cls, batch: OMDCPDPBatch) -> OMDCPDPObserver:
        """Look at the instances once."""
        pickups, deliveries = batch.tasks.chunk(2, 1)
        mean = distance(pickups, deliveries).mean(-1).clamp(min=TINY)
        orders_each = batch.num_orders / batch.num_vehicles
        return cls(batch, mean * (1.0 + LENGTHS_PER_ORDER * orders_each))

    def relative(self, state: OMDCPDPState) -> tuple[OMDCPDPAgent, OMDCPDPFleet]:
        """States of the agents and of the fleet."""
        batch = self.batch
        driven = state.length / self.route[:, None, None]
        mean, latest = driven.mean(-1, keepdim=True), driven.amax(-1, keepdim=True)
        load, capacity = state.load.float(), batch.capacity.float()[:, None]
        free = state.open[..., : batch.num_orders].float().sum(-1, keepdim=True)
        idle = (state.load == 0).float()
        agents = OMDCPDPAgent(
            at_start=state.place == batch.num_tasks,
            load=load / capacity,
            room=squash(capacity - load),
            idle=idle,
            driven=driven,
            behind_mean=driven - mean,
            behind_latest=driven - latest,
            share_earlier=share_before(driven),
        )
        fleet = OMDCPDPFleet(
            share_left=self._share_left(state),
            share_free=free / batch.num_orders,
            mean_driven=mean,
            imbalance=latest - mean,
            share_idle=idle.mean(-1, keepdim=True),
            orders_each=squash(free / batch.num_vehicles),
            mean_load=load.mean(-1, keepdim=True) / capacity.mean(-1, keepdim=True),
        )
        return agents, fleet

    def parco(self, state: OMDCPDPState) -> tuple[ParcoAgent, ParcoFleet]:
        """PARCO's states."""
        agents = ParcoAgent(state.length, state.load, state.load > 0)
        return agents, ParcoFleet(self._share_left(state))

    def _share_left(self, state: OMDCPDPState) -> Tensor:
        """``(B, R, 1)``: the share of tasks not yet served."""
        half = self.batch.num_orders
        free = state.open[..., :half].sum(-1, keepdim=True)
        aboard = state.open[..., half:].sum(-1, keepdim=True)
        return (2.0 * free + aboard) / (2.0 * half)

    def tasks(self, state: OMDCPDPState) -> Tensor:
        """ξ, ``(B, R, N + 1, 1)``: whether it is the delivery of an order on board."""
        aboard = state.open.float()
        aboard = F.pad(aboard[..., self.batch.num_orders :], (self.batch.num_orders, 0))
        return aboard[..., None]


Observer = HCVRPObserver | OMDCPDPObserver


def make_observer(batch: Batch) -> Observer:
    """For the instances of a batch."""
    return HCVRPObserver.of(batch) if isinstance(batch, HCVRPBatch) else OMDCPDPObserver.of(batch)


@torch.no_grad()
def observe(
    config: NetworkConfig,
    environment: Environment[Any],
    observer: Observer,
    state: Any,
    listed: Tensor,
) -> Observation:
    """Everything that the decoder reads of ``(B, R)`` states; ``listed`` is ``(B, T + 1)``."""
    seen = observer.relative(state) if config.state == "relative" else observer.parco(state)
    agents, fleet = _stacked(seen[0]), _stacked(seen[1]).squeeze(-2)
    tasks = observer.tasks(state)
    if listed.shape[1] < tasks.shape[2]:
        rollouts = tasks.shape[1]
        rows = listed[:, None].expand(-1, rollouts, -1).flatten(0, 1)
        tasks = take(tasks.flatten(0, 1), rows).unflatten(0, (-1, rollouts))
    return Observation(
        environment.feasible(state, listed), environment.has_task(state), agents, fleet, tasks
    )
