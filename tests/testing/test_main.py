import sys
from pathlib import Path

import pytest

from geopar.testing import __main__ as testing
from geopar.testing.__main__ import Campaigns, main


def test_all_campaigns_in_turn(monkeypatch, capsys) -> None:
    monkeypatch.setattr(testing, "IN_A_ROW", dict.fromkeys(testing.IN_A_ROW, 1))
    rounds: list[int] = []
    monkeypatch.setitem(testing.CAMPAIGNS, "service", lambda self, seed: rounds.append(seed) or [])
    monkeypatch.setattr(
        sys, "argv", ["testing", "torture", "--count", "10", "--seed", "40", "--minutes", "60"]
    )
    assert main() == 0
    said = capsys.readouterr().out
    assert "from seed 40" in said
    assert "2 days" in said
    assert "solves by threads" in said
    assert "2 files" in said
    assert "0 failed" in said
    assert rounds == [44, 49]


@pytest.mark.parametrize(("more", "cases"), [(["--count", "5"], 5), ([], 1)])
def test_a_count_is_reached_however_long_it_takes(monkeypatch, more, cases) -> None:
    hours, asked = iter(range(0, 10**9, 3600)), list[int]()
    monkeypatch.setattr(testing.time, "monotonic", lambda: next(hours))
    monkeypatch.setattr(sys, "argv", ["testing", "files", "--seed", "1", *more])
    monkeypatch.setitem(testing.CAMPAIGNS, "files", lambda self, seed: asked.append(seed) or [])
    assert main() == 0
    assert len(asked) == cases


def test_what_failed_is_kept(monkeypatch, tmp_path: Path, capsys) -> None:
    monkeypatch.setitem(testing.CAMPAIGNS, "files", lambda self, seed: ["bad"])
    monkeypatch.setitem(testing.CAMPAIGNS, "solves", lambda self, seed: 1 / 0)
    campaigns = Campaigns(tmp_path / "kept")
    campaigns.run("files", 3)
    campaigns.run("solves", 4)
    monkeypatch.setitem(testing.CAMPAIGNS, "service", lambda self, seed: ["worse"])
    campaigns.rounds.reproduce = {"request": "GET / HTTP/1.1"}
    campaigns.run("service", 5)
    assert campaigns.failed == 3
    assert "GET / HTTP/1.1" in (tmp_path / "kept" / "service-5.json").read_text()
    assert sorted(path.name.partition(".")[0] for path in (tmp_path / "kept").iterdir()) == [
        "files-3", "service-5", "solves-4",
    ]  # fmt: skip
    said = capsys.readouterr().out
    assert "files --seed 3: bad" in said
    assert "python -m geopar.testing files --seed 3 --count 1" in said


@pytest.mark.parametrize(("ratio", "told"), [(1.005, 0), (1.02, 1)])
def test_more_search_that_is_worse_is_told(ratio: float, told: int) -> None:
    campaigns = Campaigns(None)
    campaigns._ratios["orders"] = [ratio] * testing.LEAST_PAIRS
    assert len(campaigns.worse_with_more()) == told
