"""PyVRP beside our search: the same day as its model, and as many seconds of the processor.

PyVRP is no part of ours: ``pip install pyvrp==0.14.1``. It minimises distance or time, not the last
return; who wants that lowers the length of the shift for as long as plans are found.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyvrp
from pyvrp.stop import FirstFeasible, MultipleCriteria

from geopar.problems import HCVRP
from geopar.problems.day import windows_of

# By which part the shift is shortened, at first and at last.
FIRST_STEP, LAST_STEP = 0.02, 0.001
# A shift that takes longer than this part of the run is given up for a longer one.
PATIENCE = 0.15


class ProcessorTime:
    """Stops after so many seconds of the processor."""

    def __init__(self, seconds: float) -> None:
        self.end = time.process_time() + seconds

    def __call__(self, best_cost: float) -> bool:
        """Whether they are over."""
        return time.process_time() > self.end


def distance(path: Path, seconds: float, seed: int) -> tuple[float, int]:
    """The shortest way found for a VRPLIB file, and iterations; infinite if none is feasible."""
    data = pyvrp.read(path, round_func="dimacs")
    result = pyvrp.solve(data, ProcessorTime(seconds), seed, collect_stats=False, display=False)
    found = result.best.distance() / 10.0 if result.is_feasible() else np.inf
    return found, result.num_iterations


def makespan(problem: HCVRP, seconds: float, seed: int) -> float:
    """The earliest last return found by lowering the shift length step by step."""
    found = lowered(_data(problem), lambda shift: _fleet(problem, shift), seconds, seed)
    return float(np.inf if found is None else last_return(found))


def last_return(solution: pyvrp.Solution) -> int:
    """When everybody is home."""
    return max(route.end_time() for route in solution.routes())


def lowered(
    loose: pyvrp.ProblemData,
    fleet: Callable[[float | None], list[pyvrp.VehicleType]],
    seconds: float,
    seed: int,
) -> pyvrp.Solution | None:
    """The plan with the earliest last return that was found by lowering the shift length.

    Parameters
    ----------
    loose
        The problem, with vehicles that are on duty for as long as they like.
    fleet
        The vehicles with a shift of a given length.
    """
    whole = ProcessorTime(seconds)
    best, step, start = np.inf, FIRST_STEP, None
    found: pyvrp.Solution | None = None
    while not whole(0.0):
        data = loose.replace(vehicle_types=fleet(None if start is None else best * (1.0 - step)))
        left = whole.end - time.process_time()
        if start is not None:
            left = min(left, PATIENCE * seconds)
            start = pyvrp.Solution(
                data, [pyvrp.Route(data, list(one), one.vehicle_type()) for one in start.routes()]
            )
        stop = MultipleCriteria([FirstFeasible(), ProcessorTime(left)])
        result = pyvrp.solve(
            data, stop, seed, collect_stats=False, display=False, initial_solution=start
        )
        if result.is_feasible():
            start = result.best
            if last_return(start) < best:
                best, found = last_return(start), start
        else:
            step = max(step / 2.0, LAST_STEP)
    return found


def _data(problem: HCVRP) -> pyvrp.ProblemData:
    """The day, with vehicles that are on duty for as long as they like."""
    day = problem.day
    assert day is not None
    assert day.matrices is not None
    assert day.service is not None
    clients = []
    for c in range(problem.num_tasks):
        hours = windows_of(day.windows, c) if day.windows is not None else []
        opens, closes = hours[0] if hours else (0.0, np.inf)
        limits = {} if np.isinf(closes) else {"tw_late": int(closes)}
        clients.append(
            pyvrp.Client(
                location=c + 1, delivery=[int(problem.demand[c])],
                service_duration=int(day.service[c]), tw_early=int(opens), **limits,
            )
        )  # fmt: skip
    return pyvrp.ProblemData(
        locations=[pyvrp.Location(*place) for place in (problem.depot, *problem.customers)],
        clients=clients,
        depots=[pyvrp.Depot(location=0, service_duration=int(day.loading))],
        vehicle_types=_fleet(problem, None),
        distance_matrices=[table.distances.astype(np.int64) for table in day.matrices.values()],
        duration_matrices=[table.durations.astype(np.int64) for table in day.matrices.values()],
    )


def _fleet(problem: HCVRP, shift: float | None) -> list[pyvrp.VehicleType]:
    """One type for each capacity and profile; time on the road is what they cost."""
    day = problem.day
    assert day is not None
    assert day.matrices is not None
    profiles = list(day.matrices)
    kinds = Counter(zip(problem.capacity.tolist(), day.profile or (), strict=True))
    limits = {} if shift is None else {"tw_late": int(shift)}
    return [
        pyvrp.VehicleType(
            num_available=count, capacity=[int(capacity)], profile=profiles.index(profile),
            reload_depots=[0], unit_distance_cost=0, unit_duration_cost=1, **limits,
        )
        for (capacity, profile), count in kinds.items()
    ]  # fmt: skip
