"""How hot, how sharp: the parameters of the search, by the size of the instance and of the run."""

from __future__ import annotations

import math
from typing import NamedTuple

from geopar.search.day.data import DISTANCE, MAKESPAN, MOST_TRIPS, PRIORITY, Data

TRIP_MOVES = 0.1
# In typical legs, for a hundred customers; a run ends at this part of it.
HOT, COOLED = 3.0, 0.01


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
    mean = float(data.stop[:, PRIORITY].mean())
    alike = (data.fleet == data.fleet[0]).all() and (data.shift == data.shift[0]).all()
    # One trip each for vehicles that are all alike: nothing would change.
    trip_moves = 0.0 if alike and data.fleet[0, MOST_TRIPS] == 1 else TRIP_MOVES
    if data.goal == MAKESPAN:
        m = len(data.fleet)
        return Parameters(
            on_late=0.2,
            trip_moves=trip_moves,
            penalty=1000.0 * m / mean,
            first_temperature=1.0 / m,
            last_temperature=0.05 / m,
        )
    # Larger instances have more to gain from heat, and where times count legs are not all.
    hot = HOT * math.sqrt(len(data.stop) / 100.0) * (1.0 if data.goal == DISTANCE else 3.0)
    return Parameters(
        trip_moves=trip_moves,
        penalty=max(100.0, 10.0 * hot) / mean,
        first_temperature=hot,
        last_temperature=hot * COOLED,
    )
