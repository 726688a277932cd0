"""How hot, how sharp: the parameters of the search, by the size of the instance and of the run."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from geopar.search.day.data import (
    ARRIVALS,
    CLOSES,
    DISTANCE,
    FROM_DEPOT,
    MAKESPAN,
    MOST_TRIPS,
    PRIORITY,
    Data,
)
from geopar.search.hcvrp import schedule as hcvrp

TRIP_MOVES = 0.1
# In typical legs, for a hundred customers; a run ends at this part of it.
HOT, COOLED = 3.0, 0.01
# Between runs of so many iterations for each customer the heat rises.
SHORT, LONG = 5.0, 300.0


class Parameters(NamedTuple):
    """Everything that can be tuned, in one place.

    Attributes
    ----------
    mean_removed, longest_string, split, blink
        Of ruin and recreate, as in SISR (Christiaens & Vanden Berghe 2020).
    trip_moves
        Share of the iterations that move or swap whole trips.
    on_late
        Share of the ruins that start at a customer of the last vehicle home.
    penalty
        What one unit of priority costs that is left out.
    first_sharpness, last_sharpness
        The exponent p of the smooth makespan, at the start and the end of a run.
    first_temperature, last_temperature
        Of the cost, in typical legs; for the makespan of its logarithm.
    """

    mean_removed: float = 8.0
    longest_string: float = 10.0
    split: float = 0.3
    blink: float = 0.01
    trip_moves: float = 0.1
    on_late: float = 0.0
    penalty: float = 10.0
    first_sharpness: float = 50.0
    last_sharpness: float = 400.0
    first_temperature: float = 1.0
    last_temperature: float = 0.01


def parameters_for(data: Data, iterations: float) -> Parameters:
    """For a run of about so many iterations."""
    least = float(data.stop[:, PRIORITY].min())
    alike = (data.fleet == data.fleet[0]).all() and (data.shift == data.shift[0]).all()
    # One trip each for vehicles that are all alike: nothing would change.
    trip_moves = 0.0 if alike and data.fleet[0, MOST_TRIPS] == 1 else TRIP_MOVES
    if data.goal == MAKESPAN:
        m = len(data.fleet)
        # Windows and shifts keep tours short, whatever the vehicles could carry.
        plain = hcvrp.parameters_for(len(data.stop), m, max(m, len(data.stop) / 10), iterations)
        return Parameters(
            on_late=plain.on_late,
            trip_moves=trip_moves,
            penalty=1000.0 * m / least,
            first_sharpness=plain.first_sharpness,
            last_sharpness=plain.last_sharpness,
            first_temperature=plain.first_temperature,
            last_temperature=plain.last_temperature,
        )
    # Larger instances have more to gain from heat, and where times count legs are not all.
    hot = HOT * math.sqrt(len(data.stop) / 100.0) * (1.0 if data.goal == DISTANCE else 3.0)
    # A short run has no time to be hot.
    hot *= min(1.0, max(SHORT / LONG, iterations / len(data.stop) / LONG)) ** 0.5
    # Leaving out whoever is least important must cost more than any way there and back.
    penalty = max(100.0, 10.0 * hot, 4.0 * float(data.stop[:, FROM_DEPOT].max()) * data.per_length)
    if data.goal == ARRIVALS:
        closes = data.stop[:, CLOSES]
        late = closes[np.isfinite(closes)].max(initial=data.dawn) - data.dawn
        penalty = max(penalty, len(data.stop), float(late) * data.per_time)
    return Parameters(
        trip_moves=trip_moves,
        penalty=penalty / least,
        first_temperature=hot,
        last_temperature=hot * COOLED,
    )
