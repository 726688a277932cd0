"""Matrices of a whole problem, asked for in blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from geopar.errors import Faults
from geopar.problems import HCVRP, Problem
from geopar.problems.day import PER_HOUR, Day
from geopar.problems.validation import Floats
from geopar.roads.cache import Cached
from geopar.roads.engine import RoadEngine, Table

MAX_TABLE = 100
ONLY_PROFILE = "car"
METRES_PER_KM = 1000.0
SECONDS_PER_HOUR = 3600.0

Progress = Callable[[int, int], None]


def road_times(
    problem: Problem,
    engine: RoadEngine,
    *,
    profiles: Mapping[str, str] | None = None,
    max_table: int = MAX_TABLE,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Problem:
    """The problem with matrices of times and distances on roads.

    Times are in the unit of its day, distances in kilometres. Speeds of straight lines mean nothing
    on roads and become 1; where there were matrices before, speeds are factors and stay. On great
    circles vehicles keep their speeds.

    Parameters
    ----------
    engine
        Who is asked: :func:`~geopar.roads.engine.open_engine`.
    profiles
        What the engine calls each profile of the vehicles; the same names when left out.
    max_table
        How many places one request may have.
    cache
        The folder in which answers are kept; none when left out.
    progress
        Told how many of how many requests are done.

    Raises
    ------
    geopar.errors.InputError
        When the problem has no latitudes and longitudes, the engine does not answer, or places
        cannot be reached: all pairs of them are named.
    """
    faults = Faults()
    if problem.coordinates != "lonlat":
        hint = "Give lat and lon instead of x and y."
        faults.add("not-on-earth", "coordinates", "x, y", "are not on any road.", hint)
    if max_table < 2:
        faults.add("out-of-range", "max_table", max_table, "must be 2 or more.", "Maybe 100.")
    faults.raise_if_any()
    day = problem.day or Day()
    names = sorted(set(day.profile)) if day.profile is not None else [ONLY_PROFILE]
    asked = engine if cache is None else Cached(engine, cache)
    places, place_of = np.unique(np.round(problem.places, 6), axis=0, return_inverse=True)
    place_of = place_of.reshape(-1)
    blocks = _Blocks(places, max_table // 2, len(names), progress)
    tables = {name: blocks.table(asked, (profiles or {}).get(name, name)) for name in names}
    _check_ways(faults, problem, {name: table.seconds for name, table in tables.items()}, place_of)
    per_second = PER_HOUR[day.time_unit] / SECONDS_PER_HOUR
    order = np.empty(len(place_of), dtype=np.int64)
    order[problem.matrix_rows] = place_of
    matrices = {
        name: (
            table.seconds[np.ix_(order, order)] * per_second,
            table.metres[np.ix_(order, order)] / METRES_PER_KM,
        )
        for name, table in tables.items()
    }
    return _with(problem, day, matrices, keeps_speeds=engine.keeps_speeds)


def _with(
    problem: Problem,
    day: Day,
    matrices: Mapping[str, tuple[Floats, Floats]],
    *,
    keeps_speeds: bool,
) -> Problem:
    had_matrices = day.matrices is not None or keeps_speeds
    changes = {"matrices": matrices}
    if isinstance(problem, HCVRP):
        speed = problem.speed if had_matrices else np.ones(problem.num_vehicles)
        return problem.replace(day=day.replace(**changes), speed=speed)
    factors = day.speed if had_matrices else None
    return problem.replace(day=day.replace(**changes, speed=factors))


class _Blocks:
    """Square tables of many places, put together from small ones.

    Parameters
    ----------
    places
        All of them.
    size
        How many sources, and how many targets, one request has at most.
    count
        How many tables there will be, for the progress.
    """

    def __init__(self, places: Floats, size: int, count: int, progress: Progress | None) -> None:
        self._places, self._progress = places, progress
        self._parts = [slice(at, at + size) for at in range(0, len(places), size)]
        self._total, self._done = count * len(self._parts) ** 2, 0

    def table(self, engine: RoadEngine, profile: str) -> Table:
        """All times and distances for one profile."""
        size = len(self._places)
        whole = Table(np.zeros((size, size)), np.zeros((size, size)))
        for rows in self._parts:
            for columns in self._parts:
                block = engine.table(profile, self._places[rows], self._places[columns])
                for part, table in zip(block, whole, strict=True):
                    table[rows, columns] = part
                self._done += 1
                if self._progress is not None:
                    self._progress(self._done, self._total)
        for table in whole:
            np.fill_diagonal(table, 0.0)
        return whole


def _check_ways(
    faults: Faults, problem: Problem, seconds: Mapping[str, Floats], place_of: np.ndarray
) -> None:
    """Name all pairs without a way; a place that is nowhere near a road is named once.

    Raises
    ------
    geopar.errors.InputError
        If there are any.
    """
    names = place_names(problem)
    first_at: dict[int, str] = {}
    for name, place in zip(names, place_of.tolist(), strict=True):
        first_at.setdefault(place, name)
    for profile, table in seconds.items():
        missing = np.isnan(table)
        if not missing.any():
            continue
        size = len(table)
        alone = missing.sum(axis=1) + missing.sum(axis=0) >= 2 * (size - 1)
        for place in np.flatnonzero(alone).tolist() if size > 2 else ():
            faults.add(
                "unreachable", first_at[place], profile, "is on no road that leads anywhere else.",
                "Move it to a road, or remove it.",
            )  # fmt: skip
            missing[place], missing[:, place] = False, False
        for origin, end in np.argwhere(missing).tolist():
            faults.add(
                "unreachable", f"{first_at[origin]} to {first_at[end]}", profile,
                "has no way on the road.", "Move one of the two, or remove it.",
            )  # fmt: skip
    faults.raise_if_any()


def place_names(problem: Problem) -> list[str]:
    """What each place is, in the order of :attr:`Problem.places`."""
    tasks = [
        f"{problem.named} {one}"
        if isinstance(one, str)
        else f"{problem.named} {one.order} {one.action}"
        for one in problem.task_ids
    ]
    names = tasks + ["depot"] * (len(problem.places) - len(tasks))
    for vehicle, home, end in zip(problem.vehicle_ids, problem.homes, problem.ends, strict=True):
        for place, what in ((home, "start"), (end, "end")):
            if place >= len(tasks) + problem.comes_home:
                names[place] = f"{what} of {vehicle}"
    return names
