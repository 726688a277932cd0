"""Whole rollouts in compiled code: what our edge-biased pointer builds on a CPU.

The plans are those of a rollout step by step, unless two scores differ by rounding alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from geopar.model.assignment import GREEDY, ConflictRule
from geopar.model.policy import Policy
from geopar.problems.environment import Environment
from geopar.problems.hcvrp.trips import arranged
from geopar.problems.omdcpdp.insertion import InsertionEnvironment, PlannedRoutes
from geopar.problems.tensors import map_tensors

# Between two looks at the clock so many agents act, which takes some milliseconds.
HASTY = 200
# Without a clock so many steps are made in one go; most instances are done by then.
STEPS = 64


class Rollout:
    """One rollout of every instance, nothing of it random.

    Parameters
    ----------
    policy
        Our network, on a CPU.
    environment
        The instances.
    rule
        How conflicts are settled; greedily, if left out.
    """

    def __init__(
        self, policy: Policy, environment: Environment[Any], rule: ConflictRule = GREEDY
    ) -> None:
        from geopar.model.choice_room import new_choices, workplace_for
        from geopar.model.fleet_arrays import instances_of, room_for, states_of
        from geopar.model.network_arrays import network_of

        config = policy.config
        self.environment = environment
        # Its own memory: a fresh state may share some with the environment.
        self.state = map_tensors(environment.reset(), torch.clone)
        self._pieces: list[NDArray[np.int64]] = []
        room = room_for(config, environment)
        _, fleet, columns = room.feasible.shape
        self._arguments: tuple[Any, ...] = (
            instances_of(environment, config),
            states_of(environment, self.state),
            network_of(policy.edge_pointer, config),
            room,
            workplace_for(config),
            new_choices(config, fleet, fleet * columns),
            *rule,
        )

    def go_on(self, hasty: bool = False) -> bool:
        """Some steps more, few if somebody looks at the clock; whether all instances are done."""
        from geopar.model.rollout_kernel import roll_out

        batch = self.environment.batch
        steps = max(1, HASTY // (batch.size * batch.num_vehicles)) if hasty else STEPS
        piece = np.empty((batch.size, steps, batch.num_vehicles), dtype=np.int64)
        self._pieces.append(piece)
        return not roll_out(*self._arguments, piece)

    def routes(self, instance: int, rollout: int = 0) -> list[list[list[int]]]:
        """For each vehicle its trips of task indices, without empty ones."""
        if isinstance(self.environment, InsertionEnvironment):
            return PlannedRoutes(self.state).routes(instance, rollout)
        batch = self.environment.batch
        home, places = batch.num_tasks, batch.places[instance].numpy()
        routes: list[list[list[int]]] = []
        for actions in np.concatenate([piece[instance] for piece in self._pieces]).T.tolist():
            trips: list[list[int]] = [[]]
            for task in actions:
                if task < home:
                    trips[-1].append(task)
                elif task == home and trips[-1]:
                    trips.append([])
            routes.append([arranged(trip, places) for trip in trips if trip])
        return routes
