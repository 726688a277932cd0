"""OMDCPDP where vehicles plan whole orders: an order comes into a route where it costs least.

In the paper a step is the next stop of every vehicle. Here it is one more order, whose pickup and
delivery are put wherever they add least to the sum of arrivals. Nobody drives before all is
planned, so a route can still change anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from geopar.problems.batch import OMDCPDPBatch
from geopar.problems.chains import put, stops_of
from geopar.problems.tensors import distance, take


@dataclass(frozen=True, eq=False)
class InsertionState:
    """What is planned; the fields that all states have are described at :class:`State`.

    ``start`` and ``follow`` are the routes as chains (see :mod:`geopar.problems.chains`),
    ``arrivals`` ``(B, R)`` float64 is the sum of their arrivals. Positions are where the vehicles
    start, a place is the pickup that was planned last, lengths are those of the whole routes, and
    open are the pickups of orders that nobody has.
    """

    place: Tensor
    position: Tensor
    length: Tensor
    start: Tensor
    follow: Tensor
    arrivals: Tensor
    open: Tensor
    steps: Tensor

    @property
    def done(self) -> Tensor:
        """``(B, R)``: whether everything is planned."""
        return ~self.open.any(-1)


class Walk(NamedTuple):
    """Routes stop by stop, the start first; all ``(B, R, M, L)``, the last stop to the end.

    Parameters
    ----------
    stops
        Tasks; N for the start, and behind the last stop.
    is_stop
        Whether there is one, the start included.
    places
        Where they are, ``(B, R, M, L, 2)``.
    times, load
        When each is reached, and how many orders are on board then.
    legs
        The way on to the next, none from the last.
    after
        How many deliveries come behind it.
    """

    stops: Tensor
    is_stop: Tensor
    places: Tensor
    times: Tensor
    load: Tensor
    legs: Tensor
    after: Tensor

    @property
    def last(self) -> Tensor:
        """``(B, R, M)``: the number of the last stop."""
        return self.is_stop.sum(-1) - 1


class Placing(NamedTuple):
    """Orders in routes at their cheapest, all ``(B, R, M, K)``.

    Parameters
    ----------
    cost
        What an order adds to the sum of arrivals.
    arrival
        When it arrives.
    longer
        By how much the route becomes longer.
    delayed
        How many other deliveries come behind its pickup.
    appended
        What it costs behind everything else.
    pickup, delivery
        The stops behind which its places come; the same one when nothing is between them.
    """

    cost: Tensor
    arrival: Tensor
    longer: Tensor
    delayed: Tensor
    appended: Tensor
    pickup: Tensor
    delivery: Tensor


class InsertionEnvironment:
    """The rules for one batch.

    Any vehicle may take any order, since there is room for it behind everything else. Nobody lets
    others go first while an order is free; who plans by these rules may be more patient.
    """

    inserts = True

    def __init__(self, batch: OMDCPDPBatch) -> None:
        self.batch = batch
        self._home, self._half = batch.num_tasks, batch.num_orders

    def on(self, batch: OMDCPDPBatch) -> InsertionEnvironment:
        """The same rules for other instances."""
        return InsertionEnvironment(batch)

    def reset(self, rollouts: int = 1) -> InsertionState:
        """All vehicles at their starts, nothing planned."""
        batch, device = self.batch, self.batch.device
        lead = (batch.size, rollouts)
        fleet = (*lead, batch.num_vehicles)
        is_open = torch.zeros(*lead, self._home + 1, dtype=torch.bool, device=device)
        is_open[..., : self._half] = True
        return InsertionState(
            place=torch.full(fleet, self._home, device=device),
            position=batch.starts[:, None].expand(-1, rollouts, -1, -1).contiguous(),
            length=torch.zeros(fleet, device=device),
            start=torch.full(fleet, self._home, device=device),
            follow=torch.full(is_open.shape, self._home, device=device),
            arrivals=torch.zeros(lead, dtype=torch.float64, device=device),
            open=is_open,
            steps=torch.zeros(lead, dtype=torch.int64, device=device),
        )

    def step(self, state: InsertionState, action: Tensor) -> InsertionState:
        """Everybody plans in the order named by its pickup; other actions are none."""
        home, half = self._home, self._half
        takes = action < half
        order = action.masked_fill(~takes, 0)
        walk = self.walk(state)
        placing = self.placing(walk, order[..., None])
        i, k = placing.pickup[..., 0], placing.delivery[..., 0]
        behind = walk.stops.gather(-1, torch.stack([i, k], -1))
        task = order.masked_fill(~takes, home)
        start, follow = put(state.start, state.follow, task, behind[..., 0])
        before = torch.where(i == k, order, behind[..., 1])
        drop = (order + half).masked_fill(~takes, home)
        start, follow = put(start, follow, drop, before.masked_fill(~takes, home))
        cost, longer = placing.cost[..., 0] * takes, placing.longer[..., 0] * takes
        is_open = state.open.scatter(-1, task, False)
        return InsertionState(
            place=torch.where(takes, action, state.place),
            position=state.position,
            length=state.length + longer,
            start=start,
            follow=follow,
            arrivals=state.arrivals + cost.sum(-1, dtype=torch.float64),
            open=is_open,
            steps=state.steps + ~state.done,
        )

    def walk(self, state: InsertionState) -> Walk:
        """All routes stop by stop."""
        home, half = self._home, self._half
        # The chain ends with the place of waiting, which is no stop.
        stops = stops_of(state.start, state.follow)[..., :-1]
        is_stop = stops != home
        is_stop[..., 0] = True
        places = take(self.batch.places, stops)
        places = torch.where(
            (stops == home)[..., None], state.position[..., None, :], places
        )  # fmt: skip
        legs = distance(places[..., 1:, :], places[..., :-1, :]) * is_stop[..., 1:]
        times = torch.nn.functional.pad(legs.cumsum(-1), (1, 0))
        is_delivery = is_stop & (stops >= half) & (stops < home)
        load = (is_stop & (stops < half)).long().cumsum(-1) - is_delivery.long().cumsum(-1)
        after = is_delivery.sum(-1, keepdim=True) - is_delivery.cumsum(-1)
        return Walk(
            stops, is_stop, places, times, load, torch.nn.functional.pad(legs, (0, 1)), after
        )

    def placing(self, walk: Walk, orders: Tensor) -> Placing:
        """Put ``(B, R, M, K)`` orders into the routes of their vehicles, each for itself."""
        batch, half = self.batch, self._half
        there, back = take(batch.places, orders), take(batch.places, orders + half)
        direct = distance(there, back)[..., None]
        places = walk.places[..., None, :, :]
        to_pickup = distance(there[..., None, :], places)
        to_delivery = distance(back[..., None, :], places)
        # One row of numbers for each stop, ``(B, R, M, 1, L)``.
        times, legs = walk.times[..., None, :], walk.legs[..., None, :]
        after, is_stop = walk.after[..., None, :], walk.is_stop[..., None, :]
        goes_on = torch.roll(is_stop, -1, -1)
        goes_on[..., -1] = False
        full = (walk.load >= batch.capacity[:, None, :, None])[..., None, :] & is_stop

        def onward(gap: Tensor) -> Tensor:
            """How much longer the way to the next stop is from somewhere else; none at the end."""
            return torch.where(goes_on, torch.roll(gap, -1, -1) - legs, 0.0)

        # Both behind one stop: on the diagonal of what comes behind which.
        longer_both = to_pickup + direct + onward(to_delivery)
        arrival_both = times + to_pickup + direct
        cost_both = arrival_both + longer_both * after
        detour = to_pickup + onward(to_pickup)
        drop = to_delivery + onward(to_delivery)
        longer = detour[..., :, None] + drop[..., None, :]
        arrival = detour[..., :, None] + (times + to_delivery)[..., None, :]
        cost = (detour * after)[..., :, None] + arrival
        cost = cost + (drop * after)[..., None, :]
        both = torch.eye(times.shape[-1], dtype=torch.bool, device=times.device)
        cost = torch.where(both, cost_both[..., :, None], cost)
        arrival = torch.where(both, arrival_both[..., :, None], arrival)
        longer = torch.where(both, longer_both[..., :, None], longer)
        # On board from behind the one stop to behind the other there must be room.
        crowded = full.long().cumsum(-1)
        before = crowded - full.long()
        fits = crowded[..., None, :] == before[..., :, None]
        fits = fits & torch.ones_like(both).triu() & is_stop[..., None, :] & is_stop[..., :, None]
        flat = torch.where(fits, cost, torch.inf).flatten(-2)
        least = flat.amin(-1, keepdim=True)
        best = (flat == least).int().argmax(-1, keepdim=True)
        size = times.shape[-1]

        def at_best(values: Tensor) -> Tensor:
            return values.flatten(-2).gather(-1, best)[..., 0]

        pickup, delivery = best[..., 0] // size, best[..., 0] % size
        shape = orders.shape
        last = walk.last[..., None].expand(shape)
        return Placing(
            cost=least[..., 0],
            arrival=at_best(arrival),
            longer=at_best(longer),
            delayed=after.expand(*shape, size).gather(-1, pickup[..., None])[..., 0],
            appended=cost_both.gather(-1, last[..., None])[..., 0],
            pickup=pickup,
            delivery=delivery,
        )

    def feasible(self, state: InsertionState, candidates: Tensor) -> Tensor:
        """Pickups of free orders, and home while it is open."""
        shape = (*state.place.shape, candidates.shape[-1])
        listed = candidates[:, None, None] if candidates.dim() == 2 else candidates
        listed = listed.expand(shape)
        is_open = state.open.gather(-1, listed.flatten(2)).view(shape)
        return is_open | ((listed == self._home) & self.home_allowed(state)[..., None])

    def mask(self, state: InsertionState) -> Tensor:
        """What each vehicle may do; home is the last column."""
        everything = torch.arange(self._home + 1, device=self.batch.device)
        return self.feasible(state, everything.expand(self.batch.size, -1))

    def home_allowed(self, state: InsertionState) -> Tensor:
        """Once everything is planned."""
        return state.done[..., None].expand(state.place.shape)

    def unserved(self, state: InsertionState) -> Tensor:
        """Orders that nobody has."""
        return state.open

    def has_task(self, state: InsertionState) -> Tensor:
        """Whether an order is free."""
        return (~state.done)[..., None].expand(state.place.shape)

    def cost(self, state: InsertionState) -> Tensor:
        """The sum of the arrivals (Eq. 16), in the user's units."""
        return state.arrivals * self.batch.scale[:, None]


@dataclass(frozen=True, eq=False)
class PlannedRoutes:
    """The routes of a state, as plans want them."""

    state: InsertionState

    def routes(self, instance: int, rollout: int = 0) -> list[list[list[int]]]:
        """For each vehicle its stops, in one trip if it has any."""
        follow = self.state.follow[instance, rollout].tolist()
        home, routes = len(follow) - 1, []
        for task in self.state.start[instance, rollout].tolist():
            stops: list[int] = []
            while task != home:
                stops.append(task)
                task = follow[task]
            routes.append([stops] if stops else [])
        return routes
