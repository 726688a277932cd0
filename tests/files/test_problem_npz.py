import io
import pickle
import zipfile
from typing import Any

import numpy as np
import pytest

from geopar.errors import InputError
from geopar.files.problem_npz import batch_from_npz, batch_to_npz
from geopar.problems import HCVRP
from geopar.problems.frozen import frozen

HCVRP_SET = frozen("hcvrp/6/2", 3)
OMDCPDP_SET = frozen("omdcpdp/6/2", 3)


def packed(arrays, **changes):
    buffer = io.BytesIO()
    changed = {**arrays, **changes}
    np.savez(buffer, **{name: array for name, array in changed.items() if array is not None})
    return buffer.getvalue()


def read(data):
    return batch_from_npz(data, "a.npz", "a")


def faults(data):
    with pytest.raises(InputError) as error:
        list(read(data))
    return [(fault.code, fault.field) for fault in error.value.faults]


@pytest.mark.parametrize("frozen_set", [HCVRP_SET, OMDCPDP_SET])
def test_the_field_s_arrays(frozen_set):
    batch = read(packed(frozen_set.arrays))
    assert len(batch) == 3
    assert [problem.name for problem in batch] == ["a#0", "a#1", "a#2"]
    for mine, theirs in zip(batch, frozen_set, strict=True):
        assert mine == theirs.replace(name=mine.name)
    assert batch[-1] == batch[2]
    assert batch[1:] == [batch[1], batch[2]]
    with pytest.raises(IndexError):
        batch[3]


@pytest.mark.parametrize("frozen_set", [HCVRP_SET, OMDCPDP_SET])
def test_written_as_it_was_read(frozen_set):
    data = batch_to_npz([problem.replace(name="") for problem in frozen_set])
    with np.load(io.BytesIO(data)) as members:
        assert set(members) == set(frozen_set.arrays)
        for name, array in frozen_set.arrays.items():
            assert members[name].dtype == array.dtype
            assert members[name].tobytes() == array.tobytes()


def test_what_the_arrays_do_not_hold_comes_back():
    problem = HCVRP_SET[0].replace(
        customer_ids=[f"kunde\0{i}\0" for i in range(6)], coordinates="lonlat", name="Köln"
    )
    other = HCVRP_SET[1].replace(name="")
    batch = read(batch_to_npz([problem, other]))
    assert batch[0] == problem
    assert batch[1] == other.replace(name="a#1")


def test_doubles_stay_doubles():
    problem = HCVRP((0.1, 0.2), [(0.3, 1 / 3)], [1], [1], [1], name="x")
    assert read(batch_to_npz([problem]))[0] == problem


def test_a_single_instance_without_the_first_axis():
    arrays = {name: array[0] for name, array in OMDCPDP_SET.arrays.items()}
    batch = read(packed(arrays))
    assert len(batch) == 1
    assert batch[0] == OMDCPDP_SET[0].replace(name="a")


def test_members_that_say_nothing_new_are_tolerated():
    more = {"num_agents": np.full(3, 2), "lateness_weight": np.ones((3, 1))}
    assert len(read(packed(OMDCPDP_SET.arrays, **more))) == 3
    more["lateness_weight"][1] = 0.5
    assert faults(packed(OMDCPDP_SET.arrays, **more)) == [("unsupported", "lateness_weight")]
    assert faults(packed(OMDCPDP_SET.arrays, num_agents=np.array(5))) == [
        ("unsupported", "num_agents")
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"speed": None}, ("missing-field", "a.npz member speed")),
        ({"sped": np.ones((3, 2))}, ("unknown-field", "a.npz member")),
        ({"speed": np.ones((3, 4))}, ("wrong-shape", "speed")),
        ({"speed": np.ones(3)}, ("wrong-shape", "speed")),
        ({"demand": np.ones((3, 7))}, ("wrong-shape", "demand")),
        ({"depot": np.ones((3, 3))}, ("wrong-shape", "depot")),
        ({"speed": np.full((3, 2), "1")}, ("not-a-number", "speed")),
        ({"speed": np.ones((3, 2), dtype=complex)}, ("not-a-number", "speed")),
        ({"speed": np.ones((3, 2), dtype=bool)}, ("not-a-number", "speed")),
        ({"geopar": np.zeros(3, dtype=np.uint8)}, ("bad-json", "geopar line 1 column 1")),
        ({"geopar": np.frombuffer(b"[1]", np.uint8)}, ("wrong-type", "geopar[0]")),
        ({"geopar": np.frombuffer(b'[{"order_ids": []}]', np.uint8)},
         ("unknown-field", "geopar[0].order_ids")),
        ({"geopar": np.frombuffer(b"[{}]", np.uint8)}, ("wrong-length", "geopar")),
        ({"geopar": np.frombuffer(b'[{"name": 1}]', np.uint8)}, ("wrong-type", "geopar[0].name")),
    ],
)  # fmt: skip
def test_faults_in_members(changes, expected):
    assert expected in faults(packed(HCVRP_SET.arrays, **changes))


