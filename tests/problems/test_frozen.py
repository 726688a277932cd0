import hashlib

import numpy as np
import pytest

from geopar.errors import InputError
from geopar.problems.frozen import frozen, frozen_arrays, set_size
from geopar.problems.hcvrp.arrays import problem_at
from geopar.problems.setting import Setting


def digest(arrays) -> str:
    """One hash over all arrays, in the order of their names."""
    whole = hashlib.sha256()
    for name in sorted(arrays):
        whole.update(np.ascontiguousarray(arrays[name]).tobytes())
    return whole.hexdigest()


# What the design page defines, drawn at once: any change here changes every published table.
@pytest.mark.parametrize(
    ("name", "count", "expected"),
    [
        ("hcvrp/60/3", None, "3131c7cc9d027af968ce663d431934a155a9bfe32b308f2646483a10030c3815"),
        ("hcvrp/100/7", None, "8b8a4f19ffcda9b8f655e470acb6f86263f43ba3f185b0949f6533c11c145c45"),
        ("omdcpdp/50/5", None, "5e999dc563afed63e4931c43a9b388ac87f9583bff6207c37a1a6efdcbd7d00f"),
        ("hcvrp/1000/20", 2, "b92a30d888e0c6e169659114af3c33bac1da14d1d461db9ba330c364f34c45ac"),
    ],
)
def test_pinned_to_the_bit(name, count, expected):
    assert digest(frozen_arrays(Setting.parse(name), count)) == expected


def hcvrp_in_one_draw(size: int, n: int, m: int):
    random = np.random.RandomState(24610)
    places = random.uniform(size=(size, n + 1, 2))
    demand = random.randint(1, 10, (size, n + 1))
    speed = random.uniform(0.5, 1, (size, m))
    capacity = random.randint(20, 41, (size, m))
    return {
        "depot": places[:, -1].astype(np.float32),
        "locs": places[:, :-1].astype(np.float32),
        "demand": demand[:, :-1].astype(np.float32),
        "capacity": capacity.astype(np.float32),
        "speed": speed.astype(np.float32),
    }


def omdcpdp_in_one_draw(size: int, n: int, m: int):
    random = np.random.RandomState(3333)
    pickups = random.uniform(size=(size, n // 2, 2))
    deliveries = random.uniform(size=(size, n // 2, 2))
    starts = random.uniform(size=(size, m, 2))
    return {
        "depots": starts.astype(np.float32),
        "locs": np.concatenate([pickups, deliveries], axis=1).astype(np.float32),
        "capacity": np.full((size, m), 3, dtype=np.float32),
    }


@pytest.mark.parametrize(
    ("name", "draw", "size"),
    [
        ("hcvrp/60/3", hcvrp_in_one_draw, 1280),
        ("hcvrp/80/5", hcvrp_in_one_draw, 1280),
        ("hcvrp/1/1", hcvrp_in_one_draw, 1280),
        ("hcvrp/120/4", hcvrp_in_one_draw, 128),
        ("omdcpdp/50/5", omdcpdp_in_one_draw, 1000),
        ("omdcpdp/102/6", omdcpdp_in_one_draw, 128),
    ],
)
def test_equal_to_one_draw(name, draw, size):
    setting = Setting.parse(name)
    arrays, expected = frozen_arrays(setting), draw(size, setting.num_tasks, setting.num_vehicles)
    assert arrays.keys() == expected.keys()
    for key, value in expected.items():
        assert arrays[key].dtype == np.float32
        assert np.array_equal(arrays[key], value), key


@pytest.mark.parametrize("name", ["hcvrp/60/3", "omdcpdp/50/5"])
def test_the_first_few_are_the_first_few(name):
    setting = Setting.parse(name)
    few, all_ = frozen_arrays(setting, 3), frozen_arrays(setting)
    assert all(np.array_equal(few[key], all_[key][:3]) for key in all_)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("hcvrp/60/3", 1280), ("hcvrp/100/7", 1280), ("hcvrp/101/7", 128), ("hcvrp/5000/400", 128),
        ("omdcpdp/100/20", 1000), ("omdcpdp/1000/20", 128),
    ],
)  # fmt: skip
def test_sizes_of_the_sets(name, size):
    assert set_size(Setting.parse(name)) == size


@pytest.mark.parametrize("count", [0, -1, 1281])
def test_counts_out_of_the_set(count):
    with pytest.raises(InputError, match=r"bad-count.*1\.\.1280.*Maybe 1280"):
        frozen("hcvrp/60/3", count)


def test_a_set_is_a_sequence_of_named_problems():
    few = frozen("hcvrp/60/3", 2)
    assert len(few) == 2
    first, second = few
    assert first == few[0] == problem_at(few.arrays, 0, name="hcvrp/60/3#0")
    assert first != second
    assert second.name == "hcvrp/60/3#1"
    assert first.customers.dtype == np.float64
    assert np.array_equal(first.customers.astype(np.float32), few.arrays["locs"][0])
    for row in (2, -1):
        with pytest.raises(IndexError):
            few[row]


def test_orders_are_split_in_pickups_and_deliveries():
    few = frozen("omdcpdp/50/5", 1)
    (problem,) = few
    assert np.array_equal(problem.tasks_xy.astype(np.float32), few.arrays["locs"][0])
    assert problem.capacity.tolist() == [3.0] * 5
