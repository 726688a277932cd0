"""Problems, plans and results as the service tells them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geopar.files import plan_to_json, problem_to_json
from geopar.plan import Indices, Plan, Stop, Task
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.result import Result
from geopar.service.texts import to_text
from geopar.violations import Report

Floats = NDArray[np.float64]


def summary(problem: Problem) -> dict[str, Any]:
    """A problem in a few numbers."""
    told: dict[str, Any] = {
        "kind": problem.kind,
        "name": problem.name,
        "tasks": problem.num_tasks,
        "vehicles": problem.num_vehicles,
        "coordinates": problem.coordinates,
        "total_capacity": float(problem.capacity.sum()),
    }
    if isinstance(problem, HCVRP):
        told["total_demand"] = float(problem.demand.sum())
    else:
        told["orders"] = problem.num_orders
    return told


def problem_text(problem: Problem) -> str:
    """The problem document."""
    return to_text(problem_to_json(problem))


def task_document(task: Task) -> str | dict[str, str]:
    """A task as plans name it."""
    return task._asdict() if isinstance(task, Stop) else task


def schedule(problem: Problem, plan: Plan) -> list[dict[str, Any]]:
    """For each vehicle where it is when, and what is on board after each stop.

    HCVRP: the depot at the end of each trip is a stop without a task. The plan must be feasible.
    """
    day = _HcvrpDay(problem) if isinstance(problem, HCVRP) else _OmdcpdpDay(problem)
    routes = plan.to_indices(problem)
    return [day.told(v, trips) for v, trips in enumerate(routes)]


class _Day:
    """How a vehicle's day is computed; tables of the whole problem are made once.

    A day is tasks (-1 is the depot), length driven on arrival, load after each, how full it was.
    """

    names: list[Any]
    speed: Floats

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def compute(self, v: int, trips: list[Indices]) -> _Numbers:
        raise NotImplementedError

    def told(self, v: int, trips: list[Indices]) -> dict[str, Any]:
        tasks, driven, load, factor = self.compute(v, trips) if trips else _NOTHING
        names = self.names
        stops = [
            {"task": names[task], "arrival": arrival, "load": aboard}
            for task, arrival, aboard in zip(
                tasks.tolist(), (driven / self.speed[v]).tolist(), load.tolist(), strict=True
            )
        ]
        return {
            "vehicle": self.problem.vehicle_ids[v],
            "finish": stops[-1]["arrival"] if stops else 0.0,
            "distance": float(driven[-1]) if stops else 0.0,
            "load_factor": factor,
            "tasks": int(np.count_nonzero(tasks >= 0)),
            "trips": len(trips),
            "stops": stops,
        }


_Numbers = tuple[Indices, Floats, Floats, float]
_NOTHING: _Numbers = (np.zeros(0, np.int64), np.zeros(0), np.zeros(0), 0.0)
_DEPOT = np.array([-1])


class _HcvrpDay(_Day):
    def __init__(self, problem: HCVRP) -> None:
        super().__init__(problem)
        # The depot comes last, so that -1 finds it.
        self.names = [*problem.customer_ids, None]
        self.places = np.vstack([problem.customers_xy, problem.depot_xy])
        self.demand = np.append(problem.demand, 0.0)
        self.speed, self.capacity = problem.speed, problem.capacity

    def compute(self, v: int, trips: list[Indices]) -> _Numbers:
        tasks = np.concatenate([part for trip in trips for part in (trip, _DEPOT)])
        way = self.places[np.append(_DEPOT, tasks)]
        # What is left on board is what the trip had in all, less what came off so far.
        unloaded = np.cumsum(self.demand[tasks])
        ends = np.cumsum([len(trip) + 1 for trip in trips]) - 1
        left = np.repeat(unloaded[ends], np.diff(ends, prepend=-1)) - unloaded
        factor = float(unloaded[-1]) / (len(trips) * float(self.capacity[v]))
        return tasks, _driven(way), np.round(left, 9), factor


class _OmdcpdpDay(_Day):
    def __init__(self, problem: OMDCPDP) -> None:
        super().__init__(problem)
        self.names = [task._asdict() for task in problem.task_ids]
        self.places, self.starts = problem.tasks_xy, problem.starts_xy
        self.num_orders, self.capacity = problem.num_orders, problem.capacity
        self.speed = np.ones(problem.num_vehicles)

    def compute(self, v: int, trips: list[Indices]) -> _Numbers:
        tour = np.concatenate(trips)
        way = np.vstack([self.starts[v], self.places[tour]])
        aboard = np.cumsum(np.where(tour < self.num_orders, 1.0, -1.0))
        return tour, _driven(way), aboard, float(aboard.max() / self.capacity[v])


def _driven(way: Floats) -> Floats:
    """How far it is from the first place to each of the others, along the way."""
    step = way[1:] - way[:-1]
    return np.asarray(np.cumsum(np.hypot(step[:, 0], step[:, 1])))


def result_fields(result: Result) -> dict[str, Any]:
    """A result without its plan and schedule."""
    return {
        "objective": result.objective,
        "feasible": result.feasible,
        "solver": result.solver,
        "seed": result.seed,
        "iterations": result.iterations,
        "steps": result.steps,
        "seconds": result.seconds,
        "balance": result.balance,
        "interrupted": result.interrupted,
        "notes": list(result.notes),
        "history": [list(point) for point in result.history],
    }


def result_document(result: Result) -> dict[str, Any]:
    """A feasible result, with its plan and schedule."""
    return {
        **result_fields(result),
        "plan": plan_to_json(result.plan),
        "schedule": schedule(result.problem, result.plan),
    }


def report_document(problem: Problem, report: Report) -> dict[str, Any]:
    """What the checker found."""
    return {
        "problem": problem.kind,
        "feasible": report.feasible,
        "objective": report.objective if report.feasible else None,
        "violations": [violation.to_json() for violation in report.violations],
        "completion": dict(zip(problem.vehicle_ids, report.completion.tolist(), strict=True)),
    }
