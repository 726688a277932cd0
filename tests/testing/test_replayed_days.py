"""The replay notices what is wrong."""

import dataclasses

from geopar.plan import Plan, Route
from geopar.replanning.rest import rest_of_day
from geopar.testing.replayed_days import faults_of


def test_a_day_as_it_is_and_days_as_they_cannot_be(square):
    plan = Plan.from_indices(square, [[[0, 1]], [[3], [2]]])
    rest = rest_of_day(square, plan, 1.2)
    assert faults_of(rest, rest.start) == []
    twice = Plan("hcvrp", (Route("red", (("north",), ("east",))), Route("blue", (("west",),))))
    assert faults_of(rest, twice) == ["east is served 2 times"]
    other = Plan("hcvrp", (Route("blue", (("west", "north"),)),))
    assert faults_of(rest, other) == ["blue: serves what is on board of another: 1"]
    red, blue = rest.vehicles
    early = dataclasses.replace(rest, vehicles=(red._replace(free=1.2), blue))
    assert faults_of(early, rest.start) == ["red cannot be at 1 at 1.2"]
    lazy = dataclasses.replace(rest, vehicles=(red._replace(done=()), blue))
    assert any("red has done {0}" in fault for fault in faults_of(lazy, rest.start))
