import pytest

from geopar.errors import InputError
from geopar.files import plan_from_json, plan_to_json
from geopar.plan import Plan, Route
from geopar.problems.tasks import Stop

HCVRP_PLAN = Plan(
    "hcvrp", (Route("v1", (("a", "b"), ("c",))), Route("v2", ()), Route("v3", ((),))), 5.4
)
OMDCPDP_PLAN = Plan(
    "omdcpdp",
    (Route("v1", ((Stop("o", "pickup"), Stop("o", "delivery")),)), Route("v2", ())),
)


def faults(value):
    with pytest.raises(InputError) as error:
        plan_from_json(value)
    return [(fault.code, fault.field) for fault in error.value.faults]


def hcvrp(*trips, **more):
    return {"problem": "hcvrp", "routes": [{"vehicle": "v", "trips": list(trips)}], **more}


@pytest.mark.parametrize("plan", [HCVRP_PLAN, OMDCPDP_PLAN])
def test_plans_come_back(plan):
    assert plan_from_json(plan_to_json(plan)) == plan


def test_the_formats_are_those_of_the_manual():
    assert plan_to_json(HCVRP_PLAN) == {
        "problem": "hcvrp",
        "objective": 5.4,
        "routes": [
            {"vehicle": "v1", "trips": [["a", "b"], ["c"]]},
            {"vehicle": "v2", "trips": []},
            {"vehicle": "v3", "trips": [[]]},
        ],
    }
    assert plan_to_json(OMDCPDP_PLAN)["routes"][0]["stops"] == [
        {"order": "o", "action": "pickup"},
        {"order": "o", "action": "delivery"},
    ]


def test_whole_numbers_are_ids():
    assert plan_from_json(hcvrp([1, 2])).routes[0].trips == (("1", "2"),)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ("wrong-type", "plan file")),
        ({"problem": "hcvrp"}, ("missing-field", "routes")),
        ({"routes": []}, ("missing-field", "problem")),
        ({"problem": "x", "routes": []}, ("unknown-problem", "problem")),
        ({"problem": [], "routes": []}, ("unknown-problem", "problem")),
        ({"problem": "hcvrp", "routes": 3}, ("wrong-type", "routes")),
        ({"problem": "hcvrp", "routes": [3]}, ("wrong-type", "routes[0]")),
        (hcvrp(3), ("wrong-type", "routes[0].trips[0]")),
        (hcvrp([], ["a", None]), ("wrong-type", "routes[0].trips[1][1]")),
        (hcvrp(["\ud800"]), ("bad-text", "routes[0].trips[0][0]")),
        (hcvrp(objective="5"), ("not-a-number", "objective")),
        (hcvrp(objective=float("nan")), ("not-finite", "objective")),
        (hcvrp(objective=10**400), ("not-finite", "objective")),
        (hcvrp(solver="x"), ("unknown-field", "solver")),
        (
            {"problem": "omdcpdp", "routes": [{"vehicle": 1, "stops": [{"order": 1}]}]},
            ("missing-field", "routes[0].stops[0].action"),
        ),
        (
            {
                "problem": "omdcpdp",
                "routes": [{"vehicle": 1, "stops": [{"order": 1, "action": "drop"}]}],
            },
            ("unknown-value", "routes[0].stops[0].action"),
        ),
        (
            {"problem": "omdcpdp", "routes": [{"vehicle": 1, "stops": ["o"]}]},
            ("wrong-type", "routes[0].stops[0]"),
        ),
    ],
)
def test_one_fault_at_its_place(value, expected):
    assert faults(value) == [expected]


def test_all_faults_at_once():
    value = hcvrp([None], objective="5", extra=1)
    value["routes"].append({"vehicel": "w", "trips": 1})
    assert sorted(faults(value)) == [
        ("missing-field", "routes[1].vehicle"),
        ("not-a-number", "objective"),
        ("unknown-field", "extra"),
        ("unknown-field", "routes[1].vehicel"),
        ("wrong-type", "routes[0].trips[0][0]"),
        ("wrong-type", "routes[1].trips"),
    ]


def test_a_plan_with_tasks_of_the_other_problem_is_not_written():
    with pytest.raises(InputError, match="is no stop"):
        plan_to_json(Plan("omdcpdp", (Route("v", (("a",),)),)))
