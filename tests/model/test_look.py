"""The compiled look must tell the network what the tensor version tells it."""

import pytest
import torch

from geopar.model import reach
from geopar.model.insertion_kernel import MOST_COMPARED_ORDERS
from midway import midway, policy_for

CASES = [
    ("hcvrp/1/1", 0), ("hcvrp/3/4", 1), ("hcvrp/30/3", 0), ("hcvrp/30/3", 5), ("hcvrp/30/3", 9),
    # More than the compiled search looks at without a grid.
    ("hcvrp/300/3", 0), ("hcvrp/300/3", 12),
    # More vehicles than are compared with each other one by one.
    ("hcvrp/40/30", 0), ("hcvrp/40/30", 2), ("omdcpdp/60/30", 2),
    ("omdcpdp/2/3", 0), ("omdcpdp/20/3", 0), ("omdcpdp/20/3", 5), ("omdcpdp/20/3", 9),
    ("omdcpdp/500/3", 0), ("omdcpdp/500/3", 20),
]  # fmt: skip


def by_task(candidates, values, num_tasks):
    """Values of columns as values of tasks, so that the order of columns does not matter."""
    result = torch.zeros(*candidates.shape[:3], num_tasks + 1, *values.shape[4:])
    index = candidates if values.dim() == 4 else candidates[..., None].expand(values.shape)
    return result.scatter(3, index, values.float())


def assert_looks_are_equal(policy, setting, steps):
    encoded, state = midway(policy, setting, steps)
    scene, count = encoded.scene, encoded.environment.batch.num_tasks
    listed = reach.near(policy.config, scene, state, None)
    tensor = scene.look(state, listed)
    compiled = scene.compiled_look(state, near=listed.shape[-1] - 1)
    assert torch.equal(tensor.active, compiled.active)
    torch.testing.assert_close(tensor.agents, compiled.agents, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(tensor.fleet, compiled.fleet, atol=1e-5, rtol=1e-5)
    allowed = by_task(listed, tensor.feasible, count)
    assert torch.equal(allowed, by_task(compiled.candidates, compiled.feasible, count))
    one = by_task(listed, tensor.pairs, count) * allowed[..., None]
    other = by_task(compiled.candidates, compiled.pairs, count) * allowed[..., None]
    torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(("setting", "steps"), CASES)
def test_compiled_and_tensor_looks_are_equal(setting, steps):
    assert_looks_are_equal(policy_for(setting.partition("/")[0]), setting, steps)


@pytest.mark.parametrize("turns", [1, 2, 7])
@pytest.mark.parametrize("steps", [0, 1, 3, 12])
def test_compiled_and_tensor_looks_are_equal_where_vehicles_take_turns(turns, steps):
    assert_looks_are_equal(policy_for("hcvrp", turns=turns), "hcvrp/30/6", steps)


def test_compiled_and_tensor_looks_are_equal_where_very_many_orders_are_free():
    assert_looks_are_equal(policy_for("omdcpdp"), f"omdcpdp/{2 * MOST_COMPARED_ORDERS + 20}/2", 2)


def test_the_first_to_be_home_again_have_their_turn():
    policy = policy_for("hcvrp", turns=2)
    encoded, state = midway(policy, "hcvrp/30/6", 0)
    look = policy.look(encoded, state)
    # All stand at the depot, so the fastest would be home first.
    speed = encoded.environment.batch.speed[:, None].expand(look.active.shape)
    assert torch.equal(look.active.sum(-1), torch.full(look.active.shape[:2], 2))
    assert torch.equal(look.active, speed >= speed.topk(2).values[..., 1:])
    assert not look.feasible[look.active][..., -1].any(), "they may not wait for each other"
    assert look.feasible[~look.active][..., -1].all()
    assert not look.feasible[~look.active][..., :-1].any()


@pytest.mark.parametrize("setting", ["hcvrp/30/3", "omdcpdp/20/3"])
def test_given_candidates_are_looked_at_as_they_are(setting):
    policy = policy_for(setting.partition("/")[0])
    encoded, state = midway(policy, setting, 5)
    candidates = reach.near(policy.config, encoded.scene, state, None)
    tensor = encoded.scene.look(state, candidates)
    compiled = encoded.scene.compiled_look(state, candidates=candidates)
    assert compiled.candidates is candidates
    assert torch.equal(tensor.feasible, compiled.feasible)
    torch.testing.assert_close(tensor.pairs, compiled.pairs, atol=1e-4, rtol=1e-4)
