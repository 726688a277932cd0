"""Whatever is thrown at a reader: either it understands, or it says what is wrong.

``pytest tests/files/test_fuzz.py --hypothesis-profile=explore`` looks longer.
"""

import io
import json
import zipfile
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from geopar.errors import InputError
from geopar.files import (
    parse_json,
    plan_from_json,
    plan_to_json,
    problem_from_json,
    problem_to_json,
    read_plan,
    read_problem,
    schema,
)
from geopar.files.plan_sol import plan_from_sol, plan_to_sol
from geopar.files.problem_csv import problem_from_csv, problem_to_csv
from geopar.files.problem_npz import batch_from_npz, batch_to_npz
from geopar.files.problem_vroom import is_vroom, problem_from_vroom
from geopar.files.problem_vrplib import Fleet, problem_from_vrplib, problem_to_vrplib
from geopar.plan import Plan, Route
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.tasks import Stop

PROBLEM_SCHEMA = jsonschema.Draft202012Validator(schema("problem"))
PLAN_SCHEMA = jsonschema.Draft202012Validator(schema("plan"))

HCVRP_PROBLEM = HCVRP((0, 0), [(0, 1), (1, 0), (0.5, 2)], [1, 2, 3], [4, 4], [1, 1])
OMDCPDP_PROBLEM = OMDCPDP([(0, 1), (1, 0)], [(2, 1), (0.5, 2)], [(0, 0), (1, 1)], [3, 2])
BOTH: list[Problem] = [HCVRP_PROBLEM, OMDCPDP_PROBLEM]
HCVRP_PLAN = Plan("hcvrp", (Route("v1", (("c1",), ("c3",))), Route("v2", (("c2",),))), 5.5)
OMDCPDP_PLAN = Plan(
    "omdcpdp", (Route("v1", ((Stop("o1", "pickup"), Stop("o1", "delivery")),)), Route("v2", ()))
)


def understood(read, *arguments):
    """What a reader makes of it; None if it says what is wrong, in words and with a place."""
    try:
        return read(*arguments)
    except InputError as error:
        complaint = error
    assert complaint.faults
    assert all(fault.code and fault.field and fault.message for fault in complaint.faults)
    lines = str(complaint).encode().decode().splitlines()  # nothing that cannot be printed
    assert len(lines) <= len(complaint.faults) + 1
    assert max(map(len, lines)) < 1000
    return None


def readers(data):
    """Every reader on the same bytes."""
    understood(parse_json, data)
    understood(problem_from_csv, data, data, "", "stops", "vehicles")
    understood(problem_from_vrplib, data, "file", Fleet(2))
    understood(plan_from_sol, data, "file", HCVRP_PROBLEM)
    if (batch := understood(batch_from_npz, data, "file", "file")) is not None:
        understood(list, batch)


@given(st.binary(max_size=200))
@example(b"PK\x05\x06" + b"\0" * 18)
def test_random_bytes(data):
    readers(data)


@given(st.text(max_size=200))
@example("\x1c,x,y")
@example("DEMAND_SECTION\nNODE_COORD_SECTION")
def test_random_text(text):
    readers(text.encode(errors="surrogatepass"))
    readers(text.encode("utf-16", errors="surrogatepass"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(min_size=1, max_size=100))
@pytest.mark.parametrize("suffix", ["", ".json", ".csv", ".vrp", ".npz", ".sol"])
def test_random_files(tmp_path, suffix, data):
    path = tmp_path / f"stops{suffix}"
    path.write_bytes(data)
    understood(read_problem, path)
    understood(read_plan, path, HCVRP_PROBLEM)


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5),
    st.sampled_from(["hcvrp", "omdcpdp", 10**400, -(10**4200), "\ud800", "id", 0, 1, -1]),
    st.sampled_from(["08:30", "2026-11-17T08:30", "2026-11-17T08:30Z", "v1", "c1", "minutes"]),
)  # fmt: skip
fields = st.sampled_from(
    ["problem", "depot", "customers", "vehicles", "orders", "pickup", "delivery", "id", "x", "y",
     "lat", "lon", "demand", "capacity", "speed", "name", "routes", "vehicle", "trips", "stops",
     "order", "action", "objective", "", "Ω", "matrices", "time_unit", "clock", "minimise",
     "service", "windows", "released", "needs", "priority", "size", "profile", "available",
     "longest", "most_trips", "skills", "start", "end", "on_board", "locked", "details",
     "opens", "closes", "loading", "durations", "distances"]
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(fields, inner)),
    max_leaves=20,
)


@given(values)
def test_random_json(value):
    understood(problem_from_json, value)
    understood(plan_from_json, value)


def places_in(value, path=()):
    """The path of everything inside a value."""
    yield path
    if isinstance(value, dict | list):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places_in(entry, (*path, key))


@st.composite
def spoilt(draw, value):
    """A valid value with a few places replaced, removed, renamed or doubled."""
    value = json.loads(json.dumps(value))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places_in(value))))
        if not path:
            continue
        parent = value
        for key in path[:-1]:
            parent = parent[key]
        key = path[-1]
        match draw(st.sampled_from(["replace", "remove", "rename", "double"])):
            case "replace":
                parent[key] = draw(values)
            case "remove":
                del parent[key]
            case "rename" if isinstance(parent, dict):
                parent[draw(fields)] = parent.pop(key)
            case "double" if isinstance(parent, list):
                parent.append(parent[key])
    return value


@given(st.sampled_from(BOTH).map(problem_to_json).flatmap(spoilt))
def test_spoilt_problems(value):
    problem = understood(problem_from_json, value)
    if problem is not None:
        assert PROBLEM_SCHEMA.is_valid(value)
        assert problem_from_json(problem_to_json(problem)) == problem


