"""From the actions of a rollout to plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.batch import Batch, HCVRPBatch


@dataclass
class Recorder:
    """Collects the executed actions of a rollout, step by step."""

    batch: Batch
    actions: list[Tensor] = field(default_factory=list)
    inserts: bool = False

    def add(self, action: Tensor) -> None:
        """One step: ``(B, R, M)`` actions."""
        self.actions.append(action.detach().to("cpu"))

    def routes(self, instance: int, rollout: int = 0) -> list[list[NDArray[np.int64]]]:
        """For each vehicle its trips of task indices, without empty ones."""
        steps = [action[instance, rollout].numpy() for action in self.actions]
        history = np.stack(steps, axis=1) if steps else np.zeros((0, 0), dtype=np.int64)
        home = self.batch.num_tasks
        trips_end = home if isinstance(self.batch, HCVRPBatch) else -1
        routes: list[list[NDArray[np.int64]]] = []
        for row in history:
            kept = row[row <= home] if trips_end == home else row[row < home]
            parts = np.split(kept, np.flatnonzero(kept == trips_end))
            trips = (part[part < home] for part in parts)
            routes.append([self._driven(trip, instance) for trip in trips if len(trip)])
        return routes

    def _driven(self, trip: NDArray[np.int64], instance: int) -> NDArray[np.int64]:
        """A trip as it is driven, not as it was planned."""
        if not self.inserts:
            return trip
        from geopar.problems.hcvrp.trips import arranged

        return np.array(arranged(trip.tolist(), self.batch.places[instance].cpu().numpy()))

    def plans(self, problems: Sequence[Problem], rollout: int | Sequence[int] = 0) -> list[Plan]:
        """One plan for each instance; ``rollout`` says which, for all or for each."""
        chosen = [rollout] * len(problems) if isinstance(rollout, int) else rollout
        return [
            Plan.from_indices(problem, self.routes(row, pick))
            for row, (problem, pick) in enumerate(zip(problems, chosen, strict=True))
        ]
