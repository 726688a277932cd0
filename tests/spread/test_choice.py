import builtins
import sys
from typing import Any

import pytest

import geopar.spread
from geopar.errors import InputError, MissingExtraError
from geopar.spread import open_executor, opened
from geopar.spread.serial import Serial


@pytest.mark.parametrize("name", [None, "serial"])
def test_this_process_is_what_is_left(name: str | None) -> None:
    assert type(open_executor(name)).__name__ == "Serial"


def test_so_many_processes() -> None:
    assert open_executor("processes:3").workers == 3


def test_as_many_processes_as_there_are_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)))
    assert open_executor("processes").workers == 8
    assert open_executor("processes", cores=3).workers == 2
    assert open_executor("processes", cores=9).workers == 1


@pytest.mark.parametrize(
    "name", ["", "processes:", "processes:0", "processes:-1", "processes:9999", "cloud", "a b:1"]
)
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(InputError, match="cluster") as error:
        open_executor(name)
    assert error.value.faults[0].code == "bad-cluster"


def test_a_cluster_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_ray(name: str, *rest: Any) -> Any:
        if name == "ray":
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    # Whatever has imported Ray in this process has to be imported anew.
    for name in ("ray_cluster", "ray_link"):
        monkeypatch.delitem(sys.modules, f"geopar.spread.{name}", raising=False)
        monkeypatch.delattr(geopar.spread, name, raising=False)
    monkeypatch.setattr(builtins, "__import__", without_ray)
    with pytest.raises(MissingExtraError, match=r"geopar\[cluster\]"):
        open_executor("10.0.0.1:6379")


def test_by_name_it_is_closed_and_what_is_open_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[object] = []
    monkeypatch.setattr(Serial, "close", lambda self: closed.append(self))
    with opened("serial") as named:
        pass
    assert closed == [named]
    mine = Serial()
    with opened(mine) as same:
        assert same is mine
    assert closed == [named]
