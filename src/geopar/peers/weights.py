"""Weights of learned peers: the same files and cards as ours, named ``PROBLEM-PEER``."""

from __future__ import annotations

import torch

from geopar.errors import Faults
from geopar.neural.cards import RANDOM, fill, find_weights, fitting_card, folders
from geopar.peers.peer import Peer
from geopar.peers.registry import make_peer, peer_class


def load_peer(
    learner: str, kind: str, name: str | None = None, device: str | torch.device = "cpu"
) -> Peer:
    """A peer with weights by name or path, ready to roll out; ``random`` ones have learned nothing.

    Without a name those called like the peer, such as ``hcvrp-am``.

    Raises
    ------
    geopar.errors.InputError
        When there are none, or they are damaged or for another problem, peer or version.
    """
    if name == RANDOM:
        return random_peer(learner, kind).to(device)
    if name is None:
        _check_installed(learner, kind)
    path = find_weights(kind, name or learner)
    card = fitting_card(path, kind, learner)
    config = peer_class(learner, kind).Config.from_json(card.architecture)
    with torch.random.fork_rng(devices=[]):
        peer = make_peer(learner, config)
    fill(peer, path, card)
    return peer.eval().to(device)


def random_peer(learner: str, kind: str, seed: int = 0) -> Peer:
    """A peer that has learned nothing, the same for the same seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        config = peer_class(learner, kind).Config(kind)  # type: ignore[arg-type]
        return make_peer(learner, config).eval()


def _check_installed(learner: str, kind: str) -> None:
    """Say how to get weights when there are none by the peer's own name."""
    if not any((folder / f"{kind}-{learner}.safetensors").is_file() for folder in folders()):
        faults = Faults()
        faults.add(
            "no-weights", "weights", f"{kind}-{learner}", "are not installed.",
            f"Train some: geopar train {kind} --model {learner}. See docs/understand/peers.md.",
        )  # fmt: skip
        faults.raise_now()
