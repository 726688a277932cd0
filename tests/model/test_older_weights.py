"""Weights that were saved before the network was told more must still mean the same."""

import pytest
import torch

from geopar.model.fleet_arrays import feature_sizes
from geopar.model.older_weights import OLDER_SIZES, widened
from midway import midway, policy_for

COLUMNS = {
    "edge_pointer.pair.weight": "pairs",
    "edge_pointer.agent.weight": "agents",
    "pointer.query_agent.weight": "agents",
}


def narrowed(tensors, config, written):
    """As an older format had them: without the columns of later features."""
    old, new = OLDER_SIZES[written][config.kind], feature_sizes(config)[0]
    result = dict(tensors)
    for name, part in COLUMNS.items():
        had, has = getattr(old, part), getattr(new, part)
        weight = tensors[name]
        result[name] = torch.cat([weight[:, :had], weight[:, has:]], 1)
    return result


@pytest.mark.parametrize("written", OLDER_SIZES)
@pytest.mark.parametrize("sketches", [0, 1])
@pytest.mark.parametrize("setting", ["hcvrp/12/3", "omdcpdp/12/3"])
def test_what_was_not_told_counts_for_nothing(setting, sketches, written):
    policy = policy_for(setting.partition("/")[0], sketches=sketches)
    encoded, state = midway(policy, setting, 3)
    tensors = policy.state_dict()
    config = policy.config
    again = widened(narrowed(tensors, config, written), config, written)
    assert {name: t.shape for name, t in again.items()} == {n: t.shape for n, t in tensors.items()}
    old, new = OLDER_SIZES[written][config.kind], feature_sizes(config)[0]
    with torch.no_grad():
        for name, part in COLUMNS.items():
            had, has = getattr(old, part), getattr(new, part)
            assert has >= had
            assert has > had or written > 1
            tensors[name][:, had:has] = 0.0
            assert torch.equal(again[name], tensors[name])
        policy.load_state_dict(again)
        logits = policy.logits(encoded, state).logits
    assert logits.isfinite().any()
