"""Matrices of a whole problem, from an engine that is a table itself."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instances
from geopar.errors import InputError
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.day import Day
from geopar.problems.validation import Floats
from geopar.roads.engine import Table
from geopar.roads.matrices import place_names, road_times
from geopar.roads.shapes import MOST_PLACES, route_shapes


class OneWay:
    """Seconds and metres that follow from the two places, and are not the same back.

    ``islands`` have no way, ``closed`` are pairs without one.
    """

    name = "one way"
    keeps_speeds = False

    def __init__(self, islands: Any = (), closed: Any = ()) -> None:
        self.islands, self.closed = set(islands), set(closed)
        self.sizes: list[tuple[int, int]] = []
        self.profiles: list[str] = []
        self.ways: list[Floats] = []

    def seconds(self, one: Any, other: Any) -> float:
        if (one, other) in self.closed or (one != other and {one, other} & self.islands):
            return np.nan
        return 3600.0 * (abs(2 * one[0] - other[0]) + abs(one[1] - 3 * other[1]))

    def table(self, profile: str, sources: Floats, targets: Floats) -> Table:
        self.sizes.append((len(sources), len(targets)))
        self.profiles.append(profile)
        some = [[self.seconds(tuple(a), tuple(b)) for b in targets] for a in sources]
        table = np.array(some) * (2.0 if profile == "bicycle" else 1.0)
        return Table(table, 7.0 * table)

    def shape(self, profile: str, places: Floats) -> list[list[float]]:
        self.profiles.append(profile)
        self.ways.append(places)
        return [[*place] for place in places.tolist()]


def durations(problem: Problem, vehicle: int = 0) -> Floats:
    numbers = np.arange(len(problem.places))
    return np.asarray(problem.travel.duration(vehicle, numbers[:, None], numbers))


def expected(problem: Problem) -> Floats:
    engine, places = OneWay(), [tuple(place) for place in np.round(problem.places, 6).tolist()]
    return np.array(
        [[0.0 if a == b else engine.seconds(a, b) / 3600.0 for b in places] for a in places]
    )


@pytest.mark.parametrize("make", [instances.town, instances.island])
@given(most=st.integers(2, 30))
def test_every_pair_stands_where_it_belongs_however_large_a_request_may_be(make, most):
    engine, problem = OneWay(), make()
    found = road_times(problem, engine, max_table=most)
    np.testing.assert_allclose(durations(found), expected(problem), rtol=1e-12)
    numbers = np.arange(len(problem.places))
    metres = found.travel.distance(numbers[:, None], numbers)
    np.testing.assert_allclose(metres, 7.0 * 3.6 * expected(problem), rtol=1e-12)
    assert max(map(sum, engine.sizes)) <= most
    asked = np.ceil(len(problem.places) / (most // 2)) ** 2
    assert len(engine.sizes) == asked


def test_a_place_that_comes_twice_is_asked_for_once():
    town = instances.town()
    twice = town.replace(customers=[*town.customers[:4].tolist(), town.depot.tolist()])
    engine = OneWay()
    found = road_times(twice, engine)
    assert engine.sizes == [(5, 5)]
    # The last customer is at the depot.
    table = durations(found)
    np.testing.assert_array_equal(table[4], table[5])
    assert table[4, 5] == table[5, 4] == 0.0


def test_an_engine_that_finds_a_way_from_a_place_to_itself_is_not_believed():
    class Round(OneWay):
        def seconds(self, one: Any, other: Any) -> float:
            return 60.0

    table = durations(road_times(instances.town(), Round()))
    assert np.diag(table).tolist() == [0.0] * 6
    assert table[0, 1] == 1.0 / 60.0


@pytest.mark.parametrize(("unit", "per_hour"), [("hours", 1), ("minutes", 60), ("seconds", 3600)])
def test_times_are_in_the_unit_of_the_day(unit, per_hour):
    problem = instances.town().replace(day=Day(time_unit=unit))
    found = road_times(problem, OneWay())
    np.testing.assert_allclose(durations(found), per_hour * expected(problem))
    kilometres = found.travel.distance(np.array(0), np.array(1))
    assert kilometres == pytest.approx(7.0 * 3.6 * expected(problem)[0, 1])


def test_profiles_by_the_engine_s_names():
    day = Day(profile=["van", "bike"])
    engine, problem = OneWay(), instances.town().replace(day=day)
    found = road_times(problem, engine, profiles={"bike": "bicycle"})
    assert sorted(set(engine.profiles)) == ["bicycle", "van"]
    np.testing.assert_allclose(durations(found, 1), 2.0 * durations(found, 0))


def test_progress_counts_all_requests_of_all_profiles():
    told: list[tuple[int, int]] = []
    problem = instances.town().replace(day=Day(profile=["van", "bike"]))
    engine = OneWay()
    road_times(problem, engine, max_table=6, progress=lambda *both: told.append(both))
    assert told == [(i + 1, 8) for i in range(8)]
    assert len(engine.sizes) == 8


def test_speeds_are_for_straight_lines_and_factors_of_matrices_stay():
    town = instances.town()
    on_roads = road_times(town, OneWay())
    assert isinstance(on_roads, HCVRP)
    assert on_roads.speed.tolist() == [1.0, 1.0]
    again = road_times(on_roads.replace(speed=[2.0, 4.0]), OneWay())
    assert isinstance(again, HCVRP)
    assert again.speed.tolist() == [2.0, 4.0]
    island = instances.island().replace(day=Day(speed=[30.0, 40.0]))
    by_road = road_times(island, OneWay())
    assert by_road.day is not None
    assert by_road.day.speed is None
    factors = by_road.replace(day=by_road.day.replace(speed=[1.5, 2.0]))
    later = road_times(factors, OneWay()).day
    assert later is not None
    assert later.speed is not None
    assert later.speed.tolist() == [1.5, 2.0]


def test_who_keeps_speeds_keeps_them():
    engine = OneWay()
    engine.keeps_speeds = True
    found = road_times(instances.town(), engine)
    assert isinstance(found, HCVRP)
    assert found.speed.tolist() == [30.0, 45.0]


def test_own_starts_and_ends_have_rows_of_their_own():
    home = (16.5, 48.3)
    day = Day(start=[home, (np.nan, np.nan)], end=[(np.nan, np.nan), home])
    problem = instances.town().replace(day=day)
    found = road_times(problem, OneWay())
    np.testing.assert_allclose(durations(found), expected(problem))
    assert place_names(problem)[5:] == ["depot", "start of v1", "end of v2"]


def test_names_of_places(corridor: OMDCPDP):
    assert place_names(corridor) == [
        "order a pickup", "order b pickup", "order c pickup", "order a delivery",
        "order b delivery", "order c delivery", "start of left", "start of right",
    ]  # fmt: skip
    assert place_names(instances.one_customer()) == ["customer c1", "depot"]


def faults_of(problem: Problem, engine: OneWay) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        road_times(problem, engine)
    assert {fault.code for fault in caught.value.faults} == {"unreachable"}
    return [(fault.field, fault.value.strip("'")) for fault in caught.value.faults]


def test_an_island_is_named_once_and_a_closed_road_by_its_ends():
    town = instances.town()
    places = [tuple(place) for place in town.places.tolist()]
    engine = OneWay(islands=[places[2]], closed=[(places[0], places[5])])
    assert faults_of(town, engine) == [("customer c3", "car"), ("customer c1 to depot", "car")]


def test_two_places_without_a_way_are_a_pair():
    alone = instances.town().select([0], [0])
    places = [tuple(place) for place in alone.places.tolist()]
    named = faults_of(alone, OneWay(islands=[places[0]]))
    assert sorted(named) == [("customer c1 to depot", "car"), ("depot to customer c1", "car")]


def test_ways_are_looked_at_profile_by_profile():
    town = instances.town().replace(day=Day(profile=["van", "bike"]))
    places = [tuple(place) for place in town.places.tolist()]
    engine = OneWay(closed=[(places[1], places[0])])
    named = faults_of(town, engine)
    assert named == [("customer c2 to customer c1", "bike"), ("customer c2 to customer c1", "van")]


def test_plane_problems_and_tiny_tables_are_refused_together(square: HCVRP):
    with pytest.raises(InputError) as caught:
        road_times(square, OneWay(), max_table=1)
    assert [fault.code for fault in caught.value.faults] == ["not-on-earth", "out-of-range"]


def test_a_long_trip_is_asked_for_in_pieces_that_meet():
    count = 2 * MOST_PLACES
    rng = np.random.default_rng(0)
    problem = HCVRP(
        (16.0, 48.0), rng.uniform((16.0, 48.0), (16.5, 48.5), (count, 2)), np.zeros(count),
        [1.0, 1.0], [30.0, 30.0], coordinates="lonlat",
    )  # fmt: skip
    plan = Plan.from_indices(problem, [[list(range(count))], []])
    engine = OneWay()
    shapes = route_shapes(problem, plan, engine)
    assert list(shapes) == [("v1", 1)]
    assert max(map(len, engine.ways)) <= MOST_PLACES
    for one, other in zip(engine.ways, engine.ways[1:], strict=False):
        assert one[-1].tolist() == other[0].tolist()
    passed = [tuple(place) for place in shapes["v1", 1]]
    stops = [problem.depot, *problem.customers, problem.depot]
    # Where pieces meet, the place comes twice.
    assert list(dict.fromkeys(passed)) == list(dict.fromkeys(map(tuple, stops)))
    assert len(passed) == len(stops) + len(engine.ways) - 1


def test_shapes_are_those_of_each_vehicle_s_profile():
    problem = instances.town().replace(day=Day(profile=["van", "bike"]))
    plan = Plan.from_indices(problem, [[[0]], [[1], [2]]])
    engine = OneWay()
    shapes = route_shapes(problem, plan, engine, profiles={"bike": "bicycle"})
    assert engine.profiles == ["van", "bicycle", "bicycle"]
    assert sorted(shapes) == [("v1", 1), ("v2", 1), ("v2", 2)]
