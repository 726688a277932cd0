import numpy as np
import pytest

from geopar.files.plan_geojson import cut_at_date_line, plan_to_geojson
from geopar.plan import Plan, Route
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.day import Day
from geopar.problems.tasks import Stop


def kinds(collection):
    return [feature["properties"]["kind"] for feature in collection["features"]]


def test_hcvrp_trips_leave_the_depot_and_return():
    problem = HCVRP((0, 0), [(1, 2), (3, 4)], [1, 1], [1], [1], ["a", "b"], ["v"])
    collection = plan_to_geojson(Plan("hcvrp", (Route("v", (("b",), (), ("a",))),), 9.0), problem)
    assert collection["type"] == "FeatureCollection"
    assert collection["coordinateSystem"] == "plane x, y"
    assert collection["objective"] == 9.0
    assert kinds(collection) == ["depot", "trip", "customer", "trip", "customer"]
    first, stop, second = (collection["features"][i] for i in (1, 2, 3))
    assert first["geometry"] == {"type": "LineString", "coordinates": [[0, 0], [3, 4], [0, 0]]}
    assert first["properties"] == {"kind": "trip", "vehicle": "v", "trip": 1, "stops": 1}
    assert second["properties"]["trip"] == 2
    assert stop["geometry"] == {"type": "Point", "coordinates": [3, 4]}
    assert stop["properties"] == {
        "kind": "customer", "customer": "b", "vehicle": "v", "trip": 1, "position": 1,
        "arrival": 5.0, "waiting": 0.0, "service": 0.0, "departure": 5.0, "load": 0.0,
    }  # fmt: skip


def test_omdcpdp_routes_stay_open_and_degrees_are_wgs84():
    problem = OMDCPDP(
        [(13.4, 52.5)], [(13.5, 52.4)], [(13, 52), (14, 53)], [1, 1], coordinates="lonlat"
    )
    stops = (Stop("o1", "pickup"), Stop("o1", "delivery"))
    collection = plan_to_geojson(Plan("omdcpdp", (Route("v2", (stops,)),)), problem)
    assert collection["coordinateSystem"] == "WGS 84"
    assert "objective" not in collection
    assert kinds(collection) == ["start", "start", "trip", "pickup", "delivery"]
    assert collection["features"][2]["geometry"]["coordinates"] == [
        [14, 53], [13.4, 52.5], [13.5, 52.4],
    ]  # fmt: skip
    assert collection["features"][3]["properties"]["order"] == "o1"


@pytest.mark.parametrize("side", [1, -1])
def test_a_line_over_the_date_line_is_cut_there(side):
    parts = cut_at_date_line(np.array([(178.0 * side, 0.0), (-178.0 * side, 4.0)]))
    assert parts == [
        [[178.0 * side, 0.0], [180.0 * side, 2.0]],
        [[-180.0 * side, 2.0], [-178.0 * side, 4.0]],
    ]


def test_a_trip_over_the_date_line_is_a_multi_line():
    problem = HCVRP((179, 0), [(-179, 0)], [1], [1], [1], coordinates="lonlat")
    collection = plan_to_geojson(Plan("hcvrp", (Route("v1", (("c1",),)),)), problem)
    geometry = collection["features"][1]["geometry"]
    assert geometry["type"] == "MultiLineString"
    assert [len(part) for part in geometry["coordinates"]] == [2, 3, 2]


def test_in_the_plane_nothing_is_cut():
    problem = HCVRP((500, 0), [(-500, 0)], [1], [1], [1])
    collection = plan_to_geojson(Plan("hcvrp", (Route("v1", (("c1",),)),)), problem)
    assert collection["features"][1]["geometry"]["type"] == "LineString"


def test_own_starts_open_ends_times_and_details():
    problem = HCVRP(
        (0, 0), [(1, 0), (2, 0)], [1, 1], [2, 2], [1, 1], details={"phone": ["1", ""]},
        day=Day(
            start=[(5, 0), (np.nan, np.nan)], end=[(np.inf, np.inf), (np.nan, np.nan)],
            service=[0.5, 0], clock="HH:MM",
        ),
    )  # fmt: skip
    plan = Plan.from_indices(problem, [[[0], [1]], []])
    collection = plan_to_geojson(plan, problem)
    assert kinds(collection) == ["depot", "start", "trip", "customer", "trip", "customer"]
    trips = [
        f["geometry"]["coordinates"] for f in collection["features"] if "stops" in f["properties"]
    ]
    assert trips == [[[5, 0], [0, 0], [1, 0], [0, 0]], [[0, 0], [2, 0]]]
    about = collection["features"][3]["properties"]
    assert (about["arrives"], about["service"], about["phone"]) == ("06:00", 0.5, "1")
    line = [[5.0, 0.0], [4.0, 1.0], [1.0, 0.0]]
    shaped = plan_to_geojson(plan, problem, {("v1", 1): line})
    assert shaped["features"][2]["geometry"]["coordinates"] == line
