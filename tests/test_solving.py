import importlib
import json
import signal
import sys
import threading
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from geopar.checking import check
from geopar.errors import InputError
from geopar.fallback import BrokenPlanError
from geopar.plan import Plan, Route
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.travel import StraightLines
from geopar.solver import Outcome, Request, Snapshot, SolverInfo
from geopar.solving import as_rule, load, run, solve
from geopar.stop import Budget, MaxIterations, MaxRuntime, TargetCost
from strategies import problems_with_plans, random_plan

# The function has the module's name, so the module is not reached through its package.
solve_module = importlib.import_module("geopar.solving")
solvers_module = importlib.import_module("geopar.solver")


def wander(request: Request) -> Outcome:
    """A solver that knows nothing: any feasible plan."""
    plan = random_plan(request.problem, np.random.default_rng(request.seed))
    return Outcome(plan, iterations=3, steps=2, notes=("no idea",))


def always(plan: Plan):
    """A solver that has one answer."""
    return "always", lambda request: Outcome(plan)


def one_after_the_other(problem: HCVRP, vehicle: int = 0) -> Plan:
    """All customers by one vehicle, a trip each."""
    routes: list[Any] = [[] for _ in range(problem.num_vehicles)]
    routes[vehicle] = [[i] for i in range(problem.num_tasks)]
    return Plan.from_indices(problem, routes)


def register(monkeypatch, *infos: SolverInfo) -> None:
    monkeypatch.setattr(solvers_module, "_ALL", infos)


def make_module(monkeypatch, name: str, **attributes) -> None:
    module = ModuleType(name)
    vars(module).update(attributes)
    monkeypatch.setitem(sys.modules, name, module)


def test_every_tiny_problem_gets_a_checked_plan(any_problem: Problem) -> None:
    result = solve(any_problem, 0.01, solver="dispatch")
    report = check(any_problem, result.plan)
    assert result.feasible
    assert report.feasible
    assert result.objective == report.objective == result.plan.objective
    assert result.solver == "dispatch"


@given(problems_with_plans())
def test_never_worse_than_the_start(case: tuple[Problem, Plan]) -> None:
    problem, start = case
    result = run(problem, 0.01, solver=("wander", wander), start=start)
    assert result.objective <= check(problem, start).objective
    assert check(problem, result.plan).feasible


def test_a_better_plan_replaces_the_start(square: HCVRP) -> None:
    start = one_after_the_other(square)
    better = Plan.from_indices(square, [[[0, 1]], [[2, 3]]])
    result = run(square, 1, solver=always(better), start=start)
    assert result.plan.routes == better.routes


def test_a_worse_plan_does_not(square: HCVRP) -> None:
    start = Plan.from_indices(square, [[[0, 1]], [[2, 3]]])
    result = run(square, 1, solver=always(one_after_the_other(square)), start=start)
    assert result.plan.routes == start.routes
    assert result.objective == result.plan.objective == check(square, start).objective
    assert result.completion == pytest.approx([2 + 2**0.5] * 2)


def test_an_infeasible_start_is_mended_and_all_that_was_wrong_is_told(square: HCVRP) -> None:
    start = Plan("hcvrp", (Route("red", (("east", "north", "west"),)), Route("green", ())))
    result = run(square, 1, solver=always(one_after_the_other(square)), start=start)
    assert result.feasible
    (note,) = result.notes
    assert all(code in note for code in ("overload", "unknown-vehicle", "unserved"))


def test_a_note_on_mending_is_short_however_much_was_wrong(square: HCVRP) -> None:
    done = tuple(f"done {i}" for i in range(30))
    start = Plan("hcvrp", (Route("red", (done, ("east", "north"))),))
    result = run(square, 1, solver=always(one_after_the_other(square)), start=start)
    (note,) = result.notes
    assert note.count("[unknown-task]") == 1
    assert "(and 29 more)" in note
    assert "done 7" not in note


def test_a_start_for_the_other_problem_is_refused(square: HCVRP, corridor: OMDCPDP) -> None:
    with pytest.raises(InputError, match="wrong-problem"):
        solve(square, 1, start=random_plan(corridor, np.random.default_rng(0)))


def test_what_a_start_claims_does_not_matter(square: HCVRP) -> None:
    start = replace(one_after_the_other(square), objective=1.0)
    result = run(square, 1, solver=("wander", wander), start=start)
    assert result.objective == check(square, result.plan).objective > 1.0


