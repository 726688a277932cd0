"""The campaign itself, for a few days."""

import sys

import pytest

from geopar.testing import __main__ as command
from geopar.testing import random_days
from geopar.testing.random_days import campaign, drawn


def test_a_few_days_of_any_mix_all_go_well():
    assert [failure for _, found in campaign(25, 7_000) for failure in found] == []


def test_a_seed_is_all_that_is_needed_to_see_a_day_again():
    assert drawn(12) == drawn(12)
    assert drawn(12) != drawn(13)


def test_days_are_of_every_kind():
    days = [drawn(seed).day for seed in range(200)]
    asked = {part for day in days for part in day.parts}
    assert {"matrices", "windows", "released", "locked", "on_board", "extra_demand"} <= asked
    assert any(not day.has_depot for day in days)


def test_what_fails_is_told_with_its_seed(monkeypatch, capsys):
    monkeypatch.setattr(random_days, "_tried", lambda *_: ["it broke"])
    monkeypatch.setattr(sys, "argv", ["geopar.testing", "days", "--count", "2", "--seed", "5"])
    assert command.main() == 1
    assert "seed 5: it broke" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [LookupError("gone"), ValueError("odd")])
def test_a_crash_is_a_failure_of_that_day(monkeypatch, wrong):
    def crash(*_):
        raise wrong

    monkeypatch.setattr(random_days, "_tried", crash)
    [(_, [failure])] = campaign(1, 3)
    assert type(wrong).__name__ in failure.what
