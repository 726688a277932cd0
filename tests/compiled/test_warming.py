import os
import threading
import time

import numba
import pytest

from geopar.compiled import warming
from geopar.compiled.warming import announced


def compile_one():
    """A new kernel each time, kept nowhere."""
    numba.njit(lambda x: x + 1)(1)


@pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="it is about what gets compiled"
)
def test_what_is_compiled_and_takes_long_is_announced(monkeypatch):
    monkeypatch.setattr(warming, "PATIENCE", 0.0)
    said = threading.Event()
    with announced("compiling", lambda text: said.set()):
        compile_one()
        assert said.wait(timeout=60)


def test_what_is_not_compiled_is_not_announced_however_long_it_takes(monkeypatch):
    monkeypatch.setattr(warming, "PATIENCE", 0.0)
    said: list[str] = []
    with announced("compiling", said.append):
        time.sleep(0.05)
    assert said == []


def test_what_is_compiled_quickly_is_not_announced():
    said: list[str] = []
    with announced("compiling", said.append):
        compile_one()
    assert said == []


def test_a_failure_inside_comes_out():
    with pytest.raises(RuntimeError, match="broken"), announced("compiling", print):
        raise RuntimeError("broken")


def test_nobody_listens_afterwards(monkeypatch):
    monkeypatch.setattr(warming, "PATIENCE", 0.0)
    said: list[str] = []
    with announced("compiling", said.append):
        pass
    compile_one()
    assert said == []
