"""What there was no time for is dealt out along a curve: all of it, and as the rules want."""

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.checking import check
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.kinds import PROBLEM_KINDS
from geopar.problems.random import generate
from geopar.search.dispatch import HURRIED_NOTE, deal, dispatch, give_up
from geopar.search.insert import insert
from geopar.search.refine import refine
from geopar.solver import Request
from geopar.stop import Budget, MaxIterations, MaxRuntime, OutOfTimeError
from geopar.testing import shapes
from geopar.testing.plain_checker import objective_of


def given_up_after(looks: int, problem: Problem) -> tuple[Plan, float, int]:
    """A plan by dispatch that looks at the time after each decision, and has none after some."""
    left = iter(range(looks))

    def pause() -> float:
        if next(left, None) is None:
            raise OutOfTimeError
        return 1.0

    trips, cost, dealt = PROBLEM_KINDS[problem.kind].dispatch.load()(problem, pause, 1)
    return Plan.from_flat(problem, *trips), cost, dealt


@given(st.integers(0, 10_000), st.integers(0, 40))
def test_given_up_at_any_moment(seed, looks):
    problem = shapes.drawn(seed)
    plan, cost, dealt = given_up_after(looks, problem)
    assert objective_of(problem, Plan(plan.kind, plan.routes)) == pytest.approx(cost, rel=1e-9)
    assert check(problem, plan).feasible
    assert 0 <= dealt <= problem.num_tasks


@pytest.mark.parametrize("setting", ["hcvrp/30/3", "omdcpdp/30/3"])
def test_all_is_dealt_or_nothing(setting):
    problem = generate(setting, seed=3)
    assert given_up_after(1000, problem)[2] == 0
    # The first decision is made in any case.
    assert given_up_after(0, problem)[2] == problem.num_tasks - 1


@pytest.mark.parametrize("setting", ["hcvrp/2000/40", "omdcpdp/2000/40"])
def test_what_follows_each_other_is_near(setting):
    problem = generate(setting, seed=3)
    _, cost, _ = given_up_after(0, problem)
    rng = np.random.default_rng(0)
    anyhow = rng.permutation(len(problem.request_ids))
    stops = np.array_split(anyhow, problem.num_vehicles)
    if problem.kind == "omdcpdp":
        half = problem.num_tasks // 2
        routes = [[np.ravel([mine, half + mine], "F")] for mine in stops]
    else:
        routes = [np.array_split(mine, 10) for mine in stops]
    assert cost < 0.8 * check(problem, Plan.from_indices(problem, routes)).objective


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_a_note_says_so(kind, monkeypatch):
    problem = generate(f"{kind}/10/2", seed=3)
    by_rule = PROBLEM_KINDS[kind].dispatch.load()
    monkeypatch.setattr(
        f"geopar.search.dispatch.plan_{kind}", lambda problem, pause: by_rule(problem, pause, 1)
    )
    hurried = dispatch(Request(problem, Budget(MaxRuntime(0.0))))
    assert hurried.notes == (HURRIED_NOTE.format(problem.num_tasks - 1),)
    # Iterations are nothing to it: what is asked for without a clock is made by the rule.
    assert dispatch(Request(problem, Budget(MaxIterations(0)))).notes == ()


def test_small_problems_take_no_time_to_speak_of():
    problem = generate("hcvrp/100/5", seed=1)
    hurried = dispatch(Request(problem, Budget(MaxRuntime(0.0))))
    assert hurried.plan == dispatch(Request(problem, Budget(MaxIterations(0)))).plan


def test_giving_up():
    with pytest.raises(OutOfTimeError):
        give_up()


@pytest.mark.parametrize("setting", ["hcvrp/30/3", "omdcpdp/30/3"])
def test_all_can_be_dealt_at_once(setting):
    problem = generate(setting, seed=3)
    seen: list[Any] = []
    outcome = deal(Request(problem, Budget(MaxIterations(0)), observe=seen.append))
    assert check(problem, outcome.plan).feasible
    assert outcome.plan != dispatch(Request(problem, Budget(MaxIterations(0)))).plan
    assert [look.plan() for look in seen] == [outcome.plan]


@pytest.mark.parametrize("solver", [refine, insert])
@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_what_may_be_called_in_haste_is_compiled_before(kind, solver, monkeypatch):
    # Else it would be compiled after the time is up.
    dealt = []
    by_rule = PROBLEM_KINDS[kind].dispatch.load()

    def plan(problem, pause, *piece):
        trips, cost, count = by_rule(problem, pause, *piece)
        dealt.append(count)
        return trips, cost, count

    monkeypatch.setattr(f"geopar.search.dispatch.plan_{kind}", plan)
    importlib.import_module(solver.__module__).warm_up(kind, print)
    assert dealt == [0, 4]
