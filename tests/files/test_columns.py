"""Columns of numbers as plain Python values."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.files.columns import objects, place_columns, plain, sparse

numbers = st.lists(st.one_of(st.integers(-9, 9).map(float), st.floats(allow_nan=False)), min_size=1)


@given(numbers)
def test_nothing_gets_lost(values):
    again = [float(value) for value in plain(np.array(values))]
    assert again == values
    assert [math.copysign(1, one) for one in again] == [math.copysign(1, one) for one in values]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1.0, -2.0], "[1, -2]"),
        ([1.0, 2.5], "[1.0, 2.5]"),
        ([0.0, -0.0], "[0.0, -0.0]"),
        ([2.0**53], "[9007199254740992.0]"),
        ([], "[]"),
    ],
)
def test_whole_numbers_have_no_dot_where_all_are_whole(values, text):
    assert json.dumps(plain(np.array(values, dtype=float))) == text


def test_latitude_comes_first():
    places = np.array([[16.0, 48.0], [15.5, 47.0]])
    assert place_columns(places, "plane") == {"x": [16.0, 15.5], "y": [48, 47]}
    assert list(place_columns(places, "lonlat").items()) == [
        ("lat", [48, 47]), ("lon", [16.0, 15.5]),
    ]  # fmt: skip


@given(st.lists(st.integers(0, 2), max_size=5))
def test_a_default_may_be_left_out_but_not_everywhere(values):
    rows = objects({"id": [*range(len(values))], "size": sparse(values, 1)})
    told = [row.get("size", 1) for row in rows]
    if values and set(values) == {1}:
        assert told == [None, *values[1:]]
    else:
        assert told == values
    assert [row["id"] for row in rows] == [*range(len(values))]


def test_columns_must_be_of_one_length():
    with pytest.raises(ValueError, match="shorter"):
        objects({"a": [1, 2], "b": [1]})
