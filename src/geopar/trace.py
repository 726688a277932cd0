"""A look inside a construction: who took what, who lost what, who waited, step by step."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geopar.errors import Faults
from geopar.files.storage import read_bytes, write_files
from geopar.problems import Problem

HOME = "home"
MOST_BYTES = 1_000_000_000

Step = dict[str, Any]
Move = dict[str, Any]


@dataclass(frozen=True)
class Trace:
    """The steps of one rollout.

    Each step has ``moves`` (vehicle, to, probability; ``to`` is a task or ``home``), ``stays``
    (vehicles that lost a conflict), ``waits`` (vehicles that chose to stay or could do nothing
    else) and ``conflicts`` (task, won, lost). A move that is not put at the end of the vehicle's
    open trip also has ``behind``: the customer that it comes behind, or ``home``.
    """

    kind: str
    name: str
    steps: tuple[Step, ...]

    def to_json(self) -> dict[str, Any]:
        """For a file."""
        return {"problem": self.kind, "name": self.name, "steps": list(self.steps)}

    def write(self, path: Path | str) -> None:
        """Write the JSON, whole or not at all."""
        text = json.dumps(self.to_json(), ensure_ascii=False)
        write_files({Path(path): text.encode()})


def task_names(problem: Problem) -> list[str]:
    """How a trace names the tasks, in the order of their indices."""
    return [str(task) for task in problem.task_ids]


def read_trace(path: Path | str, problem: Problem) -> Trace:
    """Read the trace of a problem.

    Raises
    ------
    geopar.errors.InputError
        For a file that is none, or the trace of another problem.
    """
    data, faults = read_bytes(path, MOST_BYTES), Faults()
    hint = "Maybe it is not what `geopar solve --trace` wrote for this problem."
    try:
        values = json.loads(data)
        trace = Trace(values["problem"], values["name"], tuple(values["steps"]))
        moves = [move for step in trace.steps for move in step["moves"]]
        named = {move["vehicle"] for move in moves}
        visited = {move["to"] for move in moves}
        visited |= {move["behind"] for move in moves if "behind" in move}
    except (ValueError, KeyError, TypeError, RecursionError):
        faults.refuse("not-a-trace", str(path), ..., "is no trace.", hint)
    if trace.kind != problem.kind:
        faults.refuse("wrong-problem", str(path), trace.kind, f"is not {problem.kind}.", hint)
    for name in sorted(map(str, named - set(problem.vehicle_ids))):
        faults.add("unknown-vehicle", str(path), name, "is not in the problem.", hint)
    for name in sorted(map(str, visited - {HOME, *task_names(problem)})):
        faults.add("unknown-task", str(path), name, "is not in the problem.", hint)
    faults.raise_if_any()
    for trip in trips_of(trace.steps):
        so_far = {HOME}
        for move in trip:
            behind = move.get("behind", HOME)
            if behind not in so_far:
                faults.add("not-a-trace", str(path), behind, "is not in the open trip.", hint)
            so_far.add(move["to"])
    faults.raise_if_any()
    return trace


def trips_of(steps: Sequence[Step]) -> list[list[Move]]:
    """The moves to the tasks of each trip."""
    trips: defaultdict[tuple[str, int], list[Move]] = defaultdict(list)
    ended: Counter[str] = Counter()
    for step in steps:
        for move in step["moves"]:
            vehicle = move["vehicle"]
            if move["to"] == HOME:
                ended[vehicle] += 1
            else:
                trips[vehicle, ended[vehicle]].append(move)
    return list(trips.values())
