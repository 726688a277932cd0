"""How hot, how sharp: the parameters of the search, by the size of the instance and of the run."""

from __future__ import annotations

import math
from typing import NamedTuple

from geopar.search.doubling import MOST_DOUBLINGS


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
    reconnections
        Share of the iterations in which two trips swap tails, or one turns a stretch round.
    reassign
        Share of the ruins in which a ruined trip goes to another vehicle.
    first_sharpness, last_sharpness
        The exponent p of the smooth makespan, at the start and the end of a run.
    first_temperature, last_temperature
        Of the logarithm of the cost.
    annealing
        After how many iterations a run has gone from hot to cold and begins anew; 0 for a run that
        does so once, whatever its length.
    doublings
        How often a run that is annealed once begins anew, see :mod:`geopar.search.doubling`.
    """

    mean_removed: float = 6.0
    longest_string: float = 10.0
    split: float = 0.3
    blink: float = 0.01
    on_late: float = 0.2
    trip_moves: float = 0.1
    exchanges: float = 0.2
    reconnections: float = 0.0
    reassign: float = 0.6
    first_sharpness: float = 20.0
    last_sharpness: float = 400.0
    first_temperature: float = 1.0
    last_temperature: float = 0.01
    annealing: int = 0
    doublings: int = 0


# Between runs of so many iterations for each customer ...
_SHORT, _LONG = 20.0, 3000.0
# ... and between fleets of so many vehicles, these go from the first to the second. Measured with
# benchmarks/anytime.py on 60 to 5,000 customers. Temperatures are those of one vehicle.
_FEW, _MANY = 3, 80
# A short run has no time to be hot, and looks after the late vehicles first. (At p = 1.) Nor does
# a large fleet need more heat than that of a run of so many iterations for each customer, which
# grow as the root of its size.
_HOT = (0.004, 0.07)
_ON_LATE = (0.4, 0.2)
_HOT_ENOUGH = 300.0
# A run of a large fleet that is this many times longer is annealed several times, each time for
# twice as long, and the first time for so long; three times at least.
_FIRST_OF_DOUBLING, _LEAST_DOUBLINGS = 4.0, 2
# Where a long run ends: with few vehicles any colder is frozen, and wasted.
_COLD_SHORT = 0.05
_COLD_LONG = (1.0, 0.5)
# But no hotter than this many mean legs for each vehicle of the fleet, first and last: alone, a
# vehicle needs no heat to share with others, and the longer a tour, the less one leg is of it.
_HOT_LEGS, _COLD_LEGS = 1.0, 0.03
_MOST_HOT_LEGS = 4.0
# Among many vehicles the latest is far from the mean unless late ones are dear. Among few, one
# that is too dear leaves the others no reason to hurry. At first hardly more than the total counts,
# if there is time for that and the fleet is small; not from so many vehicles on.
_LARGE_FLEET = 20
_FIRST_SHARP, _SHARP_EACH, _SHARP = (50.0, 20.0), 35.0, (100.0, 1500.0)
# And besides, both sharper and warmer at last, the more vehicles there are: at a high sharpness
# most of them count for nothing, and the late ones were frozen long before they were evened out.
_EVEN_OUT = 3.0
# With few vehicles a run is soon as good as it gets and depends on chance: it is better spent on
# another annealing as soon as each has so many iterations for each customer and vehicle, more in
# fleets of more than so many. Where nothing is to be shared out, and in long tours, it takes longer
# until an annealing is as good as it gets. Each of many can afford to begin this hot, in legs.
# Unlike vehicles, whose largest carries so many times what the smallest does, have fewer and more
# different good plans: rather more annealings than longer ones.
_ANNEALING, _SMALL_FLEET = (300.0, 100.0), 5.0
_ALIKE, _UNLIKE = 2.0, 4.0
# From so many annealings on, part of one more at the end is no matter; fewer fill the run.
_MANY_ANNEALINGS = 8
_ANNEALING_ALONE = 3000.0
_ANNEALING_LONG = 2.0
_HOT_AGAIN = 2.0
# A plan bred from two others is annealed from less heat, and sharper, or it would forget them.
_BRED_LEGS, _BRED_SHARPNESS = 0.7, 30.0
# Pairs of trips to swap grow with the fleet, and a try costs little.
_TRIP_MOVES = (0.1, 0.3)
# Exchanges, swapped tails and turned stretches weigh many changes at once and are made only if they
# pay: in large fleets, where a run never has the time to settle, better than ruins.
_EXCHANGES, _RECONNECTIONS_LARGE = (0.2, 0.4), 0.2
# But so many iterations are ruins: nothing else opens and empties trips.
_LEAST_RUINS = 0.1
# Trips of so many customers are ruined and recreated as they should be; tours of so many and more
# need to swap tails and to be turned round as well.
_SHORT_TRIP, _LONG_TRIP = 25.0, 75.0
_RECONNECTIONS = 0.3


def parameters_for(
    num_customers: int,
    num_vehicles: int,
    num_trips: float,
    iterations: float,
    largest_to_smallest: float = 1.0,
) -> Parameters:
    """For a plan of about so many trips and a run of about so many iterations.

    ``largest_to_smallest`` is how much more the largest vehicle carries than the smallest.

    One vehicle's share of the cost falls with the size of the fleet, and with it what a change of
    that vehicle's time does to the logarithm of the cost: so the temperature falls as 1/M. What one
    leg does falls as their number, and bounds it.
    """
    long_tours = _between(_SHORT_TRIP, _LONG_TRIP, num_customers / num_trips)
    enough = max(
        _mix(_ANNEALING, _between(_ALIKE, _UNLIKE, largest_to_smallest))
        * num_vehicles
        * max(1.0, num_vehicles / _SMALL_FLEET) ** 2,
        _ANNEALING_ALONE / num_vehicles**2,
    ) * _mix((1.0, _ANNEALING_LONG), long_tours)
    annealings = iterations / num_customers / enough
    if 1.0 < annealings < _MANY_ANNEALINGS:
        enough *= annealings / int(annealings)
    small = 1.0 - _between(_SMALL_FLEET, _LARGE_FLEET, num_vehicles)
    each = min(enough, iterations / num_customers)
    length = _between(_SHORT, _LONG, each)
    most = _LONG
    if num_vehicles >= _LARGE_FLEET:
        most = _HOT_ENOUGH * math.sqrt(num_vehicles / _LARGE_FLEET)
    warmth = _between(_SHORT, _LONG, min(each, most)) ** 2
    doublings = 0
    if num_vehicles >= _LARGE_FLEET and math.isfinite(iterations):
        times = iterations / num_customers / (_FIRST_OF_DOUBLING * most)
        doublings = min(MOST_DOUBLINGS, int(math.log2(max(1.0, times))))
    fleet = _between(_FEW, _MANY, num_vehicles)
    cold = _mix((_COLD_SHORT, _mix(_COLD_LONG, fleet)), warmth)
    sharpness = min(_SHARP[1], max(_SHARP[0], _SHARP_EACH * num_vehicles))
    even_out = _mix((1.0, _EVEN_OUT), _between(_LARGE_FLEET, _MANY, num_vehicles))
    cold, sharpness = cold * even_out, sharpness * even_out
    # How the logarithm of the cost changes when one of the vehicles drives one leg more, at p = 1.
    leg = 1.0 / (num_customers + num_trips)
    hot_legs = min(_MOST_HOT_LEGS, _HOT_LEGS * num_vehicles)
    cold_legs = _mix((_COLD_LEGS * num_vehicles, _COLD_LEGS), long_tours)
    first_sharpness = _mix(_FIRST_SHARP, length * small)
    heat = _mix(_HOT, warmth) / num_vehicles
    if annealings > 1.0:
        heat = max(heat, _HOT_AGAIN * leg)
    heat = min(heat, hot_legs * leg)
    trip_moves, exchanges = _mix(_TRIP_MOVES, fleet), _mix(_EXCHANGES, 1.0 - small)
    reconnections = max(_RECONNECTIONS * long_tours, _RECONNECTIONS_LARGE * (1.0 - small))
    return Parameters(
        on_late=_mix(_ON_LATE, length),
        trip_moves=trip_moves,
        exchanges=exchanges,
        reconnections=min(reconnections, 1.0 - _LEAST_RUINS - trip_moves - exchanges),
        first_sharpness=first_sharpness,
        last_sharpness=sharpness,
        first_temperature=heat * first_sharpness,
        last_temperature=min(
            heat * first_sharpness, cold / num_vehicles, cold_legs * leg * sharpness
        ),
        annealing=int(enough * num_customers) if annealings > 1.0 else 0,
        doublings=doublings if annealings <= 1.0 and doublings >= _LEAST_DOUBLINGS else 0,
    )


def to_breed(parameters: Parameters, num_customers: int, num_trips: float) -> Parameters:
    """The same for an annealing that begins with a plan bred from two others."""
    hot = _BRED_LEGS * _BRED_SHARPNESS / (num_customers + num_trips)
    return parameters._replace(
        first_sharpness=_BRED_SHARPNESS,
        first_temperature=max(parameters.last_temperature, min(parameters.first_temperature, hot)),
    )


def _between(low: float, high: float, value: float) -> float:
    """Where ``value`` lies from ``low`` (0) to ``high`` (1), on a logarithmic scale."""
    return math.log(min(high, max(low, value)) / low) / math.log(high / low)


def _mix(ends: tuple[float, float], share: float) -> float:
    """From the first end (0) to the second (1), by a constant factor."""
    return ends[0] * math.pow(ends[1] / ends[0], share)
