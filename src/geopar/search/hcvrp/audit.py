"""A second opinion on a state: everything that the search keeps up to date, computed anew."""

from __future__ import annotations

import math

import numpy as np

from geopar.search.hcvrp import state as columns
from geopar.search.hcvrp.data import CAPACITY, SPEED, Data, X, Y
from geopar.search.hcvrp.state import State


def largest_discrepancy(data: Data, state: State) -> float:
    """How far any kept number is from its recomputation; infinite for a broken plan.

    Plain Python over the whole plan: for tests, after every iteration if need be.
    """
    n, m = len(data.near), len(data.vehicle)
    xy = data.place[:, [X, Y]]
    wrong = 0.0
    served: list[int] = []
    cost, latest = 0.0, 0.0
    for v in range(m):
        driven, trips = 0.0, 0
        t = int(state.vehicle[v, columns.HEAD])
        while t >= 0:
            tour = [n]
            c = int(state.trip[t, columns.FIRST])
            while c < n:
                if state.customer[c, columns.TRIP] != t:
                    return math.inf
                if state.customer[c, columns.PREVIOUS] != tour[-1]:
                    return math.inf
                leg = math.dist(xy[tour[-1]], xy[c])
                wrong = max(wrong, abs(leg - state.leg[c, columns.LEG]))
                tour.append(c)
                c = int(state.customer[c, columns.NEXT])
            if state.trip[t, columns.OWNER] != v or state.trip[t, columns.LAST] != tour[-1]:
                return math.inf
            if state.trip[t, columns.SIZE] != len(tour) - 1 or len(tour) == 1:
                return math.inf
            load = float(data.place[tour[1:], 3].sum())
            length = sum(math.dist(xy[a], xy[b]) for a, b in zip(tour, [*tour[1:], n], strict=True))
            wrong = max(
                wrong,
                abs(data.vehicle[v, CAPACITY] - load - state.amount[t, columns.ROOM]),
                abs(length - state.amount[t, columns.LENGTH]),
                load - data.vehicle[v, CAPACITY],
            )
            served += tour[1:]
            driven += length
            trips += 1
            t = int(state.trip[t, columns.AFTER])
        if trips != state.vehicle[v, columns.TRIPS]:
            return math.inf
        wrong = max(wrong, abs(driven - state.drive[v, columns.DRIVEN]))
        time = driven / data.vehicle[v, SPEED]
        latest = max(latest, time)
        sharpness, horizon = state.totals[[columns.SHARPNESS, columns.HORIZON]]
        cost += data.vehicle[v, SPEED] * np.exp(sharpness * (time / horizon - 1.0))
    if sorted(served) != list(range(n)):
        return math.inf
    return float(
        max(
            wrong,
            abs(cost - state.totals[columns.COST]) / max(cost, 1e-300),
            abs(latest - state.totals[columns.MAKESPAN]),
        )
    )
