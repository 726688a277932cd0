import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.checking import check
from geopar.plan import Plan, Route
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.tasks import Stop
from geopar.testing.plain_checker import objective_of
from strategies import problems_with_plans

TWO = HCVRP((0, 0), [(3, 4), (0, 1)], [1, 2], [2, 2], [1, 2])
ERRAND = OMDCPDP([(0, 1)], [(0, 3)], [(0, 0)], [1])


def plan(*routes: tuple[str, tuple[tuple[object, ...], ...]], kind: str = "hcvrp") -> Plan:
    return Plan(kind, tuple(Route(*route) for route in routes))  # type: ignore[arg-type]


def test_the_last_one_home_counts() -> None:
    assert objective_of(TWO, plan(("v1", (("c1",),)), ("v2", (("c2",),)))) == 10.0
    assert objective_of(TWO, plan(("v2", (("c1",), ("c2",))))) == 6.0


def test_deliveries_count_when_they_arrive() -> None:
    there = plan(("v1", ((Stop("o1", "pickup"), Stop("o1", "delivery")),)), kind="omdcpdp")
    assert objective_of(ERRAND, there) == 3.0


@pytest.mark.parametrize(
    ("problem", "wrong", "said"),
    [
        (TWO, plan(("v1", (("c1", "c2"),))), "too much"),
        (TWO, plan(("v1", (("c1",),))), "not everybody"),
        (TWO, plan(("v1", (("c1",),)), ("v1", (("c2",),))), "two routes"),
        (
            ERRAND,
            plan(("v1", ((Stop("o1", "delivery"), Stop("o1", "pickup")),)), kind="omdcpdp"),
            "before it was picked up",
        ),
    ],
)
def test_rules(problem, wrong: Plan, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        objective_of(problem, wrong)


@given(problems_with_plans())
def test_both_checkers_find_the_same(pair) -> None:
    problem, found = pair
    assert objective_of(problem, found) == pytest.approx(check(problem, found).objective, rel=1e-12)


@given(st.data())
def test_neither_lets_anybody_wait(data) -> None:
    problem, found = data.draw(problems_with_plans())
    fewer = Plan(found.kind, found.routes[1:])
    if any(trip for trip in found.routes[0].trips):
        assert not check(problem, fewer).feasible
        with pytest.raises(AssertionError):
            objective_of(problem, fewer)
