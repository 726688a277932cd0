import csv
import dataclasses
import importlib
import io
import json
from statistics import mean, stdev

import numpy as np
import pytest

from geopar.errors import InputError
from geopar.evaluate import BATCH, Evaluation, Row, evaluate, open_set
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.frozen import frozen
from geopar.problems.hcvrp.bound import lower_bound
from geopar.solver import Outcome, Request
from geopar.stop import Budget, MaxIterations, MaxRuntime
from strategies import random_plan

evaluate_module = importlib.import_module("geopar.evaluate")

KEYS = {
    "set", "solver", "count", "objective", "objective_stderr", "bound_ratio", "steps", "seconds",
    "median_seconds", "infeasible",
}  # fmt: skip


def use(monkeypatch, solver) -> None:
    monkeypatch.setattr("geopar.many.solving.configured", lambda *_: ("fake", solver))
    monkeypatch.setattr("geopar.many.solving._made", {})


def wander(request: Request) -> Outcome:
    return Outcome(random_plan(request.problem, np.random.default_rng(request.seed)), steps=5)


def test_a_solver_of_ones_own() -> None:
    evaluation = evaluate("hcvrp/10/2", wander, count=2)
    assert evaluation.solver == "wander"
    assert [row.steps for row in evaluation.rows] == [5, 5]


def test_a_frozen_set() -> None:
    found = evaluate("hcvrp/10/2", "dispatch", count=3).to_json()
    assert set(found) == KEYS
    assert (found["set"], found["solver"], found["count"]) == ("hcvrp/10/2", "dispatch", 3)
    assert found["infeasible"] == 0
    assert found["bound_ratio"] >= 1.0
    assert found["objective_stderr"] > 0
    json.dumps(found, allow_nan=False)


def test_the_means(monkeypatch, handful: HCVRP, square: HCVRP) -> None:
    use(monkeypatch, wander)
    evaluation = evaluate([handful, square], stop=0.01)
    objectives = [row.objective for row in evaluation.rows]
    ratios = [
        objective / lower_bound(problem)
        for objective, problem in zip(objectives, (handful, square), strict=True)
    ]
    found = evaluation.to_json()
    assert found["objective"] == pytest.approx(mean(objectives))
    assert found["objective_stderr"] == pytest.approx(stdev(objectives) / 2**0.5)
    assert found["bound_ratio"] == pytest.approx(mean(ratios))
    assert found["steps"] == 5


def test_no_bound_and_no_spread_where_there_are_none(monkeypatch, corridor: OMDCPDP) -> None:
    use(monkeypatch, wander)
    found = evaluate([corridor]).to_json()
    assert found["bound_ratio"] is None
    assert found["objective_stderr"] is None


def test_infeasible_plans_are_counted_and_left_out(monkeypatch, square: HCVRP) -> None:
    plans = iter([Plan.from_indices(square, [[[0, 1]], [[2, 3]]]), Plan("hcvrp", ())])
    use(monkeypatch, lambda *args, **options: Outcome(next(plans)))
    evaluation = evaluate([square, square])
    found = evaluation.to_json()
    assert (found["count"], found["infeasible"]) == (2, 1)
    assert found["objective"] == pytest.approx(2 + 2**0.5)
    assert evaluation.rows[1].objective is None


def test_nothing_feasible_at_all() -> None:
    found = Evaluation("s", "x", (Row("s#0", None, False, None, None, None, 0.1),)).to_json()
    assert found["objective"] is None
    assert found["infeasible"] == 1


def test_rows_as_csv(monkeypatch, square: HCVRP) -> None:
    use(monkeypatch, wander)
    evaluation = evaluate([square, square])
    file = io.StringIO()
    evaluation.write_rows(file)
    rows = list(csv.DictReader(io.StringIO(file.getvalue())))
    assert [row["instance"] for row in rows] == ["problems#0", "problems#1"]
    assert float(rows[0]["objective"]) == evaluation.rows[0].objective


class Batched:
    """A solver that takes many at once, and says how many it got and where it runs."""

    def __init__(self, device: str = "cpu") -> None:
        self.device = device
        self.sizes: list[int] = []

    def __call__(self, *args, **options):
        raise AssertionError("one at a time")

    def solve_many(self, problems, budget, seed, *, threads):
        self.sizes.append(len(problems))
        return [wander(Request(problem, budget, seed)) for problem in problems]

    def to(self, device: str) -> "Batched":
        return Batched(device)


