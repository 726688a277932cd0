import pytest
import vrplib

from geopar.checking import check
from geopar.errors import InputError
from geopar.files import plan_from_json, plan_to_json
from geopar.files.plan_sol import plan_from_sol, plan_to_sol
from geopar.plan import Plan, Route
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.tasks import Stop

PROBLEM = HCVRP(
    (0, 0), [(i, 1) for i in range(5)], [1] * 5, [9] * 3, [1] * 3, "abcde", ["Route", "x y", "#"]
)
PLAN = Plan(
    "hcvrp",
    (Route("x y", (("b", "a"), ("e",))), Route("Route", ()), Route("#", (("c", "d"),))),
    0.1 + 0.2,
)
TEXT = """Route #1: 2 1
Route #2: 5
Route #3: 3 4
Cost 0.30000000000000004
Vehicle #2: 1 2
Vehicle #1:
Vehicle #3: 3
"""


def read(text, problem=PROBLEM):
    return plan_from_sol(text.encode(), "a.sol", problem)


def faults(text):
    with pytest.raises(InputError) as error:
        read(text)
    return [(fault.code, fault.field) for fault in error.value.faults]


def test_text():
    assert plan_to_sol(PLAN, PROBLEM) == TEXT
    assert read(TEXT) == PLAN


def test_others_can_read_it(tmp_path):
    (tmp_path / "a.sol").write_text(TEXT)
    solution = vrplib.read_solution(tmp_path / "a.sol")
    assert solution["routes"] == [[2, 1], [5], [3, 4]]
    assert solution["cost"] == PLAN.objective


def test_orders_are_numbered_pickups_first():
    problem = OMDCPDP([(0, 0), (1, 1)], [(2, 2), (3, 3)], [(0, 0)], [2], ["o", "p"])
    stops = (Stop("p", "pickup"), Stop("o", "pickup"), Stop("p", "delivery"), Stop("o", "delivery"))
    plan = Plan("omdcpdp", (Route("v1", (stops,)),))
    assert plan_to_sol(plan, problem) == "Route #1: 2 1 4 3\nVehicle #1: 1\n"
    assert read(plan_to_sol(plan, problem), problem) == plan


def test_several_trips_of_a_vehicle_without_a_home_stay_against_the_rules():
    problem = OMDCPDP([(0, 0), (1, 1)], [(2, 2), (3, 3)], [(0, 0)], [2], ["o", "p"])
    trips = tuple((Stop(order, "pickup"), Stop(order, "delivery")) for order in "op")
    plan = Plan("omdcpdp", (Route("v1", trips),))
    assert [v.code for v in check(problem, plan).violations] == ["several-trips"]
    again = read(plan_to_sol(plan, problem), problem)
    assert again == plan
    # JSON has no trips here: each becomes a route, and by way of it nothing is put right either.
    by_json = plan_from_json(plan_to_json(again))
    assert by_json.routes == tuple(Route("v1", (trip,)) for trip in trips)
    assert [v.code for v in check(problem, by_json).violations] == ["duplicate-vehicle"]
    assert read(plan_to_sol(by_json, problem), problem) == by_json


def test_empty_trips_are_left_out():
    plan = Plan("hcvrp", (Route("#", ((), ("a",), ())),))
    assert read(plan_to_sol(plan, PROBLEM)) == Plan("hcvrp", (Route("#", (("a",),)),))


def test_a_plan_in_which_nobody_drives_can_be_read_again():
    again = read(plan_to_sol(Plan("hcvrp", ()), PROBLEM))
    assert again.routes == (Route(PROBLEM.vehicle_ids[0], ()),)


def test_plain_solutions_give_one_route_to_each_vehicle():
    plan = read("Route #1: 2 1\nRoute #2: 3 4 5\nCost: 27591\n")
    assert plan.routes == (Route("Route", (("b", "a"),)), Route("x y", (("c", "d", "e"),)))
    assert plan.objective == 27591


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Route #1: 6\n", ("unknown-id", "a.sol Route #1")),
        ("Route #1: -1\n", ("not-whole", "a.sol line 1")),
        ("Route #1: 1.5\n", ("not-whole", "a.sol line 1")),
        ("Route #1: 1 ²\n", ("not-whole", "a.sol line 1")),
        ("Route #1: 1\nRoute #1: 2\n", ("duplicate-id", "a.sol line 2")),
        ("Route #1: 1\nCost much\n", ("not-a-number", "a.sol line 2")),
        ("Route #1: 1\nCost nan\n", ("not-finite", "a.sol line 2")),
        ("Route #1: 1\nwhat is this\n", ("bad-sol", "a.sol line 2")),
        ("Cost 3\n", ("bad-sol", "a.sol")),
        ("Route #1: 1\nVehicle #4: 1\n", ("unknown-id", "a.sol Vehicle")),
        ("Route #1: 1\nVehicle #1: 2\n", ("unknown-id", "a.sol Vehicle #1")),
        ("Route #1: 1\nVehicle #1: 1 1\n", ("duplicate-id", "a.sol Vehicle #1")),
        ("Route #1: 1\nVehicle #1:\n", ("missing-field", "a.sol Route #1")),
        ("".join(f"Route #{i}: {i}\n" for i in (1, 2, 3, 4)),
         ("missing-field", "a.sol Vehicle #1")),
    ],
)  # fmt: skip
def test_faults(text, expected):
    assert expected in faults(text)
