import numpy as np
import pytest

from geopar.errors import Faults, InputError
from geopar.files.json_objects import Objects, as_id, axes_of, check_list, points


def objects(*rows):
    return Objects(Faults(), list(rows), lambda row: f"rows[{row}]")


def found(rows):
    return [(fault.code, fault.field) for fault in rows.faults.found]


def test_columns():
    rows = objects({"x": 1, "y": 2.5, "id": "a"}, {"y": 4, "x": 3, "id": 7})
    rows.check_fields(("x", "y"), ("id",))
    np.testing.assert_array_equal(points(rows, ("x", "y")), [(1, 2.5), (3, 4)])
    assert rows.ids() == ["a", "7"]
    assert found(rows) == []


def test_numpy_s_numbers_are_numbers():
    rows = objects({"x": np.float32(0.5)}, {"x": np.int64(2)})
    np.testing.assert_array_equal(rows.numbers("x"), [0.5, 2])
    assert found(rows) == []


def test_holes_are_filled_with_harmless_numbers():
    rows = objects({"speed": "fast"}, 5, {})
    np.testing.assert_array_equal(rows.numbers("speed"), [1, 1, 1])
    assert found(rows) == [("wrong-type", "rows[1]"), ("not-a-number", "rows[0].speed")]


def test_a_row_that_is_no_object_is_told_once():
    rows = objects({"id": "a", "x": 1}, None)
    rows.check_fields(("x",), ("id",))
    rows.numbers("x")
    assert rows.ids() is not None
    assert found(rows) == [("wrong-type", "rows[1]")]


def test_children_have_longer_paths():
    rows = objects({"pickup": {"x": "?"}}, {}, {"pickup": 3})
    rows.children("pickup").numbers("x")
    assert found(rows) == [("wrong-type", "rows[2].pickup"), ("not-a-number", "rows[0].pickup.x")]


def test_fields_with_strange_names_stay_printable():
    rows = objects({"": 1, "a\nb": 2, 3: 4})
    rows.check_fields(("x",))
    assert found(rows) == [
        ("missing-field", "rows[0].x"),
        ("unknown-field", "rows[0].''"),
        ("unknown-field", "rows[0].'a\\nb'"),
        ("unknown-field", "rows[0].3"),
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([{"x": 1, "y": 2}], (("x", "y"), "plane")),
        ([{"lat": 1, "lon": 2}], (("lon", "lat"), "lonlat")),
        ([{}], (("x", "y"), "plane")),
        ([{"x": 1}, {"lat": 1}], ((), "plane")),
    ],
)
def test_names_of_coordinates(rows, expected):
    places = objects(*rows)
    assert axes_of(places.faults, [places]) == expected
    assert bool(places.faults) == (expected[0] == ())


@pytest.mark.parametrize("value", [1.0, True, None, [], pytest.param(10**5000, id="huge")])
def test_what_is_no_id(value):
    faults = Faults()
    assert as_id(faults, "id", value) is None
    assert faults.found[0].code == "wrong-type"


def test_lists():
    faults = Faults()
    assert check_list(faults, (1, 2), "a") == [1, 2]
    assert check_list(faults, {}, "b") is None
    assert check_list(faults, [], "c") is None
    assert check_list(faults, [], "d", least=0) == []
    assert [(f.code, f.field) for f in faults.found] == [("wrong-type", "b"), ("empty", "c")]
    with pytest.raises(InputError, match="limit of 1"):
        check_list(faults, [1, 2], "e", most=1)


def test_of_many_unknown_fields_a_few_are_looked_up(monkeypatch):
    looked_up = []
    monkeypatch.setattr(
        "geopar.files.json_objects.maybe", lambda name, known, taken: looked_up.append(name) or "?"
    )
    rows = Objects(Faults(), [{f"f{i}": i for i in range(10_000)}], lambda _: "")
    rows.check_fields(("demand",))
    assert len(looked_up) == 5
    with pytest.raises(InputError) as caught:
        rows.faults.raise_now()
    assert caught.value.left_out == 10_000 - 5
