"""Why a request is left out: the first reason that holds, in words."""

from typing import Any

import pytest

from geopar.checking import check
from geopar.checks import left_out
from geopar.checks.left_out import explain
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.day import Day


def street(**day: Any) -> HCVRP:
    """Customers at 1 and 5 of a line; red has room for one of them, blue for nobody's far load."""
    return HCVRP(
        (0, 0), [(1, 0), (5, 0)], [1, 3], [3, 2], [1, 1],
        customer_ids=["near", "far"], vehicle_ids=["red", "blue"], day=Day(**day),
    )  # fmt: skip


def courier(**day: Any) -> OMDCPDP:
    """Orders from 1 to 2 and from 4 to 8; anna and ben begin at 0."""
    return OMDCPDP(
        [(1, 0), (4, 0)], [(2, 0), (8, 0)], [(0, 0), (0, 0)], [1, 1],
        order_ids=["short", "long"], vehicle_ids=["anna", "ben"], day=Day(**day),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "request_number", "reason", "fits_alone"),
    [
        (street(allowed=[[1, 1], [0, 0]]), 1, "no vehicle may serve it", False),
        (
            street(allowed=[[1, 1], [0, 1]]), 1,
            "it is more than any vehicle that may serve it can carry", False,
        ),
        (street(longest=[20, 20]), 1, "there was no room for it; red alone could serve it", True),
        (
            street(longest=[20, 20], allowed=[[0, 1], [1, 1]]), 0,
            "there was no room for it; blue alone could serve it", True,
        ),
        (
            street(extra_demand=[[1], [4]], extra_capacity=[[3], [9]]), 1,
            "it is more than any vehicle that may serve it can carry", False,
        ),
        (courier(longest=[9, 9]), 1, "there was no room for it; anna alone could serve it", True),
        (
            courier(longest=[7, 9]), 1,
            "there was no room for it; ben alone could serve it", True,
        ),
    ],
)  # fmt: skip
def test_reasons(problem, request_number, reason, fits_alone):
    (found,) = explain(problem, [request_number])
    assert found.request == problem.request_ids[request_number]
    assert (found.reason, found.fits_alone) == (reason, fits_alone)


def test_who_is_too_late_is_told_as_the_checker_tells_it():
    problem = street(windows=[[], [(0, 4)]])
    (found,) = explain(problem, [1])
    assert found.fits_alone is False
    assert found.reason.startswith("no vehicle can serve it in time: ")
    alone = check(problem, Plan.from_indices(problem, [[[1]], []]))
    (late,) = [one for one in alone.violations if one.code == "late"]
    assert found.reason.endswith(late.message)


def test_the_reason_is_that_of_the_first_vehicle_that_could_carry_it():
    (found,) = explain(courier(longest=[3, 7]), [1])
    assert "anna" in found.reason
    assert "ben" not in found.reason


@pytest.mark.parametrize(
    "problem",
    [street(locked=[[[1]], []]), street(on_board=[[1], []]), street(locked=[[[0], [1]], []])],
)
def test_what_is_promised_is_nobody_else_s(problem):
    (found,) = explain(problem, [1])
    assert found.reason.startswith("it is locked to red or on board of it")
    assert found.fits_alone is None


def test_an_order_is_promised_by_either_of_its_ends():
    problem = courier(on_board=[[], [1]], locked=[[], [[1, 3]]])
    (found,) = explain(problem, [1])
    assert "ben" in found.reason
    assert explain(problem, [0])[0].fits_alone is True


def test_many_are_told_in_general(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(left_out, "MOST_EXPLAINED", 1)
    first, second = explain(street(longest=[20, 20]), [1, 0])
    assert first.fits_alone is True
    assert (second.request, second.reason) == ("near", "there was no room for all")
    assert second.fits_alone is None


def test_reports_name_what_nobody_serves():
    problem = street(longest=[4, 4], priority=[2, 7])
    report = check(problem, Plan.from_indices(problem, [[[0]], []]))
    assert report.feasible
    assert [one.request for one in report.left_out] == ["far"]
    assert report.left_out_priority == 7
    assert "time" in report.left_out[0].reason
