import json
from pathlib import Path

import pytest

from geopar.errors import InputError
from geopar.files import read_problem, write_plan
from geopar.files.other_files import suffix_hint
from instances import plan_of, square


def refusal(path: Path, text: str, **options) -> str:
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_problem(path, **options)
    (fault,) = error.value.faults
    assert fault.code == "wrong-type"
    assert fault.field == path.name
    return f"{fault.message} {fault.hint}"


@pytest.mark.parametrize(
    "header", ["id,capacity,speed", '"Van","Max load"', "id;x;y;capacity", "vehicle\tmax_trips"]
)
def test_a_table_of_vehicles_is_no_problem(tmp_path: Path, header: str) -> None:
    said = refusal(tmp_path / "fleet.csv", f"{header}\n1,2,3\n")
    assert "is a table of vehicles" in said
    assert "stops.csv --vehicles fleet.csv" in said


def test_stops_and_vehicles_the_wrong_way_round(tmp_path: Path) -> None:
    (tmp_path / "stops.csv").write_text("kind,id,x,y,demand\ndepot,,0,0,\n,a,1,1,1\n")
    said = refusal(
        tmp_path / "v.csv", "id,capacity,speed\nv,1,1\n", vehicles=tmp_path / "stops.csv"
    )
    assert "Name the stops first" in said
    problem = read_problem(tmp_path / "stops.csv", vehicles=tmp_path / "v.csv")
    assert problem.vehicle_ids == ("v",)


@pytest.mark.parametrize("wrap", [lambda fleet: fleet, lambda fleet: {"vehicles": fleet}])
def test_vehicles_alone_in_json(tmp_path: Path, wrap) -> None:
    text = json.dumps(wrap([{"id": "van", "capacity": 3, "speed": 1}]))
    assert "has vehicles, and nothing to do" in refusal(tmp_path / "fleet.json", text)


def test_a_plan_is_no_problem(tmp_path: Path) -> None:
    said = refusal(tmp_path / "plan.json", '{"problem": "hcvrp", "routes": []}')
    assert "is a plan" in said
    assert "--start plan.json" in said


@pytest.mark.parametrize("text", ['{"problem": "hcvrp", "vehicles": []}', "[]", "[1]", "{}"])
def test_what_is_wrong_in_another_way_is_said_as_before(tmp_path: Path, text: str) -> None:
    path = tmp_path / "day.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_problem(path)
    assert path.name not in [fault.field for fault in error.value.faults]


def test_what_writes_gpx_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"geopar sheet writes \.gpx"):
        write_plan(plan_of({}), tmp_path / "plan.gpx", square())
    assert suffix_hint(".txt", ("json", "sol")) == "End the name in .json, .sol."
