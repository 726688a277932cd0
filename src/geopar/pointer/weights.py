"""Our network with weights by name or path."""

from __future__ import annotations

import torch

from geopar.neural.cards import RANDOM, fill, find_weights, fitting_card
from geopar.pointer.config import PointerConfig, PointerDecoding
from geopar.pointer.network import PointerNetwork


def load_pointer(
    kind: str, name: str = PointerNetwork.learner, device: str | torch.device = "cpu"
) -> PointerNetwork:
    """The network of a problem, ready to construct; ``random`` weights have learned nothing.

    Raises
    ------
    geopar.errors.InputError
        When there are none, or they are damaged or for another problem, network or version.
    """
    if name == RANDOM:
        return random_pointer(PointerConfig(kind)).to(device)  # type: ignore[arg-type]
    path = find_weights(kind, name)
    card = fitting_card(path, kind, PointerNetwork.learner)
    network = random_pointer(PointerConfig.from_json(card.architecture))
    fill(network, path, card)
    network.decoding = PointerDecoding.from_json(card.decoding)
    return network.to(device)


def random_pointer(config: PointerConfig, seed: int = 0) -> PointerNetwork:
    """A network that has learned nothing, the same for the same seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return PointerNetwork(config).eval()
