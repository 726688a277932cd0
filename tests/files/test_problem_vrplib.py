import numpy as np
import pytest
import vrplib

from geopar.errors import InputError
from geopar.files.problem_vrplib import Fleet, problem_from_vrplib, problem_to_vrplib
from geopar.problems import HCVRP, OMDCPDP

TEXT = """NAME : tiny-n4-k2
COMMENT : (made by hand, No of trucks: 3, Optimal value: 1)
TYPE : CVRP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 10
NODE_COORD_SECTION
1 5 5
2 0 1
3 0.25 1e-3
4 9 9
DEMAND_SECTION
1 0
2 3
3 10
4 2.5
DEPOT_SECTION
 1
 -1
EOF
"""
WITHOUT_FLEET = TEXT.replace("No of trucks: 3", "").replace("-k2", "")


def read(text=TEXT, **fleet):
    return problem_from_vrplib(text.encode(), "tiny.vrp", Fleet(**fleet))


def faults(text=TEXT, **fleet):
    with pytest.raises(InputError) as error:
        read(text, **fleet)
    return [(fault.code, fault.field) for fault in error.value.faults]


def test_instance_is_read():
    assert read() == HCVRP(
        (5, 5), [(0, 1), (0.25, 1e-3), (9, 9)], [3, 10, 2.5], [10] * 3, [1] * 3, name="tiny-n4-k2"
    )


def test_fleet_from_options():
    problem = read(num_vehicles=2, speed=0.5)
    np.testing.assert_array_equal(problem.capacity, [10, 10])
    np.testing.assert_array_equal(problem.speed, [0.5, 0.5])


def test_each_vehicle_from_options():
    problem = read(WITHOUT_FLEET, capacity=[10, 20], speed=[1, 2])
    np.testing.assert_array_equal(problem.capacity, [10, 20])
    np.testing.assert_array_equal(problem.speed, [1, 2])


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (TEXT, 3),
        (TEXT.replace("No of trucks: 3", ""), 2),
        (WITHOUT_FLEET.replace("TYPE : CVRP", "TYPE : CVRP\nVEHICLES : 5"), 5),
    ],
    ids=["comment", "name", "vehicles"],
)
def test_fleet_from_the_file(text, count):
    assert read(text).num_vehicles == count


def test_depot_need_not_be_the_first_node():
    problem = read(TEXT.replace(" 1\n -1", " 3\n -1").replace("3 10\n", "3 0\n"))
    np.testing.assert_array_equal(problem.depot, (0.25, 1e-3))
    np.testing.assert_array_equal(problem.customers[:, 0], (5, 0, 9))


def test_written_as_it_was_read():
    problem = read()
    assert read(problem_to_vrplib(problem)) == problem


def test_others_can_read_what_we_write(tmp_path):
    (tmp_path / "a.vrp").write_text(problem_to_vrplib(read()))
    instance = vrplib.read_instance(tmp_path / "a.vrp")
    assert (instance["dimension"], instance["capacity"]) == (4, 10)
    np.testing.assert_array_equal(instance["demand"], [0, 3, 10, 2.5])


@pytest.mark.parametrize("name", ["", "two\nlines", "EOF", "NODE_COORD_SECTION"])
def test_a_name_does_no_harm(name):
    problem = read().replace(name=name)
    assert read(problem_to_vrplib(problem)).replace(name=name) == problem


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("TYPE : CVRP", "TYPE : TSP", ("unsupported", "TYPE")),
        ("EUC_2D", "CEIL_2D", ("unsupported", "EDGE_WEIGHT_TYPE")),
        ("CAPACITY : 10", "CAPACITY : 10\nDISTANCE : 7", ("unsupported", "tiny.vrp DISTANCE")),
        ("DEPOT_SECTION", "TIME_WINDOW_SECTION\n1 2 3\nDEPOT_SECTION",
         ("wrong-shape", "TIME_WINDOW_SECTION")),
        ("CAPACITY : 10", "CAPACITY : ten", ("missing-option", "CAPACITY")),
        ("CAPACITY : 10\n", "", ("missing-option", "CAPACITY")),
        ("CAPACITY : 10", "CAPACITY : 9", ("demand-over-capacity", "DEMAND_SECTION node 3")),
        ("CAPACITY : 10", "CAPACITY : -1", ("out-of-range", "CAPACITY")),
        ("3 10\n", "3 -1\n", ("out-of-range", "DEMAND_SECTION node 3")),
        ("4 9 9", "4 9 nan", ("not-finite", "NODE_COORD_SECTION node 4 y")),
        ("1 5 5", "1 inf 5", ("not-finite", "NODE_COORD_SECTION node 1 x")),
        ("4 9 9", "4 9", ("not-a-number", "NODE_COORD_SECTION")),
        ("4 9 9", "4 9 x", ("not-a-number", "NODE_COORD_SECTION")),
        ("3 10\n", "3 10 1\n", ("not-a-number", "DEMAND_SECTION")),
        ("4 2.5\n", "", ("wrong-length", "DEMAND_SECTION")),
        ("2 3\n3 10\n", "3 10\n2 3\n", ("wrong-order", "tiny.vrp DEMAND_SECTION")),
        (" 1\n -1", " 9\n -1", ("missing-depot", "DEPOT_SECTION")),
        (" 1\n -1", " 1\n 2\n -1", ("missing-depot", "DEPOT_SECTION")),
        ("TYPE : CVRP", "TYPE CVRP", ("bad-vrplib", "tiny.vrp")),
        ("trucks: 3", "trucks: 0", ("bad-count", "number of vehicles")),
    ],
)  # fmt: skip
def test_faults_in_the_file(old, new, expected):
    assert expected in faults(TEXT.replace(old, new, 1))


def test_sections_missing():
    text = TEXT[: TEXT.index("DEMAND_SECTION")] + "EOF\n"
    assert faults(text) == [("missing-field", "tiny.vrp DEMAND_SECTION")]


@pytest.mark.parametrize(
    ("fleet", "expected"),
    [
        ({}, ("missing-option", "number of vehicles")),
        ({"num_vehicles": 0}, ("bad-count", "number of vehicles")),
        ({"num_vehicles": 2, "speed": [1, 2, 3]}, ("wrong-length", "option speed")),
        ({"num_vehicles": 2, "speed": "fast"}, ("not-a-number", "option speed")),
        ({"num_vehicles": 2, "speed": 0}, ("out-of-range", "option speed[0]")),
        ({"num_vehicles": 2, "capacity": [10, -1]}, ("out-of-range", "option capacity[1]")),
    ],
)
def test_faults_in_options(fleet, expected):
    assert expected in faults(WITHOUT_FLEET, **fleet)


def test_ten_million_lines_are_refused_before_parsing():
    with pytest.raises(InputError, match=r"too-large.*1,000,000 tasks"):
        read("\n" * 10_000_000)


def test_only_what_the_format_can_say_is_written():
    problem = read().replace(capacity=[10, 11, 12], speed=[1, 1, 2], coordinates="lonlat")
    with pytest.raises(InputError) as error:
        problem_to_vrplib(problem)
    fields = [(fault.code, fault.field) for fault in error.value.faults]
    assert fields == [("not-expressible", name) for name in ("coordinates", "capacity", "speed")]
    with pytest.raises(InputError, match="not-expressible"):
        problem_to_vrplib(OMDCPDP([(0, 0)], [(1, 1)], [(0, 0)], [1]))


def test_as_many_nodes_as_declared():
    assert faults(TEXT.replace("DIMENSION : 4", "DIMENSION : 10000000")) == [
        ("wrong-length", "DIMENSION")
    ]
