"""Round trips of every format, and the choice between formats."""

import json
import os
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geopar.errors import InputError
from geopar.files import (
    read_batch,
    read_hcvrp,
    read_omdcpdp,
    read_plan,
    read_problem,
    write_batch,
    write_plan,
    write_problem,
)
from geopar.plan import Plan, Route
from geopar.problems import HCVRP, OMDCPDP

in_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
positive = st.floats(1e-12, 1e12)


def rows(draw, count, numbers):
    return draw(st.lists(numbers, min_size=count, max_size=count))


def places(draw, count, coordinates):
    lon, lat = (180, 90) if coordinates == "lonlat" else (1e12, 1e12)
    pairs = st.tuples(st.floats(-lon, lon), st.floats(-lat, lat))
    return rows(draw, count, pairs)


def ids(draw, count):
    own = st.lists(texts, min_size=count, max_size=count, unique=True)
    return draw(st.one_of(st.none(), own))


@st.composite
def hcvrps(draw, plain=False):
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    coordinates: Any = "plane" if plain else draw(st.sampled_from(["plane", "lonlat"]))
    capacity = [draw(positive)] * m if plain else rows(draw, m, positive)
    return HCVRP(
        depot=places(draw, 1, coordinates)[0],
        customers=places(draw, n, coordinates),
        demand=rows(draw, n, st.floats(0, max(capacity))),
        capacity=capacity,
        speed=[1] * m if plain else rows(draw, m, positive),
        customer_ids=None if plain else ids(draw, n),
        vehicle_ids=None if plain else ids(draw, m),
        coordinates=coordinates,
        name="" if plain else draw(st.one_of(st.just(""), texts)),
    )


@st.composite
def omdcpdps(draw):
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    coordinates = draw(st.sampled_from(["plane", "lonlat"]))
    return OMDCPDP(
        pickups=places(draw, n, coordinates),
        deliveries=places(draw, n, coordinates),
        starts=places(draw, m, coordinates),
        capacity=rows(draw, m, st.integers(1, 10**12)),
        order_ids=ids(draw, n),
        vehicle_ids=ids(draw, m),
        coordinates=coordinates,
        name=draw(st.one_of(st.just(""), texts)),
    )


problems = st.one_of(hcvrps(), omdcpdps())


@st.composite
def plans(draw, problem):
    """Any routes, good or bad; trips are never empty, because they mean nothing."""
    tasks = draw(st.permutations(problem.task_ids))
    routes = []
    for vehicle in draw(st.permutations(problem.vehicle_ids)):
        share, tasks = tasks[: len(tasks) // 2], tasks[len(tasks) // 2 :]
        cut = draw(st.integers(0, len(share))) if problem.kind == "hcvrp" else 0
        trips = tuple(tuple(trip) for trip in (share[:cut], share[cut:]) if trip)
        routes.append(Route(vehicle, trips))
    objective = draw(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)))
    return Plan(problem.kind, tuple(routes[: draw(st.integers(1, len(routes)))]), objective)


def assert_same(one, other):
    """Equal to the bit, name apart."""
    assert one == other.replace(name=one.name)
    for name, value in vars(one).items():
        if isinstance(value, np.ndarray):
            assert value.tobytes() == getattr(other, name).tobytes(), name


@pytest.mark.parametrize("suffix", ["json", "csv", "npz"])
@in_one_folder
@given(problem=problems)
def test_problems_come_back_to_the_bit(tmp_path, suffix, problem):
    path = tmp_path / f"a.{suffix}"
    written = write_problem(problem, path)
    again = read_problem(path)
    assert_same(again, problem)
    assert again.name == (problem.name if suffix == "json" else problem.name or "a") or (
        suffix == "csv" and again.name == "a"
    )
    assert sorted(written) == sorted(tmp_path.glob("a.*" if suffix == "csv" else f"a.{suffix}"))
    for one in written:
        one.unlink()


@in_one_folder
@given(problem=hcvrps(plain=True))
def test_vrplib_comes_back_to_the_bit(tmp_path, problem):
    write_problem(problem, tmp_path / "a.vrp")
    assert_same(read_problem(tmp_path / "a.vrp"), problem)


@in_one_folder
@given(data=st.data(), problem=problems)
@pytest.mark.parametrize("suffix", ["json", "sol"])
def test_plans_come_back(tmp_path, suffix, data, problem):
    plan = data.draw(plans(problem))
    write_plan(plan, tmp_path / f"a.{suffix}", problem)
    assert read_plan(tmp_path / f"a.{suffix}", problem) == plan


@in_one_folder
@given(data=st.data(), problem=problems)
def test_geojson_draws_every_trip_and_stop(tmp_path, data, problem):
    plan = data.draw(plans(problem))
    write_plan(plan, tmp_path / "a.geojson", problem)
    features = json.loads((tmp_path / "a.geojson").read_text())["features"]
    kinds = [feature["properties"]["kind"] for feature in features]
    assert kinds.count("trip") == sum(len(route.trips) for route in plan.routes)
    assert sum(kind in ("customer", "pickup", "delivery") for kind in kinds) == sum(
        len(route.tasks) for route in plan.routes
    )


TINY = HCVRP((0, 0), [(0, 1), (1, 0)], [1, 1], [2], [1], name="tiny")
PLAN = Plan("hcvrp", (Route("v1", (("c1", "c2"),)),), 3.5)