@pytest.mark.parametrize(
    ("member", "at", "value", "expected"),
    [
        ("demand", (1, 3), -1, ("out-of-range", "demand[1, 3]")),
        ("demand", (1, 3), 1000, ("demand-over-capacity", "demand[1, 3]")),
        ("locs", (1, 3, 1), np.nan, ("not-finite", "locs[1, 3, 1]")),
        ("depot", (2, 0), np.inf, ("not-finite", "depot[2, 0]")),
        ("speed", (0, 1), 0, ("out-of-range", "speed[0, 1]")),
        ("capacity", (0, 1), np.nan, ("not-finite", "capacity[0, 1]")),
    ],
)
def test_faults_in_numbers(member, at, value, expected):
    array = HCVRP_SET.arrays[member].copy()
    array[at] = value
    assert faults(packed(HCVRP_SET.arrays, **{member: array})) == [expected]


@pytest.mark.parametrize(
    ("member", "at", "expected"),
    [
        ("locs", (1, 2, 0), ("not-finite", "locs[1, 2, 0]")),
        ("locs", (1, 4, 1), ("not-finite", "locs[1, 4, 1]")),
        ("depots", (0, 1, 1), ("not-finite", "depots[0, 1, 1]")),
    ],
)
def test_faults_in_numbers_of_omdcpdp(member, at, expected):
    array = OMDCPDP_SET.arrays[member].copy()
    array[at] = np.nan
    assert faults(packed(OMDCPDP_SET.arrays, **{member: array})) == [expected]


def test_odd_number_of_tasks():
    data = packed(OMDCPDP_SET.arrays, locs=OMDCPDP_SET.arrays["locs"][:, :5])
    assert faults(data) == [("odd-tasks", "locs")]


def test_no_tasks_no_vehicles_no_instances():
    empty = {name: array[:, :0] for name, array in HCVRP_SET.arrays.items() if name != "depot"}
    assert faults(packed(HCVRP_SET.arrays, **empty)) == [("empty", "locs"), ("empty", "capacity")]
    none = {name: array[:0] for name, array in HCVRP_SET.arrays.items()}
    assert faults(packed(none)) == [("empty", "locs")]


def header_only(shape, dtype="<f4"):
    """A member that claims a shape and holds no data."""
    buffer = io.BytesIO()
    fields = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(buffer, fields)
    return buffer.getvalue()


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return buffer.getvalue()


def test_ten_million_tasks_are_refused_by_the_header():
    n = 10**7
    data = zipped(
        depot=header_only((1, 2)), locs=header_only((1, n, 2)), demand=header_only((1, n)),
        capacity=header_only((1, 3)), speed=header_only((1, 3)),
    )  # fmt: skip
    with pytest.raises(InputError, match=r"too-many.*locs = 10000000.*1,000,000"):
        read(data)


def test_terabytes_are_refused_by_the_header():
    data = zipped(
        depots=header_only((10**9, 2, 2)), locs=header_only((10**9, 50, 2)),
        capacity=header_only((10**9, 2)),
    )  # fmt: skip
    assert ("too-large", "a.npz") in faults(data)


def test_a_header_without_data():
    data = zipped(
        depots=header_only((1, 2, 2)), locs=header_only((1, 4, 2)), capacity=header_only((1, 2))
    )
    assert ("bad-npz", "locs") in faults(data)


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("was unpickled",))


def test_pickles_are_never_loaded():
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {**HCVRP_SET.arrays, "speed": np.array([[Bomb()]], dtype=object)}
    np.savez(buffer, **arrays)
    assert faults(buffer.getvalue()) == [("pickled", "speed")]
    with pytest.raises(InputError, match="bad-npz"):
        read(pickle.dumps(Bomb()))


@pytest.mark.parametrize("data", [b"junk", b"PK\x03\x04junk", b"\x93NUMPY\x01\x00"])
def test_binary_junk(data):
    assert faults(data) == [("bad-npz", "a.npz")]


def test_only_equal_sizes_go_together():
    with pytest.raises(InputError, match="not-expressible"):
        batch_to_npz([HCVRP_SET[0], OMDCPDP_SET[0]])
    with pytest.raises(InputError, match="not-expressible"):
        batch_to_npz([])
