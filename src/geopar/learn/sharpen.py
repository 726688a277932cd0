"""The same preferences, more decided: a good beginning of reinforcement after imitation."""

from __future__ import annotations

from dataclasses import replace

import torch

from geopar.model.policy import Policy


@torch.no_grad()
def sharpened(policy: Policy, factor: float) -> Policy:
    """The network with every logit times a factor, and so the clip.

    A network that imitates is unsure wherever the teacher's choice cannot be told. Its favourite is
    the same after this, but samples come closer to it.
    """
    if factor == 1.0:
        return policy
    result = Policy(replace(policy.config, clip=factor * policy.config.clip))
    result.load_state_dict(policy.state_dict())
    result.decoding = policy.decoding
    # The pointer's logits are the clip times a tanh; those of the other one are also within it.
    if policy.config.edge_pointer:
        result.edge_pointer.out.weight *= factor
    return result