def test_instead_of_a_plan_that_breaks_a_rule_comes_a_first_plan(
    monkeypatch, square: HCVRP
) -> None:
    broken = Plan.from_indices(square, [[[0, 1, 2]], []])
    monkeypatch.setattr(solve_module, "load", lambda *_: always(broken))
    result = solve(square, 1, seed=5)
    assert result.feasible
    assert result.is_fallback
    assert result.violations == ()
    assert result.objective == check(square, result.plan).objective == result.plan.objective
    for part in ("overload", "unserved", "dispatch", "geopar info", "solver always", "seed 5"):
        assert part in result.notes[-1]


def test_without_any_plan_it_is_told_what_broke(monkeypatch, square: HCVRP) -> None:
    broken = Plan.from_indices(square, [[[0, 1, 2]], []])
    monkeypatch.setattr(solve_module, "load", lambda *_: always(broken))
    monkeypatch.setattr("geopar.search.dispatch.dispatch", always(broken)[1])
    with pytest.raises(BrokenPlanError) as caught:
        solve(square, 1, seed=5)
    assert caught.value.exit_code == 3
    for part in ("overload", "unserved", "geopar info", "seed 5"):
        assert part in str(caught.value)


@pytest.mark.parametrize("call", [solve, run])
def test_instead_of_a_broken_plan_comes_the_start(call, monkeypatch, square: HCVRP) -> None:
    broken = Plan.from_indices(square, [[], []])
    monkeypatch.setattr(solve_module, "load", lambda *_: always(broken))
    start = one_after_the_other(square)
    result = call(square, 1, start=start)
    assert result.feasible
    assert result.is_fallback
    assert result.plan.routes == start.routes
    assert result.objective == check(square, start).objective
    assert "given to begin with" in result.notes[-1]


def breaks_at_the_end(found: Plan):
    """A solver that finds a plan after a minute, and then loses it."""

    def search(request):
        observe = request.observe
        observe(Snapshot(60.0, 1, 9.0, True, lambda: found))
        observe(Snapshot(90.0, 2, 0.1, True, lambda: Plan("hcvrp", ())))
        return Outcome(Plan("hcvrp", ()), iterations=2)

    return "forgetful", search


def test_instead_of_a_broken_plan_comes_the_best_that_was_checked(
    monkeypatch, square: HCVRP
) -> None:
    found = Plan.from_indices(square, [[[0, 1]], [[2, 3]]])
    seen: list[Any] = []
    monkeypatch.setattr(solve_module, "load", lambda *_: breaks_at_the_end(found))
    result = solve(square, 100, start=one_after_the_other(square), observe=seen.append)
    assert result.plan.routes == found.routes
    assert "passed the check" in result.notes[-1]
    assert result.iterations == 2
    # What was claimed after that is forgotten; whoever watched has seen it.
    assert result.history == ((60.0, 9.0),)
    assert [snapshot.cost for snapshot in seen] == [9.0, 0.1]


def test_the_start_comes_back_where_it_is_better_than_what_was_checked(
    monkeypatch, square: HCVRP
) -> None:
    monkeypatch.setattr(
        solve_module, "load", lambda *_: breaks_at_the_end(one_after_the_other(square))
    )
    start = Plan.from_indices(square, [[[0, 1]], [[2, 3]]])
    assert solve(square, 100, start=start).plan.routes == start.routes


def test_run_tells_of_a_broken_plan_instead(square: HCVRP) -> None:
    result = run(square, 1, solver=always(Plan.from_indices(square, [[], []])))
    assert not result.feasible
    assert result.objective == np.inf
    assert result.to_json()["objective"] is None
    assert len(result.violations) == 4


def test_history_ends_with_what_the_checker_finds_and_was_never_better(square: HCVRP) -> None:
    plan = one_after_the_other(square)
    true = check(square, plan).objective

    def rounds_badly(request):
        for cost in (2.0 * true, 0.999 * true, 0.99 * true):
            request.observe(Snapshot(0.5, 1, cost, True, lambda: plan))
        return Outcome(plan)

    result = run(square, 1, solver=("rounds badly", rounds_badly))
    assert [cost for _, cost in result.history] == [2.0 * true, true, true]


