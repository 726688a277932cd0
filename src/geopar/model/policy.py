"""The policy: encode an instance once, then score actions step by step.

How training uses it::

    environment = policy.environment(batch)            # the rules that it plans by
    encoded = policy.encode(environment)               # once per instance, with gradients or not
    state = environment.reset(rollouts)                # everything below starts with (B, R)
    scores = policy.logits(encoded, state)             # Scores: logits and candidates
    action, order = sample(...)                        # geopar.model.assignment
    state = environment.step(state, action)

To score a finished rollout again, stack its states along the second dimension
(``geopar.problems.tensors.concatenate(states, dim=1)`` gives ``(B, T·R, …)``), call
``policy.logits(encoded, stacked, candidates=…)`` once, and then ``assignment.log_prob``. Instances
need not be copied for it: every state of row ``b`` belongs to instance ``b``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from geopar.model import reach
from geopar.model.configuration import Decoding, ModelConfig
from geopar.model.decoder import EdgePointer, Memory, Pointer
from geopar.model.encoder import Encoder
from geopar.model.fleet_arrays import feature_sizes
from geopar.model.geometry import WindowCache, build_cache
from geopar.model.hcvrp_features import HCVRPScene
from geopar.model.insertion_features import InsertionScene
from geopar.model.look import Look, PlainLook
from geopar.model.omdcpdp_features import OMDCPDPScene
from geopar.problems.batch import Batch
from geopar.problems.environment import Environment, make_environment
from geopar.problems.hcvrp.environment import HCVRPEnvironment
from geopar.problems.omdcpdp.environment import OMDCPDPEnvironment
from geopar.problems.omdcpdp.insertion import InsertionEnvironment

Scene = HCVRPScene | OMDCPDPScene | InsertionScene

# Keys are copied into a smaller block when at most this share of them is still of use.
COMPACT_BELOW = 0.8


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
    """An encoded batch: everything that stays the same during its rollouts.

    Our network has no memory; what it looks at is in the scene.
    """

    environment: Environment[Any]
    scene: Scene
    cache: WindowCache
    memory: Memory | None


class Policy(nn.Module):
    """The network of one problem: the paper's, or ours."""

    # What trained weights say they belong to; learned peers have their own names.
    learner: ClassVar[str] = "geopar"

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        # How its plans are made unless told otherwise; weights bring their own.
        self.decoding = Decoding.of_paper(config.kind)
        if config.pointer:
            self.encoder = Encoder(config)
            self.pointer = Pointer(config)
        else:
            self.edge_pointer = EdgePointer(config, feature_sizes(config))

    def environment(self, batch: Batch) -> Environment[Any]:
        """The rules that it plans by, for some instances."""
        return make_environment(batch, inserts=self.config.inserts)

    def encode(self, environment: Environment[Any]) -> Encoded:
        """Look at the instances of an environment once."""
        config, batch = self.config, environment.batch
        cache = build_cache(
            batch, config.directions, config.radius, config.auxiliary, config.most_cached
        )
        with torch.no_grad():
            if isinstance(environment, HCVRPEnvironment):
                scene: Scene = HCVRPScene.of(environment, config.turns)
            elif isinstance(environment, InsertionEnvironment):
                scene = InsertionScene.of(environment)
            else:
                assert isinstance(environment, OMDCPDPEnvironment)
                scene = OMDCPDPScene.of(environment)
        memory = self.pointer.remember(self.encoder(batch, cache)) if config.pointer else None
        return Encoded(environment, scene, cache, memory)

    def compacted(self, encoded: Encoded, state: Any) -> Encoded:
        """Forget the keys of served tasks, once a fifth of them is."""
        memory = encoded.memory
        if memory is None:
            return encoded
        needed = encoded.environment.unserved(state).any(1).gather(1, memory.listed[:, :-1])
        count = max(int(needed.sum(-1).max()), 1)
        if count > COMPACT_BELOW * memory.num_listed:
            return encoded
        # Where fewer are needed than in other instances, served ones fill up.
        kept = needed.int().argsort(dim=-1, descending=True, stable=True)[:, :count]
        return replace(encoded, memory=memory.compact(kept))

    def logits(
        self,
        encoded: Encoded,
        state: Any,
        candidates: Tensor | None = None,
        include: Tensor | None = None,
    ) -> Scores:
        """Score the actions of every agent: by Eqs. 6 to 9, or by our edge-biased pointer.

        Parameters
        ----------
        encoded
            The instances.
        state
            ``(B, R)`` states of them.
        candidates
            Of ours, ``(B, R, M, K)``: score these instead of what lies near; the last column must
            be home. The paper's network scores everything.
        include
            Of ours, ``(B, R, M)``: actions that must be among what is scored, such as a teacher's.
            Others than tasks are ignored.
        """
        if encoded.memory is not None:
            with torch.no_grad():
                plain = self.plain_look(encoded, state)
            query = self.pointer.queries(encoded.memory, state.place, plain)
            logits = self.pointer(encoded.memory, query, plain)
            listed = plain.candidates[:, None, None].expand(logits.shape)
            return Scores(logits.masked_fill(~plain.feasible, -torch.inf), listed)
        with torch.no_grad():
            look = self.look(encoded, state, candidates, include)
        logits = self.edge_pointer(look)
        return Scores(logits.masked_fill(~look.feasible, -torch.inf), look.candidates)

    def plain_look(self, encoded: Encoded, state: Any) -> PlainLook:
        """What the paper's network is told: of all tasks whose keys are kept."""
        assert encoded.memory is not None
        assert not isinstance(encoded.scene, InsertionScene)
        return encoded.scene.plain_look(state, encoded.memory.listed)

    def look(
        self,
        encoded: Encoded,
        state: Any,
        candidates: Tensor | None = None,
        include: Tensor | None = None,
    ) -> Look:
        """What the agents of our network see: compiled on a CPU, tensor operations elsewhere."""
        scene = encoded.scene
        assert not isinstance(scene, OMDCPDPScene)
        if state.place.device.type == "cpu":
            near = min(self.config.reach_size, encoded.environment.batch.num_tasks)
            return scene.compiled_look(state, near, candidates, include)
        if candidates is None:
            candidates = reach.near(self.config, scene, state, include)
        return scene.look(state, candidates)
