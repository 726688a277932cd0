"""Prices of customers, and the makespan that they prove.

Give every customer i a price p_i of at least zero. If no trip of the vehicles of sort s earns more
than θ_s for each unit of its time, then within a makespan T the fleet earns at most T Σ θ_s m_s,
where m_s is how many vehicles of the sort there are, counted by their speed. But it serves
everybody, and so it earns Σ p_i. Hence

    T ≥ Σ p_i / Σ θ_s m_s,

for whatever prices. The best of them are the dual prices of the choice among all trips as a linear
program, see :mod:`geopar.bounds.columns`; with p_i = q_i d_i this is the bound of
:mod:`geopar.problems.hcvrp.bound`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from geopar.bounds.sorts import Fleet, Floats
from geopar.bounds.trips import Pricing

# A trip that earns more by less than this part is no better; for what that misses, and rounding, a
# bound is lowered a little.
TOLERANCE, LOWERED = 1e-9, 1e-6
# Each step finds a trip that earns more for its time, and there are only so many trips.
MOST_STEPS = 100


def earned_at_most(
    pricing: Pricing, sort: int, prices: Floats, guess: float, pause: Callable[[], None]
) -> float:
    """θ: the most that any trip of a sort earns for each unit of its time.

    By Dinkelbach's method: at the rate of the best trip so far no other one earns more than it
    takes, or it is the next one.
    """
    rate, found = guess, False
    for _ in range(MOST_STEPS):
        pause()
        best = pricing.best_trips(sort, prices, rate, 1)
        if not best:
            return 0.0  # nobody fits into it
        ((_, trip),) = best
        duration = pricing.duration(sort, trip)
        earned = float(prices[trip].sum())
        if duration <= 0.0:
            # Next door, for nothing: then no other trip earns more than this rate either.
            return np.inf if earned > 0.0 else rate
        if found and earned <= rate * duration * (1.0 + TOLERANCE):
            return rate
        # A guess above the truth comes down to a trip's own rate, from where it only goes up.
        rate, found = earned / duration, True
    return np.inf


def proven(
    fleet: Fleet,
    pricing: Pricing,
    prices: Floats,
    guesses: Floats,
    pause: Callable[[], None] = lambda: None,
) -> tuple[float, Floats]:
    """The makespan that prices prove, and the rates θ.

    ``pause`` is called before each search for a trip; it may raise.
    """
    rates = np.array([
        earned_at_most(pricing, sort, prices, guess, pause) for sort, guess in enumerate(guesses)
    ])  # fmt: skip
    strength = np.array([sort.strength for sort in fleet.sorts])
    earns = float(rates @ strength)
    if not np.isfinite(earns) or earns <= 0.0:
        return 0.0, rates
    return float(prices.sum()) / earns * (1.0 - LOWERED), rates
