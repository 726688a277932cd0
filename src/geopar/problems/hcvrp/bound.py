"""A lower bound on the HCVRP makespan."""

from __future__ import annotations

import numpy as np

from geopar.problems.hcvrp.instance import HCVRP


def lower_bound(problem: HCVRP) -> float:
    """No plan is home sooner than this.

    A trip of vehicle v that carries load q_i to distance d_i is at least twice as long as its
    farthest customer is away, and so at least ``2 Σ q_i d_i / Q_v``. Summed over the trips that v
    drives in time T, ``2 Σ q_i d_i <= T s_v Q_v``, and over the fleet ``T >= 2 Σ q d / Σ s Q``.
    Someone also drives to the farthest customer and back.
    """
    depot, customers = problem.num_tasks, np.arange(problem.num_tasks)
    distance = problem.travel.distance(np.full_like(customers, depot), customers)
    work = 2.0 * float(problem.demand @ distance) / float(problem.speed @ problem.capacity)
    return max(work, 2.0 * float(distance.max()) / float(problem.speed.max()))
