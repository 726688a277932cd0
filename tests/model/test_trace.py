import json

import pytest

from geopar.check import check
from geopar.model.construct import construct
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.problems.random import generate
from midway import policy_for


def replayed(problem, trace) -> Plan:
    """The plan that the moves of a trace make, by ids alone."""
    ids = {str(task): i for i, task in enumerate(problem.task_ids)}
    vehicle = {name: i for i, name in enumerate(problem.vehicle_ids)}
    routes: list[list[list[int]]] = [[[]] for _ in vehicle]
    for step in trace.steps:
        for move in step["moves"]:
            trips = routes[vehicle[move["vehicle"]]]
            if move["to"] == "home":
                trips.append([])
            else:
                trips[-1].append(ids[move["to"]])
    return Plan.from_indices(problem, routes)


@pytest.mark.parametrize("setting", ["hcvrp/14/4", "omdcpdp/14/4"])
@pytest.mark.parametrize("mode", ["greedy", "ca-always"])
def test_a_trace_tells_the_whole_plan(setting, mode):
    problem = generate(setting)
    built = construct(problem, policy_for(problem.kind), mode, augment=2, trace=True)
    assert built.trace is not None
    assert replayed(problem, built.trace) == built.plans[0]
    assert len(built.trace.steps) == built.steps[0]
    assert not check(problem, built.plans[0]).violations


def test_everybody_is_accounted_for_in_every_step():
    problem = generate("hcvrp/14/4")
    trace = construct(problem, policy_for("hcvrp"), trace=True).trace
    assert trace is not None
    conflicts = 0
    for step in trace.steps:
        named = [move["vehicle"] for move in step["moves"]] + step["stays"] + step["waits"]
        assert sorted(named) == sorted(problem.vehicle_ids)
        for conflict in step["conflicts"]:
            conflicts += 1
            assert conflict["won"] not in conflict["lost"]
            assert set(conflict["lost"]) <= set(step["stays"])
    assert conflicts


def test_a_trace_is_written_as_json(tmp_path):
    problem = HCVRP((0, 0), [(1, 0)], [1], [1], [1], name="one")
    trace = construct(problem, policy_for("hcvrp"), trace=True).trace
    assert trace is not None
    trace.write(tmp_path / "trace.json")
    read = json.loads((tmp_path / "trace.json").read_text())
    assert read["problem"] == "hcvrp"
    assert read["name"] == "one"
    assert read["steps"][0]["moves"] == [{"vehicle": "v1", "to": "c1", "probability": 1.0}]
    assert [p.name for p in tmp_path.iterdir()] == ["trace.json"]
