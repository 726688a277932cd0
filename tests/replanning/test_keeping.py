"""What a plan begins soon is left alone."""

from geopar.checking import check
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.replanning.keeping import keep
from geopar.replanning.mending import repaired


def test_trips_that_have_begun_are_kept(square: HCVRP):
    plan = Plan.from_indices(square, [[[0], [1]], [[2, 3]]])
    assert keep(square, plan, 0.0).day.locked == (((0,),), ((2, 3),))
    assert keep(square, plan, 2.0).day.locked == (((0,), (1,)), ((2, 3),))
    kept = keep(square, plan, 0.0)
    assert check(kept, plan).feasible
    other = Plan.from_indices(kept, [[[1], [0]], [[2, 3]]])
    assert [violation.code for violation in check(kept, other).violations] == ["not-as-locked"]
    assert check(kept, repaired(kept, other)).feasible


def test_stops_that_are_served_soon_are_kept(one_order):
    plan = Plan.from_indices(one_order, [[[0, 1]]])
    assert keep(one_order, plan, 5.0).day.locked == (((0,),),)
    assert keep(one_order, plan, 4.0).day.locked == ((),)


def test_a_vehicle_without_trips_keeps_none(square: HCVRP):
    plan = Plan.from_indices(square, [[[0, 1, 2, 3]], []])
    assert keep(square, plan, 0.0).day.locked == (((0, 1, 2, 3),), ())


def test_what_the_file_locks_comes_before_what_is_kept(square: HCVRP):
    told = square.replace(day=Day(locked=[[[2]], []]))
    plan = Plan.from_indices(square, [[[0]], [[1, 2]]])
    assert keep(told, plan, 0.0).day.locked == (((2,), (0,)), ((1,),))


def test_what_a_vehicle_may_not_serve_any_more_is_not_kept(square: HCVRP):
    day = Day(allowed=[[False, True], [True, True], [True, True], [True, True]])
    plan = Plan.from_indices(square, [[[0, 1]], [[2, 3]]])
    kept = keep(square.replace(day=day), plan, 0.0)
    assert kept.day.locked == (((1,),), ((2, 3),))
