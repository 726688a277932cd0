"""How hot, how sharp: the parameters of the search, by the size of the instance and of the run."""

from __future__ import annotations

import math
from typing import NamedTuple


class Parameters(NamedTuple):
    """Everything that can be tuned, in one place.

    Attributes
    ----------
    mean_removed, longest_string, split, blink
        Of ruin and recreate, as in SISR (Christiaens & Vanden Berghe 2020); smaller ruins.
    on_late
        Share of the ruins that start at a customer of a late vehicle.
    trip_moves
        Share of the iterations that move or swap whole trips.
    first_sharpness, last_sharpness
        The exponent p of the smooth makespan, at the start and the end of a run.
    first_temperature, last_temperature
        Of the logarithm of the cost.
    """

    mean_removed: float = 6.0
    longest_string: float = 10.0
    split: float = 0.3
    blink: float = 0.01
    on_late: float = 0.2
    trip_moves: float = 0.1
    first_sharpness: float = 50.0
    last_sharpness: float = 400.0
    first_temperature: float = 1.0
    last_temperature: float = 0.01


# Iterations for each customer, and the temperature of one vehicle then, between which we
# interpolate: a short run has no time to be hot.
_SHORT, _LONG = 20.0, 3000.0
_HOT_SHORT, _HOT_LONG = 0.7, 3.0
_COLD_SHORT, _COLD_LONG = 0.2, 0.03


def parameters_for(num_customers: int, num_vehicles: int, iterations: float) -> Parameters:
    """For a run of about so many iterations.

    One vehicle's share of the cost falls with the size of the fleet, and with it what a change of
    that vehicle's time does to the logarithm of the cost: so the temperature falls as 1/M.
    """
    rate = min(_LONG, max(_SHORT, iterations / num_customers))
    length = math.log(rate / _SHORT) / math.log(_LONG / _SHORT)
    hot = _HOT_SHORT * (_HOT_LONG / _HOT_SHORT) ** length
    cold = _COLD_SHORT * (_COLD_LONG / _COLD_SHORT) ** length
    return Parameters(first_temperature=hot / num_vehicles, last_temperature=cold / num_vehicles)
