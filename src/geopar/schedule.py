"""Schedules: where each vehicle is when, and what it has on board."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from geopar.plan import Indices
from geopar.problems import Problem
from geopar.problems.travel import Floats, legs


class Visit(NamedTuple):
    """One stop of a vehicle.

    Parameters
    ----------
    task
        Its index; None for the depot at the end of a trip.
    arrival
        When.
    load
        What is on board after it.
    """

    task: int | None
    arrival: float
    load: float


class Day(NamedTuple):
    """All that one vehicle does.

    Parameters
    ----------
    trips
        The visits of each trip.
    distance
        How far it drives.
    load_factor
        How full it is: what it carries over what it could carry in so many trips.
    """

    trips: list[list[Visit]]
    distance: float
    load_factor: float

    @property
    def visits(self) -> list[Visit]:
        """Those of all trips."""
        return list(chain.from_iterable(self.trips))

    @property
    def finish(self) -> float:
        """When it is done."""
        return self.trips[-1][-1].arrival if self.trips else 0.0


def schedule(problem: Problem, routes: Sequence[Sequence[Indices]]) -> list[Day]:
    """The day of each vehicle.

    Parameters
    ----------
    routes
        For each vehicle its trips of task indices, none of them empty.
    """
    homes = problem.homes
    return [_day(problem, v, homes[v : v + 1], trips) for v, trips in enumerate(routes)]


def _day(problem: Problem, vehicle: int, home: Indices, trips: Sequence[Indices]) -> Day:
    if not len(trips):
        return Day([], 0.0, 0.0)
    end = home if problem.comes_home else home[:0]
    way = np.concatenate([home, *(stop for trip in trips for stop in (trip, end))])
    driven = np.cumsum(legs(problem.travel, way))
    arrivals = driven / problem.speeds[vehicle]
    visits, at = [], 0
    for trip in trips:
        stops = len(trip) + len(end)
        visits.append(_visits(problem, trip, arrivals[at : at + stops]))
        at += stops
    most = len(trips) * float(problem.capacity[vehicle])
    return Day(visits, float(driven[-1]), problem.load_of(trips) / most)


def _visits(problem: Problem, trip: Indices, arrivals: Floats) -> list[Visit]:
    loads = np.round(problem.on_board(trip), 9).tolist()
    visits = list(map(Visit, trip.tolist(), arrivals.tolist(), loads))
    if len(arrivals) > len(trip):
        visits.append(Visit(None, float(arrivals[-1]), 0.0))
    return visits
