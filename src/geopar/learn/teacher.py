"""A plan of the search as what every vehicle does in each parallel step.

A plan does not say in which order a vehicle makes its trips, nor which way round: the teacher
always takes the longest trip first and drives to its far end first, so that equal situations have
equal answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geopar.problems import HCVRP, OMDCPDP, Problem

Ints = NDArray[np.int64]


def canonical(problem: HCVRP, trips: Sequence[Ints]) -> list[Ints]:
    """The trips of one vehicle, the longest first, each from its end that is farther away."""
    away = np.hypot(*(problem.customers_xy - problem.depot_xy).T)
    ordered: list[tuple[float, Ints]] = []
    for trip in trips:
        gaps = np.hypot(*np.diff(problem.customers_xy[trip], axis=0).T)
        length = away[trip[0]] + float(gaps.sum()) + away[trip[-1]]
        ordered.append((length, trip if away[trip[0]] >= away[trip[-1]] else trip[::-1]))
    ordered.sort(key=lambda item: -item[0])
    return [trip for _, trip in ordered]


def teacher_actions(problem: Problem, routes: Sequence[Sequence[ArrayLike]]) -> NDArray[np.int16]:
    """``(M, T)``: what each vehicle does in each step; who has finished names home.

    Parameters
    ----------
    problem
        The instance.
    routes
        For each vehicle its trips of task indices; for OMDCPDP at most one.
    """
    home = problem.num_tasks
    rows: list[Ints] = []
    for vehicle in routes:
        trips = [np.asarray(trip, dtype=np.int64) for trip in vehicle]
        trips = [trip for trip in trips if len(trip)]
        if isinstance(problem, HCVRP):
            trips = canonical(problem, trips)
            rows.append(np.concatenate([[*trip, home] for trip in trips] or [[]]).astype(np.int64))
        else:
            assert isinstance(problem, OMDCPDP)
            rows.append(np.concatenate([*trips, []]).astype(np.int64))
    steps = max(len(row) for row in rows)
    actions = np.full((len(rows), steps), home, dtype=np.int16)
    for vehicle_actions, row in zip(actions, rows, strict=True):
        vehicle_actions[: len(row)] = row
    return actions