def test_improvements_are_kept_and_all_looks_passed_on(square: HCVRP) -> None:
    plan = one_after_the_other(square)

    def improve(request):
        for cost, improved in ((9.0, True), (9.0, False), (8.0, True)):
            request.observe(Snapshot(0.5, 1, cost, improved, lambda: plan))
        return Outcome(plan)

    seen: list[float] = []
    result = run(square, 1, solver=("improve", improve), observe=lambda s: seen.append(s.cost))
    assert result.history == ((0.5, 9.0), (0.5, 8.0))
    assert seen == [9.0, 9.0, 8.0]


def test_the_solver_gets_rule_seed_start_and_threads(square: HCVRP) -> None:
    start, got = one_after_the_other(square), []

    def remember(request):
        got.append(request)
        return Outcome(start)

    rule = MaxIterations(7) | TargetCost(1.0)
    run(square, rule, 3, solver=("remember", remember), start=start, threads=2)
    (asked,) = got
    assert (asked.problem, asked.budget.rule) == (square, rule)
    assert (asked.seed, asked.start, asked.threads) == (3, start, 2)


def test_compiling_happens_before_the_clock(monkeypatch, square: HCVRP) -> None:
    def warm_up(kind, announce):
        announce(f"compiling for {kind}")
        clock[0] += 100.0

    clock = [0.0]
    left: list[float] = []
    told: list[str] = []

    def look_at_the_clock(request):
        left.append(request.budget.seconds_left)
        return wander(request)

    make_module(monkeypatch, "slow_solver", solve=look_at_the_clock, warm_up=warm_up)
    register(monkeypatch, SolverInfo("slow", "", "slow_solver:solve"))
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    result = solve(square, 10, solver="slow", announce=told.append)
    assert told == ["compiling for hcvrp"]
    assert left[0] == pytest.approx(10, abs=0.01)
    assert result.seconds == pytest.approx(0, abs=0.01)


def test_without_a_listener_compiling_is_logged(monkeypatch, caplog) -> None:
    make_module(
        monkeypatch, "loud_solver", solve=wander, warm_up=lambda kind, announce: announce("wait")
    )
    register(monkeypatch, SolverInfo("loud", "", "loud_solver:solve"))
    load("loud", "hcvrp")
    assert caplog.messages == ["wait"]


def test_the_best_solver_that_can_be_loaded_is_chosen(monkeypatch) -> None:
    make_module(monkeypatch, "floor", solve=wander)
    register(
        monkeypatch,
        SolverInfo("dispatch", "", "floor:solve"),
        SolverInfo("geopar", "", "no_such_package.network:solve", extra="neural"),
        SolverInfo("refine", "", "floor:solve", kinds=("omdcpdp",)),
    )
    assert load(None, "hcvrp")[0] == "dispatch"
    assert load(None, "omdcpdp")[0] == "refine"


def test_a_solver_of_ones_own(square: HCVRP) -> None:
    result = solve(square, 1, 3, solver=wander)
    assert result.plan.routes == wander(Request(square, Budget(MaxRuntime(1)), 3)).plan.routes
    assert (result.solver, result.feasible) == ("wander", True)


def test_a_solver_of_ones_own_may_be_an_object(square: HCVRP) -> None:
    class Wanderer:
        def __call__(self, request):
            return wander(request)

    assert solve(square, 1, solver=Wanderer()).solver == "Wanderer"


def test_a_solver_of_ones_own_must_return_an_outcome(square: HCVRP) -> None:
    with pytest.raises(InputError, match=r"bad-outcome.*returned Plan, not an Outcome"):
        solve(square, 1, solver=lambda request: wander(request).plan)  # type: ignore[arg-type, return-value]


def test_without_straight_lines_hybrid_is_search_alone(monkeypatch, square: HCVRP) -> None:
    monkeypatch.setattr(StraightLines, "is_straight", False)
    result = solve(square, MaxIterations(10), solver="hybrid")
    assert result.feasible
    assert any("straight lines" in note for note in result.notes)


def test_unknown_solver(square: HCVRP) -> None:
    with pytest.raises(InputError, match="unknown-solver"):
        solve(square, 1, solver="oracle")


