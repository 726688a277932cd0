"""From the actions of a rollout to plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.batch import Batch
from geopar.problems.kinds import PROBLEM_KINDS

Routes = list[list[list[int]]]


@dataclass
class Recorder:
    """Collects the executed actions of a rollout, step by step."""

    batch: Batch
    actions: list[Tensor] = field(default_factory=list)
    inserts: bool = False

    def add(self, action: Tensor) -> None:
        """One step: ``(B, R, M)`` actions."""
        self.actions.append(action.detach().to("cpu"))

    def routes(self, instance: int, rollout: int = 0) -> Routes:
        """For each vehicle its trips of task indices, without empty ones."""
        steps = [action[instance, rollout].numpy() for action in self.actions]
        history = np.stack(steps) if steps else np.zeros((0, 0), dtype=np.int64)
        return routes_of(history, self.batch, instance, inserts=self.inserts)

    def plans(self, problems: Sequence[Problem], rollout: int | Sequence[int] = 0) -> list[Plan]:
        """One plan for each instance; ``rollout`` says which, for all or for each."""
        chosen = [rollout] * len(problems) if isinstance(rollout, int) else rollout
        return [
            Plan.from_indices(problem, self.routes(row, pick))
            for row, (problem, pick) in enumerate(zip(problems, chosen, strict=True))
        ]


def routes_of(
    actions: NDArray[np.int64], batch: Batch, instance: int, *, inserts: bool
) -> Routes:  # fmt: skip
    """For each vehicle its trips as they are driven, from the actions of every step ``(T, M)``.

    A trip ends when its vehicle goes home. With ``inserts`` each task is put where it costs least.
    """
    home, comes_home = batch.num_tasks, PROBLEM_KINDS[batch.kind].comes_home
    routes: Routes = []
    for row in actions.T.tolist():
        trips: list[list[int]] = [[]]
        for task in row:
            if task < home:
                trips[-1].append(task)
            elif task == home and comes_home:
                trips.append([])
        routes.append([trip for trip in trips if trip])
    if inserts:
        from geopar.problems.hcvrp.trips import arranged

        places = batch.places[instance].cpu().numpy()
        return [[arranged(trip, places) for trip in trips] for trips in routes]
    return routes
