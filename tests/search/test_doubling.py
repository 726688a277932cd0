import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.search.doubling import AGAIN, Doubling, annealed
from geopar.search.engines import Routes

FRACTIONS = st.floats(0, 1)


@given(st.integers(0, 10), st.integers(0, 10**6), FRACTIONS, FRACTIONS)
def test_no_iteration_is_lost_and_each_annealing_cools(doublings, iterations, one, other):
    begin, end = sorted((one, other))
    parts = list(annealed(doublings, iterations, begin, end))
    assert sum(some for some, _, _ in parts) == iterations
    assert all(some > 0 and 0.0 <= first <= last <= 1.0 for some, first, last in parts)


def test_a_run_annealed_once_is_as_it_was():
    assert list(annealed(0, 100, 0.25, 0.5)) == [(100, 0.25, 0.5)]


def test_each_annealing_is_as_long_as_all_before_and_begins_with_less_heat():
    whole = list(annealed(2, 1000, 0.0, 1.0))
    assert whole == [(250, 0.0, 1.0), (250, AGAIN, 1.0), (500, AGAIN, 1.0)]
    assert list(annealed(2, 10, 0.75, 0.75)) == [(10, *[pytest.approx((1 + AGAIN) / 2)] * 2)]


class Recorder:
    """An engine that remembers what it was told, and goes on from where it was."""

    def __init__(self) -> None:
        self.told: list[tuple[int, float, float]] = []

    def advance(self, iterations: int, begin: float, end: float) -> float:
        if iterations:
            self.told.append((iterations, begin, end))
        return 100.0 - sum(some for some, _, _ in self.told)

    def best_routes(self) -> Routes:
        return [[np.array([some]) for some, _, _ in self.told]]

    def best_goal(self) -> float | None:
        return None

    def rebase(self, routes: Routes) -> None:
        self.told = self.told[: len(routes[0])]


def test_an_engine_is_told_of_annealings_instead_of_the_run():
    engine = Recorder()
    doubling = Doubling(engine, 1)
    assert doubling.advance(0, 0.0, 0.0) == 100.0
    assert doubling.advance(30, 0.0, 0.75) == 70.0
    assert engine.told == [(20, 0.0, 1.0), (10, AGAIN, pytest.approx((1 + AGAIN) / 2))]
    assert doubling.best_goal() is None
    doubling.rebase([[np.array([20])]])
    assert doubling.best_routes() == [[20]]
