import numpy as np
import pytest

from geopar.errors import Faults
from geopar.problems import validation


def codes(faults: Faults) -> list[str]:
    return [fault.code for fault in faults.found]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("abc", "not-a-number"),
        ([1, "x"], "not-a-number"),
        ([[1], [2, 3]], "not-a-number"),
        ([1j], "not-a-number"),
        ([10**400], "not-a-number"),
        ({"a": 1}, "not-a-number"),
        (5, "wrong-shape"),
        ([[1, 2]], "wrong-shape"),
    ],
)
def test_lists_of_numbers(value, code):
    faults = Faults()
    assert validation.as_floats(faults, "demand", value).shape == (0,)
    assert codes(faults) == [code]
    assert faults.found[0].field == "demand"


@pytest.mark.parametrize("value", [[1, 2], [[1, 2, 3]], [[[1, 2]]], 3])
def test_lists_of_places(value):
    faults = Faults()
    assert validation.as_floats(faults, "customers", value, 2).shape == (0, 2)
    assert codes(faults) == ["wrong-shape"]
    assert "2 numbers each" in faults.found[0].message


@pytest.mark.parametrize("value", [[], [[]], np.zeros((0, 2))])
def test_empty_lists_have_their_shape(value):
    faults = Faults()
    assert validation.as_floats(faults, "customers", value, 2).shape == (0, 2)
    assert not faults


def test_arrays_are_copied_in_row_order_and_closed():
    mine = np.asfortranarray([[1.0, 2.0], [3.0, 4.0]])
    array = validation.as_floats(Faults(), "customers", mine, 2)
    assert array.flags.c_contiguous
    assert not array.flags.writeable
    mine[0, 0] = 9.0
    assert array[0, 0] == 1.0


def test_a_point_is_two_numbers():
    faults = Faults()
    validation.as_point(faults, "depot", [1, 2, 3])
    assert codes(faults) == ["wrong-shape"]
    assert validation.as_point(Faults(), "depot", (1, 2)).tolist() == [1.0, 2.0]


def test_ranges_name_the_element():
    faults = Faults()
    values = np.array([1.0, -1.0, np.nan, np.inf, 11.0])
    column = validation.Column("customer", "demand", ["a", "b", "c"], values)
    validation.check_range(faults, column, 0.0, 10.0)
    assert [(fault.code, fault.field) for fault in faults.found] == [
        ("out-of-range", "customer b demand"),
        ("not-finite", "customer c demand"),
        ("not-finite", "customer 3 demand"),  # there are too few ids: the row will do
        ("out-of-range", "customer 4 demand"),
    ]


def test_counts():
    faults = Faults()
    validation.check_count(faults, "vehicles", 1, 2)
    validation.check_count(faults, "vehicles", 2, 2)
    assert not faults
    validation.check_count(faults, "vehicles", 0, 2)
    validation.check_count(faults, "vehicles", 3, 2)
    assert codes(faults) == ["empty", "too-many"]


def test_ids_are_text_and_numbered_when_left_out():
    assert validation.clean_ids(Faults(), "ids", None, 3, "c") == ("c1", "c2", "c3")
    assert validation.clean_ids(Faults(), "ids", [7, "x"], 2, "c") == ("7", "x")


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        (["a", "a", "b"], ["duplicate-id"]),
        ([1, "1", 1], ["duplicate-id", "duplicate-id"]),
        (["a", "", "b"], ["empty-id"]),
        (["a", "b"], ["wrong-length"]),
        (["", ""], ["wrong-length", "duplicate-id", "empty-id", "empty-id"]),
        (5, ["not-a-list"]),
    ],
)
def test_ids_that_will_not_do(ids, found):
    faults = Faults()
    validation.clean_ids(faults, "customer ids", ids, 3, "c")
    assert codes(faults) == found


def test_unknown_coordinates_are_told_once():
    faults, points = Faults(), np.zeros((1, 2))
    for _ in range(2):
        validation.check_coordinates(faults, "polar", "customer {}", ["a"], points)
    assert codes(faults) == ["unknown-value"]
