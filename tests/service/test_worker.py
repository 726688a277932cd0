"""What a worker does, in this process: no pipe, no other process."""

import importlib
import json
import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

import geopar
import instances
from geopar.checking import check
from geopar.errors import InputError
from geopar.files import plan_from_json
from geopar.plan import Plan
from geopar.service import worker as worker_module
from geopar.service.messages import (
    ConstructCommand,
    Failed,
    Improvement,
    ProgressReport,
    RunOptions,
    SolveCommand,
    TraceCommand,
)
from geopar.service.worker import UntilStopped, Worker
from geopar.solver import Outcome
from geopar.stop import Budget, MaxRuntime

# The function has the module's name, so the module is not reached through its package.
solve_module = importlib.import_module("geopar.solving")


@dataclass
class Sink:
    """Keeps what is sent."""

    sent: list = field(default_factory=list)

    def send(self, report: object) -> None:
        self.sent.append(report)


def new_worker(sink: Any = None) -> Worker:
    connection: Any = sink or Sink()
    return Worker(connection)


def test_improvements_are_checked_and_told_but_not_too_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_module, "PROGRESS_EVERY", 0.0)
    sink, problem = Sink(), geopar.generate("hcvrp/12/2", 1)
    done = new_worker(sink).carry_out(
        SolveCommand(problem, None, 60.0, 1, True, options=RunOptions(iterations=3000))
    )
    told = [report for report in sink.sent if isinstance(report, Improvement)]
    assert any(isinstance(report, ProgressReport) for report in sink.sent)
    assert told[0].solver == "refine"
    for report in told:
        found = check(problem, plan_from_json(json.loads(report.plan)))
        assert found.objective == report.objective
    times = [report.time for report in told]
    assert all(b - a >= worker_module.REPORT_EVERY for a, b in pairwise(times))
    result = json.loads(done.texts[0])
    assert result["objective"] == done.objective <= told[-1].objective
    assert result["interrupted"] is False


def test_told_to_stop_it_ends_with_what_there_is() -> None:
    worker = new_worker()
    worker.stopped.set()
    done = worker.carry_out(SolveCommand(instances.handful(), "refine", 1000.0, 0))
    result = json.loads(done.texts[0])
    assert result["interrupted"] is True
    assert check(instances.handful(), plan_from_json(result["plan"])).feasible


def test_many_in_one_pass_give_what_each_gives_alone() -> None:
    problems = tuple(geopar.generate("hcvrp/8/2", seed) for seed in range(3))
    together = new_worker().carry_out(ConstructCommand(problems, (4, 5, 6)))
    for problem, text, seed in zip(problems, together.texts, (4, 5, 6), strict=True):
        result = json.loads(text)
        assert result["seed"] == seed
        alone = json.loads(new_worker().carry_out(ConstructCommand((problem,), (seed,))).texts[0])
        assert result["plan"] == alone["plan"]
        assert check(problem, plan_from_json(result["plan"])).feasible


def test_a_trace_serves_every_task_once() -> None:
    done = new_worker().carry_out(TraceCommand(instances.handful(), 0))
    steps = json.loads(done.texts[0])["steps"]
    served = [a["task"] for step in steps for a in step["actions"] if a["kind"] == "serve"]
    assert sorted(served) == sorted(instances.handful().customer_ids)


def broken(*arguments: object, **options: object) -> Outcome:
    """A solver that serves nobody."""
    return Outcome(Plan("hcvrp", ()))


def test_instead_of_a_broken_plan_comes_another_with_a_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solve_module, "load", lambda *_: ("fake", broken))
    problem = instances.handful()
    done = new_worker().report_on(SolveCommand(problem, "fake", 1.0, 4))
    result = json.loads(done.texts[0])
    assert check(problem, plan_from_json(result["plan"])).objective == done.objective
    for part in ("solver fake", "seed 4", "[unserved]", "dispatch"):
        assert part in result["notes"][-1]


def test_instead_of_a_broken_pass_comes_another_plan_with_a_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged = worker_module.judge
    monkeypatch.setattr(
        worker_module, "judge", lambda problem, outcome, *rest: judged(problem, broken(), *rest)
    )
    problem = instances.handful()
    done = new_worker().carry_out(ConstructCommand((problem,), (4,)))
    result = json.loads(done.texts[0])
    assert check(problem, plan_from_json(result["plan"])).feasible
    assert "dispatch" in result["notes"][-1]
    # And where not even that can be made, nothing.
    monkeypatch.setattr("geopar.search.dispatch.dispatch", broken)
    assert new_worker().carry_out(ConstructCommand((problem,), (4,))).texts == ("",)


def test_a_broken_plan_has_no_steps_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broken, "traced", lambda: broken, raising=False)
    monkeypatch.setattr(solve_module, "load", lambda *_: ("pointer", broken))
    failed = new_worker().report_on(TraceCommand(instances.handful(), 0))
    assert failed.code == "internal"
    assert "[unserved]" in failed.message


@pytest.mark.parametrize("error", [SystemExit(1), RecursionError("deep"), MemoryError()])
def test_whatever_is_raised_is_reported(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(self: Worker, command: object) -> None:
        raise error

    monkeypatch.setattr(Worker, "carry_out", fail)
    report = new_worker().report_on(TraceCommand(instances.handful(), 0))
    assert report == Failed.of(error)


def test_solvers_that_are_not_there_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from geopar.pointer.solver import PointerSolver

    assert worker_module._why_missing("refine", ("hcvrp",)) is None
    assert worker_module._why_missing("pointer", ("hcvrp",)) is None
    monkeypatch.setattr(PointerSolver, "network", refuse)
    assert "no weights" in str(worker_module._why_missing("pointer", ("hcvrp",)))


def refuse(self: object, problem: object) -> None:
    from geopar.errors import Faults

    faults = Faults()
    faults.add("no-weights", "weights", ..., "no weights here.")
    raise InputError(faults.found)


def test_the_rule_ends_when_it_is_set_and_not_before() -> None:
    rule = UntilStopped()
    budget = Budget(MaxRuntime(1000) | rule)
    assert not budget.done
    assert math.isfinite(budget.seconds_left)
    assert math.isinf(rule.seconds_left(budget.progress))
    rule.stopped.set()
    assert budget.done
    assert budget.seconds_left == 0


def test_iterations_repeat_under_a_time_limit_and_a_limit_still_holds() -> None:
    problem = geopar.generate("hcvrp/12/2", 1)
    options = RunOptions(iterations=2000)
    done = new_worker().carry_out(SolveCommand(problem, "refine", 60.0, 1, options=options))
    alone = geopar.solve(problem, geopar.MaxIterations(2000), 1, solver="refine")
    assert plan_from_json(json.loads(done.texts[0])["plan"]) == alone.plan
    endless = RunOptions(iterations=10**12)
    done = new_worker().carry_out(SolveCommand(problem, "refine", 0.2, 1, options=endless))
    assert 0 < done.iterations < 10**9