AT = [[0.1 * i, 0.2 * i] for i in range(3)]
VROOM_JOBS = {
    "vehicles": [
        {"id": 1, "start": AT[0], "start_index": 0, "end": AT[0], "end_index": 0, "capacity": [4],
         "skills": [1], "time_window": [0, 9], "speed_factor": 1.5, "profile": "car"},
    ],
    "jobs": [
        {"id": 7, "location": AT[1], "location_index": 1, "service": 3, "setup": 1,
         "delivery": [1], "skills": [1], "priority": 9, "time_windows": [[0, 9]],
         "description": "x"},
        {"id": 8, "location": AT[2], "location_index": 2},
    ],
    "matrices": {"car": {"durations": [[0, 1, 2], [1, 0, 3], [2, 3, 0]]}},
}  # fmt: skip
VROOM_SHIPMENTS = {
    "vehicles": [{"id": 1, "start": AT[0], "capacity": [2]}],
    "shipments": [
        {"amount": [1], "pickup": {"id": 1, "location": AT[1], "service": 3},
         "delivery": {"id": 2, "location": AT[2], "time_windows": [[0, 9]]}},
    ],
}  # fmt: skip


@given(st.sampled_from([VROOM_JOBS, VROOM_SHIPMENTS]).flatmap(spoilt))
def test_spoilt_vroom(value):
    if is_vroom(value):
        understood(problem_from_vroom, value, "", 30.0)


@given(st.sampled_from([HCVRP_PLAN, OMDCPDP_PLAN]).map(plan_to_json).flatmap(spoilt))
def test_spoilt_plans(value):
    plan = understood(plan_from_json, value)
    if plan is not None:
        assert PLAN_SCHEMA.is_valid(value)
        assert plan_from_json(plan_to_json(plan)) == plan


pieces = st.one_of(
    st.binary(max_size=3),
    st.sampled_from([b",", b"\n", b'"', b"nan", b"-1", b"1e999", b":", b"{", b"[", b"#", b"\0"]),
)


@st.composite
def scratched(draw, data):
    """Bytes with a few places overwritten, cut out or filled in."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        data = data[:start] + draw(pieces) + data[end:]
    return data


TEXTS = {
    "hcvrp": [text.encode() for text in problem_to_csv(HCVRP_PROBLEM)],
    "omdcpdp": [text.encode() for text in problem_to_csv(OMDCPDP_PROBLEM)],
    "day": [
        b"id,x,y,qty,weight,service_minutes,open,close,windows,note,vehicles,needs\n"
        b"depot,0,0,,,,06:00,22:00,,,,\na,1,1,2,3,5,08:00,9,8/9; 10-11,hi,v1,fridge\n",
        b"id,capacity,speed,shift_start,shift_end,start_x,start_y,end,skills\n"
        b"v1,9,1,07:00,15,1,2,open,fridge; lift\n",
    ],
}


@given(st.data(), st.sampled_from(sorted(TEXTS)))
def test_scratched_csv(data, kind):
    stops, vehicles = (data.draw(scratched(text)) for text in TEXTS[kind])
    understood(problem_from_csv, stops, vehicles, "", "stops", "vehicles")


@given(scratched(problem_to_vrplib(HCVRP_PROBLEM).encode()))
def test_scratched_vrplib(data):
    understood(problem_from_vrplib, data, "file", Fleet())


@given(scratched(json.dumps(problem_to_json(HCVRP_PROBLEM)).encode()))
def test_scratched_json(data):
    value = understood(parse_json, data)
    if value is not None:
        understood(problem_from_json, value)


@given(scratched(plan_to_sol(HCVRP_PLAN, HCVRP_PROBLEM).encode()))
def test_scratched_solutions(data):
    understood(plan_from_sol, data, "file", HCVRP_PROBLEM)


NPZ = [batch_to_npz([p, p.replace(name="x")]) for p in (HCVRP_PROBLEM, OMDCPDP_PROBLEM)]


@given(st.sampled_from(NPZ).flatmap(scratched))
def test_scratched_npz(data):
    if (batch := understood(batch_from_npz, data, "file", "file")) is not None:
        for row in range(len(batch)):
            understood(batch.__getitem__, row)


def unzipped(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@given(st.data(), st.sampled_from(NPZ))
def test_scratched_members_of_npz(data, npz):
    """Past the checksums of the archive, into numpy's headers and numbers."""
    members = unzipped(npz)
    name = data.draw(st.sampled_from(sorted(members)))
    members[name] = data.draw(scratched(members[name]))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for one, content in members.items():
            archive.writestr(one, content)
    if (batch := understood(batch_from_npz, buffer.getvalue(), "file", "file")) is not None:
        for row in range(len(batch)):
            understood(batch.__getitem__, row)


@given(
    st.dictionaries(
        st.sampled_from(["depot", "depots", "locs", "demand", "capacity", "speed", "other"]),
        st.tuples(
            st.lists(st.integers(0, 3), max_size=4),
            st.sampled_from(["f4", "f8", "i8", "u1", "?", "U3", "c16", "f2", "M8[s]"]),
        ),
    )
)
def test_arrays_of_any_shape_and_type(members):
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {
        name: np.zeros(shape, dtype=dtype) for name, (shape, dtype) in members.items()
    }
    np.savez(buffer, **arrays)
    if (batch := understood(batch_from_npz, buffer.getvalue(), "file", "file")) is not None:
        for row in range(len(batch)):
            understood(batch.__getitem__, row)
