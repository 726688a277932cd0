"""Road times from a server that speaks OSRM's protocol, and from one that does not."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import instances
from geopar.errors import InputError
from geopar.plan import Plan
from geopar.problems.day import Day
from geopar.roads import http, open_engine, road_times, route_shapes
from geopar.roads.cache import default_folder

_SPEC = importlib.util.spec_from_file_location(
    "osrm_server", Path(__file__).with_name("osrm_server.py")
)
_MODULE = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(http, "FIRST_PAUSE", 0.001)
    with _MODULE.osrm_server() as found:
        yield found


def expected_hours(problem):
    step = (problem.places[:, None] - problem.places) * _MODULE.METRES_PER_DEGREE
    return np.hypot(step[..., 0], step[..., 1]) / 10.0 / 3600.0


@pytest.mark.parametrize("make", [instances.town, instances.island])
@pytest.mark.parametrize("max_table", [100, 4])
def test_tables_are_put_together_from_blocks(server, make, max_table):
    address, behaviour = server
    problem, told = make(), []
    found = road_times(
        problem, open_engine(osrm=address), max_table=max_table,
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    numbers = np.arange(len(problem.places))
    durations = found.travel.duration(0, numbers[:, None], numbers)
    np.testing.assert_allclose(durations, expected_hours(problem), rtol=1e-4, atol=1e-9)
    kilometres = found.travel.distance(numbers[:, None], numbers)
    np.testing.assert_allclose(kilometres, expected_hours(problem) * 36.0, rtol=1e-4, atol=1e-9)
    assert told[-1] == (len(behaviour.paths),) * 2
    assert max(path.count(";") for path in behaviour.paths) <= 2 * max_table
    assert found.speeds.tolist() == [1.0] * found.num_vehicles


def test_profiles_and_units(server):
    address, behaviour = server
    day = Day(profile=["van", "bike"], time_unit="minutes", service=[1.0] * 5)
    problem = instances.town().replace(day=day)
    found = road_times(problem, open_engine(osrm=address), profiles={"van": "driving"})
    assert {path.split("/")[3] for path in behaviour.paths} == {"driving", "bike"}
    assert sorted(found.day.matrices) == ["bike", "van"]
    assert found.day.service.tolist() == [1.0] * 5
    numbers = np.arange(6)
    np.testing.assert_allclose(
        found.travel.duration(1, numbers[:, None], numbers), 60 * expected_hours(problem), rtol=1e-4
    )
    again = road_times(found.replace(speed=[1, 2]), open_engine(osrm=address))
    assert again.speed.tolist() == [1, 2]  # factors of matrices stay


def test_answers_are_kept(server, tmp_path):
    address, behaviour = server
    first = road_times(instances.town(), open_engine(osrm=address), cache=tmp_path / "deep" / "er")
    asked = len(behaviour.paths)
    again = road_times(instances.town(), open_engine(osrm=address), cache=tmp_path / "deep" / "er")
    assert first == again
    assert len(behaviour.paths) == asked
    (kept,) = (tmp_path / "deep" / "er").iterdir()
    kept.write_bytes(b"damaged")
    assert road_times(instances.town(), open_engine(osrm=address), cache=kept.parent) == first
    assert len(behaviour.paths) == asked + 1


def test_where_answers_are_kept(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert default_folder() == Path("/x/geopar/roads")


def test_a_busy_server_is_asked_again(server):
    address, behaviour = server
    behaviour.fails = 2
    road_times(instances.town(), open_engine(osrm=address))
    assert len(behaviour.paths) == 3


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"fails": 99}, "no-road-engine"),
        ({"sleeps": 1.0}, "no-road-engine"),
        ({"answer": b"<html>"}, "bad-answer"),
        ({"answer": b"[]"}, "bad-answer"),
        ({"answer": b'{"code": "Ok", "durations": [[1]]}'}, "bad-answer"),
        ({"answer": b'{"code": "InvalidUrl", "message": "no"}'}, "bad-answer"),
        ({"answer": b'{"code": "Ok", "durations": 3, "distances": 3}'}, "bad-answer"),
        ({"answer": b"nothing here", "status": 404}, "bad-answer"),
        ({"max_table": 3}, "road-table-too-large"),
    ],
)
def test_servers_that_will_not_do(server, change, code):
    address, behaviour = server
    vars(behaviour).update(change)
    with pytest.raises(InputError) as error:
        road_times(instances.town(), open_engine(osrm=address, seconds=0.3))
    assert [fault.code for fault in error.value.faults] == [code]


def test_nobody_there(monkeypatch):
    monkeypatch.setattr(http, "FIRST_PAUSE", 0.001)
    with pytest.raises(InputError, match="no-road-engine"):
        road_times(instances.town(), open_engine(osrm="http://127.0.0.1:9"))
    with pytest.raises(InputError, match="bad-address"):
        road_times(instances.town(), open_engine(osrm="localhost:5000"))


def test_places_without_a_way_are_named(server):
    address, behaviour = server
    behaviour.island = tuple(instances.town().customers[2].tolist())
    with pytest.raises(InputError) as error:
        road_times(instances.town(), open_engine(osrm=address))
    (fault,) = error.value.faults
    assert (fault.code, fault.field) == ("unreachable", "customer c3")


@pytest.mark.parametrize(
    ("problem", "options"),
    [(instances.square(), {}), (instances.town(), {"max_table": 1})],
)
def test_what_cannot_be_asked(problem, options):
    with pytest.raises(InputError, match=r"not-on-earth|max_table"):
        road_times(problem, open_engine(osrm="http://127.0.0.1:9"), **options)


def test_exactly_one_engine_is_named():
    both: dict[str, Any] = {"osrm": "http://a", "valhalla": "b"}
    for engines in ({}, both):
        with pytest.raises(InputError, match="exactly one"):
            open_engine(**engines)


def test_shapes_of_trips(server):
    address, _ = server
    problem = instances.town()
    plan = Plan.from_indices(problem, [[[0, 1], [2]], [[3, 4]]])
    shapes = route_shapes(problem, plan, open_engine(osrm=address))
    assert sorted(shapes) == [("v1", 1), ("v1", 2), ("v2", 1)]
    depot = problem.depot.tolist()
    assert shapes["v1", 1][0] == depot
    assert shapes["v1", 1][-1] == depot
    assert len(shapes["v1", 1]) == 5