def test_a_solver_that_takes_many_gets_many(monkeypatch) -> None:
    solver = Batched()
    use(monkeypatch, solver)
    evaluation = evaluate("omdcpdp/4/2", count=BATCH + 2)
    assert solver.sizes == [BATCH, 2]
    assert len({row.seconds for row in evaluation.rows[:BATCH]}) == 1
    # in the order of the set
    one = wander(Request(frozen("omdcpdp/4/2", BATCH + 1)[BATCH], Budget(MaxRuntime(1))))
    assert evaluation.rows[BATCH].objective == pytest.approx(
        evaluate_module.judge(frozen("omdcpdp/4/2")[BATCH], one, "", 0).objective
    )


def test_device(monkeypatch, square: HCVRP) -> None:
    moved: list[str] = []
    monkeypatch.setattr(Batched, "to", lambda self, device: moved.append(device) or Batched(device))
    use(monkeypatch, Batched())
    evaluate([square], device="cuda")
    assert moved == ["cuda"]


def test_a_device_for_a_solver_without_choice(monkeypatch, square: HCVRP) -> None:
    use(monkeypatch, wander)
    assert evaluate([square], device="cpu").rows
    with pytest.raises(InputError, match="bad-device"):
        evaluate([square], device="cuda")


def test_every_row_is_told(monkeypatch, square: HCVRP) -> None:
    use(monkeypatch, wander)
    told: list[Row] = []
    evaluation = evaluate([square] * 3, tell=told.append)
    assert tuple(told) == evaluation.rows


def test_an_interrupt_keeps_what_is_finished(monkeypatch, square: HCVRP) -> None:
    calls = []

    def interrupted_at_the_third(request):
        calls.append(request)
        request.budget.interrupted = len(calls) == 3
        return wander(request)

    use(monkeypatch, interrupted_at_the_third)
    assert evaluate([square] * 5).to_json()["count"] == 2


def test_an_interrupt_of_many_at_once(monkeypatch) -> None:
    class Interrupted(Batched):
        def solve_many(self, problems, budget, seed, *, threads):
            budget.interrupted = bool(self.sizes)
            return super().solve_many(problems, budget, seed, threads=threads)

    use(monkeypatch, Interrupted())
    assert len(evaluate("hcvrp/5/2", count=BATCH + 5).rows) == BATCH


def test_an_interrupt_before_anything_is_finished(monkeypatch, square: HCVRP) -> None:
    def interrupted(request):
        request.budget.interrupted = True
        return wander(request)

    use(monkeypatch, interrupted)
    with pytest.raises(KeyboardInterrupt):
        evaluate([square])


def test_sets_by_name() -> None:
    chosen = open_set("omdcpdp/10/2", 4)
    assert (chosen.name, chosen.kind, len(chosen)) == ("omdcpdp/10/2", "omdcpdp", 4)


@pytest.mark.parametrize(
    ("instances", "count", "code"),
    [
        ("tsp/10/2", None, "unknown-problem"),
        ("hcvrp/10/2", 0, "bad-count"),
        ("hcvrp/10/2", 1281, "bad-count"),
        ("no/such.npz", None, "no-such-file"),
        ([], None, "empty"),
    ],
)
def test_bad_sets(instances, count, code: str) -> None:
    with pytest.raises(InputError, match=code):
        open_set(instances, count)


def test_bad_count_of_a_list(square: HCVRP) -> None:
    with pytest.raises(InputError, match="bad-count"):
        open_set([square], 2)


def test_two_kinds_in_one_set(square: HCVRP, corridor: OMDCPDP) -> None:
    with pytest.raises(InputError, match="mixed-kinds"):
        open_set([square, corridor])


def test_an_open_set_is_taken_as_it_is(square: HCVRP) -> None:
    chosen = open_set([square])
    assert open_set(chosen) is chosen


def test_row_k_is_what_solving_it_gives(monkeypatch) -> None:
    use(monkeypatch, wander)
    row = evaluate("hcvrp/10/2", count=2, seed=9).rows[1]
    outcome = wander(Request(frozen("hcvrp/10/2", 2)[1], Budget(MaxRuntime(1)), 9))
    expected = evaluate_module.judge(frozen("hcvrp/10/2", 2)[1], outcome, "", 9)
    assert row.objective == expected.objective
    assert row.instance == "hcvrp/10/2#1"


@pytest.mark.parametrize("solver", ["refine", "insert"])
def test_rows_are_the_same_whatever_solves_them(solver: str) -> None:
    here, there = (
        evaluate("hcvrp/8/2", solver, 5, MaxIterations(20), cluster=cluster)
        for cluster in (None, "processes:2")
    )
    without_times = [
        [dataclasses.replace(row, seconds=0.0) for row in found.rows] for found in (here, there)
    ]
    assert without_times[0] == without_times[1]
    assert [row.instance for row in there.rows] == [f"hcvrp/8/2#{n}" for n in range(5)]
