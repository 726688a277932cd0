"""The examples of ``docs/use/files.md`` and its neighbours are read as the pages say."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from geopar.files import plan_from_json, problem_from_json, schema
from geopar.files.plan_sol import plan_from_sol
from geopar.files.problem_csv import problem_from_csv
from geopar.files.problem_vrplib import Fleet, problem_from_vrplib
from geopar.problems import HCVRP

FOLDER = Path(__file__).parents[2] / "docs" / "use"


def examples(language, page="files.md"):
    text = (FOLDER / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


PAGES = ("files.md", "files-days.md", "files-plans.md")


@pytest.mark.parametrize("text", [text for page in PAGES for text in examples("json", page)])
def test_json(text):
    value = json.loads(text)
    name: Any
    name, read = ("plan", plan_from_json) if "routes" in value else ("problem", problem_from_json)
    assert read(value).kind == value["problem"]
    jsonschema.Draft202012Validator(schema(name)).validate(value)


def test_csv():
    stops, vehicles, by_stop, by_order, couriers = (text.encode() for text in examples("csv"))
    hcvrp = problem_from_csv(stops, vehicles, "", "stops", "vehicles")
    assert hcvrp.vehicle_ids == ("van", "bicycle")
    one, other = (
        problem_from_csv(text, couriers, "", "stops", "vehicles") for text in (by_stop, by_order)
    )
    assert one == other


def test_tables():
    stops, vehicles = (text.encode() for text in examples("csv", "files-tables.md"))
    problem = problem_from_csv(stops, vehicles, "", "stops", "vehicles")
    assert problem.details["name"] == ("Baker", "School")
    assert problem.vehicle_details == {"driver": ("Ann", "Bo")}
    assert problem.demand.tolist() == [20, 35]
    assert problem.day.service.tolist() == [5, 12]


def test_vrplib_and_its_solution():
    (instance,) = (text.encode() for text in examples("text"))
    (solution,) = (text.encode() for text in examples("text", "files-plans.md"))
    problem = problem_from_vrplib(instance, "page", Fleet())
    assert (problem.num_tasks, problem.num_vehicles) == (2, 2)
    five = HCVRP((0, 0), [(i, i) for i in range(5)], [1] * 5, [5] * 2, [1] * 2)
    plan = plan_from_sol(solution, "page", five)
    assert plan.routes[0].trips == (("c2", "c1"), ("c5",))
    assert plan.objective == 5.4
