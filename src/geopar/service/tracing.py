"""A construction step by step, as the page draws it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geopar.problems import Problem
from geopar.problems.tasks import Task
from geopar.service.documents import task_document
from geopar.trace import HOME, Trace, task_names


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

    def step(told: dict[str, Any]) -> dict[str, Any]:
        actions = [
            {
                "vehicle": move["vehicle"],
                "task": documents.get(move["to"]),
                "kind": "serve" if move["to"] in documents else "home",
                "probability": move["probability"],
                **behind(move),
            }
            for move in told["moves"]
        ]
        for lost, vehicles in ((False, told["waits"]), (True, told["stays"])):
            actions += [
                {"vehicle": name, "task": None, "kind": "wait", "lost": lost} for name in vehicles
            ]
        conflicts = [{**one, "task": documents.get(one["task"])} for one in told["conflicts"]]
        return {"actions": actions, "conflicts": conflicts}

    return [step(told) for told in trace.steps]
