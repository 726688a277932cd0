import dataclasses

import pytest

from geopar.problems.base import RoutingProblem
from geopar.problems.kinds import KINDS, PROBLEM_KINDS, Part, kind_named

PARTS = [
    (kind, field.name)
    for kind in PROBLEM_KINDS.values()
    for field in dataclasses.fields(kind)
    if isinstance(getattr(kind, field.name), Part)
]


@pytest.mark.parametrize(("kind", "part"), PARTS, ids=lambda one: getattr(one, "name", one))
def test_every_part_is_there(kind, part):
    assert getattr(kind, part).load() is not None


@pytest.mark.parametrize("name", KINDS)
def test_kinds_are_found_by_name(name):
    kind = kind_named(name)
    assert kind is PROBLEM_KINDS[name]
    instance = kind.instance.load()
    assert issubclass(instance, RoutingProblem)
    assert instance.kind == name


def test_other_names_are_no_kind():
    assert kind_named("tsp") is None


def test_a_module_without_a_name_is_itself():
    assert Part("geopar.problems.kinds").load().KINDS is KINDS
