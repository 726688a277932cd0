from typing import Any

import pytest

import geopar
import instances
from geopar.errors import InputError
from geopar.many import solve_many
from geopar.solver import Options, Outcome, Request
from geopar.spread.serial import Serial
from geopar.stop import MaxIterations

RULE = MaxIterations(200)
PROBLEMS = [geopar.generate("hcvrp/12/2", seed=n) for n in range(3)]


@pytest.mark.parametrize("cluster", [None, "processes:2"])
def test_each_plan_is_what_solve_gives(cluster: str | None) -> None:
    found = {one.number: one for one in solve_many(PROBLEMS, RULE, 5, cluster=cluster)}
    assert sorted(found) == [0, 1, 2]
    for number, problem in enumerate(PROBLEMS):
        alone = geopar.solve(problem, RULE, 5)
        assert (found[number].plan, found[number].objective) == (alone.plan, alone.objective)
        assert (found[number].iterations, found[number].solver) == (200, "refine")
        assert geopar.check(problem, found[number].plan).feasible


def test_an_error_is_one_problems_own() -> None:
    kinds: list[Any] = [instances.square(), instances.corridor()]
    first, second = solve_many(kinds, RULE, solver="sisr")  # which does no orders
    assert first.error is None
    assert isinstance(second.error, InputError)
    assert (second.number, second.plan) == (1, None)


def test_a_solver_of_ones_own() -> None:
    def mine(request: Request) -> Outcome:
        return Outcome(geopar.solve(request.problem, RULE).plan)

    (one,) = solve_many([instances.square()], RULE, solver=mine)
    assert one.solver == "mine"


def test_options_of_a_network_are_refused_by_a_search() -> None:
    (one,) = solve_many([instances.square()], RULE, options=Options(mode="sample"))
    assert isinstance(one.error, InputError)
    assert one.error.faults[0].code == "unused-option"


def test_an_executor_that_is_open_stays_open() -> None:
    class Watched(Serial):
        closed = False

        def close(self) -> None:
            self.closed = True

    executor = Watched()
    assert len(list(solve_many(PROBLEMS, RULE, cluster=executor))) == 3
    assert not executor.closed


def test_bad_names_are_refused_at_once() -> None:
    with pytest.raises(InputError):
        solve_many("nowhere/*.json")


def test_a_run_that_the_user_cuts_short_gives_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(request: Request) -> Outcome:
        request.budget.interrupted = True
        return Outcome(geopar.solve(request.problem, RULE).plan)

    with pytest.raises(KeyboardInterrupt):
        list(solve_many([instances.square()], RULE, solver=cut))
