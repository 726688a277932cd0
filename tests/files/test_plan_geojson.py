import numpy as np
import pytest

from geopar.files.plan_geojson import cut_at_date_line, plan_to_geojson
from geopar.plan import Plan, Route
from geopar.problems import HCVRP, OMDCPDP
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
