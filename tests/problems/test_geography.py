import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import geopar
from geopar.errors import InputError
from geopar.problems.geography import (
    EARTH_RADIUS_KM,
    FARTHEST_KM,
    centre,
    kilometres_from,
    require_map,
    short_way,
    to_plane,
)
from geopar.roads import open_engine, road_times


def haversine(one, other) -> float:
    """Great-circle kilometres between two ``(lon, lat)``."""
    lon1, lat1, lon2, lat2 = map(math.radians, (*one, *other))
    half = math.sin((lat2 - lat1) / 2) ** 2
    half += math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(half))


def plane_distance(one, other, origin) -> float:
    here, there = to_plane(np.array([one, other], dtype=float), np.array(origin, dtype=float))
    return math.dist(here, there)


@given(
    st.floats(-180, 180), st.floats(-80, 80), st.floats(-180, 180), st.floats(-9.9, 9.9),
    st.floats(-180, 180), st.floats(-9.9, 9.9),
)  # fmt: skip
def test_distances_on_the_map_are_at_most_half_a_percent_too_long(lon, lat, a, b, c, d):
    one, other = (short_way(lon + a), lat + b), (short_way(lon + c), lat + d)
    origin = (lon, lat)
    assume(max(haversine(origin, one), haversine(origin, other)) <= FARTHEST_KM)
    true, found = haversine(one, other), plane_distance(one, other, origin)
    assert true - 1e-6 <= found <= 1.0051 * true + 1e-6
    assert math.dist((0, 0), to_plane(np.array([one]), np.array(origin))[0]) == pytest.approx(
        haversine(origin, one), rel=1e-9, abs=1e-6
    )


def test_distances_on_the_globe_are_great_circles():
    points = np.array([(0.0, 89.0), (180.0, 89.0), (90.0, 0.0), (-170.0, 10.0)])
    for origin in points:
        expected = [haversine(origin, point) for point in points]
        assert kilometres_from(points, origin) == pytest.approx(expected, abs=1e-6)


def test_over_the_pole_is_near():
    assert plane_distance((0, 89), (180, 89), (90, 88)) == pytest.approx(222.39, rel=0.005)


def test_a_degree_of_latitude():
    assert plane_distance((10, 50), (10, 51), (10, 50)) == pytest.approx(111.195, abs=0.001)


def test_round_a_town_directions_are_kept():
    east, north = to_plane(np.array([(16.38, 48.2), (16.37, 48.21)]), np.array([16.37, 48.2]))
    assert east[0] > 0
    assert east[1] == pytest.approx(0, abs=1e-3)
    assert north[0] == 0
    assert north[1] > east[0]  # a degree of longitude is shorter up there


def test_across_the_date_line_is_near():
    one, other = (179.9, -17.0), (-179.9, -17.0)
    true = haversine(one, other)
    assert true < 25
    for origin in (one, other, (180.0, -17.0), (-180.0, -17.0)):
        assert plane_distance(one, other, origin) == pytest.approx(true, rel=1e-4)


def test_centre():
    assert centre(np.array([[10.0, 50.0], [12.0, 50.0]])) == pytest.approx([11.0, 50.0], abs=0.01)
    across = centre(np.array([[179.0, 0.0], [-179.0, 2.0]]))
    assert abs(across[0]) == pytest.approx(180.0, abs=0.01)
    assert across[1] == pytest.approx(1.0, abs=0.01)
    # Round the pole longitudes have no mean.
    assert centre(np.array([[0.0, 80.0], [120.0, 80.0], [-120.0, 80.0]]))[1] == pytest.approx(90.0)


@given(st.floats(-1000, 1000))
def test_the_short_way_is_at_most_half_round(degrees):
    short = short_way(degrees)
    assert -180 <= short < 180
    assert math.cos(math.radians(short)) == pytest.approx(math.cos(math.radians(degrees)), abs=1e-9)


def test_what_is_projected_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        to_plane(np.zeros((1, 2)), np.zeros(2))[0, 0] = 1.0


def test_what_is_too_far_apart_for_a_map_is_refused_with_a_way_out():
    with pytest.raises(InputError, match="great-circle") as caught:
        geopar.solve(world(), geopar.MaxIterations(10))
    (fault,) = caught.value.faults
    assert fault.code == "too-far-apart"
    farthest = np.hypot(*world().tasks_xy.T).argmax()
    assert f"how far {world().task_ids[farthest]} is" in fault.message


def test_great_circles_are_the_way_out():
    problem = road_times(world(), open_engine(great_circle=True))
    require_map(problem)
    result = geopar.solve(problem, geopar.MaxIterations(50))
    # There and back at a hundred kilometres an hour, each by a van of its own.
    ways = [2.0 * haversine(problem.depot, place) / 100.0 for place in problem.customers]
    assert result.objective == pytest.approx(max(ways))
    there = haversine(problem.depot, problem.customers[0])
    assert problem.travel.distance(2, 0)[()] == pytest.approx(there)


def world():
    """A depot in Vienna; customers in Buenos Aires and Sydney; two vans at 100 km/h."""
    return geopar.HCVRP(
        depot=(16.4, 48.2),
        customers=[(-58.4, -34.6), (151.2, -33.9)],
        demand=[1, 1],
        capacity=[1, 1],
        speed=[100, 100],
        coordinates="lonlat",
    )
