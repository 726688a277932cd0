import time

import pytest

import instances
from geopar.plan import Plan
from geopar.search.pace import SECONDS_PER_PIECE, run_paced, share_note
from geopar.solver import Request, Snapshot
from geopar.stop import Budget, MaxIterations, MaxRuntime, StopRule, TargetCost

NO_PLAN = Plan("hcvrp", ())
PROBLEM = instances.one_customer()


class Clock:
    """Stands still until told otherwise."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)


def started(rule: StopRule) -> Budget:
    """A budget by the clock as it now is."""
    budget = Budget(rule)
    budget.restart()
    return budget


class Machine:
    """An ``advance`` that takes so many seconds an iteration and writes down what it is asked."""

    def __init__(self, clock: Clock | None = None, seconds: float = 0.0) -> None:
        self.clock, self.seconds = clock, seconds
        self.pieces: list[tuple[int, float, float]] = []

    def __call__(self, count: int, begin: float, end: float) -> tuple[int, float]:
        self.pieces.append((count, begin, end))
        if self.clock is not None:
            self.clock.now += count * self.seconds
        return count, 100.0 - len(self.pieces)

    def run(self, rule: StopRule | Budget, most: int = 1000, piece: int = 100, **options) -> int:
        budget = rule if isinstance(rule, Budget) else started(rule)
        request = Request(PROBLEM, budget, **options)
        return run_paced(self, request, most, piece, 100.0, lambda: NO_PLAN)


def test_an_iteration_budget_is_cut_into_equal_pieces():
    machine = Machine()
    assert machine.run(MaxIterations(250)) == 250
    assert [count for count, _, _ in machine.pieces] == [100, 100, 50]
    assert [begin for _, begin, _ in machine.pieces] == pytest.approx([0, 0.4, 0.8])
    assert [end for _, _, end in machine.pieces] == pytest.approx([0.4, 0.8, 1])


def test_its_own_budget_ends_it_too():
    machine = Machine()
    assert machine.run(MaxIterations(10**9), most=150) == 150
    assert machine.pieces == [(100, 0, pytest.approx(2 / 3)), (50, pytest.approx(2 / 3), 1)]


def test_a_time_limit_is_kept_and_cooled_by(monkeypatch):
    clock = Clock(monkeypatch)
    machine = Machine(clock, seconds=0.001)
    done = machine.run(MaxRuntime(1.0), most=10**9)
    assert clock.now == pytest.approx(1.0, abs=0.002)
    assert done == pytest.approx(1000, abs=2)
    counts = [count for count, _, _ in machine.pieces]
    assert max(counts) <= SECONDS_PER_PIECE / 0.001
    for (_, begin, end), (_, following, _) in zip(
        machine.pieces[1:], machine.pieces[2:], strict=False
    ):
        assert begin < end
        assert following == pytest.approx(end, abs=0.01)
    assert machine.pieces[-1][2] == pytest.approx(1.0, abs=0.01)


def test_a_slow_machine_gets_single_iterations(monkeypatch):
    clock = Clock(monkeypatch)
    machine = Machine(clock, seconds=0.3)
    assert machine.run(MaxRuntime(1.0), piece=1) == 4
    assert {count for count, _, _ in machine.pieces} == {1}


def test_cooling_begins_where_this_solver_begins(monkeypatch):
    clock = Clock(monkeypatch)
    budget = started(MaxRuntime(2.0))
    clock.now = 1.0
    machine = Machine(clock, seconds=0.001)
    machine.run(budget, most=10**9)
    assert machine.pieces[0][1] == pytest.approx(0.0)
    middle = next(begin for i, (_, begin, _) in enumerate(machine.pieces) if i * 2 >= 26)
    assert middle == pytest.approx(0.5, abs=0.1)


def test_iterations_before_this_solver_count_on():
    budget = Budget(MaxIterations(30))
    budget.note(10, 200.0)
    seen: list[Snapshot] = []
    assert Machine().run(budget, observe=seen.append) == 20
    assert [look.iterations for look in seen] == [10, 30]
    assert [look.improved for look in seen] == [True, True]
    assert seen[-1].plan() is NO_PLAN


def test_a_target_ends_it():
    assert Machine().run(TargetCost(98.5)) == 200


def test_nothing_to_do():
    machine = Machine()
    assert machine.run(MaxRuntime(0)) == machine.run(MaxIterations(0)) == 0
    assert machine.pieces == []


def test_the_note_tells_the_factor():
    note = share_note("sisr", "iterations", 360_000, 18_000_000)
    assert note == "sisr ran 360,000 of the paper's 18,000,000 iterations: a factor of 0.02"
