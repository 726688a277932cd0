from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from geopar.errors import InputError
from geopar.settings import maybe_one_of, read_settings, value_of


@dataclass
class Oven:
    heat: float
    mode: Literal["fan", "grill"] = "fan"
    racks: int = 2
    light: bool = True
    minutes: tuple[float, ...] = ()
    dish: str | None = None
    notes: dict[str, Any] = field(default_factory=dict)


def faults_of(values):
    with pytest.raises(InputError) as caught:
        read_settings(Oven, values, "oven")
    return {fault.field: fault for fault in caught.value.faults}


def test_what_is_left_out_has_its_default():
    assert read_settings(Oven, {"heat": 180}, "oven") == Oven(180.0)


def test_values_take_the_types_of_their_settings():
    oven = read_settings(
        Oven, {"heat": 1, "minutes": [1, 2.5], "dish": "pie", "notes": {"a": 1}}, "oven"
    )
    assert oven == Oven(1.0, minutes=(1.0, 2.5), dish="pie", notes={"a": 1})
    assert isinstance(oven.heat, float)


def test_every_fault_is_told_at_once():
    found = faults_of({"mode": "boil", "racks": 1.5, "light": 1, "dish": 3, "lihgt": True})
    assert set(found) == {"heat", "mode", "racks", "light", "dish", "lihgt"}
    assert found["lihgt"].hint == "Maybe light."
    assert "text or null" in found["dish"].message


def test_a_whole_number_is_not_true():
    assert "racks" in faults_of({"heat": 1, "racks": True})
    assert "heat" in faults_of({"heat": False})


@pytest.mark.parametrize("values", [None, [], "x", 3])
def test_what_is_no_object_is_refused(values):
    assert "oven" in faults_of(values)


def test_a_near_miss_gets_a_hint_and_others_the_list():
    assert maybe_one_of("colour", ("color", "shape")) == "Maybe color."
    assert maybe_one_of("zzz", ("color", "shape")) == "One of: color, shape."


def test_text_is_json_where_it_can_be():
    assert [value_of(t) for t in ("3e-4", "true", "[1]", "60/3")] == [3e-4, True, [1], "60/3"]
