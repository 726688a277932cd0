"""What lies near a pickup, pair by pair."""

import math

import numpy as np
import pytest
from hypothesis import given

from geopar.problems.day import Day
from geopar.problems.omdcpdp.generate import generate
from geopar.search import day_orders as search
from geopar.search.day_orders import near
from geopar.search.day_orders.data import CLOSES, OPENS, SERVICE
from order_plans import mixed_days


def fastest(problem, i: int, j: int) -> float:
    """How long the quickest of all vehicles takes."""
    way = np.array(i), np.array(j)
    return min(float(problem.travel.duration(v, *way)) for v in range(problem.num_vehicles))


def where(problem) -> list[int]:
    """The place of each task and start: what is on board is at its vehicle's start."""
    places = list(range(problem.num_tasks + problem.num_vehicles))
    for v, aboard in enumerate(problem.day.on_board or ()):
        for order in aboard:
            places[order] = int(problem.homes[v])
    return places


def apart(problem, data, places, i: int, j: int) -> float:
    """How ill one stop goes beside another in time, in whichever order is better."""

    def follows(i, j):
        way, first, second = fastest(problem, places[i], places[j]), data.place[i], data.place[j]
        if first[OPENS] + first[SERVICE] + way > second[CLOSES]:
            return math.inf
        waiting = second[OPENS] - first[CLOSES] - first[SERVICE] - way
        return way + 0.2 * max(0.0, waiting if waiting == waiting else 0.0)

    return min(follows(i, j), follows(j, i))


@given(mixed_days())
def test_all_others_are_near_where_there_are_few_and_the_nearest_come_first(problem):
    data, places = search.prepare(problem), where(problem)
    for order in range(data.orders):
        others = data.near[order].tolist()
        assert sorted(others) == [s for s in range(2 * data.orders) if s != order]
        values = [apart(problem, data, places, order, s) for s in others]
        assert values == pytest.approx(sorted(values))
        may = np.broadcast_to(data.allowed, (data.orders, problem.num_vehicles))[order]
        starts = [
            fastest(problem, int(problem.homes[s - 2 * data.orders]), places[order])
            if may[s - 2 * data.orders] else math.inf
            for s in data.near_starts[order].tolist()
        ]  # fmt: skip
        assert starts == pytest.approx(sorted(starts))


@given(mixed_days())
def test_an_order_is_delivered_no_sooner_than_the_least(problem):
    data, places = search.prepare(problem), where(problem)
    for order in range(data.orders):
        delivery = data.orders + order
        direct = fastest(problem, places[order], places[delivery])
        assert data.direct[order] == pytest.approx(direct)
        way = min(fastest(problem, int(home), places[order]) for home in problem.homes)
        left = max(data.dawn + way, data.place[order, OPENS]) + data.place[order, SERVICE]
        soonest = max(left + direct, data.place[delivery, OPENS]) - data.dawn
        assert data.least[order] == pytest.approx(soonest)
    state = search.initial(data, 1)
    for v, route in enumerate(search.current_routes(data, state)):
        for s in (s for s in route.tolist() if s >= data.orders):
            begin = state.stops[s, 0] - data.dawn
            assert begin >= data.least[s - data.orders] - 1e-7, v


def test_of_many_the_nearest_are_kept_and_on_straight_lines_by_a_tree(monkeypatch):
    problem = generate(40, 3, np.random.default_rng(3)).replace(day=Day(service=[0] * 40))
    few = search.Settings(neighbours=6, starts=2)
    data = search.prepare(problem, few)
    places = where(problem)
    for order in range(20):
        others = sorted(
            (s for s in range(40) if s != order),
            key=lambda s: apart(problem, data, places, order, s),
        )
        assert data.near[order].tolist() == others[:6]
        assert len(data.near_starts[order]) == 2
    monkeypatch.setattr(near, "_FEW_TASKS", 10)
    again = search.prepare(problem, few)
    assert again.near.tolist() == data.near.tolist()
    assert again.near_starts.tolist() == data.near_starts.tolist()
