"""Tables of numbers, cut out of JSON text before it is parsed."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from geopar.errors import InputError
from geopar.files.json_tables import cut_tables
from geopar.files.json_text import parse_json


@given(
    arrays(np.float64, st.integers(1, 5).map(lambda n: (n, n)), elements=st.floats(0, 1e12)),
    st.sampled_from([None, 1]),
)
def test_tables_come_back_to_the_bit(table, indent):
    text = json.dumps({"a": [[1]], "durations": table.tolist(), "b": 1}, indent=indent)
    value = parse_json(text.encode())
    assert isinstance(value["durations"], np.ndarray)
    assert np.array_equal(value["durations"], table)
    assert value["a"] == [[1]]
    assert value["b"] == 1


@pytest.mark.parametrize(
    "table", ["[[1, null], [1, 2]]", "[[1, 2], [3]]", "[[1, 2]]", "[[]]", "[[NaN]]", "[[1], [2]]"]
)
def test_other_tables_are_left_to_the_parser(table):
    text = f'{{"durations": {table}}}'.encode()
    assert cut_tables(text) == (text, {})
    assert isinstance(parse_json(text)["durations"], list)


@pytest.mark.parametrize(
    "table", ["[[1 2], [3, 4]]", "[[1,, 2], [3, 4]]", "[[01]]", "[[1, 2], [3, 4]", "[["]
)
def test_what_is_no_json_is_told(table):
    with pytest.raises(InputError, match="bad-json"):
        parse_json(f'{{"durations": {table}}}'.encode())


def test_lines_are_counted_past_a_table():
    with pytest.raises(InputError, match="line 4 column 1"):
        parse_json(b'{"durations": [[1,\n2],\n[3, 4]]\n!}')


def test_text_that_looks_like_a_table_stays_text():
    text = json.dumps({"name": '"durations": [[1]]', "distances": "0"}).encode()
    assert parse_json(text) == {"name": '"durations": [[1]]', "distances": "0"}
