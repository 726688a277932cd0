"""What every network is: settings, a way to decode its scores, and weights by name or path."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import torch
from torch import nn

from geopar.neural.cards import RANDOM, fill, find_weights, fitting_card


class Network(nn.Module):
    """A network that can be trained, saved and loaded: the paper's, ours, or a learned peer's.

    Attributes
    ----------
    learner
        Whose network it is, as cards and ``geopar train`` call it.
    Config, Decoding
        The classes of its settings, and of how its scores become plans: both have ``to_json`` and
        ``from_json``.
    config, decoding
        Those of this network.
    """

    learner: ClassVar[str]
    Config: ClassVar[type[Any]]
    Decoding: ClassVar[type[Any]]
    config: Any
    decoding: Any

    @classmethod
    def untrained(cls, config: Any, seed: int = 0) -> Self:
        """One that has learned nothing, the same for the same seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return cls(config).eval()

    @classmethod
    def load(cls, kind: str, name: str = "", device: str | torch.device = "cpu") -> Self:
        """With the weights for a problem of a name or path, ready to construct.

        Without a name those called like the learner; ``random`` ones have learned nothing.

        Raises
        ------
        geopar.errors.InputError
            When there are none, or they are damaged or for another problem, network or version.
        """
        if name == RANDOM:
            return cls.untrained(cls.Config(kind)).to(device)
        path = find_weights(kind, name or cls.learner)
        card = fitting_card(path, kind, cls.learner)
        network = cls.untrained(cls.Config.from_json(card.architecture))
        fill(network, path, card)
        network.decoding = cls.Decoding.from_json(card.decoding)
        return network.to(device)

    def takes_weights_of(self, other: Self) -> bool:
        """Whether the weights of another one mean the same here."""
        return bool(self.config == other.config)
