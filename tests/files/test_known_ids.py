import pytest

from geopar.errors import InputError
from geopar.files.known_ids import check_ids_known
from geopar.plan import Plan, Route
from geopar.problems import OMDCPDP
from geopar.problems.tasks import Stop

PROBLEM = OMDCPDP([(0, 0)], [(1, 1)], [(2, 2)], [3])


def faults(plan):
    with pytest.raises(InputError) as error:
        check_ids_known(plan, PROBLEM)
    return [(fault.code, fault.field) for fault in error.value.faults]


def test_known_ids_pass():
    check_ids_known(Plan("omdcpdp", (Route("v1", ((Stop("o1", "pickup"),),)),), 1.0), PROBLEM)


def test_all_unknown_ids_are_told():
    plan = Plan("omdcpdp", (Route("v2", ((Stop("o1", "pickup"), Stop("o2", "pickup"), "o1"),)),))
    assert faults(plan) == [
        ("unknown-id", "routes[0].vehicle"),
        ("unknown-id", "routes[0].trips[0][1]"),
        ("unknown-id", "routes[0].trips[0][2]"),
    ]


def test_another_problem():
    assert faults(Plan("hcvrp", ())) == [("wrong-problem", "problem")]


def test_infinite_objective():
    assert faults(Plan("omdcpdp", (), float("inf"))) == [("not-finite", "objective")]
