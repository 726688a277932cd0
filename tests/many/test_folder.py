import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import geopar
import instances
from geopar.errors import InputError
from geopar.files import read_plan
from geopar.many import How, open_cases
from geopar.many.folder import TABLE, Row, check_names, solve_into
from geopar.spread import WorkerDiedError
from geopar.spread.serial import Serial
from geopar.stop import MaxIterations

HOW = How(MaxIterations(50))


@pytest.fixture
def names(tmp_path: Path) -> list[Path]:
    """Two good problems and one that is none."""
    geopar.files.write_problem(instances.square(), tmp_path / "square.json")
    geopar.files.write_problem(instances.corridor(), tmp_path / "corridor.json")
    (tmp_path / "bad.json").write_text("{")
    return [tmp_path / f"{name}.json" for name in ("square", "bad", "corridor")]


def solve(names: list[Path], out: Path, resume: bool = False, how: How = HOW) -> dict[str, bool]:
    """Which are new."""
    rows = solve_into(out, open_cases(names), how, Serial(), resume)
    return {row.name: is_new for row, is_new in rows}


def table(out: Path) -> list[dict[str, str]]:
    with open(out / TABLE, newline="") as file:
        return list(csv.DictReader(file))


def test_checked_plans_and_a_table_of_them(names: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "plans"
    assert solve(names, out) == dict.fromkeys(("square", "bad", "corridor"), True)
    rows = table(out)
    assert [row["name"] for row in rows] == ["square", "bad", "corridor"]
    assert [row["status"] for row in rows] == ["done", "bad input", "done"]
    assert "[bad-json]" in rows[1]["note"]
    problem = instances.square()
    plan = read_plan(out / rows[0]["plan"], problem)
    assert geopar.check(problem, plan).feasible
    assert float(rows[0]["objective"]) == plan.objective
    assert sorted(path.name for path in out.iterdir()) == [
        "corridor.json", TABLE, "square.json",
    ]  # fmt: skip


def test_what_is_done_and_whole_is_skipped(names: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "plans"
    solve(names, out)
    before = table(out)
    assert solve(names, out, resume=True) == {"square": False, "bad": True, "corridor": False}
    assert table(out) == before


def test_without_resume_all_is_done_again(names: list[Path], tmp_path: Path) -> None:
    solve(names, tmp_path / "plans")
    assert all(solve(names, tmp_path / "plans").values())


def test_a_plan_that_is_half_written_is_done_again(names: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "plans"
    solve(names, out)
    whole = (out / "square.json").read_bytes()
    (out / "square.json").write_bytes(whole[: len(whole) // 2])
    (out / "corridor.json").unlink()
    assert all(solve(names, out, resume=True).values())
    assert (out / "square.json").read_bytes() == whole


def test_a_line_that_is_half_written_is_none(names: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "plans"
    solve(names, out)
    text = (out / TABLE).read_text()
    (out / TABLE).write_text(text[:-20])
    assert solve(names, out, resume=True) == {"square": False, "bad": True, "corridor": True}


@pytest.mark.parametrize("how", [How(MaxIterations(51)), How(MaxIterations(50), seed=1)])
def test_another_way_of_solving_is_done_again(names: list[Path], tmp_path: Path, how: How) -> None:
    solve(names, tmp_path / "plans")
    assert all(solve(names, tmp_path / "plans", resume=True, how=how).values())


def test_a_problem_that_has_changed_is_done_again(names: list[Path], tmp_path: Path) -> None:
    solve(names, tmp_path / "plans")
    changed = json.loads(names[0].read_text())
    changed["vehicles"][0]["speed"] = 0.25
    names[0].write_text(json.dumps(changed))
    assert solve(names, tmp_path / "plans", resume=True)["square"] is True


def test_rows_of_other_problems_stay(names: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "plans"
    solve(names[:1], out)
    solve(names[2:], out, resume=True)
    assert [row["name"] for row in table(out)] == ["corridor", "square"]


def test_whoever_stops_keeps_what_is_done(names: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "plans"
    rows: Iterator[tuple[Row, bool]] = solve_into(out, open_cases(names), HOW, Serial())
    next(rows)
    rows.close()  # type: ignore[attr-defined]
    assert [row["name"] for row in table(out)] == ["square"]
    assert solve(names, out, resume=True) == {"square": False, "bad": True, "corridor": True}


def test_exit_codes_by_class() -> None:
    codes = [Row("a", status).exit_code for status in ("done", "bad input", "failed")]
    assert codes == [0, 2, 3]


def test_a_worker_that_dies_is_no_bad_input(
    names: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(job: object) -> None:
        raise WorkerDiedError

    monkeypatch.setattr("geopar.many.folder.solve_document", dies)
    solve(names[:1], tmp_path / "plans")
    assert [row["status"] for row in table(tmp_path / "plans")] == ["failed"]


@pytest.mark.parametrize("name", ["", "..", "../up", "a/b", ".hidden", "nul\0"])
def test_names_that_no_file_could_have(name: str) -> None:
    with pytest.raises(InputError) as error:
        check_names([name])
    assert error.value.faults[0].code == "bad-name"


def test_plans_that_would_overwrite_each_other() -> None:
    with pytest.raises(InputError, match="is the name of 2 problems") as error:
        check_names(["a", "b", "a"])
    assert error.value.faults[0].code == "duplicate-name"


def test_a_folder_that_cannot_be_made(names: list[Path]) -> None:
    with pytest.raises(InputError, match="cannot be made"):
        solve(names, names[0] / "plans")
