"""A delivery day in a town, drawn at random: streets, service, reloads, opening hours, two vans.

Larger ones have more stops and vans in the same town. All times are whole seconds, counted from the
first start of the day, so that solvers that know whole numbers only see the same day.
"""

from __future__ import annotations

import numpy as np

from geopar.problems.day import Day
from geopar.problems.hcvrp.instance import HCVRP

STOPS_PER_VAN = 25
# In metres and metres a second.
TOWN, STREET_SPEED = 15_000.0, 9.0
DETOUR = (1.15, 1.45)
# Whoever has opening hours opens or closes within these seconds of the day, and stays open so long.
OPENS, CLOSES, LEAST_OPEN = (0, 7_200), (7_200, 21_600), 5_400
WITH_HOURS = 0.6
# Of both kinds of vans: capacity, and how fast each is.
CAPACITY, SPEED = (80, 45), (1.0, 0.8)


def delivery_day(stops: int, seed: int) -> HCVRP:
    """A day of so many stops, for as many vans as can do it in several trips each."""
    rng = np.random.default_rng(seed)
    vans = max(2, round(stops / STOPS_PER_VAN))
    places = np.vstack([[TOWN / 2, TOWN / 2], rng.uniform(0.0, TOWN, (stops, 2))])
    metres = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
    # Ways differ by direction.
    metres = np.round(metres * rng.uniform(*DETOUR, metres.shape))
    kind = np.arange(vans) % 2
    return HCVRP(
        depot=places[0],
        customers=places[1:],
        demand=rng.integers(1, 10, stops),
        capacity=np.take(CAPACITY, kind),
        speed=np.ones(vans),
        name=f"delivery day, {stops} stops, seed {seed}",
        day=Day(
            matrices={
                f"van {k + 1}": (np.ceil(metres / (STREET_SPEED * SPEED[k])), metres)
                for k in range(2)
            },
            profile=[f"van {k + 1}" for k in kind],
            time_unit="seconds",
            service=rng.integers(2, 9, stops) * 60.0,
            loading=900.0,
            windows=[_hours(rng) for _ in range(stops)],
        ),
    )


def _hours(rng: np.random.Generator) -> list[tuple[float, float]]:
    """None, or opening hours that end early or begin late enough to matter."""
    opens, closes = (float(rng.integers(*span)) for span in (OPENS, CLOSES))
    if rng.random() >= WITH_HOURS:
        return []
    if rng.random() < 0.5:
        return [(opens, max(closes, opens + LEAST_OPEN))]
    return [(opens, np.inf)]
