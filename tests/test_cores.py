import pytest

import geopar
from geopar import MaxIterations, MaxRuntime, NoImprovement, TargetCost
from geopar.cores import available_cores, usual_threads
from geopar.problems.random import generate
from geopar.solver import Outcome


def test_there_is_one_at_least():
    assert available_cores() >= 1


@pytest.mark.parametrize(
    ("rule", "all_cores"),
    [
        (MaxRuntime(1), True),
        (MaxRuntime(1) | TargetCost(3.0), True),
        (MaxIterations(10), False),
        (MaxRuntime(1) | MaxIterations(10), False),
        (NoImprovement(iterations=10), False),
        (TargetCost(3.0), False),
    ],
)
def test_all_of_them_where_the_clock_decides(monkeypatch, rule, all_cores):
    monkeypatch.setattr("geopar.cores.available_cores", lambda: 7)
    assert usual_threads(rule) == (7 if all_cores else 1)


@pytest.mark.parametrize(("given", "stop", "taken"), [(None, 1.0, 5), (2, 1.0, 2)])
def test_solve_takes_them(monkeypatch, given, stop, taken):
    monkeypatch.setattr("geopar.cores.available_cores", lambda: 5)
    problem = generate("hcvrp/4/2")
    plan = geopar.solve(problem, MaxIterations(10)).plan
    seen = []

    def solver(request):
        seen.append(request.threads)
        return Outcome(plan, 0)

    geopar.solve(problem, stop, solver=solver, threads=given)
    assert seen == [taken]
