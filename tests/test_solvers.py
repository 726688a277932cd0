import sys

import pytest

from geopar.errors import InputError, MissingExtraError
from geopar.solvers import SolverInfo, find_solver, solvers


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
    with pytest.raises(InputError, match=r"unknown-solver.*Maybe one of: .*dispatch"):
        find_solver("magic", "hcvrp")


def test_a_solver_for_the_other_problem(monkeypatch):
    half = SolverInfo("half", "does one problem", "geopar.search.dispatch:dispatch", ("hcvrp",))
    # By name, because the public function shares its name with its module.
    monkeypatch.setattr(sys.modules["geopar.solvers"], "_ALL", (half,))
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
