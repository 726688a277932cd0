import sys
from pathlib import Path

import pytest

from geopar.testing import __main__ as testing
from geopar.testing.__main__ import Campaigns, main


def test_all_campaigns_in_turn(monkeypatch, capsys) -> None:
    monkeypatch.setattr(testing, "IN_A_ROW", 1)
    monkeypatch.setattr(
        sys, "argv", ["testing", "torture", "--count", "6", "--seed", "40", "--minutes", "60"]
    )
    assert main() == 0
    said = capsys.readouterr().out
    assert "from seed 40" in said
    assert "2 days" in said
    assert "2 files" in said
    assert "0 failed" in said


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
    assert campaigns.failed == 2
    assert sorted(path.name.partition(".")[0] for path in (tmp_path / "kept").iterdir()) == [
        "files-3", "solves-4",
    ]  # fmt: skip
    assert "files --seed 3: bad" in capsys.readouterr().out


@pytest.mark.parametrize(("ratio", "told"), [(1.005, 0), (1.02, 1)])
def test_more_search_that_is_worse_is_told(ratio: float, told: int) -> None:
    campaigns = Campaigns(None)
    campaigns._ratios["orders"] = [ratio] * testing.LEAST_PAIRS
    assert len(campaigns.worse_with_more()) == told
