"""Recording a construction step by step, for :mod:`geopar.trace`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from geopar.neural.conflicts import Scores
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.trace import HOME, Step, Trace, task_names, trips_of


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
            at_home = place[m] == home or not self.problem.comes_home
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
    for moves in trips_of(steps):
        trip = [HOME, *sorted((move["to"] for move in moves), key=position.__getitem__)]
        # Putting one more never reorders the others, so taking out the last shows the trip before.
        for move in reversed(moves):
            at = trip.index(move["to"])
            if at < len(trip) - 1:
                move["behind"] = trip[at - 1]
            del trip[at]
