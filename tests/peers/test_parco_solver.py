import pytest

from geopar import solve
from geopar.problems.random import generate


@pytest.mark.parametrize("setting", ["hcvrp/8/2", "omdcpdp/8/2"])
def test_it_solves_both_problems(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEOPAR_PARCO_WEIGHTS", "random")
    result = solve(generate(setting), 20, solver="parco")
    assert result.feasible
    assert result.steps is not None
    assert result.notes == ("random weights: the network has learned nothing",)
