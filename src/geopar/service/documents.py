"""Problems, plans and results as the service tells them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geopar.files import plan_to_json, problem_to_json
from geopar.plan import Plan, Stop, Task
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
    routes = [[trip.tolist() for trip in trips] for trips in plan.to_indices(problem)]
    if isinstance(problem, HCVRP):
        return list(_hcvrp_days(problem, routes))
    return list(_omdcpdp_days(problem, routes))


_Trips = list[list[int]]
_Days = Iterator[dict[str, Any]]


def _hcvrp_days(problem: HCVRP, routes: list[_Trips]) -> _Days:
    # The depot comes last, so that -1 finds it; every trip ends there, and the next begins there.
    names = [*problem.customer_ids, None]
    places = np.vstack([problem.customers_xy, problem.depot_xy])
    demand, speed, capacity = (
        values.tolist() for values in (problem.demand, problem.speed, problem.capacity)
    )
    flat = [task for trips in routes for trip in trips for task in (*trip, -1)]
    hop = iter(_hops(places[[-1, *flat]]))
    for v, trips in enumerate(routes):
        stops, driven = [], 0.0
        for trip in trips:
            # Counted from the end of the trip, where nothing is left.
            loads = [*accumulate((demand[task] for task in reversed(trip)), initial=0.0)]
            for task, load in zip((*trip, -1), (*loads[-2::-1], 0.0), strict=True):
                driven += next(hop)
                stops.append(_stop(names[task], driven / speed[v], round(load, 9)))
        carried = sum(demand[task] for trip in trips for task in trip)
        factor = carried / (len(trips) * capacity[v]) if trips else 0.0
        yield _day(problem.vehicle_ids[v], trips, stops, driven, factor)


def _omdcpdp_days(problem: OMDCPDP, routes: list[_Trips]) -> _Days:
    names = [task._asdict() for task in problem.task_ids]
    capacity = problem.capacity.tolist()
    for v, trips in enumerate(routes):
        tour = trips[0] if trips else []
        stops, driven, aboard, most = [], 0.0, 0.0, 0.0
        way = np.vstack([problem.starts_xy[v : v + 1], problem.tasks_xy[tour]])
        for task, hop in zip(tour, _hops(way), strict=True):
            driven += hop
            aboard += 1.0 if task < problem.num_orders else -1.0
            most = max(most, aboard)
            stops.append(_stop(names[task], driven, aboard))
        yield _day(problem.vehicle_ids[v], trips, stops, driven, most / capacity[v])


def _stop(task: str | dict[str, str] | None, arrival: float, load: float) -> dict[str, Any]:
    return {"task": task, "arrival": arrival, "load": load}


def _day(
    vehicle: str, trips: _Trips, stops: list[dict[str, Any]], driven: float, factor: float
) -> dict[str, Any]:
    return {
        "vehicle": vehicle,
        "finish": stops[-1]["arrival"] if stops else 0.0,
        "distance": driven,
        "load_factor": factor,
        "tasks": sum(map(len, trips)),
        "trips": len(trips),
        "stops": stops,
    }


def _hops(way: Floats) -> list[float]:
    """How far it is from each place to the next."""
    step = way[1:] - way[:-1]
    lengths: list[float] = np.hypot(step[:, 0], step[:, 1]).tolist()
    return lengths


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
