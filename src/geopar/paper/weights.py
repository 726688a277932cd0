"""The paper's network with weights by name or path."""

from __future__ import annotations

import torch

from geopar.neural.cards import RANDOM, fill, find_weights, fitting_card
from geopar.paper.config import Decoding, NetworkConfig
from geopar.paper.policy import Policy


def load_policy(
    kind: str, name: str = Policy.learner, device: str | torch.device = "cpu"
) -> Policy:
    """The network of a problem, ready to construct; ``random`` weights have learned nothing.

    Raises
    ------
    geopar.errors.InputError
        When there are none, or they are damaged or for another problem, network or version.
    """
    if name == RANDOM:
        return random_policy(NetworkConfig(kind)).to(device)  # type: ignore[arg-type]
    path = find_weights(kind, name)
    card = fitting_card(path, kind, Policy.learner)
    policy = random_policy(NetworkConfig.from_json(card.architecture))
    fill(policy, path, card)
    policy.decoding = Decoding.from_json(card.decoding)
    return policy.to(device)


def random_policy(config: NetworkConfig, seed: int = 0) -> Policy:
    """A network that has learned nothing, the same for the same seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Policy(config).eval()
