from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

import geopar
import instances
from geopar.errors import InputError
from geopar.parts import InParts
from geopar.problems.day import Day
from geopar.solver import Outcome, Request, Snapshot
from geopar.spread import Done, WorkerDiedError, open_executor
from geopar.spread.serial import Serial
from geopar.stop import Budget, MaxIterations, MaxRuntime, NoImprovement

SETTINGS = ["hcvrp/60/6", "omdcpdp/60/6"]
PART = 20


def solve(setting: str, rule: Any = None, executor: Any = None, **options: Any) -> geopar.Result:
    problem = geopar.generate(setting, seed=2)
    solver = InParts(executor or Serial(), PART)
    result = geopar.solve(problem, rule or MaxIterations(3000), 1, solver=solver, **options)
    assert geopar.check(problem, result.plan).feasible
    return result


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_checked_plan_after_exactly_so_many_iterations(setting: str) -> None:
    result = solve(setting)
    assert (result.iterations, result.solver) == (3000, "refine in parts")
    assert result.objective < solve(setting, MaxIterations(0)).objective
    costs = [cost for _, cost in result.history]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_same_plan_whatever_searches_the_parts(setting: str) -> None:
    with open_executor("processes:2") as executor:
        assert solve(setting, executor=executor).plan == solve(setting).plan


def test_the_order_in_which_parts_come_is_no_matter() -> None:
    class Backwards(Serial):
        def run(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Done[Any]]:
            return iter(list(super().run(function, tasks))[::-1])

    assert solve(SETTINGS[0], executor=Backwards()).plan == solve(SETTINGS[0]).plan


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_start_never_comes_back_worse(setting: str) -> None:
    before = geopar.solve(geopar.generate(setting, seed=2), MaxIterations(5000))
    assert solve(setting, start=before.plan).objective <= before.objective


@pytest.mark.parametrize("setting", SETTINGS)
def test_parts_that_fail_stay_as_they_are(setting: str) -> None:
    class Failing(Serial):
        def run(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Done[Any]]:
            for done in super().run(function, tasks):
                yield Done(done.number, error=WorkerDiedError()) if done.number == 1 else done

    result = solve(setting, executor=Failing())
    assert any("stayed as it was" in note for note in result.notes)


def test_whoever_stops_it_gets_what_there_is() -> None:
    def stop(snapshot: Snapshot) -> bool:
        return snapshot.iterations > 0

    result = solve(SETTINGS[0], NoImprovement(seconds=1000.0), observe=stop)
    assert result.interrupted
    assert result.iterations > 0


def test_no_time_at_all() -> None:
    assert solve(SETTINGS[0], MaxRuntime(0.0)).iterations == 0


def test_a_time_limit_ends_it() -> None:
    assert solve(SETTINGS[1], MaxRuntime(0.5)).iterations > 0


def test_days_are_refused() -> None:
    solver = InParts(Serial())
    problem = instances.square().replace(day=Day(loading=1.0))
    with pytest.raises(InputError) as error:
        solver.warm_up(problem, print)
    assert error.value.faults[0].code == "not-in-parts"


def test_warming_up_needs_no_worker() -> None:
    class Nobody(Serial):
        def run(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Done[Any]]:
            raise AssertionError

    InParts(Nobody()).warm_up(geopar.generate(SETTINGS[0]), print)


def test_it_is_a_solver_like_others() -> None:
    problem = geopar.generate("hcvrp/30/3")
    budget = Budget(MaxIterations(10))
    assert isinstance(InParts(Serial(), PART)(Request(problem, budget)), Outcome)
