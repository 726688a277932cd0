"""Limits: what is refused, by which limit, and how to raise it."""

import pytest

from geopar.errors import Faults, InputError
from geopar.problems.setting import Setting
from geopar.service.limits import Limits
from geopar.service.responses import TOO_LARGE, TOO_MANY, RefusedError
from geopar.stop import DEFAULT_SECONDS

SMALL = Limits(tasks=4, vehicles=2, body_bytes=10, time_limit=3.0)


def test_a_problem_at_the_limit_is_taken(square):
    SMALL.check_problem(square)
    SMALL.check_setting(Setting.parse("hcvrp/4/2"))


@pytest.mark.parametrize(
    ("limits", "fields"),
    [
        (Limits(tasks=3), ["problem tasks"]),
        (Limits(vehicles=1), ["problem vehicles"]),
        (Limits(tasks=3, vehicles=1), ["problem tasks", "problem vehicles"]),
    ],
)
def test_a_problem_over_a_limit_is_refused_with_the_option(square, limits, fields):
    for refuse in (
        lambda: limits.check_problem(square),
        lambda: limits.check_setting(Setting.parse("hcvrp/4/2")),
    ):
        with pytest.raises(InputError) as caught:
            refuse()
        assert [fault.field for fault in caught.value.faults] == fields
        for fault in caught.value.faults:
            assert fault.code == "over-limit"
            assert fault.hint.endswith(f"--max-{fault.field.split()[1]}.")


def test_sizes_are_noted_beside_other_faults():
    faults = Faults()
    faults.add("unknown-value", "x", 1, "is wrong.")
    SMALL.check_size(faults, 5_000, 1)
    assert [fault.code for fault in faults.found] == ["unknown-value", "over-limit"]
    assert "5,000 tasks" in faults.found[1].message


def test_bodies():
    SMALL.check_body(10)
    with pytest.raises(RefusedError) as caught:
        SMALL.check_body(11)
    assert (caught.value.status, caught.value.code) == (TOO_LARGE, "body-too-large")
    assert "--max-body" in str(caught.value)


@pytest.mark.parametrize(("waiting", "is_refused"), [(0, False), (2, False), (3, True), (9, True)])
def test_queues(waiting, is_refused):
    if not is_refused:
        SMALL.check_room("runs", waiting, 3, "--max-queue")
        return
    with pytest.raises(RefusedError) as caught:
        SMALL.check_room("runs", waiting, 3, "--max-queue")
    assert (caught.value.status, caught.value.code) == (TOO_MANY, "too-busy")
    assert caught.value.headers == {"Retry-After": "1"}
    assert "--max-queue" in str(caught.value)


def test_the_usual_time_is_within_the_limit():
    assert SMALL.default_seconds == 3.0
    assert Limits().default_seconds == DEFAULT_SECONDS


def test_all_limits_are_told():
    told = SMALL.to_json()
    assert (told["tasks"], told["body_bytes"], told["time_limit"]) == (4, 10, 3.0)
    assert Limits(**told) == SMALL
