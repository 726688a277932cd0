"""A look inside a construction: who took what, who lost what, who waited, step by step."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor

from geopar.model.policy import Scores
from geopar.problems import Problem


@dataclass(frozen=True)
class Trace:
    """The steps of one rollout.

    Each step has ``moves`` (vehicle, to, probability; ``to`` is a task's id or ``home``), ``stays``
    (vehicles that lost a conflict), ``waits`` (vehicles that chose to stay or could do nothing
    else) and ``conflicts`` (task, winner, losers).
    """

    kind: str
    name: str
    steps: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """For a file."""
        return {"problem": self.kind, "name": self.name, "steps": list(self.steps)}

    def write(self, path: Path | str) -> None:
        """Write the JSON, whole or not at all."""
        path = Path(path)
        partial = path.with_name(path.name + ".part")
        partial.write_text(json.dumps(self.to_json(), ensure_ascii=False), encoding="utf-8")
        os.replace(partial, path)


@dataclass
class Tracer:
    """Keeps the first problem's copies and samples until it is known which was best."""

    problem: Problem
    _steps: list[tuple[Tensor, Tensor, Tensor, Tensor, Tensor]] = field(default_factory=list)

    def add(self, state: Any, scores: Scores, action: Tensor) -> None:
        """Note what everybody wanted, how sure it was, and what became of it."""
        probability, column = scores.logits.softmax(-1).max(-1)
        wanted = scores.candidates.gather(-1, column[..., None])[..., 0]
        self._steps.append((wanted, probability, action, state.place, state.done))

    def finish(self, copy: int, sample: int) -> Trace:
        """The trace of one copy and sample of the first problem."""
        steps = []
        for wanted, probability, action, place, done in self._steps:
            if not bool(done[copy, sample]):
                rows = (t[copy, sample].tolist() for t in (wanted, probability, action, place))
                steps.append(self._step(*rows))
        return Trace(self.problem.kind, self.problem.name, tuple(steps))

    def _step(
        self, wanted: list[int], probability: list[float], action: list[int], place: list[int]
    ) -> dict[str, Any]:
        ids, vehicles, home = (
            self.problem.task_ids,
            self.problem.vehicle_ids,
            len(self.problem.task_ids),
        )
        moves, stays, waits = [], [], []
        for m, task in enumerate(action):
            at_home = place[m] == home or self.problem.kind == "omdcpdp"
            if task > home:
                stays.append(vehicles[m])
            elif task == home and at_home:
                waits.append(vehicles[m])
            else:
                to = "home" if task == home else str(ids[task])
                moves.append(
                    {"vehicle": vehicles[m], "to": to, "probability": round(probability[m], 4)}
                )
        rivals: dict[int, list[int]] = {}
        for m, task in enumerate(wanted):
            if task < home:
                rivals.setdefault(task, []).append(m)
        conflicts = [
            {
                "task": str(ids[task]),
                "won": next((vehicles[m] for m, a in enumerate(action) if a == task), None),
                "lost": [vehicles[m] for m in who if action[m] != task],
            }
            for task, who in rivals.items()
            if len(who) > 1
        ]
        return {"moves": moves, "stays": stays, "waits": waits, "conflicts": conflicts}


__all__ = ["Trace", "Tracer"]
