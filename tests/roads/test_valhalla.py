"""Road times from Valhalla in this process, on a small town that the test itself builds."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from geopar.errors import InputError
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.roads import open_engine, road_times, route_shapes
from geopar.roads.valhalla import decoded

SIZE = 5
STEP = 0.002
CORNER = (13.40, 52.50)


def test_polylines_are_unpacked():
    assert decoded("_p~iF~ps|U_ulLnnqC_mqNvxq`@", 5) == [
        [-120.2, 38.5], [-120.95, 40.7], [-126.453, 43.252],
    ]  # fmt: skip


def test_tiles_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="no-such-file"):
        open_engine(valhalla=tmp_path / "none")


def builder():
    """What builds tiles: on the path, or in the package, as that for Python 3.12 and later has."""
    valhalla = pytest.importorskip("valhalla", reason="pyvalhalla is not installed")
    inside = Path(valhalla.__file__).parent / "bin" / "valhalla_build_tiles"
    found = shutil.which("valhalla_build_tiles") or (str(inside) if inside.exists() else None)
    if found is None:
        pytest.skip("this pyvalhalla has no valhalla_build_tiles; that for Python 3.12 does")
    return found


def write_town(path):
    """A grid of streets, the lowest of which is one way to the east."""
    osmium = pytest.importorskip("osmium", reason="osmium is not installed")
    from osmium.osm.mutable import Node, Way

    with osmium.SimpleWriter(str(path)) as writer:
        for i in range(SIZE * SIZE):
            lon, lat = CORNER[0] + i % SIZE * STEP, CORNER[1] + i // SIZE * STEP
            writer.add_node(Node(id=i + 1, version=1, location=(lon, lat), tags={}))
        for way in range(2 * SIZE):  # in the order of their ids, rows first
            number, is_column = way % SIZE, way >= SIZE
            step, begin = (SIZE, number) if is_column else (1, number * SIZE)
            nodes = [begin + i * step + 1 for i in range(SIZE)]
            tags = {"highway": "residential", "name": f"Street {way}"}
            if way == 0:
                tags["oneway"] = "yes"
            writer.add_way(Way(id=way + 1, version=1, nodes=nodes, tags=tags))


@pytest.fixture(scope="module")
def tiles(tmp_path_factory):
    program = builder()
    valhalla = pytest.importorskip("valhalla")
    folder = tmp_path_factory.mktemp("roads")
    write_town(folder / "town.osm.pbf")
    (folder / "tiles").mkdir()
    config = valhalla.get_config(folder / "tiles", folder / "tiles")
    config["mjolnir"]["tile_extract"] = str(folder / "none.tar")
    config["mjolnir"]["concurrency"] = 1
    (folder / "config.json").write_text(json.dumps(config))
    command = [program, "-c", str(folder / "config.json"), str(folder / "town.osm.pbf")]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return folder / "tiles"


def corner(column, row):
    return CORNER[0] + column * STEP, CORNER[1] + row * STEP


def town(**parts):
    return HCVRP(
        corner(0, 0), [corner(4, 0), corner(0, 4), corner(2, 2)], [1] * 3, [9, 9], [30, 15],
        coordinates="lonlat", day=Day(**parts) if parts else None,
    )  # fmt: skip


def test_times_on_streets(tiles):
    problem = town(time_unit="seconds", profile=["car", "bike"])
    found = road_times(problem, open_engine(valhalla=tiles), max_table=4)
    car, bike = found.day.matrices["car"], found.day.matrices["bike"]
    # Along the one-way street, and back round the block.
    assert car.durations[1, 0] > car.durations[0, 1] > 0
    assert car.distances[0, 1] == pytest.approx(0.542, abs=0.03)
    assert bike.durations[0, 2] > car.durations[0, 2]
    assert found.speed.tolist() == [1, 1]
    assert np.all(np.diag(car.durations) == 0)


def test_the_shape_of_a_trip_follows_the_streets(tiles):
    problem = town()
    plan = Plan.from_indices(problem, [[[2]], []])
    line = np.array(route_shapes(problem, plan, open_engine(valhalla=tiles))["v1", 1])
    step = np.abs(np.diff(line, axis=0))
    assert len(line) > 4
    assert np.all(step.min(axis=1) < 1e-5)  # along a street, which runs east or north


def test_what_the_engine_refuses_is_told(tiles):
    with pytest.raises(InputError, match="bad-answer"):
        road_times(town(profile=["sledge", "car"]), open_engine(valhalla=tiles))


def test_a_place_far_from_all_streets_is_named(tiles):
    problem = town()
    far = problem.replace(customers=[*problem.customers[:2].tolist(), (14.5, 53.5)])
    with pytest.raises(InputError) as error:
        road_times(far, open_engine(valhalla=tiles), max_table=2)
    assert [fault.code for fault in error.value.faults] == ["unreachable"]
    assert error.value.faults[0].field == "customer c3"
