from typing import Any

import pytest

from geopar.search import engines
from geopar.search.teams import Teams
from geopar.testing import random_threads
from geopar.testing.random_threads import drawn, tried


def seeds_of(way: str) -> list[int]:
    """The first two seeds whose problems are searched in such a way."""
    return [seed for seed in range(100) if random_threads._way(seed) == way][:2]


@pytest.mark.parametrize("way", ["side by side", "large", "divided"])
def test_nothing_fails(way: str) -> None:
    for seed in seeds_of(way):
        assert tried(seed).failures == []
        assert tried(seed) == tried(seed)


def test_large_problems_share_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Counted(Teams):
        def __init__(self, *arguments: Any) -> None:
            made.append(arguments)
            super().__init__(*arguments)

    monkeypatch.setattr(engines, "Teams", Counted)
    (seed, *_) = seeds_of("large")
    assert drawn(seed).num_vehicles >= 10
    tried(seed)
    assert made


def test_teams_that_differ_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    seed = seeds_of("divided")[0]
    advance, calls = Teams.advance, []

    def greater(self: Teams, *arguments: Any) -> float:
        calls.append(1)
        return advance(self, *arguments) + len(calls)

    monkeypatch.setattr(Teams, "advance", greater)
    failures = tried(seed).failures
    assert any("costs grow" in failure for failure in failures)
    assert any("the cost" in failure for failure in failures)
