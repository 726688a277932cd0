"""A plan of the search as what every vehicle does in each parallel step.

A plan does not say in which order a vehicle makes its trips, nor which way round: the teacher
always takes the longest trip first and drives to its far end first, so that equal situations have
equal answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geopar.problems import Problem
from geopar.problems.hcvrp.canonical import canonical

Ints = NDArray[np.int64]


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
        if problem.comes_home:
            trips = [np.append(trip, home) for trip in canonical(problem, trips)]
        rows.append(np.concatenate([*trips, []]).astype(np.int64))
    steps = max(len(row) for row in rows)
    actions = np.full((len(rows), steps), home, dtype=np.int16)
    for vehicle_actions, row in zip(actions, rows, strict=True):
        vehicle_actions[: len(row)] = row
    return actions
