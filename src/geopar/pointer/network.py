"""The network: what an agent makes of itself, of the fleet and of each task in its reach.

With *a* the features of agent and fleet, *xₖ* those of the pair of the agent and candidate *k*::

    s  = W₂ · ReLU(W₁ · a + b₁) + b₂                       agent, agent_out
    hₖ = ReLU(V · xₖ + s)                                  pair
    c  = P · [mean over k of hₖ; maximum over k of hₖ]     pooled
    logitₖ = clip · tanh(o · ReLU(U · hₖ + c + b₃) / clip) inner, out

Pooling between the two layers lets an agent weigh each candidate against the others. The products
are computed by compiled code (:mod:`geopar.pointer.scoring`); here are the parameters alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from torch import nn

from geopar.neural.network import Network
from geopar.pointer.config import PointerConfig, PointerDecoding
from geopar.pointer.observation import feature_sizes


class PointerNetwork(Network):
    """The parameters of our network, and how its scores become plans."""

    learner = "pointer"
    Config, Decoding = PointerConfig, PointerDecoding

    def __init__(self, config: PointerConfig) -> None:
        super().__init__()
        self.config = config
        # Unless weights bring their own.
        self.decoding = PointerDecoding()
        sizes, width = feature_sizes(config.kind), config.width
        self.pair = nn.Linear(sizes.pairs, width, bias=False)
        self.agent = nn.Linear(sizes.agents + sizes.fleet, width)
        self.agent_out = nn.Linear(width, width)
        self.inner = nn.Linear(width, width)
        self.pooled = nn.Linear(2 * width, width, bias=False)
        self.out = nn.Linear(width, 1, bias=False)

    def takes_weights_of(self, other: Self) -> bool:
        """Whether the other differs at most in the rules that it plans by."""
        own = self.config
        return bool(replace(other.config, turns=own.turns, inserts=own.inserts) == own)
