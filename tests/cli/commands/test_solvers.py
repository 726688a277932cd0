import json

from geopar.solver import solvers


def test_all_are_listed(run) -> None:
    done = run("solvers")
    assert done.exit_code == 0
    for name in solvers():
        assert name in done.stdout


def test_as_json(run) -> None:
    found = json.loads(run("solvers", "--json").stdout)
    assert list(found) == list(solvers())
    assert found["dispatch"]["problems"] == ["hcvrp", "omdcpdp"]
