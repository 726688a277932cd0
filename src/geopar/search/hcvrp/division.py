"""A plan of HCVRP divided by its vehicles, for :mod:`geopar.search.teams`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.search.hcvrp.anneal import anneal
from geopar.search.hcvrp.data import SPEED, STRAIGHT, Data, Floats, Int32s, Ints, X, Y
from geopar.search.hcvrp.schedule import Parameters
from geopar.search.hcvrp.start import best_cost, best_trips, link_all
from geopar.search.hcvrp.state import (
    DRIVEN,
    FIRST,
    NEXT,
    OWNER,
    SIZE,
    State,
    empty_state,
)
from geopar.search.neighbours import Pause, go_on, nearest_others
from geopar.search.teams import VERY_MANY, FlatPlan, Part, numbered, trips_of

# Of so many nearest customers those in the same part are the neighbours there. Of very many
# customers those that the search has must do: finding more takes long.
WIDE = 48
# A part whose vehicles are home long before the last one costs next to nothing: no smaller share of
# the whole is reckoned with, since the numbers end somewhere.
LEAST_SHARE = 1e-12


def can_divide(data: Data) -> bool:
    """Whether parts can be cut out at once: of a matrix that would take too long."""
    return len(data) <= STRAIGHT


class HCVRPDivision:
    """Some of the vehicles with all their trips.

    Parameters
    ----------
    data
        The problem; one that can be divided.
    parameters
        Of the search of the whole.
    """

    round = (6.0, 1500)

    def __init__(self, data: Data, parameters: Parameters, pause: Pause = go_on) -> None:
        self._data, self._parameters = data, parameters
        self.places: Floats = data.place[:-1, [X, Y]]
        self.num_vehicles = len(data.vehicle)
        self._near: Int32s = data.near
        if len(self.places) < VERY_MANY:
            near, _ = nearest_others(self.places, WIDE, pause=pause)
            self._near = near.view(np.int32)

    def part(self, plan: FlatPlan, vehicles: Ints, seed: int) -> Part:
        """These vehicles with all that they serve; its best plan is the one that it begins with."""
        whole = self._data
        n = len(whole.near)
        tasks, bounds, driver = trips_of(plan, vehicles, self.num_vehicles)
        mine = np.sort(tasks)
        own = numbered(mine, n)
        near, away = neighbours_among(
            self._near, whole.place, mine, own, min(whole.near.shape[1], len(mine) - 1)
        )
        data = whole._replace(
            place=whole.place[np.append(mine, n)],
            vehicle=whole.vehicle[vehicles],
            near=near,
            near_distance=away,
        )
        state = empty_state(data, seed)
        link_all(data, state, own[tasks], bounds, driver)
        return Part(data, state, mine, vehicles)

    def loads(self, part: Part) -> Floats:
        """When each of its vehicles is home."""
        time: Floats = part.state.drive[:, DRIVEN] / part.data.vehicle[:, SPEED]
        return time

    def settings(self, loads: Sequence[Floats], fraction: float) -> list[Parameters]:
        """For parts with such vehicles those that make them as hot as the whole is now.

        A change is accepted by how much the cost grows in proportion, and a part's cost is a part.
        """
        p = self._parameters
        sharpness = p.first_sharpness * (p.last_sharpness / p.first_sharpness) ** fraction
        latest = max(float(np.max(np.concatenate(loads))), np.finfo(float).tiny)
        cost = [float(np.exp(sharpness * (time / latest - 1.0)).sum()) for time in loads]
        # All in one place costs nothing at all.
        total = max(sum(cost), np.finfo(float).tiny / LEAST_SHARE)
        cost = [max(own, LEAST_SHARE * total) for own in cost]
        return [
            p._replace(
                first_temperature=p.first_temperature * total / own,
                last_temperature=p.last_temperature * total / own,
            )
            for own in cost
        ]

    def advance(
        self, part: Part, settings: Parameters, iterations: int, begin: float, end: float
    ) -> None:
        """Run iterations on a part."""
        anneal(part.data, part.state, settings, iterations, begin, end)

    def now(self, part: Part) -> FlatPlan:
        """Where its search is, in numbers of its own."""
        return trips_now(part.state, len(part.tasks))  # type: ignore[no-any-return]

    def best(self, part: Part) -> FlatPlan:
        """Its best plan, in numbers of its own."""
        state = part.state
        return best_trips(state.best_next, state.best_trip, len(part.tasks))  # type: ignore[no-any-return]

    def best_cost(self, part: Part) -> float:
        """Of its best plan, in the user's units."""
        return best_cost(part.data, part.state)

    def together(self, costs: Sequence[float]) -> float:
        """The last one home decides."""
        return max(costs)


@inner
def _distance(place: Floats, a: int, b: int) -> float:
    dx, dy = place[a, X] - place[b, X], place[a, Y] - place[b, Y]
    return np.sqrt(dx * dx + dy * dy)  # type: ignore[no-any-return]


@compiled(allocates=True)
def neighbours_among(
    wide: Int32s, place: Floats, mine: Ints, own: Ints, count: int
) -> tuple[Int32s, Floats]:
    """The nearest customers of each of mine among mine, in numbers of their own, and how far.

    Whoever has fewer in sight has some of them several times; whoever has none, anybody.
    """
    n = len(mine)
    near, away = np.empty((n, count), dtype=np.int32), np.empty((n, count))
    for i in range(n):
        c, found = mine[i], 0
        for w in range(wide.shape[1]):
            if found == count:
                break
            k = np.int64(wide[c, w])
            if own[k] >= 0:
                near[i, found], away[i, found] = own[k], _distance(place, c, k)
                found += 1
        if found == 0 and count > 0:
            other = (i + 1) % n
            near[i, 0], away[i, 0] = other, _distance(place, c, mine[other])
            found = 1
        for j in range(found, count):
            near[i, j], away[i, j] = near[i, j - found], away[i, j - found]
    return near, away


@compiled(allocates=True)
def trips_now(state: State, n: int) -> tuple[Ints, Ints, Ints]:
    """The plan that the search is at, as :func:`geopar.plan.flatten` has it."""
    tasks = np.empty(n, dtype=np.int64)
    slots = len(state.trip)
    bounds, owner = np.zeros(slots + 1, dtype=np.int64), np.empty(slots, dtype=np.int64)
    size = count = 0
    for t in range(slots):
        if state.trip[t, OWNER] < 0 or state.trip[t, SIZE] <= 0:
            continue
        c = np.int64(state.trip[t, FIRST])
        while c < n:
            tasks[size] = c
            size += 1
            c = np.int64(state.customer[c, NEXT])
        owner[count] = state.trip[t, OWNER]
        count += 1
        bounds[count] = size
    return tasks[:size], bounds[: count + 1], owner[:count]
