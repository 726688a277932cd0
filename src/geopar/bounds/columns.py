"""The best prices: a linear program over trips that are made when they are needed.

Choose how often each sort of vehicle drives each trip, in parts as well, so that everybody is
served and the sorts are busy for as short as can be: a relaxation of the problem, whose dual values
are prices of customers and the shares that rates have in them. Trips that would make it shorter are
found by :mod:`geopar.bounds.trips` (column generation; Desrosiers & Lübbecke 2005, "A primer in
column generation"), at prices half way to the best so far, which come to rest sooner (Wentges
1997, "Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csc_array

from geopar.bounds.prices import proven
from geopar.bounds.sorts import Fleet, Floats
from geopar.bounds.trips import Pricing

# So many trips of each sort are added at a time, and prices are tried after so many times.
ADDED, TRIED = 60, 5
# How much of the way to the best prices so far.
SMOOTHING = 0.5
# As near as this to what trips can prove is near enough; so little a trip saves at least.
NEAR_ENOUGH, LEAST_SAVING = 5e-4, 1e-9


class OutOfTimeError(Exception):
    """Raised by a pause when a bound has to be ready."""


class Shares(NamedTuple):
    """The linear program's value and its dual values: of customers, and of sorts."""

    value: float
    prices: Floats
    rates: Floats


class Program:
    """The linear program over the trips that are known.

    Parameters
    ----------
    fleet
        Whose trips.
    """

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._values: list[float] = []
        self._known: dict[tuple[int, tuple[int, ...]], float] = {}
        self._count = 0

    def add(self, sort: int, trip: list[int], duration: float) -> bool:
        """A trip; whether none of the same customers that is as short was known."""
        key = sort, tuple(sorted(trip))
        if self._known.get(key, np.inf) <= duration:
            return False
        self._known[key] = duration
        times = np.bincount(trip)
        served = np.flatnonzero(times)
        self._rows += [*served.tolist(), len(self._fleet.load) + sort]
        self._values += [*(-times[served]).tolist(), duration]
        self._columns += [self._count] * (len(served) + 1)
        self._count += 1
        return True

    def solve(self) -> Shares:
        """Serve everybody in the shortest time."""
        customers, sorts = len(self._fleet.load), len(self._fleet.sorts)
        # The last column is the time that each sort has.
        rows = [*self._rows, *range(customers, customers + sorts)]
        columns = [*self._columns, *[self._count] * sorts]
        values = [*self._values, *(-sort.strength for sort in self._fleet.sorts)]
        matrix = csc_array((values, (rows, columns)), shape=(customers + sorts, self._count + 1))
        least = np.concatenate([-np.ones(customers), np.zeros(sorts)])
        cost = np.zeros(self._count + 1)
        cost[-1] = 1.0
        # scipy's own types know no sparse arrays here.
        found = linprog(cost, A_ub=matrix, b_ub=least, method="highs")  # type: ignore[call-overload]
        if found.x is None:  # numbers too far apart for it
            raise OutOfTimeError
        dual = np.maximum(0.0, -found.ineqlin.marginals)
        return Shares(float(found.fun), dual[:customers], dual[customers:])


def best_prices(fleet: Fleet, pricing: Pricing, pause: Callable[[], None]) -> tuple[float, bool]:
    """The best makespan that prices were found to prove, and whether trips prove hardly more.

    Parameters
    ----------
    pause
        Called now and then; it raises :class:`OutOfTimeError` when what there is must do.
    """
    program = Program(fleet)
    for s, sort in enumerate(fleet.sorts):
        for i in np.flatnonzero(fleet.load <= sort.capacity).tolist():
            program.add(s, [i], pricing.duration(s, [i]))
    best, center = 0.0, None
    try:
        for turn in range(1_000_000):
            now = program.solve()
            best, center, done = _turn(fleet, pricing, program, now, center, best, turn, pause)
            if done:
                return best, True
    except (OutOfTimeError, KeyboardInterrupt):
        pass
    return best, False


def _turn(
    fleet: Fleet,
    pricing: Pricing,
    program: Program,
    now: Shares,
    center: Shares | None,
    best: float,
    turn: int,
    pause: Callable[[], None],
) -> tuple[float, Shares | None, bool]:
    """Add trips at these prices; the best value, the best prices, and whether that is all."""
    at = now
    if center is not None:
        prices, rates = (
            SMOOTHING * one + (1.0 - SMOOTHING) * other
            for one, other in zip(center[1:], now[1:], strict=True)
        )
        at = Shares(now.value, prices, rates)
    added = _add_trips(fleet, pricing, program, at, pause)
    if not added and center is not None:
        at = now
        added = _add_trips(fleet, pricing, program, at, pause)
    if not added or turn % TRIED == TRIED - 1:
        value, rates = proven(fleet, pricing, at.prices, at.rates, pause)
        if value > best:
            # As the linear program has them: what a unit of time earns is one.
            earns = sum(rate * sort.strength for rate, sort in zip(rates, fleet.sorts, strict=True))
            best, center = value, Shares(value, at.prices / earns, rates / earns)
    return best, center, not added or best >= now.value * (1.0 - NEAR_ENOUGH)


def _add_trips(
    fleet: Fleet, pricing: Pricing, program: Program, at: Shares, pause: Callable[[], None]
) -> int:
    """How many new trips cost less than nothing at these prices; they are added."""
    added = 0
    for s, rate in enumerate(at.rates):
        pause()
        for cost, trip in pricing.best_trips(s, at.prices, float(rate), ADDED):
            if cost >= -LEAST_SAVING:
                break
            added += program.add(s, trip, pricing.duration(s, trip))
    return added
