import pytest

from geopar.errors import InputError
from geopar.files import plan_from_json, plan_to_json
from geopar.plan import LeftOut, Plan, Route

PLAN = Plan(
    "hcvrp",
    (Route("v1", (("a", "b"),)),),
    5.4,
    "distance",
    (LeftOut("c", "no vehicle may serve it", False), LeftOut("d", "", None)),
)


def test_who_is_left_out_and_the_goal_come_back():
    written = plan_to_json(PLAN)
    assert written["minimise"] == "distance"
    assert written["left_out"][0] == {
        "request": "c", "reason": "no vehicle may serve it", "fits_alone": False
    }  # fmt: skip
    assert plan_from_json(written) == PLAN


def test_a_request_alone_will_do():
    plan = plan_from_json({"problem": "hcvrp", "routes": [], "left_out": [{"request": 7}]})
    assert plan.left_out == (LeftOut("7", "", None),)
    assert plan.minimise is None


def test_what_does_not_agree_with_the_routes_is_told_at_once():
    value = plan_to_json(PLAN) | {
        "minimise": "price",
        "left_out": [
            {"request": "b"},
            {"request": "c"},
            {"request": "c"},
            {"request": "e", "reason": 3},
            {"request": "f", "fits_alone": "yes"},
            {"reason": "nobody"},
        ],
    }
    with pytest.raises(InputError) as error:
        plan_from_json(value)
    assert sorted((fault.code, fault.field) for fault in error.value.faults) == [
        ("duplicate-id", "left_out[2].request"),
        ("missing-field", "left_out[5].request"),
        ("served-and-left-out", "left_out[0].request"),
        ("unknown-value", "minimise"),
        ("wrong-type", "left_out[3].reason"),
        ("wrong-type", "left_out[4].fits_alone"),
    ]
    assert "v1 serves it" in str(error.value)


def test_an_order_that_is_half_served_is_not_left_out():
    stops = [{"order": "o", "action": "pickup"}, {"order": "o", "action": "delivery"}]
    value = {"problem": "omdcpdp", "routes": [{"vehicle": "v", "stops": stops}]}
    with pytest.raises(InputError, match="served-and-left-out"):
        plan_from_json(value | {"left_out": [{"request": "o"}]})


@pytest.mark.parametrize("value", ["c", {"request": "c"}, 3])
def test_no_list(value):
    with pytest.raises(InputError, match=r"wrong-type.*left_out"):
        plan_from_json({"problem": "hcvrp", "routes": [], "left_out": value})
