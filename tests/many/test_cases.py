import json
import sys
from pathlib import Path

import pytest

import instances
from geopar.errors import InputError, MissingExtraError
from geopar.files import problem_to_json, write_batch, write_problem
from geopar.many.cases import is_many, open_cases


def write_lines(path: Path) -> Path:
    both = [json.dumps(problem_to_json(p)) for p in (instances.square(), instances.corridor())]
    path.write_text("\n".join([both[0], "", both[1]]))
    return path


def test_files_and_patterns_in_their_order(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        write_problem(instances.square(), tmp_path / f"{name}.json")
    cases = open_cases([tmp_path / "c.json", str(tmp_path / "[ab].json")])
    assert cases.names == ["c", "a", "b"]
    assert all(case.load() == instances.square() for case in cases)


def test_problems_themselves() -> None:
    cases = open_cases([instances.square(), instances.corridor()])
    assert [case.load().kind for case in cases] == ["hcvrp", "omdcpdp"]


def test_other_formats_and_instances(tmp_path: Path) -> None:
    write_problem(instances.square(), tmp_path / "table.csv")
    write_batch([instances.square()] * 2, tmp_path / "batch.npz")
    names: list[str | Path] = [tmp_path / "table.csv", f"{tmp_path}/batch.npz#1", "hcvrp/10/2#7"]
    cases = open_cases(names)
    assert cases.names == ["table", "batch-1", "hcvrp-10-2-7"]
    assert [case.load().num_tasks for case in cases] == [4, 4, 10]


def test_a_problem_in_each_line(tmp_path: Path) -> None:
    cases = open_cases(write_lines(tmp_path / "day.jsonl"))
    assert cases.names == ["day-0", "day-1"]
    assert [case.load().kind for case in cases] == ["hcvrp", "omdcpdp"]


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = [json.dumps(problem_to_json(instances.square())), None]
    columns = {"problem": texts, "name": ["one", "two"], "more": [1, 2]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "day.parquet")
    cases = open_cases(tmp_path / "day.parquet")
    assert cases.names == ["one", "two"]
    assert cases[0].load() == instances.square()
    with pytest.raises(InputError, match="no JSON text"):
        cases[1].load()
    parquet.write_table(pyarrow.table({"x": [1]}), tmp_path / "other.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError) as error:
        open_cases([tmp_path / "other.parquet", tmp_path / "broken.parquet"])
    assert [fault.code for fault in error.value.faults] == ["missing-field", "cannot-read"]


def test_parquet_without_what_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "day.parquet").write_bytes(b"PAR1")
    with pytest.raises(MissingExtraError, match=r"geopar\[parquet\]"):
        open_cases(tmp_path / "day.parquet")


def test_a_file_that_cannot_be_read_is_a_case_with_its_error(tmp_path: Path) -> None:
    (tmp_path / "empty.json").touch()
    (tmp_path / "bad.json").write_text("{")
    cases = open_cases([tmp_path / "empty.json", tmp_path / "bad.json"])
    for case, code in zip(cases, ("empty-file", "bad-json"), strict=True):
        with pytest.raises(InputError) as error:
            case.load()
        assert error.value.faults[0].code == code


def test_all_names_that_are_none_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        open_cases([tmp_path / "a.json", f"{tmp_path}/*.csv", tmp_path / "b.jsonl"])
    assert [fault.code for fault in error.value.faults] == ["no-such-file"] * 3


@pytest.mark.parametrize("lines", [True, False])
def test_nothing_at_all(tmp_path: Path, lines: bool) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(InputError, match="there is none"):
        open_cases(tmp_path / "none.jsonl" if lines else [])


def test_which_names_are_many(tmp_path: Path) -> None:
    (tmp_path / "odd[1].json").touch()
    (tmp_path / "day.ndjson").touch()
    assert is_many(str(tmp_path / "day.ndjson"))
    assert is_many(str(tmp_path / "*.json"))
    assert not is_many(str(tmp_path / "odd[1].json"))
    assert not is_many("hcvrp/60/3#7")
