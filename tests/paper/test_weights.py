import dataclasses
from typing import Any

import pytest
import torch

import instances
from geopar.errors import InputError
from geopar.paper.config import NetworkConfig
from geopar.paper.policy import Policy
from geopar.paper.weights import changed, is_without_direct, refitted, with_direct
from geopar.problems.batch import make_batch

SMALL: dict[str, Any] = {"width": 16, "heads": 2, "layers": 1, "feedforward": 16}


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_other_directions_take_the_bias_of_the_nearest(count: int):
    policy = Policy.untrained(NetworkConfig("hcvrp", auxiliary=True, **SMALL))
    bias = policy.encoder.branch.bias.source_bias
    with torch.no_grad():
        bias[:, 0] = torch.arange(6.0)  # itself, four directions, the task-native ordering
    made = changed(policy, {"directions": count}).encoder.branch.bias.source_bias[:, 0]
    expected = {
        1: [0, 1, 5], 2: [0, 1, 3, 5], 4: [0, 1, 2, 3, 4, 5],
        8: [0, 1, 1, 2, 2, 3, 3, 4, 1, 5],  # the last one is as near to the first, turned
    }  # fmt: skip
    assert made.tolist() == expected[count]


def test_without_the_branch_the_network_is_as_if_its_gate_were_shut():
    policy = Policy.untrained(NetworkConfig("hcvrp", **SMALL))
    batch = make_batch([instances.handful()])
    made = changed(policy, {"geometry": False})
    assert made.encoder.branch is None
    environment = policy.environment(batch)
    state = environment.reset(1)
    shut, without = (p.logits(p.encode(environment), state).logits for p in (policy, made))
    assert torch.allclose(shut, without)  # a gate starts shut


def test_weights_go_on_in_a_network_with_other_windows_only() -> None:
    config = NetworkConfig("hcvrp", **SMALL)
    policy = Policy.untrained(config)
    assert refitted(policy, config) is policy
    without = dataclasses.replace(config, geometry=False)
    assert refitted(policy, without).config == without
    wider = dataclasses.replace(without, width=32)
    assert refitted(policy, wider) is policy
    # A branch would have to be drawn, which is not for loading to do.
    assert refitted(Policy.untrained(without), config).config == without


def test_nothing_changed_is_the_same_and_no_copy():
    policy = Policy.untrained(NetworkConfig("hcvrp", **SMALL))
    assert changed(policy, {}) is policy
    other = changed(policy, {"radius": 3, "most_cached": 5})
    assert (other.config.radius, other.config.most_cached) == (3, 5)
    assert other.decoding == policy.decoding


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"width": 8}, "unknown-setting"), ({"radius": "far"}, "wrong-type"),
     ({"directions": 0}, "out-of-range")],
)  # fmt: skip
def test_what_cannot_be_changed(changes, code):
    with pytest.raises(InputError) as caught:
        changed(Policy.untrained(NetworkConfig("hcvrp", **SMALL)), changes)
    assert caught.value.faults[0].code == code


def test_a_branch_that_was_not_learned_cannot_be_switched_on():
    with pytest.raises(InputError, match="no such branch"):
        changed(
            Policy.untrained(NetworkConfig("hcvrp", geometry=False, **SMALL)), {"geometry": True}
        )


def test_a_direct_term_counts_nothing_until_it_has_learned():
    policy = Policy.untrained(NetworkConfig("hcvrp", direct=False, **SMALL))
    made = with_direct(policy)
    environment = policy.environment(make_batch([instances.handful()]))
    state = environment.reset(1)
    before, after = (p.logits(p.encode(environment), state).logits for p in (policy, made))
    assert torch.equal(before, after)
    with torch.no_grad():
        made.decoder.direct.weight.fill_(0.1)
    assert not torch.allclose(before, made.logits(made.encode(environment), state).logits)


def test_only_the_direct_term_may_be_lacking():
    small = NetworkConfig("hcvrp", direct=False, **SMALL)
    whole = NetworkConfig("hcvrp", **SMALL)
    assert is_without_direct(small, whole)
    assert not is_without_direct(whole, whole)
    assert not is_without_direct(whole, small)
    assert not is_without_direct(NetworkConfig("omdcpdp", direct=False, **SMALL), whole)
