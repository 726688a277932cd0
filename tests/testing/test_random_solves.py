from dataclasses import replace
from typing import Any

import pytest

from geopar.testing import random_solves
from geopar.testing.random_solves import tried


def test_a_seed_says_the_same_again() -> None:
    assert tried(11) == tried(11)
    assert tried(11).failures == []


def test_a_wrong_objective_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = random_solves.solve

    def lying(*arguments: Any, **options: Any) -> Any:
        result = solve(*arguments, **options)
        return replace(result, plan=replace(result.plan, routes=result.plan.routes[:0]))

    monkeypatch.setattr(random_solves, "solve", lying)
    assert any("not everybody once" in failure for failure in tried(9).failures)
