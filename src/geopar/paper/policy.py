"""The paper's policy: encode an instance once, then score actions step by step.

How a rollout uses it::

    environment = policy.environment(batch)            # the rules that it plans by
    encoded = policy.encode(environment)               # once per instance, with gradients or not
    state = environment.reset(rollouts)                # everything below starts with (B, R)
    scores = policy.logits(encoded, state)             # logits and their tasks
    action = assign(...)                               # geopar.paper.assignment
    state = environment.step(state, action)

To score a finished rollout again, stack its states along the second dimension
(``geopar.problems.tensors.concatenate(states, dim=1)`` gives ``(B, T·R, …)``), call
``policy.logits(encoded, stacked)`` once, and then ``assignment.log_prob``. Instances need not be
copied for it: every state of row ``b`` belongs to instance ``b``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from torch import Tensor

from geopar.neural.conflicts import Scores
from geopar.neural.network import Network
from geopar.paper.config import Decoding, NetworkConfig
from geopar.paper.decoder import Decoder, Memory
from geopar.paper.encoder import Encoder
from geopar.paper.observation import Observer, make_observer, observe
from geopar.paper.windows import WindowCache, build_cache
from geopar.problems.batch import Batch
from geopar.problems.environment import Environment, make_environment

# Keys are copied into a smaller block when at most this share of them is still of use.
COMPACT_BELOW = 0.8


@dataclass(frozen=True, eq=False)
class Encoded:
    """An encoded batch: everything that stays the same during its rollouts."""

    environment: Environment[Any]
    observer: Observer
    cache: WindowCache
    memory: Memory


class Policy(Network):
    """The network of one problem."""

    # What trained weights say they belong to; others have their own names.
    learner: ClassVar[str] = "geopar"
    Config, Decoding = NetworkConfig, Decoding

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        # How its plans are made unless told otherwise; weights bring their own.
        self.decoding = Decoding.of_paper(config.kind)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)

    def environment(self, batch: Batch) -> Environment[Any]:
        """The rules that it plans by, for some instances: the paper's."""
        return make_environment(batch)

    def encode(self, environment: Environment[Any]) -> Encoded:
        """Look at the instances of an environment once."""
        config, batch = self.config, environment.batch
        with torch.no_grad():
            cache = build_cache(
                batch, config.directions, config.radius, config.auxiliary, config.most_cached
            )
            observer = make_observer(batch)
        memory = self.decoder.remember(self.encoder(batch, cache))
        return Encoded(environment, observer, cache, memory)

    def compacted(self, encoded: Encoded, state: Any) -> Encoded:
        """Forget the keys of served tasks, once a fifth of them is."""
        memory = encoded.memory
        needed = encoded.environment.unserved(state).any(1).gather(1, memory.listed[:, :-1])
        count = max(int(needed.sum(-1).max()), 1)
        if count > COMPACT_BELOW * memory.num_listed:
            return encoded
        # Where fewer are needed than in other instances, served ones fill up.
        kept = needed.int().argsort(dim=-1, descending=True, stable=True)[:, :count]
        return replace(encoded, memory=memory.compact(kept))

    def logits(self, encoded: Encoded, state: Any) -> Scores:
        """Score every listed action of every agent, −∞ where it is not allowed (Eq. 9)."""
        memory = encoded.memory
        seen = observe(self.config, encoded.environment, encoded.observer, state, memory.listed)
        logits: Tensor = self.decoder(memory, state.place, seen)
        listed = memory.listed[:, None, None].expand(logits.shape)
        return Scores(logits.masked_fill(~seen.feasible, -torch.inf), listed)
