"""The policy: encode an instance once, then score actions step by step.

How training uses it::

    environment = make_environment(batch)              # geopar.problems.environment
    encoded = policy.encode(environment)               # once per instance, with gradients or not
    state = environment.reset(rollouts)                # everything below starts with (B, R)
    scores = policy.logits(encoded, state)             # Scores: logits and candidates
    action, order = sample(...)                        # geopar.model.assignment
    state = environment.step(state, action)

To score a finished rollout again, stack its states along the second dimension
(``geopar.problems.tensors.concatenate(states, dim=1)`` gives ``(B, T·R, …)``), call
``policy.logits(encoded, stacked, candidates=…)`` once, and then ``assignment.log_prob``. Instances
need not be copied for it: every state of row ``b`` belongs to instance ``b``. To pair states with
instances in any other way, ``encoded.select(rows)``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from geopar.model import reach
from geopar.model.configuration import ModelConfig
from geopar.model.decoder import EdgePointer, Memory, Pointer
from geopar.model.encoder import Encoder
from geopar.model.geometry import WindowCache, build_cache
from geopar.model.hcvrp_features import HCVRPScene
from geopar.model.omdcpdp_features import OMDCPDPScene
from geopar.model.reach import Scene
from geopar.problems.environment import Environment
from geopar.problems.hcvrp.environment import HCVRPEnvironment
from geopar.problems.omdcpdp.environment import OMDCPDPEnvironment
from geopar.problems.tensors import map_tensors, take


class Scores(NamedTuple):
    """What every agent thinks of every action that it looks at.

    Parameters
    ----------
    logits
        ``(B, R, M, K)``, −∞ where an action is not allowed. Home is the last column.
    candidates
        ``(B, R, M, K)``: the tasks of the columns, N for home. No task twice for one agent among
        those that are allowed.
    """

    logits: Tensor
    candidates: Tensor


@dataclass(frozen=True, eq=False)
class Encoded:
    """An encoded batch: everything that stays the same during its rollouts."""

    environment: Environment[Any]
    scene: Scene
    cache: WindowCache | None
    memory: Memory | None
    pair_tasks: Tensor | None

    def select(self, rows: Tensor) -> Encoded:
        """Some of the instances, in any order and number."""
        batch = self.environment.batch.select(rows)
        environment = type(self.environment)(batch)  # type: ignore[call-arg]
        if isinstance(self.environment, OMDCPDPEnvironment):
            environment.retirement = self.environment.retirement  # type: ignore[attr-defined]

        def pick(t: Tensor) -> Tensor:
            return t[rows]

        scene = replace(map_tensors(self.scene, pick), environment=environment)  # type: ignore[arg-type]
        return Encoded(
            environment,
            scene,
            None if self.cache is None else map_tensors(self.cache, pick),
            None if self.memory is None else map_tensors(self.memory, pick),
            None if self.pair_tasks is None else self.pair_tasks[rows],
        )


class Policy(nn.Module):
    """The network of one problem."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        kind: type[HCVRPScene | OMDCPDPScene]
        kind = HCVRPScene if config.kind == "hcvrp" else OMDCPDPScene
        agents, fleet = kind.AGENT_FEATURES, kind.FLEET_FEATURES
        if config.pointer:
            plain = (agents, fleet) if config.fleet_features else (3, 1)
            self.encoder = Encoder(config)
            self.pointer = Pointer(config, *plain, kind.TASK_FEATURES)
        if config.edge_pointer:
            self.edge_pointer = EdgePointer(config, agents, fleet, kind.PAIR_FEATURES)

    def encode(self, environment: Environment[Any]) -> Encoded:
        """Look at the instances of an environment once."""
        config, batch = self.config, environment.batch
        cache = build_cache(
            batch, config.directions, config.radius, config.auxiliary, config.most_cached
        )
        with torch.no_grad():
            if isinstance(environment, HCVRPEnvironment):
                scene: Scene = HCVRPScene.of(environment)
            else:
                assert isinstance(environment, OMDCPDPEnvironment)
                scene = OMDCPDPScene.of(environment)
        if not config.pointer:
            return Encoded(environment, scene, cache, None, None)
        tokens = self.encoder(batch, cache)
        pair_tasks = self.edge_pointer.remember(tokens) if config.edge_pointer else None
        return Encoded(environment, scene, cache, self.pointer.remember(tokens), pair_tasks)

    def logits(
        self,
        encoded: Encoded,
        state: Any,
        candidates: Tensor | None = None,
        include: Tensor | None = None,
    ) -> Scores:
        """Score the actions of every agent (Eqs. 6 to 9 and the edge-biased pointer).

        Parameters
        ----------
        encoded
            The instances.
        state
            ``(B, R)`` states of them.
        candidates
            ``(B, R, M, K)``: score these instead of what the reach would choose; the last column
            must be home.
        include
            ``(B, R, M)``: actions that the reach must contain, such as a teacher's. Others than
            tasks are ignored.
        """
        config, scene, environment = self.config, encoded.scene, encoded.environment
        with torch.no_grad():
            if candidates is None:
                if config.reach == "full":
                    candidates = reach.everything(scene)
                else:
                    candidates = reach.near(config, scene, state, encoded.cache, include)
            feasible = environment.feasible(state, candidates)
            agents, fleet = scene.agents_and_fleet(state)
            tasks = scene.tasks(state)
        logits, query = None, None
        if config.pointer:
            assert encoded.memory is not None
            with torch.no_grad():
                plain = (agents, fleet)
                if not config.fleet_features:
                    plain = (scene.plain_agents(state), scene.plain_fleet(state))
                active = environment.has_task(state)
            query = self.pointer.queries(encoded.memory, state.place, *plain, active)
            logits = self.pointer(encoded.memory, query, candidates, feasible, tasks)
        if config.edge_pointer:
            with torch.no_grad():
                pairs = scene.pairs(state, candidates, feasible, agents, fleet, tasks)
            known = None
            if encoded.pair_tasks is not None:
                known = take(encoded.pair_tasks, candidates)
                known = known[:, None, None] if candidates.dim() == 2 else known
            bias = self.edge_pointer(pairs, agents, fleet, feasible, query, known)
            logits = bias if logits is None else logits + bias
        assert logits is not None
        if candidates.dim() == 2:
            candidates = candidates[:, None, None].expand(logits.shape)
        return Scores(logits.masked_fill(~feasible, -torch.inf), candidates)
