"""VRPLIB and Solomon with windows, releases, reloads and explicit matrices."""

import numpy as np
import pytest

from geopar.errors import InputError
from geopar.files import read_plan, read_problem
from geopar.files.placing import places_from
from geopar.files.problem_solomon import problem_from_solomon
from geopar.files.problem_vrplib import Fleet, problem_from_vrplib, problem_to_vrplib
from geopar.problems.day import windows_of

MULTI_TRIP = """NAME: tiny
TYPE: MTVRPTWR
EDGE_WEIGHT_TYPE: EUC_2D
DIMENSION: 3
VEHICLES: 2
CAPACITY: 10
SERVICE_TIME: 5
NODE_COORD_SECTION
1\t0\t0
2\t1\t1
3\t2\t0
DEMAND_SECTION
1\t0
2\t3
3\t4
TIME_WINDOW_SECTION
1\t0\t90
2\t10\t20
3\t5\t50
RELEASE_TIME_SECTION
1\t0
2\t7
3\t0
VEHICLES_RELOAD_DEPOT_SECTION
1\t1
2\t1
DEPOT_SECTION
1
EOF
"""
EXPLICIT = """NAME : E-n3-k1
TYPE : CVRP
DIMENSION : 3
EDGE_WEIGHT_TYPE : EXPLICIT
EDGE_WEIGHT_FORMAT : FULL_MATRIX
CAPACITY : 10
EDGE_WEIGHT_SECTION
0 3.19 5
3 0 4
5 4 0
DEMAND_SECTION
1 0
2 3
3 4
DEPOT_SECTION
1
-1
EOF
"""
SOLOMON = """C101

VEHICLE
NUMBER     CAPACITY
  25         200

CUSTOMER
CUST NO.  XCOORD.   YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE   TIME

    0      40         50          0          0       1236          0
    1      45         68         10        912        967         90
    2      45         70.5       30        825        870         90
"""


def read(text, **fleet):
    return problem_from_vrplib(text.encode(), "a.vrp", Fleet(**fleet))


def test_several_trips_with_windows_and_releases():
    problem = read(MULTI_TRIP)
    day = problem.day
    assert (day.opens, day.closes) == (0, 90)
    assert windows_of(day.windows, 0) == [(10, 20)]
    assert day.service.tolist() == [5, 5]
    assert day.released.tolist() == [7, 0]
    assert day.most_trips is None
    assert problem.has_straight_lines


def test_without_reloads_there_is_one_trip():
    without = MULTI_TRIP[: MULTI_TRIP.index("VEHICLES_RELOAD")] + "DEPOT_SECTION\n1\nEOF\n"
    assert read(without).day.most_trips.tolist() == [1, 1]


def test_dimacs_cuts_to_one_decimal():
    problem = read(MULTI_TRIP, rounding="dimacs")
    assert problem.travel.distance(2, 0) == 1.4
    assert problem.travel.duration(0, 2, 0) == 1.4
    with pytest.raises(InputError, match="rounding"):
        read(MULTI_TRIP, rounding="up")


def test_explicit_matrices():
    problem = read(EXPLICIT)
    assert problem.travel.distance(2, 0) == 3.19
    assert problem.day.most_trips is None
    assert read(EXPLICIT, rounding="dimacs").travel.distance(2, 0) == 3.1
    apart = np.hypot(*(problem.customers[0] - problem.customers[1]))
    assert apart == pytest.approx(4, rel=0.05)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("1\t0\t90\n", "", "wrong-order"),
        ("3\t5\t50\n", "", "wrong-shape"),
        ("2\t10\t20", "2\t20\t10", "ends-before-it-begins"),
        ("SERVICE_TIME: 5", "SERVICE_TIME: -5", "out-of-range"),
        ("SERVICE_TIME: 5", "SERVICE_TIME: five", "wrong-shape"),
        ("CAPACITY", "DISTANCE: 7\nCAPACITY", "unsupported"),
    ],
)
def test_faults(old, new, code):
    with pytest.raises(InputError) as error:
        read(MULTI_TRIP.replace(old, new, 1))
    assert code in [fault.code for fault in error.value.faults]


def test_solomon():
    problem = problem_from_solomon(SOLOMON.encode(), "c101.txt", Fleet())
    assert (problem.name, problem.num_vehicles, problem.num_tasks) == ("C101", 25, 2)
    assert problem.customers.tolist() == [[45, 68], [45, 70.5]]
    assert problem.day.service.tolist() == [90, 90]
    assert problem.day.closes == 1236
    assert windows_of(problem.day.windows, 1) == [(825, 870)]


@pytest.mark.parametrize(
    "text", [SOLOMON.replace("967", "soon"), SOLOMON[:120], SOLOMON.replace("VEHICLE", "CAR")]
)
def test_bad_solomon(text):
    with pytest.raises(InputError, match="bad-solomon"):
        problem_from_solomon(text.encode(), "c101.txt", Fleet())


def test_files_by_their_content(tmp_path):
    (tmp_path / "c101.txt").write_text(SOLOMON)
    problem = read_problem(tmp_path / "c101.txt", num_vehicles=3, rounding="dimacs")
    assert problem.num_vehicles == 3
    assert problem.travel.distance(2, 0) == 18.6
    with pytest.raises(InputError, match="not-expressible"):
        problem_to_vrplib(problem)


def test_a_zero_in_a_route_is_a_reload(tmp_path):
    (tmp_path / "a.sol").write_text("Route #1: 1 0 2\nCost: 15006\nOptimal: True\n")
    plan = read_plan(tmp_path / "a.sol", read(MULTI_TRIP))
    assert plan.routes[0].trips == (("c1",), ("c2",))


def test_places_on_a_line():
    table = np.abs(np.arange(4.0)[:, None] - np.arange(4.0))
    places = places_from(table)
    step = places[:, None] - places
    np.testing.assert_allclose(np.hypot(step[..., 0], step[..., 1]), table, atol=1e-6)
