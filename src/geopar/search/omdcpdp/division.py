"""A plan of OMDCPDP divided by its vehicles, for :mod:`geopar.search.teams`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled
from geopar.search.neighbours import Pause, go_on, nearest_others
from geopar.search.omdcpdp.anneal import anneal
from geopar.search.omdcpdp.data import Data, Floats, Stops, nearest_starts
from geopar.search.omdcpdp.schedule import Cooling
from geopar.search.omdcpdp.start import take
from geopar.search.omdcpdp.state import BEST, State, empty, record_best, sequences
from geopar.search.teams import VERY_MANY, FlatPlan, Part, numbered, trips_of

Ints = NDArray[np.int64]

# Of so many times as many stops around a pickup as a search looks at, those in the same part are
# its neighbours there; of very many as many. And so many starts.
WIDER, STARTS = 2, 16


class OMDCPDPDivision:
    """Some of the vehicles with all their orders.

    Parameters
    ----------
    data
        The problem.
    cooling
        Of the run.
    """

    round = (0.4, 200)

    def __init__(self, data: Data, cooling: Cooling, pause: Pause = go_on) -> None:
        self._data, self._cooling = data, cooling
        orders = data.orders
        self.places: Floats = data.xy[: 2 * orders]
        self.num_vehicles = len(data.capacity)
        self._near: Stops = data.near
        if 2 * orders < VERY_MANY:
            self._near, _ = nearest_others(data.xy, WIDER * data.near.shape[1], orders, pause)
        self._starts, _ = nearest_starts(data.xy, orders, STARTS, pause)

    def part(self, plan: FlatPlan, vehicles: Ints, seed: int) -> Part:
        """These vehicles with all that they serve; its best plan is the one that it begins with."""
        whole = self._data
        tasks, bounds, driver = trips_of(plan, vehicles, self.num_vehicles)
        mine = np.sort(tasks[tasks < whole.orders])
        served = np.concatenate([mine, mine + whole.orders])
        stops = np.concatenate([served, 2 * whole.orders + vehicles])
        own = numbered(stops, len(whole.xy))
        data = whole._replace(
            xy=whole.xy[stops],
            capacity=whole.capacity[vehicles],
            orders=len(mine),
            near=stops_among(self._near, mine, own, whole.near.shape[1], len(stops)),
            near_starts=stops_among(
                self._starts, mine, own, min(whole.near_starts.shape[1], len(vehicles)), len(stops)
            ),
            direct=whole.direct[mine],
            least=whole.least[mine],
        )
        state = empty(data, seed)
        take_all(data, state, own[tasks], bounds, driver)
        record_best(data, state)
        return Part(data, state, served, vehicles)

    def loads(self, part: Part) -> Floats:
        """What its vehicles cost; no matter here."""
        cost: Floats = part.state.cost
        return cost

    def settings(self, loads: Sequence[Floats], fraction: float) -> list[Cooling]:
        """Those of the whole: the cost is a sum, so a change weighs the same."""
        return [self._cooling for _ in loads]

    def advance(
        self, part: Part, settings: Cooling, iterations: int, begin: float, end: float
    ) -> None:
        """Run iterations on a part."""
        anneal(part.data, part.state, iterations, settings.at(begin), settings.at(end))

    def now(self, part: Part) -> FlatPlan:
        """Where its search is, in numbers of its own."""
        return _flat(part, part.state.following)

    def best(self, part: Part) -> FlatPlan:
        """Its best plan, in numbers of its own."""
        return _flat(part, part.state.best)

    def best_cost(self, part: Part) -> float:
        """Of its best plan, in the user's units."""
        return float(part.state.value[BEST])

    def together(self, costs: Sequence[float]) -> float:
        """All arrivals are added up."""
        return sum(costs)


def _flat(part: Part, following: Stops) -> FlatPlan:
    """A plan by what follows what, without the vehicles that stand idle."""
    tasks, bounds = sequences(following, len(part.vehicles))
    busy = np.flatnonzero(np.diff(bounds))
    return tasks, np.append(bounds[busy], bounds[-1]), busy


@compiled(allocates=True)
def stops_among(wide: Stops, mine: Ints, own: Ints, count: int, end: int) -> Stops:
    """The nearest stops of each of my orders that are in the part, in numbers of their own.

    Whoever has fewer in sight has the end in their place, which is far from everything.
    """
    near = np.full((len(mine), count), end, dtype=np.uint32)
    for i in range(len(mine)):
        found = 0
        for w in range(wide.shape[1]):
            if found == count:
                break
            k = own[np.int64(wide[mine[i], w])]
            if k >= 0:
                near[i, found] = k
                found += 1
    return near


@compiled
def take_all(data: Data, state: State, tasks: Ints, bounds: Ints, driver: Ints) -> None:
    """Give idle vehicles these routes."""
    for i in range(len(driver)):
        take(data, state, driver[i], tasks[bounds[i] : bounds[i + 1]])
