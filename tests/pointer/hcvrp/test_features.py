import pytest
import torch

from midway import midway, network_for, observed
from observations import assert_seen_alike


@pytest.mark.parametrize(
    ("setting", "steps"),
    [
        ("hcvrp/1/1", 0), ("hcvrp/3/4", 1), ("hcvrp/30/3", 0), ("hcvrp/30/3", 5), ("hcvrp/30/3", 9),
        # More than are looked at without a grid.
        ("hcvrp/300/3", 0), ("hcvrp/300/3", 12),
        # More vehicles than are compared with each other one by one.
        ("hcvrp/40/30", 0), ("hcvrp/40/30", 2),
    ],
)  # fmt: skip
def test_compiled_code_sees_what_tensor_operations_see(setting, steps):
    assert_seen_alike(setting, steps)


@pytest.mark.parametrize("turns", [1, 2, 7])
@pytest.mark.parametrize("steps", [0, 1, 3, 12])
def test_they_see_the_same_where_vehicles_take_turns(turns, steps):
    assert_seen_alike("hcvrp/30/6", steps, turns=turns)


@pytest.mark.parametrize(
    ("setting", "steps"), [("hcvrp/30/3", 0), ("hcvrp/30/3", 6), ("hcvrp/5/4", 2)]
)
def test_what_is_feasible_is_so_by_the_rules_of_the_environment(setting, steps):
    environment, state = midway(setting, steps)
    seen = observed(network_for("hcvrp").config, environment, state)
    assert torch.equal(seen.feasible, environment.feasible(state, seen.candidates))


def test_the_first_to_be_home_again_have_their_turn():
    environment, state = midway("hcvrp/30/6", 0)
    seen = observed(network_for("hcvrp", turns=2).config, environment, state)
    # All stand at the depot, so the fastest would be home first.
    speed = environment.batch.speed[:, None].expand(seen.active.shape)
    assert torch.equal(seen.active.sum(-1), torch.full(seen.active.shape[:2], 2))
    assert torch.equal(seen.active, speed >= speed.topk(2).values[..., 1:])
    assert not seen.feasible[seen.active][..., -1].any(), "they may not wait for each other"
    assert seen.feasible[~seen.active][..., -1].all()
    assert not seen.feasible[~seen.active][..., :-1].any()
