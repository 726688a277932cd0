import pickle
from typing import Any

import numpy as np
import pytest

from geopar.errors import (
    MOST_FAULTS_SHOWN,
    Fault,
    Faults,
    GeoparError,
    InputError,
    MissingExtraError,
    Place,
    short,
)


def test_a_fault_reads_as_a_sentence():
    fault = Fault("out-of-range", "customer c3 demand", "-1", "must be zero or more.", "Drop it.")
    assert str(fault) == "[out-of-range] customer c3 demand = -1: must be zero or more. Drop it."
    assert str(Fault("empty", "vehicles", "", "is empty.", "")) == "[empty] vehicles: is empty."


def test_nothing_found_raises_nothing():
    faults = Faults()
    assert not faults
    faults.raise_if_any()


def test_all_are_told_at_once():
    faults = Faults()
    faults.add("one", "a", 1, "is wrong.")
    faults.add("two", "b", ..., "is missing.", "Add it.")
    assert faults
    with pytest.raises(InputError) as caught:
        faults.raise_if_any()
    assert str(caught.value) == "[one] a = 1: is wrong.\n[two] b: is missing. Add it."
    assert [fault.code for fault in caught.value.faults] == ["one", "two"]
    assert isinstance(caught.value, ValueError)
    assert caught.value.exit_code == 2


def test_many_of_one_code_are_counted_not_listed():
    faults = Faults(most_per_code=3)
    for i in range(10):
        faults.add("same", f"row {i}", i, "is wrong.")
    faults.add("other", "row", 0, "is wrong too.")
    with pytest.raises(InputError) as caught:
        faults.raise_now()
    assert len(caught.value.faults) == 4
    assert caught.value.left_out == 7
    assert str(caught.value).endswith("… and 7 more")


def test_a_message_has_an_end():
    error = InputError([Fault("x", f"f{i}", "", "m", "") for i in range(MOST_FAULTS_SHOWN + 5)], 2)
    assert len(str(error).splitlines()) == MOST_FAULTS_SHOWN + 1
    assert str(error).endswith("… and 7 more")
    assert len(error.faults) == MOST_FAULTS_SHOWN + 5


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5, "1.5"),
        (np.float64(2.0), "2.0"),
        (np.array([3]), "3"),
        ("id", "'id'"),
        (np.array([1, 2]), "array([1, 2])"),
        (None, "None"),
    ],
)
def test_values_are_shown_as_the_user_wrote_them(value, text):
    assert short(value) == text


def test_long_values_are_cut():
    assert short("x" * 1000) == "'" + "x" * 58 + "…"
    assert len(short(list(range(1000)), most=10)) == 10


def test_missing_extras_say_what_to_install():
    error = MissingExtraError("solver 'am'", "neural")
    assert "pip install 'geopar[neural]'" in str(error)
    assert (error.extra, error.exit_code) == ("neural", 2)


def test_other_errors_are_internal():
    assert GeoparError.exit_code == 3


@pytest.mark.parametrize(
    "error",
    [InputError([Fault("a", "b", "c", "d.", "e.")], 3), MissingExtraError("pictures", "plot")],
)
def test_errors_cross_to_another_process(error):
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


def test_of_many_only_a_few_are_looked_at():
    faults = Faults(most_per_code=3)
    faults.add("same", "row", 0, "is wrong.")
    few = faults.first_few("same", range(100))
    assert list(few) == [0, 1]
    for i in few:
        faults.add("same", f"row {i}", i, "is wrong.")
    assert list(faults.first_few("same", range(7))) == []
    with pytest.raises(InputError, match="… and 105 more"):
        faults.raise_now()


def test_what_others_found_is_included_with_what_they_left_out():
    faults = Faults()
    faults.add("one", "a", 1, "is wrong.")
    faults.include(InputError([Fault("two", "b", "", "is wrong.", "")] * 2, 7))
    with pytest.raises(InputError) as caught:
        faults.raise_now()
    assert [fault.code for fault in caught.value.faults] == ["one", "two", "two"]
    assert caught.value.left_out == 7


def test_nothing_is_ever_less_than_left_out():
    faults = Faults()
    faults.found.extend([Fault("two", "b", "", "is wrong.", "")] * 2)
    with pytest.raises(InputError) as caught:
        faults.raise_now()
    assert caught.value.left_out == 0
    assert "more" not in str(caught.value)


def test_a_fault_may_say_which_number_it_is_about():
    faults = Faults()
    faults.add(
        "out-of-range", "customer c4 demand", -1, "is less.", place=Place("customer", 3, "demand")
    )
    (fault,) = faults.found
    assert fault.place == ("customer", 3, "demand")
    assert list(fault.texts()) == ["code", "field", "value", "message", "hint"]
    texts: dict[str, Any] = dict(fault.texts())
    assert Fault(**texts) == Fault(*texts.values())
