import json
import sys
from importlib.metadata import PackageNotFoundError

from geopar.__about__ import __version__


def test_versions(run) -> None:
    done = run("info")
    assert done.exit_code == 0
    assert __version__ in done.stdout
    assert sys.version.split()[0] in done.stdout


def test_as_json(run) -> None:
    found = json.loads(run("info", "--json").stdout)
    assert {"geopar", "python", "platform", "cores", "numpy", "numba", "torch"} <= set(found)


def test_what_is_not_installed(run, monkeypatch) -> None:
    def no_version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("geopar.cli.commands.info.version", no_version)
    assert "not installed" in run("info").stdout
    assert json.loads(run("info", "--json").stdout)["torch"] is None
