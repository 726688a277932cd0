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


# Between runs of so many iterations for each customer ...
_SHORT, _LONG = 20.0, 3000.0
# ... these go from the first to the second (benchmarks/anytime.py): a short run has no time to be
# hot, and must look after the late vehicles first. Temperatures are those of one vehicle.
_HOT = (0.2, 3.0)
_COLD = (0.05, 0.2)
_ON_LATE = (0.4, 0.2)
# Pairs of trips to swap grow with the fleet, and a try costs little: from few vehicles to many.
_TRIP_MOVES = (0.1, 0.3)
_MANY_VEHICLES = 80


def parameters_for(num_customers: int, num_vehicles: int, iterations: float) -> Parameters:
    """For a run of about so many iterations.

    One vehicle's share of the cost falls with the size of the fleet, and with it what a change of
    that vehicle's time does to the logarithm of the cost: so the temperature falls as 1/M.
    """
    rate = min(_LONG, max(_SHORT, iterations / num_customers))
    length = math.log(rate / _SHORT) / math.log(_LONG / _SHORT)

    def between(ends: tuple[float, float]) -> float:
        short, long = ends
        return short * (long / short) ** length

    few, many = _TRIP_MOVES
    return Parameters(
        on_late=between(_ON_LATE),
        trip_moves=few + (many - few) * min(1.0, num_vehicles / _MANY_VEHICLES),
        first_temperature=between(_HOT) / num_vehicles,
        last_temperature=between(_COLD) / num_vehicles,
    )
