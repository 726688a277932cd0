from xml.etree import ElementTree

import pytest

from geopar.errors import InputError
from geopar.plan import Plan
from geopar.sheets.content import sheets_of
from geopar.sheets.gpx import NAMESPACE, sheets_gpx
from instances import plan_of, square, town

SPACE = {"g": NAMESPACE}
PLAN = Plan.from_indices(town(), [[[0, 1], [2]], [[3, 4]]], None)


def root_of(problem, plan, shapes=None):
    return ElementTree.fromstring(sheets_gpx(problem, sheets_of(problem, plan), shapes))


def test_a_route_for_each_trip_with_stops_where_they_are() -> None:
    root = root_of(town(), PLAN)
    routes = root.findall("g:rte", SPACE)
    first, *_ = town().vehicle_ids
    assert [one.find("g:name", SPACE).text for one in routes][:2] == [
        f"{first}, trip 1",
        f"{first}, trip 2",
    ]
    points = routes[0].findall("g:rtept", SPACE)
    assert [one.find("g:name", SPACE).text for one in points] == [
        "Depot",
        *(str(town().customer_ids[i]) for i in (0, 1)),
        "Depot",
    ]
    assert float(points[1].get("lon")) == pytest.approx(16.40)
    assert float(points[1].get("lat")) == pytest.approx(48.23)


def test_roads_become_tracks_of_the_vehicles_asked_for() -> None:
    name, other = town().vehicle_ids
    shapes = {(name, 1): [[16.37, 48.21], [16.4, 48.22]], (other, 1): [[16.37, 48.21]]}
    text = sheets_gpx(town(), sheets_of(town(), PLAN, [name]), shapes)
    tracks = ElementTree.fromstring(text).findall("g:trk", SPACE)
    assert len(tracks) == 1
    assert len(tracks[0].findall("g:trkseg/g:trkpt", SPACE)) == 2


def test_control_characters_do_not_spoil_it() -> None:
    problem = town().replace(details={"note": ("a\x0bb & <c>", "", "", "", "")})
    (first, *_) = root_of(problem, PLAN).findall("g:rte/g:rtept/g:cmt", SPACE)
    assert first.text.endswith("note: ab & <c>")


def test_a_plane_is_nowhere_on_the_earth() -> None:
    plan = plan_of({"red": [["east"]]})
    with pytest.raises(InputError, match=r"not-on-earth.*GeoJSON"):
        sheets_gpx(square(), sheets_of(square(), plan))
