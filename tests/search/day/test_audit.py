"""The audit sees whatever is wrong with a state."""

from typing import Any

import numpy as np
import pytest

import instances
from day_audit import BrokenStateError, audit
from day_plans import forced
from geopar.problems.day import Day
from geopar.search import day as search
from geopar.search.day import state as columns
from geopar.search.day.state import save_best

PY = getattr(save_best, "py_func", save_best)


def whole(**parts) -> tuple[search.Data, search.State]:
    """Two trips of one vehicle and one of the other; nobody is absent and all is right."""
    day: dict[str, Any] = {
        "service": [0.5] * 4,
        "longest": [20.0, 20.0],
        "released": [0, 0, 2, 0],
        "loading": 1,
    }
    problem = instances.square().replace(day=Day(**(day | parts)))
    data = search.prepare(problem)
    state, kept = forced(data, [[[0, 1], [2]], [[3]]])
    assert all(kept)
    PY(state)
    return data, state


def test_a_whole_state_passes():
    audit(*whole())


def first_trip(state) -> int:
    return int(state.node[0, columns.TRIP])


def add(array: str, row, column: int, by: float = 0.5):
    def damage(state) -> None:
        getattr(state, array)[row(state) if callable(row) else row, column] += by

    return damage


def link_back_to_another(state) -> None:
    state.node[1, columns.PREVIOUS] = 2


def go_round_in_a_circle(state) -> None:
    state.node[1, columns.NEXT] = 0


def serve_somebody_twice(state) -> None:
    state.lists[columns.ABSENT, 0] = 3
    state.counters[columns.ABSENT] = 1


def lose_a_free_trip(state) -> None:
    state.counters[columns.FREE] -= 1


def count_a_trip_too_many(state) -> None:
    state.counters[columns.OPEN_TRIPS] += 1


def let_the_best_plan_serve_somebody_twice(state) -> None:
    state.node[3, columns.BEST_NEXT] = 0


def miss_somebody_in_the_best_plan(state) -> None:
    state.totals[columns.BEST_MISSING] += 1.0


def say_that_more_are_missing(state) -> None:
    state.totals[columns.MISSING] += 1.0


def cost_more(state) -> None:
    state.totals[columns.TOTAL] *= 1.01


def belong_to_another(state) -> None:
    state.node[4 + first_trip(state), columns.OWNER] = 1


def be_on_another_trip(state) -> None:
    state.node[1, columns.TRIP] = state.node[3, columns.TRIP]


def lock_a_trip_that_nobody_locked(state) -> None:
    state.node[4 + first_trip(state), columns.KIND] = columns.LOCKED_TRIP


def begin_nowhere(state) -> None:
    state.node[4 + len(state.amount), columns.PLACE] = -1


DAMAGES = {
    "previous": link_back_to_another,
    "circle": go_round_in_a_circle,
    "begin": add("time", 1, columns.BEGIN),
    "latest is too late": add("time", 1, columns.LATEST, 30.0),
    "later": add("time", 1, columns.LATEST, -0.25),
    "latest": add("time", 1, columns.LATEST, -30.0),
    "rest": add("time", 1, columns.REST),
    "finish": add("tour", 0, columns.FINISH),
    "driven": add("tour", 0, columns.DRIVEN),
    "arrivals": add("tour", 0, columns.ARRIVALS),
    "duty": add("tour", 0, columns.DUTY),
    "trips": add("tour", 0, columns.TRIPS, 1.0),
    "amount": add("amount", first_trip, columns.LOAD),
    "release": add("amount", first_trip, columns.RELEASE),
    "size": add("node", lambda state: 4 + first_trip(state), columns.SIZE, 1),
    "served once": serve_somebody_twice,
    "slots": lose_a_free_trip,
    "open trips": count_a_trip_too_many,
    "best plan": let_the_best_plan_serve_somebody_twice,
    "best": miss_somebody_in_the_best_plan,
    "missing": say_that_more_are_missing,
    "total": cost_more,
    "owner": belong_to_another,
    "trip": be_on_another_trip,
    "certain": lock_a_trip_that_nobody_locked,
    "under way": begin_nowhere,
}


@pytest.mark.parametrize("what", DAMAGES)
def test_the_audit_sees_what_is_wrong(what):
    # A day that ends, so that there is a latest moment.
    data, state = whole(available=[(0, 12), (0, 12)])
    audit(data, state)
    DAMAGES[what](state)
    with pytest.raises(BrokenStateError) as broken:
        audit(data, state)
    assert broken.value.args[0] == what


@pytest.mark.parametrize(
    ("what", "parts"),
    [
        ("load", {"extra_demand": [[1]] * 4, "extra_capacity": [[1], [9]]}),
        ("allowed", {"allowed": np.array([[1, 1], [0, 1], [1, 1], [1, 1]], dtype=bool)}),
        ("most trips", {"most_trips": [1, 9]}),
        ("late", {"windows": [[], [(0, 1)], [], []]}),
        ("longest", {"longest": [5.0, 20.0]}),
    ],
)
def test_the_audit_sees_a_plan_that_breaks_a_rule(what, parts):
    day: dict[str, Any] = {"service": [0.5] * 4, "loading": 1}
    data = search.prepare(instances.square().replace(day=Day(**(day | parts))))
    state, _ = forced(data, [[[0, 1], [2]], [[3]]])
    PY(state)
    with pytest.raises(BrokenStateError) as broken:
        audit(data, state)
    assert broken.value.args[0] == what
