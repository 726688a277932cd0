from typing import Any

import pytest

from geopar.errors import short
from geopar.files.wording import maybe, printable, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5, "1.5"),
        ("abc", "'abc'"),
        (None, "null"),
        (True, "true"),
        ([1, 2], "a list of 2"),
        ({"a": 1}, "an object with 1 fields"),
        pytest.param(10**5000, "a whole number of hundreds of digits", id="huge"),
    ],
)
def test_values_in_words(value, text):
    assert short(shown(value)) == text


def test_deep_values_are_not_written_out():
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert short(shown(deep)) == "a list of 1"


@pytest.mark.parametrize(("name", "hint"), [
    ("demnad", "Maybe demand."),
    ("Demand ", "Maybe demand."),
    ("LAT", "Maybe lat."),
    ("colour", "Known here: demand, lat, lon."),
])  # fmt: skip
def test_the_name_that_was_meant(name, hint):
    assert maybe(name, {"lon", "lat", "demand"}) == hint


@pytest.mark.parametrize(("text", "line"), [
    ("plain", "plain"),
    ("", "''"),
    ("two\nlines", "'two\\nlines'"),
    ("\ud800", "'\\ud800'"),
])  # fmt: skip
def test_text_that_fits_a_line(text, line):
    assert printable(text) == line


def test_long_text_is_cut():
    assert printable("x" * 100, 10) == "x" * 9 + "…"
