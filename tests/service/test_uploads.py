from pathlib import Path

import pytest

import geopar
import instances
from geopar.errors import InputError
from geopar.files import write_batch, write_problem
from geopar.service.limits import Limits
from geopar.service.uploads import problem_from_files, safe_name

LIMITS = Limits()


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("city.json", "city.json"),
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\city.csv", "city.csv"),
        ("..", "file"),
        ("", "file"),
        ("a/b/.hidden", "hidden"),
        ("städte\0.csv", "st_dte_.csv"),
        ("x" * 300 + ".json", "x" * 75 + ".json"),
    ],
)
def test_names_become_harmless(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def files_in(folder: Path) -> list[tuple[str, bytes]]:
    return [(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_files_give_the_problem(tmp_path: Path, suffix: str) -> None:
    write_problem(instances.square(), tmp_path / f"square.{suffix}")
    read = problem_from_files(files_in(tmp_path), {}, LIMITS)
    assert read.customer_ids == ("east", "north", "west", "south")
    assert read.capacity.tolist() == [2, 2]


def test_csv_of_any_names(tmp_path: Path) -> None:
    write_problem(instances.square(), tmp_path / "square.csv")
    stops, fleet = files_in(tmp_path)[0], files_in(tmp_path)[1]
    named = [("My Vehicles.csv", fleet[1]), ("orders of today.csv", stops[1])]
    assert problem_from_files(named, {}, LIMITS).num_tasks == 4


def test_an_instance_of_a_batch(tmp_path: Path) -> None:
    problems = [geopar.generate("hcvrp/5/2", seed) for seed in range(3)]
    write_batch(problems, tmp_path / "batch.npz")
    read = problem_from_files(files_in(tmp_path), {"index": "2"}, LIMITS)
    assert read.customers.tolist() == pytest.approx(problems[2].customers)


@pytest.mark.parametrize(
    ("files", "options", "code"),
    [
        ([], {}, "no-file"),
        ([("a.json", b"{}"), ("b.json", b"{}")], {}, "too-many"),
        ([("a.json", b"{}")], {"index": "x"}, "not-a-number"),
        ([("a.json", b"{}")], {"path": "/etc"}, "unknown-field"),
        ([("a.json", b"{")], {}, "bad-json"),
        ([("a.csv", b"kind,id,x,y,demand\n")], {}, "no-such-file"),
        ([("a.npz", b"PK\x03\x04")], {}, "bad-npz"),
    ],
)
def test_what_cannot_be_read(files: list, options: dict, code: str) -> None:
    with pytest.raises(InputError) as caught:
        problem_from_files(files, options, LIMITS)
    assert code in {fault.code for fault in caught.value.faults}
    assert "/tmp" not in str(caught.value)


def test_too_large(tmp_path: Path) -> None:
    write_problem(instances.square(), tmp_path / "square.json")
    with pytest.raises(InputError, match="limit of 3"):
        problem_from_files(files_in(tmp_path), {}, Limits(tasks=3))
