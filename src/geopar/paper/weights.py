"""The weights of the paper's network with other windows, or with a direct term in Eq. 8."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import torch

from geopar.errors import Faults
from geopar.paper.config import NetworkConfig
from geopar.paper.policy import Policy
from geopar.paper.windows import nearest_direction
from geopar.settings import maybe_one_of, read_settings

# What may be changed of a network that has learned already.
CHANGEABLE = ("directions", "radius", "most_cached", "geometry", "clip")
SOURCE_BIAS = "encoder.branch.bias.source_bias"
DIRECT = "decoder.direct.weight"


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
    made = Policy.untrained(new)
    made.load_state_dict(tensors)
    made.decoding = policy.decoding
    return made.to(next(policy.parameters()).device)


def refitted(policy: Policy, config: NetworkConfig) -> Policy:
    """The same weights in a network of other settings, if those may change; else as they are."""
    old, new = policy.config.to_json(), config.to_json()
    changes = {name: new[name] for name in new if new[name] != old[name]}
    gains_branch = config.geometry and not policy.config.geometry
    return policy if gains_branch or set(changes) - set(CHANGEABLE) else changed(policy, changes)


def is_without_direct(old: NetworkConfig, new: NetworkConfig) -> bool:
    """Whether a network differs from another one only by lacking its direct term of Eq. 8."""
    return new.direct and not old.direct and dataclasses.replace(old, direct=True) == new


def with_direct(policy: Policy) -> Policy:
    """The same weights in a network that has the direct term, which counts nothing as yet."""
    made = Policy.untrained(dataclasses.replace(policy.config, direct=True))
    made.load_state_dict(
        policy.state_dict() | {DIRECT: torch.zeros_like(made.state_dict()[DIRECT])}
    )
    made.decoding = policy.decoding
    return made
