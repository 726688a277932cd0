"""Parts of an OMDCPDP: vehicles by where their stops lie; the sum of arrivals adds up by itself."""

from __future__ import annotations

import numpy as np

from geopar.parts.cells import cells
from geopar.parts.piece import Floats, Ints
from geopar.problems import OMDCPDP
from geopar.search.teams import FlatPlan


def cost(problem: OMDCPDP, plan: FlatPlan) -> float:
    """The sum of the arrivals at deliveries."""
    tasks, bounds, vehicle = plan
    first = bounds[:-1]
    places = problem.tasks_xy[tasks]
    before = np.roll(places, 1, axis=0)
    before[first] = problem.starts_xy[vehicle]
    along = np.cumsum(np.hypot(*(places - before).T))
    at_start = np.concatenate([[0.0], along])[first]
    arrivals = along - np.repeat(at_start, np.diff(bounds))
    return float(arrivals[tasks >= problem.num_tasks // 2].sum())


def arrays(problem: OMDCPDP, tasks: Ints, vehicles: Ints) -> dict[str, Floats]:
    """Those of a part."""
    half = problem.num_tasks // 2
    orders = tasks[tasks < half]
    return {
        "pickups": problem.tasks_xy[orders],
        "deliveries": problem.tasks_xy[orders + half],
        "starts": problem.starts_xy[vehicles],
        "capacity": problem.capacity[vehicles],
    }


def groups(problem: OMDCPDP, plan: FlatPlan, count: int, random: np.random.Generator) -> Ints:
    """The part of each vehicle: by the middle of its stops; idle ones by where they stand."""
    tasks, bounds, vehicle = plan
    middle = problem.starts_xy.copy()
    sums = np.add.reduceat(problem.tasks_xy[tasks], bounds[:-1])
    middle[vehicle] = sums / np.diff(bounds)[:, None]
    return cells(middle, count, random.uniform(0.0, np.pi))
