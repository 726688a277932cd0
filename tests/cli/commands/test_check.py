import json
from pathlib import Path

import pytest

from geopar.files import write_plan, write_problem
from geopar.problems.day import Day
from instances import plan_of, square


def test_a_good_plan(run, square_file: Path, square_plan: Path) -> None:
    done = run("check", square_file, square_plan)
    assert done.exit_code == 0
    assert done.stdout.strip() == "feasible, makespan 3.41421"


def test_a_broken_plan(run, square_file: Path, broken_plan: Path) -> None:
    done = run("check", square_file, broken_plan)
    assert done.exit_code == 1
    assert "[overload]" in done.stdout
    assert "[unserved]" in done.stdout


def test_as_json(run, square_file: Path, broken_plan: Path) -> None:
    done = run("check", square_file, broken_plan, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["feasible"] is False
    assert found["objective"] is None
    (overload,) = (v for v in found["violations"] if v["code"] == "overload")
    assert (overload["vehicles"], overload["found"], overload["allowed"]) == (["red"], 3, 2)
    assert overload["tasks"] == ["east", "north", "west"]


def test_stops_as_json(run, corridor_file: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('{"problem": "omdcpdp", "routes": []}')
    found = json.loads(run("check", corridor_file, plan, "--json").stdout)
    assert {"order": "a", "action": "pickup"} in [v["tasks"][0] for v in found["violations"]]


def test_a_wrong_claim(run, square_file: Path, square_plan: Path) -> None:
    claim = json.loads(square_plan.read_text()) | {"objective": 3.0}
    square_plan.write_text(json.dumps(claim))
    done = run("check", square_file, square_plan)
    assert done.exit_code == 0
    assert done.stdout.startswith("feasible")
    assert "The file says 3" in done.stderr
    assert json.loads(run("check", square_file, square_plan, "--json").stdout)["claimed"] == 3.0


@pytest.mark.parametrize("text", ["", "{", "[]", '{"problem": "hcvrp"}', '{"problem": "omdcpdp"}'])
def test_what_is_no_plan(run, square_file: Path, tmp_path: Path, text: str) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(text)
    done = run("check", square_file, plan)
    assert done.exit_code == 2
    assert done.stdout == ""


def test_a_missing_argument_is_bad_usage(run, square_file: Path) -> None:
    assert run("check", square_file).exit_code == 2


def test_who_is_left_out_and_why(run, tmp_path: Path) -> None:
    problem = square().replace(day=Day(longest=[2.5, 2.5]))
    write_problem(problem, tmp_path / "day.json")
    plan = plan_of({"red": [["east"]], "blue": [["north"]]})
    write_plan(plan, tmp_path / "plan.json", problem)
    done = run("check", tmp_path / "day.json", tmp_path / "plan.json")
    assert done.exit_code == 0
    assert "2 left out\n  west: " in done.stdout
    found = json.loads(run("check", tmp_path / "day.json", tmp_path / "plan.json", "--json").stdout)
    assert [one["request"] for one in found["left_out"]] == ["west", "south"]
    done = run("sheet", tmp_path / "day.json", tmp_path / "plan.json", "--out", tmp_path / "s.html")
    assert done.exit_code == 0
    assert "Not served: west, south." in done.stderr


def test_a_plan_is_looked_at_by_the_goal_that_it_was_made_for(
    run, square_file: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    options = "--minimise", "distance", "--iterations", 20, "--solver", "refine", "--out", plan
    assert run("solve", square_file, *options).exit_code == 0
    made = json.loads(plan.read_text())
    assert made["minimise"] == "distance"
    done = run("check", square_file, plan)
    assert done.stdout.startswith("feasible, distance")
    assert done.stderr == ""
    told = json.loads(run("check", square_file, plan, "--json").stdout)
    assert (told["minimise"], told["objective"]) == ("distance", told["claimed"])
    other = run("check", square_file, plan, "--minimise", "makespan")
    assert other.stdout.startswith("feasible, makespan")
    assert "--minimise distance" in other.stderr


def test_how_good_it_could_be(run, square_file: Path, square_plan: Path) -> None:
    done = run("check", square_file, square_plan, "--bound", 10)
    assert done.exit_code == 0
    assert "above the best possible: no plan that serves everybody is over before" in done.stderr
    found = json.loads(run("check", square_file, square_plan, "--bound", 10, "--json").stdout)
    assert found["bound"]["value"] <= found["objective"]
    assert found["bound"]["above"] == pytest.approx(
        found["objective"] / found["bound"]["value"] - 1
    )


def test_of_a_plan_that_breaks_a_rule_the_bound_alone(
    run, square_file: Path, broken_plan: Path
) -> None:
    done = run("check", square_file, broken_plan, "--bound", 1)
    assert done.exit_code == 1
    assert done.stderr.startswith("No plan that serves everybody is over before 3.4")
    found = json.loads(run("check", square_file, broken_plan, "--bound", 1, "--json").stdout)
    assert found["bound"]["above"] is None


def test_a_bound_that_there_is_none_of(run, corridor_file: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('{"problem": "omdcpdp", "routes": []}')
    done = run("check", corridor_file, plan, "--bound", -1)
    assert done.exit_code == 2
    assert "no-bound" in done.stderr
    assert "bound = -1" in done.stderr
