"""One greedy rollout of every instance, in compiled code: nothing in it is random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from geopar.neural.recorder import routes_of
from geopar.neural.tracer import Tracer
from geopar.pointer.network import PointerNetwork
from geopar.problems.batch import Batch
from geopar.problems.environment import make_environment
from geopar.problems.omdcpdp.insertion import InsertionEnvironment, PlannedRoutes
from geopar.problems.tensors import map_tensors

# Where there is a time limit, so many agents act between two looks at the clock: milliseconds.
AGENTS_PER_CALL = 200
# Without one so many steps are made in one call; most instances are done by then.
STEPS_PER_CALL = 64


class Rollout:
    """One rollout of every instance of a batch, in the network's decoding.

    Parameters
    ----------
    network
        On a CPU.
    batch
        The instances.
    traced
        Keep what everybody wanted, and how surely, for :meth:`trace`.
    """

    def __init__(self, network: PointerNetwork, batch: Batch, *, traced: bool = False) -> None:
        from geopar.pointer.buffers import new_choices, new_score_scratch
        from geopar.pointer.instances import new_observation, states_of, tables_of
        from geopar.pointer.parameters import forward_weights

        config = network.config
        self.environment = make_environment(batch, inserts=True)
        # Its own memory: a fresh state may share some with the environment.
        self.state = map_tensors(self.environment.reset(), torch.clone)
        self._traced, self._inserts = traced, config.inserts
        self._logs: list[Any] = []
        observation = new_observation(config, batch)
        fleet, columns = observation.feasible.shape
        self._arguments: tuple[Any, ...] = (
            tables_of(batch, config),
            states_of(batch.kind, self.state),
            forward_weights(network),
            observation,
            new_score_scratch(config),
            new_choices(config, fleet, fleet * columns),
            network.decoding.proposals_for(batch.num_tasks, batch.num_vehicles),
        )

    def advance(self, *, briefly: bool = False) -> bool:
        """Some steps more, few where there is a time limit; whether all instances are done."""
        from geopar.pointer.greedy_kernel import GreedyLog, roll_out

        batch = self.environment.batch
        each = batch.size * batch.num_vehicles
        steps = max(1, AGENTS_PER_CALL // each) if briefly else STEPS_PER_CALL
        shape = (batch.size, steps, batch.num_vehicles)
        asked = shape if self._traced else (0, 0, 0)
        log = GreedyLog(
            np.empty(shape, dtype=np.int64), np.empty(asked, dtype=np.int64), np.empty(asked)
        )
        self._logs.append(log)
        return not roll_out(*self._arguments, log)

    def finish(self) -> None:
        """All steps that are left."""
        while not self.advance():
            pass

    def routes(self, instance: int, rollout: int = 0) -> Sequence[Sequence[Any]]:
        """For each vehicle its trips of task indices, without empty ones."""
        if isinstance(self.environment, InsertionEnvironment):
            return PlannedRoutes(self.state).routes(instance, rollout)
        actions = np.concatenate([log.action[instance] for log in self._logs])
        return routes_of(actions, self.environment.batch, instance, inserts=self._inserts)

    def trace(self, tracer: Tracer) -> None:
        """Tell a tracer every step of the first problem's copies."""
        action, wanted = self._joined("action"), self._joined("wanted")
        probability, home = self._joined("probability"), self.environment.batch.num_tasks
        steps = self.state.steps.numpy()
        place = np.full((len(action), 1, action.shape[2]), home)
        for i in range(action.shape[1]):
            here = action[:, i, None]
            noted = wanted[:, i, None], probability[:, i, None], here, place, steps <= i
            tracer.note(*map(torch.from_numpy, noted))
            place = np.where(here <= home, here, place)

    def _joined(self, name: str) -> NDArray[Any]:
        """What was logged, ``(B, steps, M)``."""
        return np.concatenate([getattr(log, name) for log in self._logs], axis=1)


@torch.no_grad()
def decode_batch(network: PointerNetwork, batch: Batch) -> tuple[Tensor, Tensor]:
    """Objectives in the user's units and steps, ``(B,)`` each, of one greedy pass."""
    rollout = Rollout(network, batch)
    rollout.finish()
    return rollout.environment.cost(rollout.state)[:, 0], rollout.state.steps[:, 0]
