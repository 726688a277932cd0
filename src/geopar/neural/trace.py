"""A look inside a construction: who took what, who lost what, who waited, step by step.

Importing this loads no torch, so that a trace can be drawn where there is none.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geopar.errors import Faults
from geopar.files.storage import read_bytes, write_files
from geopar.plan import Plan
from geopar.problems import Problem

if TYPE_CHECKING:
    from torch import Tensor

    from geopar.neural.conflicts import Scores

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
        faults.add("not-a-trace", str(path), ..., "is no trace.", hint)
        faults.raise_now()
    if trace.kind != problem.kind:
        faults.add("wrong-problem", str(path), trace.kind, f"is not {problem.kind}.", hint)
        faults.raise_now()
    for name in sorted(map(str, named - set(problem.vehicle_ids))):
        faults.add("unknown-vehicle", str(path), name, "is not in the problem.", hint)
    for name in sorted(map(str, visited - {HOME, *task_names(problem)})):
        faults.add("unknown-task", str(path), name, "is not in the problem.", hint)
    faults.raise_if_any()
    for trip in _trips(trace.steps):
        so_far = {HOME}
        for move in trip:
            behind = move.get("behind", HOME)
            if behind not in so_far:
                faults.add("not-a-trace", str(path), behind, "is not in the open trip.", hint)
            so_far.add(move["to"])
    faults.raise_if_any()
    return trace


@dataclass
class Tracer:
    """Keeps the first problem's copies and samples until it is known which was best.

    Parameters
    ----------
    problem
        The first problem.
    copies
        How many symmetric copies of it there are.
    whole_orders
        Whether a move to a pickup brings its delivery with it.
    """

    problem: Problem
    copies: int = 1
    whole_orders: bool = False
    _steps: list[tuple[Tensor, Tensor, Tensor, Tensor, Tensor]] = field(default_factory=list)

    def add(self, state: Any, scores: Scores, action: Tensor) -> None:
        """Note what everybody wanted, how sure it was, and what became of it."""
        logits, candidates = (part[: self.copies] for part in scores)
        probability, column = logits.softmax(-1).max(-1)
        wanted = candidates.gather(-1, column[..., None])[..., 0]
        self.note(wanted, probability, action, state.place, state.done)

    def note(
        self, wanted: Tensor, probability: Tensor, action: Tensor, place: Tensor, done: Tensor
    ) -> None:
        """The same by what was wanted, ``(B, R, M)`` each, and ``(B, R)`` what was done already."""
        first = slice(self.copies)
        step = wanted[first], probability[first], action[first], place[first], done[first]
        self._steps.append(step)

    def finish(self, copy: int, sample: int, plan: Plan) -> Trace:
        """The trace of one copy and sample of the first problem, and the plan that it came to."""
        names = task_names(self.problem)
        steps = []
        for wanted, probability, action, place, done in self._steps:
            if not bool(done[copy, sample]):
                rows = (t[copy, sample].tolist() for t in (wanted, probability, action, place))
                steps.append(self._step(names, *rows))
        _say_behind_whom(steps, plan)
        return Trace(self.problem.kind, self.problem.name, tuple(steps))

    def _step(
        self,
        names: list[str],
        wanted: list[int],
        probability: list[float],
        action: list[int],
        place: list[int],
    ) -> Step:
        vehicles, home = self.problem.vehicle_ids, len(names)
        moves, stays, waits = [], [], []
        for m, task in enumerate(action):
            at_home = place[m] == home or self.problem.kind == "omdcpdp"
            if task > home:
                stays.append(vehicles[m])
            elif task == home and at_home:
                waits.append(vehicles[m])
            else:
                to, sure = HOME if task == home else names[task], round(probability[m], 4)
                moves.append({"vehicle": vehicles[m], "to": to, "probability": sure})
                if self.whole_orders:
                    to = names[task + home // 2]
                    moves.append({"vehicle": vehicles[m], "to": to, "probability": 1.0})
        rivals: dict[int, list[int]] = {}
        for m, task in enumerate(wanted):
            if task < home:
                rivals.setdefault(task, []).append(m)
        winner = {task: vehicles[m] for m, task in enumerate(action)}
        conflicts = [
            {
                "task": names[task],
                "won": winner.get(task),
                "lost": [vehicles[m] for m in who if action[m] != task],
            }
            for task, who in rivals.items()
            if len(who) > 1
        ]
        return {"moves": moves, "stays": stays, "waits": waits, "conflicts": conflicts}


def _say_behind_whom(steps: Sequence[Step], plan: Plan) -> None:
    """Add ``behind`` to the moves that were not put at the end of an open trip."""
    position = {
        str(task): at
        for route in plan.routes
        for trip in route.trips
        for at, task in enumerate(trip)
    }
    for moves in _trips(steps):
        trip = [HOME, *sorted((move["to"] for move in moves), key=position.__getitem__)]
        # Putting one more never reorders the others, so taking out the last shows the trip before.
        for move in reversed(moves):
            at = trip.index(move["to"])
            if at < len(trip) - 1:
                move["behind"] = trip[at - 1]
            del trip[at]


def _trips(steps: Sequence[Step]) -> list[list[Move]]:
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
