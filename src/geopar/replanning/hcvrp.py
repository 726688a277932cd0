"""The rest of a day of deliveries."""

from __future__ import annotations

import numpy as np

from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.replanning.left import Left


def rest(problem: HCVRP, left: Left) -> HCVRP:
    """What is left, as a problem: on board comes first, and who has nothing goes to the depot."""
    day, fleet, stops = problem.day or Day(), left.fleet, left.requests
    number = {old: new for new, old in enumerate(stops)}
    depot = problem.num_tasks
    starts = np.full((len(fleet), 2), np.nan)
    own: list[int] = []
    for row, v in enumerate(fleet):
        place = left.standing[v].place
        if place != depot or left.aboard[v] or not day.has_depot:
            starts[row] = problem.places[place]
            own.append(place)
        if problem.ends[v] > depot:
            own.append(int(problem.ends[v]))
    # What depends on both is made below; without it nothing contradicts itself meanwhile.
    bare = day.replace(matrices=None, on_board=None, locked=None, allowed=None)
    part = problem.replace(day=bare).select(stops, fleet)
    assert part.day is not None
    # Where there is no depot, the first start takes its place.
    first = depot if day.has_depot else left.standing[fleet[0]].place
    return part.replace(
        depot=problem.places[first],
        day=part.day.replace(
            matrices=left.matrices([first, *stops, *own]),
            allowed=left.allowed(number),
            released=left.released(stops),
            start=None if np.isnan(starts).all() else starts,
            most_trips=_most_trips(day, left),
            on_board=[[number[task] for task in left.aboard[v]] for v in fleet],
            locked=None if day.locked is None else _locked(day, left, number),
            **left.by_vehicle(),
        ),
    )


def _most_trips(day: Day, left: Left) -> list[float] | None:
    """How many each may still make; without a depot, nothing but what is on board."""
    if day.most_trips is None and day.has_depot:
        return None
    found = []
    for v in left.fleet:
        one, aboard = left.standing[v], left.aboard[v]
        most = np.inf if day.most_trips is None else float(day.most_trips[v])
        # A trip of which all that was left is cancelled is over.
        over = one.trips_made + (len(one.aboard) > len(aboard) == 0 and one.doing != "loading")
        most = most if day.has_depot else min(most, 1.0)
        found.append(max(0.0, most - over))
    return found


def _locked(day: Day, left: Left, number: dict[int, int]) -> list[list[list[int]]]:
    """Locked trips that are still to come, behind what is on board."""
    assert day.locked is not None
    whose, found = left.whose, []
    for v in left.fleet:
        aboard = left.aboard[v]
        trips = [
            [t for t in trip if t in number and whose.get(t, v) == v] for trip in day.locked[v]
        ]
        if aboard and any(trips) and set(next(filter(None, trips))) != set(aboard):
            trips = [list(aboard), *([t for t in trip if t not in aboard] for trip in trips)]
        found.append([[number[t] for t in trip] for trip in trips if trip])
    return found
