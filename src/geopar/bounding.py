"""The public call: how soon the last vehicle could be home at best."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import NamedTuple

from geopar.errors import Faults
from geopar.problems import HCVRP, Problem
from geopar.problems.hcvrp.bound import lower_bound

_log = logging.getLogger(__name__)

# A bound takes as long as it may: one core, and this unless it is told.
DEFAULT_SECONDS = 10.0
# How many customers each remembers, by the most customers for which that is so; trips of more take
# minutes, and a bound by work alone is near there.
REMEMBERED = ((120, 6), (200, 5), (400, 3))


class Bound(NamedTuple):
    """A makespan that no plan beats.

    Attributes
    ----------
    value
        In the problem's unit of time; zero where nothing is known.
    method
        What proved it: ``"trips"`` (:mod:`geopar.bounds.prices`) or ``"work"``, of the fleet or of
        whoever serves the last stop (:mod:`geopar.problems.hcvrp.bound`,
        :mod:`geopar.bounds.last_stop`).
    complete
        Whether more time would prove hardly more.
    seconds
        What it took.
    """

    value: float
    method: str
    complete: bool
    seconds: float

    def above(self, objective: float) -> float:
        """By which part at most a plan is above the best possible one."""
        return objective / self.value - 1.0 if self.value > 0.0 else math.inf


def compile_bound(announce: Callable[[str], None] = _log.info) -> None:
    """Compile what bounds need, so that no time limit pays for it."""
    from geopar.bounds.columns import best_prices
    from geopar.bounds.sorts import fleet_of
    from geopar.bounds.trips import Pricing
    from geopar.compiled.warming import announced

    with announced("compiling the bound, once, about 10 s", announce):
        tiny = fleet_of(HCVRP((0, 0), [(1, 0), (0, 1)], [1, 1], [2], [1]))
        best_prices(tiny, Pricing(tiny, 1), lambda: None)


def can_bound(problem: Problem) -> bool:
    """Whether a plan's goal is the makespan of vehicles that come home from every trip."""
    if not isinstance(problem, HCVRP) or problem.goal != "makespan":
        return False
    day = problem.day
    return day is None or (day.has_depot and day.end is None and day.on_board is None)


def require_bound(problem: Problem, seconds: float) -> None:
    """Refuse what there is no bound for, before anything long is begun."""
    faults = Faults()
    if not can_bound(problem):
        faults.add(
            "no-bound", "problem", problem.kind, "has no bound that is of use.",
            "There is one for the makespan of vehicles that come home.",
        )  # fmt: skip
    if not seconds >= 0.0:
        faults.add("out-of-range", "bound", seconds, "must be zero or more.", "Maybe 10.")
    faults.raise_if_any()


def bound(
    problem: Problem,
    seconds: float = DEFAULT_SECONDS,
    announce: Callable[[str], None] = _log.info,
    stopped: Callable[[], bool] = lambda: False,
) -> Bound:
    """How soon the last vehicle could be home at best.

    What it proves is true however long it takes; more time proves more, until it is ``complete``.
    Ctrl-C ends it early. Of the windows of a working day only the last one counts, shifts and other
    limits are left out, so that with tight ones it is far from what is possible.

    Parameters
    ----------
    problem
        HCVRP, the goal being the makespan, whose vehicles come home.
    seconds
        How long it may take, compiling aside.
    announce
        Is told of compiling, which is done once.
    stopped
        Asked several times a second whether what there is must do.

    Raises
    ------
    geopar.errors.InputError
        Of a problem or a time for which there is none.
    """
    # What these need takes a while to load.
    from geopar.bounds.columns import OutOfTimeError, best_prices
    from geopar.bounds.last_stop import home_from_the_last
    from geopar.bounds.sorts import fleet_of
    from geopar.bounds.trips import Pricing

    require_bound(problem, seconds)
    assert isinstance(problem, HCVRP)
    by_work = lower_bound(problem) if problem.day is None else home_from_the_last(problem)
    found, complete = 0.0, False
    remembered = next((size for most, size in REMEMBERED if problem.num_tasks <= most), 0)

    if remembered and seconds > 0.0:
        compile_bound(announce)
    began = time.perf_counter()

    def pause() -> None:
        if time.perf_counter() - began > seconds or stopped():
            raise OutOfTimeError

    if remembered and seconds > 0.0:
        fleet = fleet_of(problem)
        if len(fleet.load):
            found, complete = best_prices(fleet, Pricing(fleet, remembered), pause)
    taken = time.perf_counter() - began
    if found > by_work:
        return Bound(found, "trips", complete, taken)
    return Bound(by_work, "work", complete, taken)
