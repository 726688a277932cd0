import numpy as np
import pytest
import torch

from geopar.learn.data import (
    batch_of,
    crop,
    draw_batch,
    draw_size,
    fixed_batch,
    instance_arrays,
    turned,
)
from geopar.problems.batch import make_batch
from geopar.problems.kinds import KINDS, PROBLEM_KINDS, Kind
from geopar.problems.random import generate
from geopar.problems.setting import Setting


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_are_whole_orders_in_their_ranges(kind: Kind) -> None:
    each, rng = PROBLEM_KINDS[kind].tasks_per_order, np.random.default_rng(0)
    sizes = [draw_size(kind, (5, 9), (2, 4), rng) for _ in range(200)]
    assert {size.num_tasks for size in sizes} == {
        count - count % each for count in range(5, 10)
    }  # fmt: skip
    assert {size.num_vehicles for size in sizes} == {2, 3, 4}


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_and_back_are_the_same_instances(kind: Kind) -> None:
    problems = [generate(f"{kind}/8/3", seed) for seed in range(3)]
    arrays = instance_arrays(problems)
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float32)}
    found, expected = batch_of(kind, arrays, [2, 0]), make_batch([problems[2], problems[0]])
    for name in ("places", "capacity", "scale"):
        one, other = getattr(found, name), getattr(expected, name)
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_turned_instances_have_the_same_distances(kind: Kind) -> None:
    batch = draw_batch(kind, (8, 8), (2, 2), 3, np.random.default_rng(0))
    moved = turned(batch, torch.Generator().manual_seed(1))
    assert not torch.allclose(moved.places, batch.places)
    gaps = [torch.cdist(one.places, one.starts) for one in (batch, moved)]
    torch.testing.assert_close(gaps[0], gaps[1], rtol=1e-4, atol=1e-5)
    assert torch.equal(moved.scale, batch.scale)


def test_fixed_instances_are_the_same_each_time_and_others_for_other_sizes_and_seeds() -> None:
    first = fixed_batch(Setting("hcvrp", 6, 2), 4, 0).places
    assert torch.equal(fixed_batch(Setting("hcvrp", 6, 2), 4, 0).places, first)
    # The first of more are the same.
    assert torch.equal(fixed_batch(Setting("hcvrp", 6, 2), 7, 0).places[:4], first)
    assert not torch.equal(fixed_batch(Setting("hcvrp", 6, 3), 4, 0).places, first)
    assert not torch.equal(fixed_batch(Setting("hcvrp", 6, 2), 4, 1).places, first)


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_a_crop_is_as_dense_as_what_it_was_cut_out_of(kind: Kind) -> None:
    rng = np.random.default_rng(3)
    setting = Setting(kind, 40, 3)
    problem = crop(setting, 25.0, rng)
    assert (problem.num_tasks, problem.num_vehicles) == (40, 3)
    requests = problem.tasks_xy[: len(problem.request_ids)]
    # A twenty-fifth of the unit square, or less of it at an edge.
    assert np.prod(np.ptp(requests, axis=0)) < 2.0 / 25.0


def test_crops_repeat_and_have_one_size() -> None:
    one, other = (
        draw_batch("hcvrp", (20, 30), (2, 4), 5, np.random.default_rng(1), cropped=True)
        for _ in range(2)
    )
    assert one.size == 5
    assert torch.equal(one.places, other.places)
