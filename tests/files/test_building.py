from typing import Any

import numpy as np
import pytest

from geopar.errors import Faults, InputError
from geopar.files.building import build, check_ids
from geopar.problems import HCVRP

COLUMNS: dict[str, Any] = {
    "depot": np.zeros(2),
    "customers": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "demand": np.ones(2),
    "capacity": np.array([2.0]),
    "speed": np.array([1.0]),
}
IDS: dict[str, Any] = {"customer_ids": ["c2", "c1"], "vehicle_ids": ["v"]}


def where(place):
    return f"{place.thing}/{place.row}/{place.quantity}"


def made(faults=None, ids=IDS, **changes):
    return build(
        HCVRP, faults or Faults(), where, {**COLUMNS, **changes}, ids, "plane", "name"
    )  # fmt: skip


def told(*arguments, **changes):
    with pytest.raises(InputError) as error:
        made(*arguments, **changes)
    return error.value


def test_all_is_well():
    assert made() == HCVRP(**COLUMNS, **IDS, name="name")


def test_rows_are_named_by_number_even_where_ids_look_like_others():
    error = told(demand=np.array([-1.0, 1.0]))
    assert [fault.field for fault in error.faults] == ["customer/0/demand"]


def test_faults_of_the_reader_come_first():
    faults = Faults()
    for row in range(7):
        faults.add("not-a-number", f"row {row}", ..., "is no number.")
    error = told(faults, speed=np.array([0.0]))
    assert [fault.code for fault in error.faults] == ["not-a-number"] * 5 + ["out-of-range"]
    assert error.left_out == 2


def test_faults_without_a_row_stay_as_they_are():
    error = told(capacity=np.zeros(0), speed=np.zeros(0))
    assert [(fault.code, fault.field) for fault in error.faults] == [("empty", "vehicles")]


def test_faults_of_ids_alone_are_told():
    error = told(ids={"customer_ids": ["a", "a"], "vehicle_ids": None})
    assert [fault.code for fault in error.faults] == ["duplicate-id"]


def test_ids():
    faults = Faults()
    check_ids(faults, ["a", "", "a", "\udc00"], lambda row: f"id {row}")
    assert [(fault.code, fault.field) for fault in faults.found] == [
        ("bad-text", "id 3"),
        ("empty-id", "id 1"),
        ("duplicate-id", "id 2"),
    ]
    assert faults.found[-1].message == "is also id 0."


def test_it_is_built_once(monkeypatch):
    built = []
    usual = HCVRP.__init__

    def counted(self, *arguments, **fields):
        built.append(fields)
        usual(self, *arguments, **fields)

    monkeypatch.setattr(HCVRP, "__init__", counted)
    told(demand=np.array([-1.0, 1.0]))
    assert len(built) == 1


def test_places_are_told_whatever_the_labels_say(monkeypatch):
    monkeypatch.setattr("geopar.problems.validation._id_at", lambda ids, row: "somebody")
    error = told(customers=np.array([[0.0, 1.0], [1.0, np.nan]]), speed=np.array([-1.0]))
    assert [fault.field for fault in error.faults] == ["customer/1/y", "vehicle/0/speed"]
