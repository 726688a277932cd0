import csv
import json
from pathlib import Path

import pytest

from geopar.files import read_plan, read_problem, write_plan, write_problem
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.problems.day import Day


@pytest.fixture
def day(tmp_path: Path) -> Path:
    """Stops on both sides of the depot, ten minutes apart, five minutes each; ten to load."""
    problem = HCVRP(
        depot=(0, 0), customers=[(10, 0), (20, 0), (30, 0), (-10, 0)], demand=[1, 1, 1, 1],
        capacity=[3, 3], speed=[1, 1], customer_ids=["a", "b", "c", "z"],
        vehicle_ids=["red", "blue"], name="line", details={"phone": ["1", "2", "3", "4"]},
        day=Day(time_unit="minutes", clock="HH:MM", service=[5, 5, 5, 5], loading=10,
                available=[(480, 900), (480, 900)]),
    )  # fmt: skip
    write_problem(problem, tmp_path / "day.json")
    # Red: a at 8:20, b at 8:35, c at 8:50, back at 9:25. Blue: z.
    plan = Plan.from_indices(problem, [[[0, 1, 2]], [[3]]])
    write_plan(plan, tmp_path / "plan.json", problem)
    return tmp_path


def replan(run, day: Path, *more: object):
    return run("replan", day / "day.json", day / "plan.json", "--iterations", 200, *more)


def test_a_breakdown_with_all_that_can_be_written(run, day: Path) -> None:
    done = replan(
        run, day, "--now", "08:22", "--out-of-service", "red", "--goods-back", "09:00",
        "--problem-out", day / "rest.json", "--out", day / "new.json", "--sheet", day / "s.html",
        "--whole-day", day / "whole.csv", "--picture", day / "p.svg",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "At 08:22 2 customers are served, and 2 are left." in done.stdout
    assert "out of service, last at a; 2 customers on board, to be had at the depot from 09:00" in (
        " ".join(done.stdout.split())
    )
    assert "gives b, c to blue; nothing to do any more" in done.stdout
    assert run("check", day / "rest.json", day / "new.json").exit_code == 0
    assert (day / "p.svg").stat().st_size > 100
    sheets = (day / "s.html").read_text()
    assert "<h1>blue</h1>" in sheets
    assert "Out of service from 08:22: last at a; 2 customers on board" in sheets
    rows = list(csv.DictReader((day / "whole.csv").read_text().splitlines()))
    assert [row["stop"] for row in rows if row["action"] == "serve"] == ["a", "z", "b", "c"]
    blue = [row for row in rows if row["vehicle"] == "blue"]
    assert [row["action"] for row in blue] == [
        "start", "serve", "end", "load", "serve", "serve", "end"
    ]  # fmt: skip
    assert [row["trip"] for row in blue] == ["1", "1", "1", "2", "2", "2", "2"]
    assert blue[3]["departure"] == "09:00"
    assert rows[1]["phone"] == "1"


def test_json_tells_the_same(run, day: Path) -> None:
    told = json.loads(replan(run, day, "--now", 502, "--cancelled", "c", "--json").stdout)
    assert told["done"] == ["a", "z"]
    red, blue = told["vehicles"]
    assert (red["doing"], red["on_board"], red["free"]) == ("serving", ["b", "c"], 505)
    assert blue["doing"] == "serving"
    assert told["cancelled"] == ["c"]
    assert told["changes"] == [
        {"vehicle": "red", "gained": [], "lost": [], "reordered": False, "finish": 540.0,
         "finish_before": 565.0, "said": "as before; done at 09:00 instead of 09:25"}
    ]  # fmt: skip
    assert told["result"]["feasible"]


def test_couriers_go_on(run, corridor_file, tmp_path: Path) -> None:
    run("solve", corridor_file, "--iterations", 100, "--out", tmp_path / "plan.json")
    done = run(
        "replan", corridor_file, tmp_path / "plan.json", "--now", "1.5", "--iterations", 100,
        "--problem-out", tmp_path / "rest.json", "--out", tmp_path / "new.json",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    rest = read_problem(tmp_path / "rest.json")
    assert read_plan(tmp_path / "new.json", rest).routes
    assert run("check", tmp_path / "rest.json", tmp_path / "new.json").exit_code == 0


def test_before_and_after_the_day(run, day: Path) -> None:
    early = replan(run, day, "--now", "05:00")
    assert "nothing is done yet; 4 are to be served" in early.stdout
    late = replan(run, day, "--now", "20:00", "--out", day / "new.json")
    assert late.exit_code == 0
    assert "everything is done" in late.stdout
    assert "Nothing is written." in late.stderr
    assert not (day / "new.json").exists()
    assert json.loads(replan(run, day, "--now", "20:00", "--json").stdout)["result"] is None


def test_all_that_is_wrong_is_told_at_once(run, day: Path) -> None:
    done = replan(run, day, "--now", "noon", "--out-of-service", "rde", "--cancelled", "q")
    assert done.exit_code == 2
    for part in ("--now = 'noon'", "--out-of-service = 'rde'", "Maybe red.", "--cancelled = 'q'"):
        assert part in done.stderr


def test_a_plan_of_another_problem_and_names_that_cannot_be_written(
    run, day: Path, square_file, tmp_path: Path
) -> None:
    other = run("replan", square_file, day / "plan.json", "--now", "1")
    assert other.exit_code == 2
    assert "is served by the plan, but is no customer" in other.stderr
    for option in ("--out", "--problem-out", "--sheet", "--whole-day", "--picture"):
        done = replan(run, day, "--now", "08:22", option, tmp_path / "x.doc")
        assert done.exit_code == 2
        assert "unknown-format" in done.stderr


def test_again_later_the_same_day(run, day: Path) -> None:
    done = replan(run, day, "--now", "08:40", "--problem-out", day / "rest.json",
                  "--out", day / "new.json")  # fmt: skip
    assert "In no route" not in done.stdout
    again = ("--now", "08:45", "--iterations", 200)
    wrong = run("replan", day / "day.json", day / "new.json", *again)
    assert "In no route of the plan: a, b, z. They count as new" in wrong.stdout
    right = run("replan", day / "rest.json", day / "new.json", *again)
    assert right.exit_code == 0
    assert "In no route" not in right.stdout


def test_one_that_broke_down_is_where_it_was_last(run, day: Path) -> None:
    """Red drives from a to b from 08:25 to 08:35."""
    told = json.loads(
        replan(run, day, "--now", "08:30", "--out-of-service", "red", "--json").stdout
    )
    red = told["vehicles"][0]
    assert (red["at"], red["place"]) == ("a", [10.0, 0.0])
    assert "last at a" in red["said"]
