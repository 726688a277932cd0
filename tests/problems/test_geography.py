import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.problems.geography import EARTH_RADIUS_KM, centre, short_way, to_plane


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
    st.floats(-180, 180), st.floats(-60, 60), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5),
    st.floats(-0.5, 0.5), st.floats(-0.5, 0.5),
)  # fmt: skip
def test_distances_within_fifty_kilometres_are_true_to_two_percent(lon, lat, a, b, c, d):
    one, other = (short_way(lon + a), lat + b), (short_way(lon + c), lat + d)
    true = haversine(one, other)
    assert plane_distance(one, other, (lon, lat)) == pytest.approx(true, rel=0.02, abs=1e-6)


def test_a_degree_of_latitude():
    assert plane_distance((10, 50), (10, 51), (10, 50)) == pytest.approx(111.195, abs=0.001)


def test_round_a_town_directions_are_kept():
    east, north = to_plane(np.array([(16.38, 48.2), (16.37, 48.21)]), np.array([16.37, 48.2]))
    assert east[0] > 0
    assert east[1] == 0
    assert north[0] == 0
    assert north[1] > east[0]  # a degree of longitude is shorter up there


def test_across_the_date_line_is_near():
    one, other = (179.9, -17.0), (-179.9, -17.0)
    true = haversine(one, other)
    assert true < 25
    for origin in (one, other, (180.0, -17.0), (-180.0, -17.0)):
        assert plane_distance(one, other, origin) == pytest.approx(true, rel=1e-4)


def test_centre():
    assert centre(np.array([[10.0, 50.0], [12.0, 51.0]])).tolist() == [11.0, 50.5]
    across = centre(np.array([[179.0, 0.0], [-179.0, 2.0]]))
    assert abs(across[0]) == 180.0
    assert across[1] == 1.0


@given(st.floats(-1000, 1000))
def test_the_short_way_is_at_most_half_round(degrees):
    short = short_way(degrees)
    assert -180 <= short < 180
    assert math.cos(math.radians(short)) == pytest.approx(math.cos(math.radians(degrees)), abs=1e-9)


def test_what_is_projected_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        to_plane(np.zeros((1, 2)), np.zeros(2))[0, 0] = 1.0
