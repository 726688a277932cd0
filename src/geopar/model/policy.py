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
need not be copied for it: every state of row ``b`` belongs to instance ``b``. To pair states with
instances in any other way, ``encoded.select(rows)``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
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
from geopar.model.look import FeatureSizes, Look
from geopar.model.omdcpdp_features import OMDCPDPScene
from geopar.model.reach import Scene
from geopar.model.sketch import Sketch, sketch_of
from geopar.problems.batch import Batch
from geopar.problems.environment import Environment, make_environment
from geopar.problems.hcvrp.environment import HCVRPEnvironment
from geopar.problems.omdcpdp.environment import OMDCPDPEnvironment
from geopar.problems.omdcpdp.insertion import InsertionEnvironment
from geopar.problems.tensors import map_tensors, take

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
    """An encoded batch: everything that stays the same during its rollouts."""

    environment: Environment[Any]
    scene: Scene
    cache: WindowCache | None
    memory: Memory | None
    pair_tasks: Tensor | None
    sketch: Sketch | None = None

    def select(self, rows: Tensor) -> Encoded:
        """Some of the instances, in any order and number."""
        environment = self.environment.on(self.environment.batch.select(rows))

        def pick(t: Tensor) -> Tensor:
            return t[rows]

        scene = replace(map_tensors(self.scene, pick), environment=environment)  # type: ignore[arg-type]
        return Encoded(
            environment,
            scene,
            None if self.cache is None else map_tensors(self.cache, pick),
            None if self.memory is None else map_tensors(self.memory, pick),
            None if self.pair_tasks is None else self.pair_tasks[rows],
            None if self.sketch is None else map_tensors(self.sketch, pick),
        )


@torch.no_grad()
def _apart(encoded: Encoded, candidates: Tensor, fleet: tuple[int, ...]) -> Tensor:
    """Distances between the candidates of each agent, in spacings."""
    places = take(encoded.environment.batch.places, candidates)
    gaps = torch.cdist(places, places)
    gaps = gaps / encoded.scene.neighbourhood.spacing.view(-1, *(1,) * (gaps.dim() - 1))
    if candidates.dim() == 2:
        gaps = gaps[:, None, None].expand(*fleet, -1, -1)
    return gaps


class Policy(nn.Module):
    """The network of one problem."""

    # What trained weights say they belong to; learned peers have their own names.
    learner: ClassVar[str] = "geopar"

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        # How its plans are made unless told otherwise; weights bring their own.
        self.decoding = Decoding.of_paper(config.kind)
        sizes = FeatureSizes(*map(sum, zip(*feature_sizes(config), strict=True)))
        if config.pointer:
            self.encoder = Encoder(config)
            self.pointer = Pointer(config, sizes)
        if config.edge_pointer:
            self.edge_pointer = EdgePointer(config, sizes)

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
                scene = OMDCPDPScene.of(environment, config.waits)
            sketch = sketch_of(environment, config.sketches) if config.sketches else None
        if not config.pointer:
            return Encoded(environment, scene, cache, None, None, sketch)
        tokens = self.encoder(batch, cache)
        pair_tasks = self.edge_pointer.remember(tokens) if config.edge_pointer else None
        memory = self.pointer.remember(tokens)
        return Encoded(environment, scene, cache, memory, pair_tasks, sketch)

    def compacted(self, encoded: Encoded, state: Any) -> Encoded:
        """Forget the keys of served tasks, once a fifth of them is."""
        memory = encoded.memory
        if memory is None or self.config.reach == "windowed":
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
        look: Look | None = None,
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
        look
            What :meth:`look` gave for this state earlier; it depends on no weights.
        """
        config = self.config
        if look is None:
            with torch.no_grad():
                look = self.look(encoded, state, candidates, include)
        logits, query = None, None
        if config.pointer:
            assert encoded.memory is not None
            agents, fleet = look.agents, look.fleet
            if not config.fleet_features:
                with torch.no_grad():
                    agents = encoded.scene.plain_agents(state)
                    fleet = encoded.scene.plain_fleet(state)
            query = self.pointer.queries(encoded.memory, state.place, agents, fleet, look.active)
            logits = self.pointer(encoded.memory, query, look)
        if config.edge_pointer:
            known = None
            if encoded.pair_tasks is not None:
                known = take(encoded.pair_tasks, look.candidates)
                known = known[:, None, None] if known.dim() == 3 else known
            apart = partial(_apart, encoded, look.candidates, state.place.shape)
            bias = self.edge_pointer(look, query, known, apart)
            logits = bias if logits is None else logits + bias
        assert logits is not None
        listed = look.candidates
        if listed.dim() == 2:
            listed = listed[:, None, None].expand(logits.shape)
        return Scores(logits.masked_fill(~look.feasible, -torch.inf), listed)

    def look(
        self,
        encoded: Encoded,
        state: Any,
        candidates: Tensor | None = None,
        include: Tensor | None = None,
    ) -> Look:
        """What the agents see: compiled on a CPU, tensor operations elsewhere."""
        wanted = [] if include is None else [include]
        if encoded.sketch is None:
            return self._look(encoded, state, candidates, wanted)
        assert not isinstance(encoded.scene, InsertionScene)
        wish = encoded.sketch.wish(state, encoded.scene.room(state))
        look = self._look(encoded, state, candidates, [*wanted, wish])
        return encoded.sketch.seen(look, state, wish, encoded.scene.pace, encoded.scene.idle(state))

    def _look(
        self, encoded: Encoded, state: Any, candidates: Tensor | None, wanted: list[Tensor]
    ) -> Look:
        config, scene = self.config, encoded.scene
        include = torch.stack(wanted, -1) if wanted else None
        near = min(config.reach_size, encoded.environment.batch.num_tasks)
        on_cpu = state.place.device.type == "cpu"
        if candidates is None and config.reach == "full":
            listed = None if encoded.memory is None else encoded.memory.listed
            candidates = reach.everything(scene) if listed is None else listed
        elif candidates is None and not (on_cpu and config.reach_source == "nearest"):
            candidates = reach.near(config, scene, state, encoded.cache, include)
        if on_cpu:
            return scene.compiled_look(state, config.edge_pointer, near, candidates, include)
        assert candidates is not None
        return scene.look(state, candidates, config.edge_pointer)
