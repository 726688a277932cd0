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
from geopar.violations import Report, Violation

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
    names = [task_document(task) for task in problem.task_ids]
    rows = []
    for v, trips in enumerate(plan.to_indices(problem)):
        day = _trips(problem, v, trips) if isinstance(problem, HCVRP) else _tour(problem, v, trips)
        tasks, driven, load, factor = day
        time = driven / problem.speed[v] if isinstance(problem, HCVRP) else driven
        stops = [
            {"task": None if task < 0 else names[task], "arrival": arrival, "load": aboard}
            for task, arrival, aboard in zip(
                tasks.tolist(), time.tolist(), load.tolist(), strict=True
            )
        ]
        rows.append(
            {
                "vehicle": problem.vehicle_ids[v],
                "finish": stops[-1]["arrival"] if stops else 0.0,
                "distance": float(driven[-1]) if stops else 0.0,
                "load_factor": factor,
                "tasks": int(np.count_nonzero(tasks >= 0)),
                "trips": len(trips),
                "stops": stops,
            }
        )
    return rows


_Day = tuple[Indices, Floats, Floats, float]


def _trips(problem: HCVRP, v: int, trips: list[Indices]) -> _Day:
    """Tasks with -1 for the depot, length driven on arrival, load left, mean share used."""
    tasks, driven, left = [], [], []
    length, carried = 0.0, 0.0
    for trip in trips:
        places = np.vstack([problem.depot_xy, problem.customers_xy[trip], problem.depot_xy])
        so_far = length + _driven(places)
        length = float(so_far[-1])
        demand = problem.demand[trip]
        carried += float(demand.sum())
        tasks += [trip, np.array([-1])]
        driven.append(so_far)
        left += [np.append(demand[::-1].cumsum()[::-1][1:], 0.0), np.zeros(1)]
    if not trips:
        return _NOTHING
    factor = carried / (len(trips) * float(problem.capacity[v]))
    return np.concatenate(tasks), np.concatenate(driven), np.concatenate(left), factor


def _tour(problem: OMDCPDP, v: int, trips: list[Indices]) -> _Day:
    """Tasks, length driven on arrival, orders on board, the most of them over the room."""
    if not trips:
        return _NOTHING
    tour = np.concatenate(trips)
    driven = _driven(np.vstack([problem.starts_xy[v], problem.tasks_xy[tour]]))
    aboard = np.cumsum(np.where(tour < problem.num_orders, 1, -1)).astype(np.float64)
    return tour, driven, aboard, float(aboard.max() / problem.capacity[v])


_NOTHING: _Day = (np.zeros(0, np.int64), np.zeros(0), np.zeros(0), 0.0)


def _driven(places: Floats) -> Floats:
    """How far it is from the first place to each of the others, along the way."""
    return np.asarray(np.cumsum(np.hypot(*np.diff(places, axis=0).T)))


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
        "violations": [violation_document(violation) for violation in report.violations],
        "completion": dict(zip(problem.vehicle_ids, report.completion.tolist(), strict=True)),
    }


def violation_document(violation: Violation) -> dict[str, Any]:
    """One broken rule."""
    return {
        "code": violation.code,
        "message": violation.message,
        "hint": violation.hint,
        "vehicles": list(violation.vehicles),
        "tasks": [task_document(task) for task in violation.tasks],
        "trip": violation.trip,
        "found": violation.found,
        "allowed": violation.allowed,
    }
