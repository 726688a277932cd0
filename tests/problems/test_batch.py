import numpy as np
import pytest
import torch
from hypothesis import given

from geopar.errors import InputError
from geopar.problems import HCVRP
from geopar.problems.batch import (
    group_by_size,
    make_batch,
    rotated_copies,
    symmetric_copies,
)
from geopar.problems.environment import make_environment
from geopar.problems.random import generate
from rollouts import roll_out
from strategies import problems


@given(problems())
def test_places_fill_the_unit_square_with_one_scale_for_both_axes(problem):
    batch = make_batch([problem])
    places = torch.cat([batch.places[0], batch.starts[0]])
    assert places.min() >= 0.0
    assert places.max() <= 1.0 + 1e-6
    tasks = problem.customers_xy if isinstance(problem, HCVRP) else problem.tasks_xy
    size = float(batch.scale) * (float(problem.speed.max()) if isinstance(problem, HCVRP) else 1.0)
    for i in range(len(tasks) - 1):
        true = np.hypot(*(tasks[i + 1] - tasks[i]))
        seen = torch.linalg.vector_norm(batch.tasks[0, i + 1] - batch.tasks[0, i])
        assert float(seen) * size == pytest.approx(true, abs=1e-5 * size)


def test_all_points_equal_stay_finite():
    problem = HCVRP((5, 5), [(5, 5)] * 3, [1, 1, 1], [2], [1])
    assert torch.equal(make_batch([problem]).places, torch.zeros(1, 4, 2))


def test_sizes_and_kinds_may_not_be_mixed():
    with pytest.raises(InputError, match="mixed-sizes"):
        make_batch([generate("hcvrp/3/1"), generate("hcvrp/4/1")])
    with pytest.raises(InputError, match="mixed-sizes"):
        make_batch([generate("hcvrp/4/1"), generate("omdcpdp/4/1")])
    with pytest.raises(InputError, match="empty"):
        make_batch([])


def test_groups_hold_problems_of_one_size_and_not_too_many():
    mixed = [generate(f"hcvrp/{n}/2") for n in (3, 4, 3, 3, 4)]
    assert group_by_size(mixed, most=2) == [[0, 2], [3], [1, 4]]


@pytest.mark.parametrize("setting", ["hcvrp/8/2", "omdcpdp/8/2"])
@pytest.mark.parametrize("copies", [symmetric_copies, rotated_copies])
def test_moved_copies_cost_the_same(setting, copies):
    batch = make_batch([generate(setting, k) for k in range(2)])
    environment = make_environment(batch)
    state, recorder, _ = roll_out(environment, 1, seed=0)
    moved = make_environment(copies(batch, 8))
    copied = moved.reset()
    for action in recorder.actions:
        copied = moved.step(copied, action.repeat_interleave(8, 0))
    expected = environment.cost(state).repeat_interleave(8, 0)
    torch.testing.assert_close(moved.cost(copied), expected, rtol=1e-5, atol=0)
    assert torch.equal(moved.batch.places[::8], batch.places)


def test_the_eight_symmetries_are_different_and_stay_in_the_square():
    batch = symmetric_copies(make_batch([generate("hcvrp/5/1")]), 8)
    assert batch.places.min() >= -1e-6
    assert batch.places.max() <= 1 + 1e-6
    assert len({tuple(row.flatten().tolist()) for row in (batch.places * 1e4).round()}) == 8


def test_selecting_and_moving_keep_every_field():
    batch = make_batch([generate("omdcpdp/6/2", k) for k in range(3)])
    chosen = batch.select([2, 0]).to("cpu")
    assert torch.equal(chosen.places, batch.places[[2, 0]])
    assert torch.equal(chosen.capacity, batch.capacity[[2, 0]])