@pytest.mark.parametrize("suffix", ["json", "csv", "npz", "vrp"])
def test_the_content_tells_the_format_where_the_suffix_does_not(tmp_path, suffix):
    write_problem(TINY, tmp_path / f"a.{suffix}")
    os.rename(tmp_path / f"a.{suffix}", tmp_path / "stops")
    vehicles = tmp_path / "a.vehicles.csv" if suffix == "csv" else None
    assert_same(read_problem(tmp_path / "stops", vehicles=vehicles), TINY)


def test_the_format_can_be_given(tmp_path):
    write_problem(TINY, tmp_path / "a.csv", format="json")
    assert read_problem(tmp_path / "a.csv", format="json") == TINY


def test_a_batch_by_index_and_whole(tmp_path):
    other = TINY.replace(depot=(5, 5))
    write_batch([TINY, other], tmp_path / "a.npz")
    assert read_problem(tmp_path / "a.npz", index=1) == other
    assert list(read_batch(tmp_path / "a.npz")) == [TINY, other]


def faults(action):
    with pytest.raises(InputError) as error:
        action()
    return [(fault.code, fault.field) for fault in error.value.faults]


def test_index_outside_the_batch(tmp_path):
    write_problem(TINY, tmp_path / "a.npz")
    assert faults(lambda: read_problem(tmp_path / "a.npz", index=1)) == [("bad-index", "index")]
    assert faults(lambda: read_problem(tmp_path / "a.npz", index=-1)) == [("bad-index", "index")]


def test_options_without_meaning_are_refused(tmp_path):
    write_problem(TINY, tmp_path / "a.json")
    found = faults(
        lambda: read_problem(tmp_path / "a.json", speed=2, num_vehicles=3, vehicles="v", index=1)
    )
    assert sorted(found) == [
        ("bad-index", "index"),
        ("unused-option", "num_vehicles"),
        ("unused-option", "speed"),
        ("unused-option", "vehicles"),
    ]


def test_vehicles_file_missing(tmp_path):
    write_problem(TINY, tmp_path / "a.csv")
    os.unlink(tmp_path / "a.vehicles.csv")
    assert faults(lambda: read_problem(tmp_path / "a.csv"))[0][0] == "no-such-file"


@pytest.mark.parametrize("content", ["nothing known", "\x7fELF"])
def test_unknown_format(tmp_path, content):
    (tmp_path / "a.txt").write_text(content)
    assert faults(lambda: read_problem(tmp_path / "a.txt")) == [("unknown-format", "a.txt")]


def test_unknown_names_of_formats(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    for action in (
        lambda: read_problem(tmp_path / "a.json", format="xml"),
        lambda: write_problem(TINY, tmp_path / "a.xml"),
        lambda: write_problem(TINY, tmp_path / "a.json", format="xml"),
        lambda: write_batch([TINY], tmp_path / "a.json"),
        lambda: read_plan(tmp_path / "a.json", format="geojson"),
        lambda: read_plan(tmp_path / "a.geojson"),
        lambda: write_plan(PLAN, tmp_path / "a.xml", TINY),
    ):
        assert faults(action)[0][0] in ("unknown-format", "no-such-file")
    assert os.listdir(tmp_path) == ["a.json"]


def test_geojson_is_only_written(tmp_path):
    write_plan(PLAN, tmp_path / "a.geojson", TINY)
    found = faults(lambda: read_plan(tmp_path / "a.geojson"))
    assert found == [("unknown-format", "a.geojson")]


def test_solution_needs_the_problem(tmp_path):
    write_plan(PLAN, tmp_path / "a.sol", TINY)
    assert faults(lambda: read_plan(tmp_path / "a.sol")) == [("missing-problem", "a.sol")]
    os.rename(tmp_path / "a.sol", tmp_path / "a")
    assert read_plan(tmp_path / "a", TINY) == PLAN


def test_plan_of_another_problem(tmp_path):
    write_plan(PLAN, tmp_path / "a.json", TINY)
    other = OMDCPDP([(0, 0)], [(1, 1)], [(2, 2)], [3])
    assert faults(lambda: read_plan(tmp_path / "a.json", other)) == [("wrong-problem", "problem")]
    assert read_plan(tmp_path / "a.json") == PLAN


@pytest.mark.parametrize("suffix", ["json", "sol", "geojson"])
def test_plans_with_unknown_ids_are_not_written(tmp_path, suffix):
    plan = Plan("hcvrp", (Route("w", (("c1",), ("c2", "zz"))),), float("nan"))
    found = faults(lambda: write_plan(plan, tmp_path / f"a.{suffix}", TINY))
    assert found == [
        ("not-finite", "objective"),
        ("unknown-id", "routes[0].vehicle"),
        ("unknown-id", "routes[0].trips[1][1]"),
    ]
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("suffix", ["json", "csv", "vrp"])
def test_half_characters_are_not_written(tmp_path, suffix):
    broken = TINY.replace(name="\ud800", customer_ids=["\ud800", "b"])
    assert faults(lambda: write_problem(broken, tmp_path / f"a.{suffix}"))[0][0] == "bad-text"
    assert os.listdir(tmp_path) == []


def test_readers_that_know_the_problem(tmp_path, square, corridor):
    write_problem(square, tmp_path / "square.json")
    write_problem(corridor, tmp_path / "corridor.json")
    assert read_hcvrp(tmp_path / "square.json").demand.sum() == 4
    assert read_omdcpdp(tmp_path / "corridor.json").num_orders == 3
    with pytest.raises(InputError, match="wrong-problem"):
        read_hcvrp(tmp_path / "corridor.json")
    with pytest.raises(InputError, match="wrong-problem"):
        read_omdcpdp(tmp_path / "square.json")
