import io

import pytest
from rich.console import Console

import geopar
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.progress import ProgressLine
from geopar.solver import Outcome, Request, Snapshot


@pytest.fixture
def plan(square: HCVRP) -> Plan:
    return Plan.from_indices(square, [[[0, 1]], [[2], [3]]])


def look(plan: Plan, seconds: float) -> Snapshot:
    return Snapshot(seconds, int(seconds * 1000), 4.0, False, lambda: plan)


def lines_of(square: HCVRP, plan: Plan, times: list[float]) -> list[str]:
    file = io.StringIO()
    with ProgressLine(square, Console(file=file)) as progress:
        for seconds in times:
            progress(look(plan, seconds))
    return file.getvalue().splitlines()


def test_short_runs_show_nothing(square: HCVRP, plan: Plan) -> None:
    assert lines_of(square, plan, [0.1, 1.0, 1.9]) == []


def test_a_line_a_second(square: HCVRP, plan: Plan) -> None:
    lines = lines_of(square, plan, [1.9, 2.0, 2.4, 2.8, 3.2, 3.6])
    assert [line.split()[0] for line in lines] == ["2.0", "3.2"]


def test_what_it_says(square: HCVRP, plan: Plan) -> None:
    # home at 3.41 and 4: 93 % of the later one on average
    (line,) = lines_of(square, plan, [2.0])
    for part in ("2.0 s", "1,000 iterations/s", "best 4.0000", "balance 93%"):
        assert part in line


def test_looking_at_the_plan_becomes_rare_when_it_costs_much(
    monkeypatch, square: HCVRP, plan: Plan
) -> None:
    clock = iter(range(1000))  # every look at the clock is a second later
    monkeypatch.setattr("geopar.progress.time.perf_counter", lambda: float(next(clock)))
    looked: list[float] = []
    with ProgressLine(square, Console(file=io.StringIO())) as progress:
        for seconds in (2.0, 10.0, 51.0, 52.0):

            def build(at: float = seconds) -> Plan:
                looked.append(at)
                return plan

            progress(Snapshot(seconds, 1, 4.0, False, build))
    assert looked == [2.0, 52.0]


def test_the_balance_of_a_large_problem_waits(plan: Plan) -> None:
    n = 10_000
    large = HCVRP((0, 0), [(1, 1)] * n, [1] * n, [n], [1])
    (line,) = lines_of(large, plan, [2.0])
    assert "balance" not in line
    assert "best 4.0000" in line


def test_on_a_terminal_it_is_one_line_that_goes_away(square: HCVRP, plan: Plan) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=100)
    with ProgressLine(square, console) as progress:
        progress(look(plan, 2.0))
        progress(look(plan, 3.5))
    text = file.getvalue()
    assert "3.5 s" in text
    assert text.rstrip().endswith("\x1b[2K")


def test_solve_shows_it_when_asked(square: HCVRP, plan: Plan, capsys) -> None:
    def slow(request: Request) -> Outcome:
        request.observe(look(plan, 2.5))
        return Outcome(plan, 1)

    seen: list[float] = []

    def observe(snapshot: Snapshot) -> None:
        seen.append(snapshot.seconds)

    for progress in (False, True):
        geopar.solve(square, solver=slow, observe=observe, progress=progress)
        assert ("2.5 s" in capsys.readouterr().err) == progress
    assert seen == [2.5, 2.5]
