import sys
from typing import Any

import pytest

import instances
from geopar.errors import InputError, MissingExtraError
from geopar.plan import Plan
from geopar.problems.day import Day
from geopar.solver import Request, SolverInfo, find_solver, solvers
from geopar.solving import solve
from geopar.stop import Budget, MaxIterations, MaxRuntime

PLAN_DAYS = ("refine", "insert", "hybrid")


def test_names_are_unique_and_described():
    for name, info in solvers().items():
        assert name == info.name
        assert info.summary
        assert info.kinds


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_only_those_for_the_problem(kind):
    assert all(kind in info.kinds for info in solvers(kind).values())
    assert "dispatch" in solvers(kind)


def test_unknown_names():
    with pytest.raises(InputError, match=r"unknown-solver.*One of: .*dispatch"):
        find_solver("magic", "hcvrp")


def test_a_solver_for_the_other_problem(monkeypatch):
    half = SolverInfo("half", "does one problem", "geopar.search.dispatch:dispatch", ("hcvrp",))
    # By name, because the public function shares its name with its module.
    monkeypatch.setattr(sys.modules["geopar.solver"], "_ALL", (half,))
    assert find_solver("half", "hcvrp") is half
    with pytest.raises(InputError, match="wrong-problem"):
        find_solver("half", "omdcpdp")


def test_missing_packages_name_the_extra():
    info = SolverInfo("x", "needs more", "no_such_package.x:solve", extra="peers")
    with pytest.raises(MissingExtraError, match="peers"):
        info.load()


def test_our_own_missing_modules_are_our_own_fault():
    with pytest.raises(ModuleNotFoundError):
        SolverInfo("x", "is broken", "geopar.no_such_module:solve", extra="peers").load()
    with pytest.raises(ModuleNotFoundError):
        SolverInfo("x", "has no extra", "no_such_package.x:solve").load()


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """A package in the path that brings solvers by entry points."""
    about = tmp_path / "our_solvers-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: our-solvers\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[geopar.solvers]\nlazy = our_solvers:Solvers.lazy\nbroken = our_solvers:missing\n"
        "refine = our_solvers:Solvers.lazy\n"
    )
    (tmp_path / "our_solvers.py").write_text(
        "from geopar.search.dispatch import dispatch\n"
        "class Solvers:\n    lazy = staticmethod(lambda request: dispatch(request))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules["geopar.solver"]._of_other_packages.cache_clear()
    yield
    sys.modules["geopar.solver"]._of_other_packages.cache_clear()


@pytest.mark.usefixtures("plugin")
def test_other_packages_bring_solvers(any_problem):
    assert solvers()["lazy"].package == "our-solvers"
    result = solve(any_problem, 1, solver="lazy")
    assert (result.solver, result.feasible) == ("lazy", True)


@pytest.mark.usefixtures("plugin")
def test_our_own_names_stay_ours():
    assert solvers()["refine"].package == ""


@pytest.mark.usefixtures("plugin")
def test_a_broken_solver_of_another_package_is_told(square):
    with pytest.raises(InputError, match=r"broken-solver.*our-solvers.*AttributeError"):
        solve(square, 1, solver="broken")


def test_budget_and_observer_are_told(square):
    seen: list[Any] = []
    budget = Budget(MaxIterations(9))
    request = Request(square, budget, observe=seen.append)
    plan = Plan("hcvrp", ())
    for iterations, cost in ((1, 5.0), (2, 5.0), (3, 4.0)):
        request.tell(iterations, cost, lambda: plan)
    assert [(look.iterations, look.cost, look.improved) for look in seen] == [
        (1, 5.0, True), (2, 5.0, False), (3, 4.0, True),
    ]  # fmt: skip
    assert seen[0].plan() is plan
    assert budget.iterations == 3


@pytest.mark.parametrize("name", [n for n in solvers("hcvrp") if n not in PLAN_DAYS])
def test_who_knows_no_days_says_what_to_use(name):
    pytest.importorskip("ortools" if name == "ortools" else "torch")
    busy = instances.square().replace(day=Day(loading=1.0))
    with pytest.raises(InputError, match=rf"'{name}'.*loading.*refine, insert or hybrid"):
        find_solver(name, "hcvrp").load()(Request(busy, Budget(MaxRuntime(1))))
