"""Who is served last by the clock: whoever is there has to come home as well."""

from __future__ import annotations

import numpy as np

from geopar.problems import HCVRP


def home_from_the_last(problem: HCVRP) -> float:
    """No plan that serves everybody is over before.

    A customer is reached from the depot at the earliest by the vehicle that is there soonest,
    served in the first window that is not over by then, and left for the depot.
    """
    depot, customers = problem.num_tasks, np.arange(problem.num_tasks)
    day = problem.day
    # One vehicle of each speed and profile stands for all.
    profile = problem.num_vehicles * [""] if day is None or not day.profile else day.profile
    fleet = {pair: v for v, pair in enumerate(zip(problem.speed, profile, strict=True))}.values()
    there = back = np.full(len(customers), np.inf)
    for v in fleet:
        there = np.minimum(there, problem.travel.duration(v, depot, customers))
        back = np.minimum(back, problem.travel.duration(v, customers, depot))
    if day is None:
        return float((there + back).max())
    begin = problem.first_start + day.loading + there
    if day.windows is not None:
        offset, opens, closes = day.windows
        for i in customers:
            for k in range(int(offset[i]), int(offset[i + 1])):
                if closes[k] >= begin[i]:
                    begin[i] = max(begin[i], opens[k])
                    break
    service = 0.0 if day.service is None else day.service
    return float((begin + service + back).max() - problem.first_start)
