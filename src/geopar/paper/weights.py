"""The paper's network with weights by name or path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from geopar.errors import Faults
from geopar.neural.cards import RANDOM, fill, find_weights, fitting_card
from geopar.paper.config import Decoding, NetworkConfig
from geopar.paper.policy import Policy
from geopar.paper.windows import nearest_direction
from geopar.settings import maybe_one_of, read_settings

# What may be changed of a network that has learned already.
CHANGEABLE = ("directions", "radius", "most_cached", "geometry", "clip")
SOURCE_BIAS = "encoder.branch.bias.source_bias"


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


def changed(policy: Policy, changes: Mapping[str, Any]) -> Policy:
    """The same weights in a network with other windows.

    Of other directions each takes the bias b_c of the nearest that was learned; without
    ``geometry`` the branch of Eq. 5 is left out.

    Raises
    ------
    geopar.errors.InputError
        For settings that trained weights do not allow to be changed, or values that do not fit.
    """
    if not changes:
        return policy
    old, faults = policy.config, Faults()
    for name in sorted(set(changes) - set(CHANGEABLE)):
        message = "cannot be changed once a network has learned."
        hint = maybe_one_of(name, CHANGEABLE)
        faults.add("unknown-setting", f"model.{name}", changes[name], message, hint)
    if changes.get("geometry") and not old.geometry:
        faults.add("out-of-range", "model.geometry", True, "these weights have no such branch.")
    faults.raise_if_any()
    new: NetworkConfig = read_settings(
        NetworkConfig, old.to_json() | dict(changes), "network", prefix="model."
    )
    tensors = policy.state_dict()
    if not new.geometry:
        tensors = {n: t for n, t in tensors.items() if not n.startswith("encoder.branch.")}
    elif new.directions != old.directions:
        bias = tensors[SOURCE_BIAS]
        rows = [0, *(1 + row for row in nearest_direction(new.directions, old.directions))]
        tensors[SOURCE_BIAS] = bias[rows + list(range(1 + old.directions, len(bias)))]
    made = random_policy(new)
    made.load_state_dict(tensors)
    made.decoding = policy.decoding
    return made.to(next(policy.parameters()).device)
