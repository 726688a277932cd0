"""Problems, plans and results as the service tells them."""

from __future__ import annotations

from typing import Any

from geopar.files import plan_to_json, problem_to_json
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.tasks import Stop, Task
from geopar.result import Result
from geopar.schedule import schedule as days_of
from geopar.service.texts import to_text
from geopar.violations import Report


def summary(problem: Problem) -> dict[str, Any]:
    """A problem in a few numbers."""
    return {
        "kind": problem.kind,
        "name": problem.name,
        "tasks": problem.num_tasks,
        "vehicles": problem.num_vehicles,
        "coordinates": problem.coordinates,
        "total_capacity": float(problem.capacity.sum()),
        **problem.totals(),
    }


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
    names = [*map(task_document, problem.task_ids)]
    return [
        {
            "vehicle": vehicle,
            "finish": day.finish,
            "distance": day.distance,
            "load_factor": day.load_factor,
            "tasks": sum(visit.task is not None for visit in day.visits),
            "trips": len(day.trips),
            "stops": [
                {
                    "task": None if visit.task is None else names[visit.task],
                    "arrival": visit.arrival,
                    "load": visit.load,
                }
                for visit in day.visits
            ],
        }
        for vehicle, day in zip(
            problem.vehicle_ids, days_of(problem, plan.to_indices(problem)), strict=True
        )
    ]


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
