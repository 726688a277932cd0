from geopar import warm_up
from geopar.warm_up import Warmed


def test_every_piece_has_its_line(run, monkeypatch) -> None:
    pieces = [Warmed("refine, hcvrp", 1.25), Warmed("pointer, hcvrp", 0.0, "torch is not there")]
    monkeypatch.setattr(warm_up, "warm_up", lambda: iter(pieces))
    done = run("warm-up")
    assert done.exit_code == 0
    assert "refine, hcvrp" in done.stderr
    assert "1.2 s" in done.stderr
    assert "left out: torch is not there" in done.stderr
    assert "1 not there" in done.stderr
