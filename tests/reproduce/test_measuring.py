from dataclasses import dataclass, replace
from typing import Any

import pytest

from geopar.neural.one_pass import TOO_SHORT_NOTE
from geopar.problems.frozen import frozen
from geopar.problems.hcvrp.bound import lower_bound
from geopar.reproduce.measuring import (
    TOO_LONG,
    Pass,
    Patience,
    mean_bound,
    measure_network,
    measure_search,
    set_bound,
)
from geopar.search.dispatch import dispatch
from geopar.solver import Outcome, Request
from geopar.spread.serial import Serial
from geopar.stop import Budget, MaxRuntime

HERE = Serial()
SET = "hcvrp/10/2"


@dataclass
class Fake:
    """A network that gives what dispatch gives, and counts who asks."""

    notes: tuple[str, ...] = ()
    alone: int = 0
    together: int = 0

    def __call__(self, request: Request) -> Outcome:
        self.alone += 1
        return replace(dispatch(request), steps=7, notes=self.notes)

    def solve_many(self, problems, budget: Budget, seed: int, *, threads: int) -> list[Outcome]:
        self.together += len(problems)
        return [replace(dispatch(Request(p, budget, seed)), steps=9) for p in problems]


def test_some_one_by_one_and_the_others_together() -> None:
    fake = Fake()
    found = measure_network(("fake", fake), SET, Pass(4, 1, 5.0))
    assert (fake.alone, fake.together) == (2, 3)  # one more to warm up
    assert found.values["steps"] == pytest.approx((7 + 3 * 9) / 4)
    assert found.values["instances"] == 4
    assert {"objective", "error", "bound", "seconds", "amortised"} <= set(found.values)


def test_one_instance_has_no_amortised_time() -> None:
    found = measure_network(("fake", Fake()), SET, Pass(1, 1, 5.0))
    assert "amortised" not in found.values
    assert "error" not in found.values


def test_a_pass_that_takes_too_long_leaves_no_numbers() -> None:
    fake = Fake(notes=(TOO_SHORT_NOTE,))
    found = measure_network(("fake", fake), SET, Pass(4, 1, 5.0))
    assert found.values == {}
    assert found.note.startswith(f"{TOO_LONG} 5 s")
    assert fake.together == 0


def test_patience_ends() -> None:
    assert not Budget(Patience(100.0, 1)).done
    assert not Budget(Patience(100.0, 2)).done
    assert Budget(Patience(1e-12, 1)).done


def test_a_search_and_its_notes() -> None:
    found = measure_search(
        ("fake", Fake(notes=("half of it",))), SET, Pass(2, 2, MaxRuntime(1.0)), HERE
    )
    assert found.values["instances"] == 2
    assert found.note == "half of it"


def test_plans_that_break_rules_are_counted() -> None:
    def broken(request: Request) -> Outcome:
        plan = dispatch(request).plan
        return Outcome(replace(plan, routes=()))

    found = measure_search(("broken", broken), SET, Pass(2, 2, MaxRuntime(1.0)), HERE)
    assert "objective" not in found.values
    assert "2 plans broke a rule" in found.note


def test_bounds() -> None:
    some: list[Any] = list(frozen(SET, 3))
    assert mean_bound(some) == pytest.approx(sum(lower_bound(one) for one in some) / 3)
    assert mean_bound(frozen("omdcpdp/10/2", 2)) is None
    assert set_bound("omdcpdp/10/2") is None
    assert set_bound(SET) == pytest.approx(mean_bound(frozen(SET)))
