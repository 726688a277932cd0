"""What the checker reports, in words and as JSON."""

import json

import numpy as np
import pytest

from geopar.plan import LeftOut
from geopar.problems.tasks import Stop
from geopar.violations import MOST_SHOWN, VIOLATIONS, Report, Violation

LATE = Violation("late", "too late", ("red",), ("east", Stop("a", "pickup")), 2, 5.0, 4.0)


def report(*violations: Violation, objective: float = 3.25, left: int = 0) -> Report:
    out = tuple(LeftOut(f"c{i}", "no room", None) for i in range(left))
    return Report("hcvrp", violations, objective, np.zeros(1), "makespan", out, 2.0 * left)


def test_a_violation_as_json():
    document = LATE.to_json()
    assert document == {
        "code": "late", "message": "too late", "hint": VIOLATIONS["late"][1],
        "vehicles": ["red"], "tasks": ["east", {"order": "a", "action": "pickup"}],
        "trip": 2, "found": 5.0, "allowed": 4.0,
    }  # fmt: skip
    assert json.loads(json.dumps(document)) == document
    bare = Violation("unserved", "nobody").to_json()
    assert (bare["vehicles"], bare["tasks"], bare["trip"], bare["found"]) == ([], [], None, None)


def test_a_violation_in_words():
    assert str(LATE) == "[late] too late"
    assert LATE.hint == "Visit it earlier, or give it to another vehicle."


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (report(), "feasible, makespan 3.25"),
        (report(left=1), "feasible, makespan 3.25, 1 left out"),
        (report(objective=1234567.0), "feasible, makespan 1.23457e+06"),
    ],
)
def test_a_plan_that_passed_in_words(found, text):
    assert found.feasible
    assert str(found) == text


def test_the_most_frequent_come_first_and_many_are_cut():
    many = [Violation("unserved", f"c{i} is served by nobody") for i in range(MOST_SHOWN)]
    head, *lines = str(report(LATE, *many)).splitlines()
    assert head == f"not feasible: {MOST_SHOWN} unserved, 1 late"
    assert lines[0] == "  [late] too late"
    assert lines[-1] == "  … and 1 more"
    assert len(lines) == MOST_SHOWN + 1
    exactly = str(report(*many))
    assert "more" not in exactly


def test_whoever_leaves_out_less_is_better_whatever_it_costs():
    cheap, dear = report(objective=1.0, left=2), report(objective=9.0, left=1)
    assert dear.rank < cheap.rank
    assert report(objective=1.0).rank < report(objective=2.0).rank < dear.rank
