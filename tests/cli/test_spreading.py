import pytest
from rich.console import Console

from geopar.cli import spreading
from geopar.cli.spreading import Bar
from geopar.spread.serial import Serial


@pytest.mark.parametrize("terminal", [True, False])
def test_how_far_it_is(monkeypatch: pytest.MonkeyPatch, terminal: bool, capsys) -> None:
    console = Console(stderr=True, force_terminal=terminal, width=100)
    monkeypatch.setattr(spreading, "stderr", console)
    monkeypatch.setattr(spreading, "ELSEWHERE", 0.0)
    monkeypatch.setattr(spreading, "ON_TERMINAL", 0.0)
    with Bar(4, Serial(), "day") as bar:
        bar.skip()
        bar.count(word="mean 3")
        bar.count(failed=True)
    shown = capsys.readouterr().err
    assert "day  1 of 3  1 worker" in shown
    assert "mean 3" in shown
    assert "2 of 3" in shown
    assert "1 failed" in shown