def test_numbers_that_make_no_sense_are_told_together(square: HCVRP) -> None:
    with pytest.raises(InputError) as caught:
        solve(square, 1, seed=-1, threads=0)
    assert [fault.code for fault in caught.value.faults] == ["bad-seed", "bad-threads"]
    with pytest.raises(InputError, match="bad-threads"):
        solve(square, 1, threads=100_000)  # refused before any of them is begun


@pytest.mark.parametrize("seed", [1.5, "1", True, None, 2**63])
def test_bad_seed(square: HCVRP, seed) -> None:
    with pytest.raises(InputError, match="bad-seed"):
        solve(square, 1, seed=seed)


@pytest.mark.parametrize("stop", ["10", True, -1, float("nan"), float("inf"), [1]])
def test_bad_stop(square: HCVRP, stop) -> None:
    with pytest.raises(InputError, match="bad-limit"):
        solve(square, stop)


def test_stop_rules_from_what_users_give() -> None:
    assert as_rule(None) == MaxRuntime(10)
    assert as_rule(3) == as_rule(np.int64(3)) == MaxRuntime(3)
    assert as_rule(TargetCost(1)) == TargetCost(1)


def interrupted_once(request):
    signal.raise_signal(signal.SIGINT)
    assert request.budget.done
    return wander(request)


@pytest.fixture
def usual_interrupt():
    """Ctrl-C as Python has it, also where the tests run with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("usual_interrupt")
def test_an_interrupt_returns_the_best_so_far(square: HCVRP) -> None:
    result = run(square, 10, solver=("interrupted", interrupted_once))
    assert result.interrupted
    assert result.feasible
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("usual_interrupt")
def test_a_second_interrupt_raises(square: HCVRP) -> None:
    def interrupted_twice(request):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        return wander(request)

    with pytest.raises(KeyboardInterrupt):
        run(square, 10, solver=("interrupted", interrupted_twice))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("usual_interrupt")
def test_a_signal_to_terminate_is_one_where_it_interrupts(square: HCVRP) -> None:
    def terminated(request):
        signal.raise_signal(signal.SIGTERM)
        assert request.budget.done
        return wander(request)

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        assert run(square, 10, solver=("terminated", terminated)).interrupted
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before)
    run(square, 10, solver=("quiet", wander))
    assert signal.getsignal(signal.SIGTERM) is before


def test_someone_elses_interrupt_handler_stays(square: HCVRP) -> None:
    caught: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))

    def interrupt(request):
        signal.raise_signal(signal.SIGINT)
        return wander(request)

    try:
        result = run(square, 10, solver=("interrupt", interrupt))
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught == [signal.SIGINT]
    assert not result.interrupted


def test_it_runs_outside_the_main_thread(square: HCVRP) -> None:
    results = []
    thread = threading.Thread(
        target=lambda: results.append(run(square, 1, solver=("wander", wander)))
    )
    thread.start()
    thread.join()
    assert results[0].feasible


def test_a_time_limit_of_zero_returns_the_start(square: HCVRP) -> None:
    start = one_after_the_other(square)

    def patient(request):
        return Outcome(request.start) if request.budget.done else wander(request)

    assert run(square, 0, solver=("patient", patient), start=start).plan.routes == start.routes


def test_the_same_seed_gives_the_same_plan(handful: HCVRP) -> None:
    plans = [solve(handful, MaxIterations(50), seed=4, solver="refine").plan for _ in range(2)]
    assert plans[0] == plans[1]


def test_json_has_what_is_promised(any_problem: Problem) -> None:
    result = run(any_problem, 1, 6, solver=("wander", wander))
    found = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert found["problem"] == any_problem.kind
    assert found["solver"] == "wander"
    assert found["objective"] == result.objective
    assert found["feasible"] is True
    assert found["seed"] == 6
    assert found["seconds"] >= 0
    assert len(found["vehicles"]) == any_problem.num_vehicles


def test_an_observer_may_end_the_run(handful):
    looks = []

    def enough(now):
        looks.append(now.iterations)
        return now.iterations >= 2000

    result = solve(handful, MaxIterations(10**9), solver="refine", observe=enough)
    assert result.feasible
    assert result.interrupted
    assert 2000 <= result.iterations < 10_000
    assert len(looks) >= 2


def test_what_an_observer_returns_besides_is_no_end(handful):
    result = solve(handful, MaxIterations(3000), solver="refine", observe=lambda now: False)
    assert result.iterations == 3000
    assert not result.interrupted
