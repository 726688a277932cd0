"""Breed a plan from two others: some trips of one, and of the other whatever goes with them.

Small fleets of unlike vehicles have few good plans, far apart: which vehicle drives how many trips,
and which customers fill them. An annealing ends in one of them by chance. What two good plans
have in common is mostly right; a plan made of trips of both, annealed with little heat, decides
anew about the rest. After the crossovers of whole routes in genetic algorithms (Potvin & Bengio
1996, "The vehicle routing problem with time windows part II: genetic search", INFORMS JoC 8).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Routes = list[list[Ints]]

# Of the first plan between these shares of all trips are kept.
KEPT = (0.3, 0.7)
# A trip of the second plan is taken, but for customers that are served already, if they are no more
# than this part of it.
SERVED_ALREADY = 0.5


def breed(one: Routes, other: Routes, num_customers: int, random: np.random.Generator) -> Routes:
    """Trips for each vehicle; customers that neither inheritance serves are missing."""
    routes: Routes = [[] for _ in one]
    served = np.zeros(num_customers, dtype=bool)

    def take(vehicle: int, trip: Ints) -> None:
        routes[vehicle].append(trip)
        served[trip] = True

    trips = [(v, trip) for v, trips in enumerate(one) for trip in trips]
    kept = max(1, int(len(trips) * random.uniform(*KEPT)))
    for i in random.permutation(len(trips))[:kept]:
        take(*trips[i])
    theirs = [(v, trip) for v, trips in enumerate(other) for trip in trips]
    for v, trip in sorted(theirs, key=lambda one: served[one[1]].mean()):
        rest = trip[~served[trip]]
        if len(rest) >= (1.0 - SERVED_ALREADY) * len(trip) and len(rest):
            take(v, rest)
    return routes
