"""Neighbours by the measure of Vidal and others, pair by pair."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import instances
from day_plans import any_days
from geopar.problems.day import Day
from geopar.problems.random import generate
from geopar.search import day as search
from geopar.search.day import near
from geopar.search.day.data import CLOSES, OPENS


def apart(problem, data, i: int, j: int) -> float:
    """How ill one customer goes beside another, in whichever order is better."""

    def follows(i, j):
        way = float(problem.travel.duration(0, np.array(i), np.array(j)))
        service = 0.0 if problem.day.service is None else float(problem.day.service[i])
        first, second = data.stop[i], data.stop[j]
        waiting = max(0.0, second[OPENS] - service - way - first[CLOSES])
        late = max(0.0, first[OPENS] + service + way - second[CLOSES])
        return way + 0.2 * waiting + 1.0 * late

    return min(follows(i, j), follows(j, i))


@given(any_days())
def test_all_others_are_neighbours_where_there_are_few_and_the_best_come_first(problem):
    data = search.prepare(problem)
    n = problem.num_tasks
    for c in range(n):
        others = data.near[c].tolist()
        assert sorted(others) == [k for k in range(n) if k != c]
        values = [apart(problem, data, c, k) for k in others]
        assert values == pytest.approx(sorted(values))


@pytest.mark.parametrize("windows", [False, True])
def test_of_many_the_most_promising_are_kept(monkeypatch, windows):
    problem: Any = generate("hcvrp/30/2", 5)
    rng = np.random.default_rng(1)
    spans = [[(a, a + 1)] for a in rng.uniform(0, 9, 30)]
    problem = problem.replace(day=Day(windows=spans if windows else [[]] * 30))
    monkeypatch.setattr(near, "NEIGHBOURS", 7)
    # A few pairs in one go.
    monkeypatch.setattr(near, "BLOCK", 100)
    data = search.prepare(problem)
    assert data.near.shape == (30, 7)
    for c in range(30):
        others = sorted((k for k in range(30) if k != c), key=lambda k: apart(problem, data, c, k))
        assert data.near[c].tolist() == others[:7]


def test_on_straight_lines_few_are_looked_at_where_there_are_very_many(monkeypatch):
    problem: Any = generate("hcvrp/30/2", 5).replace(day=Day(service=[0] * 30))
    monkeypatch.setattr(near, "NEIGHBOURS", 7)
    whole = search.prepare(problem).near
    monkeypatch.setattr(near, "MANY", 20)
    monkeypatch.setattr(near, "AMONG", 10)
    assert search.prepare(problem).near.tolist() == whole.tolist()
    # Who is near in time but far away is not seen then.
    late = [[(0, 1)] if c % 2 else [(50, 51)] for c in range(30)]
    data = search.prepare(problem.replace(day=Day(windows=late)))
    far = problem.travel.distance(np.arange(30)[:, None], np.arange(30))
    for c in range(30):
        assert set(data.near[c].tolist()) <= set(np.argsort(far[c])[1:11].tolist())


def test_one_customer_has_no_neighbours():
    data = search.prepare(instances.one_customer().replace(day=Day(service=[1])))
    assert data.near.shape == (1, 0)
