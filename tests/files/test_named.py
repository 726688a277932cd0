from pathlib import Path

import pytest

import instances
from geopar.errors import InputError
from geopar.files import write_batch, write_problem
from geopar.files.named import Reading, frozen_set, is_frozen_name
from geopar.problems.frozen import frozen


def test_an_instance_of_a_frozen_set() -> None:
    assert Reading().problem("hcvrp/10/2#3") == frozen("hcvrp/10/2")[3]


def test_an_instance_of_a_batch(tmp_path: Path) -> None:
    path = tmp_path / "two.npz"
    problems = [instances.square(), instances.square().replace(demand=[2, 2, 2, 2])]
    write_batch(problems, path)
    assert Reading().problem(f"{path}#1").demand.tolist() == [2, 2, 2, 2]
    assert Reading().problem(str(path)).demand.tolist() == [1, 1, 1, 1]


def test_a_file_may_have_the_mark_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / "plan#3.json"
    write_problem(instances.square(), path)
    assert Reading().problem(str(path)) == instances.square()


def test_a_file_named_like_a_set_is_a_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("hcvrp/60/3")
    path.parent.mkdir(parents=True)
    write_problem(instances.square(), path, format="json")
    assert not is_frozen_name(str(path))
    assert Reading().problem(str(path)) == instances.square()


def test_whole_sets() -> None:
    found = frozen_set("hcvrp/200/2")
    assert found is not None
    assert len(found) == 128
    assert frozen_set("hcvrp/200/2#1") is None
    assert frozen_set("square.json") is None


def test_a_fleet_for_vrplib(tmp_path: Path) -> None:
    path = tmp_path / "tiny.vrp"
    path.write_text(
        "NAME : tiny\nTYPE : CVRP\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 9\n"
        "NODE_COORD_SECTION\n1 0 0\n2 3 4\nDEMAND_SECTION\n1 0\n2 5\nDEPOT_SECTION\n1\n-1\nEOF\n"
    )
    problem = Reading(num_vehicles=2, speed="1,0.5", capacity="7").problem(str(path))
    assert problem.speed.tolist() == [1, 0.5]
    assert problem.capacity.tolist() == [7, 7]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("hcvrp/10/2", "not-one-problem"),
        ("hcvrp/10/2#", "bad-index"),
        ("hcvrp/10/2#x", "bad-index"),
        ("hcvrp/10/2#-1", "bad-index"),
        ("hcvrp/10/2#²", "bad-index"),
        ("hcvrp/10/2#1280", "bad-index"),
        ("hcvrp/10/2#" + "9" * 5000, "bad-index"),
        ("hcvrp/0/2#1", "bad-setting"),
        ("omdcpdp/11/2#1", "odd-tasks"),
        ("nothing.json", "no-such-file"),
        ("nothing.json#1", "no-such-file"),
        ("tsp/10/2#1", "no-such-file"),
    ],
)
def test_names_of_nothing(name: str, code: str) -> None:
    with pytest.raises(InputError, match=code):
        Reading().problem(name)


def test_fleet_options_mean_nothing_for_a_frozen_instance() -> None:
    with pytest.raises(InputError) as caught:
        Reading(num_vehicles=2, speed="1").problem("hcvrp/10/2#0")
    assert [fault.field for fault in caught.value.faults] == ["--num-vehicles", "--speed"]


def test_bad_numbers_are_told_together() -> None:
    with pytest.raises(InputError) as caught:
        Reading(capacity="much", speed="1,,2").problem("x.vrp")
    assert [fault.field for fault in caught.value.faults] == ["--capacity", "--speed"]
