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
    exchanges
        Share of the iterations in which two trips exchange a few customers.
    reassign
        Share of the ruins in which a ruined trip goes to another vehicle.
    first_sharpness, last_sharpness
        The exponent p of the smooth makespan, at the start and the end of a run.
    first_temperature, last_temperature
        Of the logarithm of the cost.
    cycles
        How often a run goes from hot to cold.
    """

    mean_removed: float = 6.0
    longest_string: float = 10.0
    split: float = 0.3
    blink: float = 0.01
    on_late: float = 0.2
    trip_moves: float = 0.1
    exchanges: float = 0.2
    reassign: float = 0.6
    first_sharpness: float = 50.0
    last_sharpness: float = 400.0
    first_temperature: float = 1.0
    last_temperature: float = 0.01
    cycles: int = 1


# Between runs of so many iterations for each customer ...
_SHORT, _LONG = 20.0, 3000.0
# ... and between fleets of so many vehicles, these go from the first to the second. Measured with
# benchmarks/anytime.py on 60 to 5,000 customers. Temperatures are those of one vehicle.
_FEW, _MANY = 3, 80
# A short run has no time to be hot, and looks after the late vehicles first.
_HOT = (0.2, 3.5)
_ON_LATE = (0.4, 0.2)
# Where a long run ends: with few vehicles any colder is frozen, and wasted.
_COLD_SHORT = 0.05
_COLD_LONG = (1.0, 0.5)
# Among many vehicles the latest is far from the mean unless late ones are dear. Among few, one
# that is too dear leaves the others no reason to hurry.
_SHARP_EACH, _SHARP = 35.0, (100.0, 1500.0)
# With few vehicles a run is soon as good as it gets and depends on chance: it is better spent on
# another cycle as soon as each has so many iterations for each customer and vehicle.
_CYCLE = 300.0
_MOST_CYCLES = 3
# Pairs of trips to swap grow with the fleet, and a try costs little.
_TRIP_MOVES = (0.1, 0.3)


def parameters_for(num_customers: int, num_vehicles: int, iterations: float) -> Parameters:
    """For a run of about so many iterations.

    One vehicle's share of the cost falls with the size of the fleet, and with it what a change of
    that vehicle's time does to the logarithm of the cost: so the temperature falls as 1/M.
    """
    many = iterations / (num_customers * num_vehicles) / _CYCLE
    cycles = max(1, int(min(_MOST_CYCLES, many)))
    length = _between(_SHORT, _LONG, iterations / cycles / num_customers)
    fleet = _between(_FEW, _MANY, num_vehicles)
    cold = _mix((_COLD_SHORT, _mix(_COLD_LONG, fleet)), length**2)
    return Parameters(
        on_late=_mix(_ON_LATE, length),
        trip_moves=_mix(_TRIP_MOVES, fleet),
        last_sharpness=min(_SHARP[1], max(_SHARP[0], _SHARP_EACH * num_vehicles)),
        first_temperature=_mix(_HOT, length**2) / num_vehicles,
        last_temperature=cold / num_vehicles,
        cycles=cycles,
    )


def _between(low: float, high: float, value: float) -> float:
    """Where ``value`` lies from ``low`` (0) to ``high`` (1), on a logarithmic scale."""
    return math.log(min(high, max(low, value)) / low) / math.log(high / low)


def _mix(ends: tuple[float, float], share: float) -> float:
    """From the first end (0) to the second (1), by a constant factor."""
    return ends[0] * math.pow(ends[1] / ends[0], share)
