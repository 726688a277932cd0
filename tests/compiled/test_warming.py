import threading

import pytest

from geopar.compiled import warming
from geopar.compiled.warming import announced


def test_what_is_quick_is_not_announced():
    said: list[str] = []
    with announced("compiling", said.append):
        pass
    assert said == []


def test_what_takes_longer_is(monkeypatch):
    monkeypatch.setattr(warming, "PATIENCE", 0.0)
    said = threading.Event()
    with announced("compiling", lambda text: said.set()):
        assert said.wait(timeout=60)


def test_a_failure_inside_comes_out():
    with pytest.raises(RuntimeError, match="broken"), announced("compiling", print):
        raise RuntimeError("broken")
