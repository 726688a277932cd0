import json

import pytest
import torch

from geopar.checking import check
from geopar.neural.conflicts import Scores
from geopar.neural.recorder import Recorder
from geopar.neural.tracer import Tracer
from geopar.plan import Plan
from geopar.pointer.config import PointerDecoding
from geopar.pointer.solver import construct
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from geopar.problems.random import generate
from geopar.trace import Trace
from midway import network_for


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
            elif "behind" in move:
                stops = ["home", *(str(problem.task_ids[task]) for task in trips[-1])]
                trips[-1].insert(stops.index(move["behind"]), ids[move["to"]])
            else:
                trips[-1].append(ids[move["to"]])
    return Plan.from_indices(problem, routes)


@pytest.mark.parametrize("setting", ["hcvrp/14/4", "omdcpdp/14/4"])
@pytest.mark.parametrize("mode", ["greedy", "resolve"])
def test_a_trace_tells_the_whole_plan(setting, mode):
    problem = generate(setting)
    network = network_for(problem.kind)
    network.decoding = PointerDecoding(mode)
    built = construct([problem, problem], network, augment=2, trace=True)
    assert built.trace is not None
    assert replayed(problem, built.trace) == built.plans[0]
    assert len(built.trace.steps) == built.steps[0]
    assert not check(problem, built.plans[0]).violations


@pytest.fixture
def coast() -> HCVRP:
    """Customers along a line, two of them beside it; one vehicle."""
    return HCVRP(
        depot=(0, 0),
        customers=[(1, 0), (4, 0), (4, 1), (2, -1)],
        demand=[1, 1, 1, 1],
        capacity=[4],
        speed=[1],
        customer_ids=["near", "far", "beyond", "bay"],
        vehicle_ids=["van"],
    )


def traced(problem: HCVRP, names: list[str], inserts: bool) -> Trace:
    """The trace of one vehicle that is told where to go."""
    environment = make_environment(make_batch([problem]), inserts=inserts)
    tracer, recorder = Tracer(problem), Recorder(environment.batch, inserts=inserts)
    state = environment.reset()
    for name in names:
        action = torch.tensor([[[[*problem.customer_ids, "home"].index(name)]]])
        tracer.add(state, Scores(torch.zeros(1, 1, 1, 1), action[..., None]), action)
        recorder.add(action)
        state = environment.step(state, action)
    return tracer.finish(0, 0, recorder.plans([problem])[0])


def moves_of(trace: Trace) -> list[tuple[str, str | None]]:
    return [(m["to"], m.get("behind")) for step in trace.steps for m in step["moves"]]


def test_a_customer_on_the_way_to_another_comes_behind_home(coast):
    told = moves_of(traced(coast, ["far", "near"], inserts=True))
    assert told == [("far", None), ("near", "home")]


def test_only_moves_inside_a_trip_say_what_they_come_behind(coast):
    trace = traced(coast, ["far", "near", "beyond", "bay"], inserts=True)
    expected = [("far", None), ("near", "home"), ("beyond", None), ("bay", "near")]
    assert moves_of(trace) == expected
    assert replayed(coast, trace).routes[0].trips == (("near", "bay", "far", "beyond"),)
    assert [len(step["moves"][0]) for step in trace.steps] == [3, 4, 3, 4]


def test_home_ends_the_trip_into_which_customers_are_put(coast):
    told = moves_of(traced(coast, ["far", "home", "near", "bay"], inserts=True))
    assert told == [("far", None), ("home", None), ("near", None), ("bay", "home")]


def test_appended_customers_do_not_say_what_they_come_behind(coast):
    told = moves_of(traced(coast, ["far", "near", "bay", "beyond"], inserts=False))
    assert [behind for _, behind in told] == [None] * 4


def test_a_trace_tells_where_customers_were_put():
    problem = generate("hcvrp/30/3", 2)
    built = construct([problem], network_for("hcvrp"), augment=2, trace=True)
    assert built.trace is not None
    assert replayed(problem, built.trace) == built.plans[0]
    behind = {name for _, name in moves_of(built.trace)}
    assert {None, "home"} < behind


def test_probabilities_are_those_of_the_favourites():
    trace = construct([generate("hcvrp/14/4")], network_for("hcvrp"), trace=True).trace
    assert trace is not None
    sure = [move["probability"] for step in trace.steps for move in step["moves"]]
    # Of six candidates the favourite has more than a sixth.
    assert all(1 / 6 < value <= 1.0 for value in sure)
    assert len(set(sure)) > 3


def test_everybody_is_accounted_for_in_every_step():
    problem = generate("hcvrp/14/4")
    trace = construct([problem], network_for("hcvrp"), trace=True).trace
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
    trace = construct([problem], network_for("hcvrp"), trace=True).trace
    assert trace is not None
    trace.write(tmp_path / "trace.json")
    read = json.loads((tmp_path / "trace.json").read_text())
    assert read["problem"] == "hcvrp"
    assert read["name"] == "one"
    assert read["steps"][0]["moves"] == [{"vehicle": "v1", "to": "c1", "probability": 1.0}]
    assert [p.name for p in tmp_path.iterdir()] == ["trace.json"]
