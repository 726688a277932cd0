"""All trips of a small fleet, one by one: what bounds are compared with."""

from itertools import permutations

import numpy as np

from geopar.bounds.sorts import Fleet


def every_trip(fleet: Fleet, sort: int) -> list[tuple[list[int], float]]:
    """Each trip that a sort can carry, and how long its first vehicle takes."""
    one, home = fleet.sorts[sort], len(fleet.load)
    found = []
    for size in range(1, len(fleet.load) + 1):
        for trip in permutations(range(len(fleet.load)), size):
            if fleet.load[list(trip)].sum() <= one.capacity:
                ways = [home, *trip, home]
                found.append((list(trip), float(np.sum(one.table[ways[:-1], ways[1:]]))))
    return found
