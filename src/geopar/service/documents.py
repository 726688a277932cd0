"""Problems, plans, results and traces as JSON documents, and JSON text put together from parts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from geopar.files import plan_to_json, problem_to_json
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.tasks import Stop, Task
from geopar.result import Result
from geopar.schedule import schedule as days_of
from geopar.trace import HOME, Trace, task_names
from geopar.violations import Report

# Escapes everything beyond ASCII: half a character (a lone surrogate) in an id then travels too.
to_text = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def join_text(fields: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    """An object of fields and of parts that are JSON text already."""
    parts = [f'"{name}":{to_text(value)}' for name, value in fields.items()]
    parts += [f'"{name}":{text}' for name, text in texts.items()]
    return "{" + ",".join(parts) + "}"


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

    HCVRP: the depot at the end of each trip is a stop without a task. Of a plan that breaks rules
    it tells what the problem knows.
    """
    names = [*map(task_document, problem.task_ids)]
    routes = plan.known_indices(problem)
    return [
        {
            "vehicle": vehicle,
            "begin": day.begin,
            "departure": day.departure,
            "finish": day.finish,
            "distance": day.distance,
            "load_factor": day.load_factor,
            "tasks": sum(map(len, trips)),
            "trips": len(day.trips),
            "stops": [
                {
                    "task": None if visit.task is None else names[visit.task],
                    "arrival": visit.arrival,
                    "load": visit.load,
                    "waiting": visit.waiting,
                    "service": visit.service,
                    "departure": visit.departure,
                }
                for visit in day.visits
            ],
        }
        for vehicle, trips, day in zip(
            problem.vehicle_ids, routes, days_of(problem, routes), strict=True
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
        "left_out": [one._asdict() for one in result.left_out],
    }


def result_document(result: Result) -> dict[str, Any]:
    """A feasible result, with its plan and schedule."""
    return {
        **result_fields(result),
        "plan": plan_to_json(result.plan),
        "schedule": schedule(result.problem, result.plan),
    }


def report_document(problem: Problem, plan: Plan, report: Report) -> dict[str, Any]:
    """What the checker found, and when the plan is where: a broken one is looked at to mend it."""
    return {
        "problem": problem.kind,
        "feasible": report.feasible,
        "objective": report.objective if report.feasible else None,
        "minimise": problem.goal,
        "claimed": plan.objective,
        "violations": [violation.to_json() for violation in report.violations],
        "completion": dict(zip(problem.vehicle_ids, report.completion.tolist(), strict=True)),
        "left_out": [one._asdict() for one in report.left_out],
        "schedule": schedule(problem, plan) if plan.kind == problem.kind else [],
    }


def trace_document(problem: Problem, trace: Trace) -> list[dict[str, Any]]:
    """For each step what every vehicle did, and who wanted the same task."""
    tasks: Sequence[Task] = problem.task_ids
    documents = {
        name: task_document(task) for name, task in zip(task_names(problem), tasks, strict=True)
    }

    def behind(move: dict[str, Any]) -> dict[str, Any]:
        if "behind" not in move:
            return {}
        return {"behind": documents.get(move["behind"], HOME)}

    def step(record: dict[str, Any]) -> dict[str, Any]:
        actions = [
            {
                "vehicle": move["vehicle"],
                "task": documents.get(move["to"]),
                "kind": "serve" if move["to"] in documents else "home",
                "probability": move["probability"],
                **behind(move),
            }
            for move in record["moves"]
        ]
        for lost, vehicles in ((False, record["waits"]), (True, record["stays"])):
            actions += [
                {"vehicle": name, "task": None, "kind": "wait", "lost": lost} for name in vehicles
            ]
        conflicts = [{**one, "task": documents.get(one["task"])} for one in record["conflicts"]]
        return {"actions": actions, "conflicts": conflicts}

    return [step(record) for record in trace.steps]
