"""Random working days: of the parts that are asked for, and neither empty nor hopeless."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.problems.random import generate
from geopar.problems.random_day import PARTS, random_day
from geopar.replanning.mending import repaired
from strategies import problems, random_plan

FOREIGN = {
    "hcvrp": {"speed", "size"},
    "omdcpdp": {"loading", "opens", "closes", "most_trips", "start", "end"},
}


def drawn(problem, seed=0, **options):
    return random_day(problem, np.random.default_rng(seed), **options)


@given(problems(), st.sets(st.sampled_from(PARTS)), st.integers(0, 2**32 - 1))
def test_a_day_has_the_parts_that_are_asked_for_and_no_others(problem, parts, seed):
    found = drawn(problem, seed, parts=tuple(parts))
    asked = parts - FOREIGN[problem.kind] - ({"start", "end"} if "matrices" in parts else set())
    expected = set(asked)
    if "extra" in asked:
        expected = expected - {"extra"} | {"extra_demand", "extra_capacity"}
        expected |= set() if problem.comes_home else {"size"}
    if "matrices" in asked:
        expected |= {"profile"}
    got = set(found.day.parts)
    # What is drawn may come to nothing: no reach, no time, or the goal that there is anyhow.
    assert got <= expected
    always = {"matrices", "profile", "windows", "released", "available", "longest", "allowed",
              "most_trips", "extra_demand", "extra_capacity", "speed", "size",
              "priority"}  # fmt: skip
    assert expected & always <= got


@given(problems(), st.integers(0, 2**32 - 1))
def test_the_problem_itself_stays_as_it_is(problem, seed):
    found = drawn(problem, seed)
    assert found.replace(day=None) == problem
    assert found == drawn(problem, seed)
    # A day that was there is replaced.
    assert drawn(found, seed) == found


def test_seeds_differ():
    problem = generate("hcvrp/20/3", 1)
    assert drawn(problem, 1) != drawn(problem, 2)


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_a_usual_day_is_neither_empty_nor_hopeless(kind):
    shares = []
    for seed in range(12):
        problem = generate(f"{kind}/20/4", seed)
        rng = np.random.default_rng(seed)
        day = random_day(problem, rng, ("windows", "available", "longest"))
        plan = repaired(day, random_plan(problem, rng))
        served = sum(len(route.tasks) for route in plan.routes)
        shares.append(served / problem.num_tasks)
    assert min(shares) > 0.0
    assert np.mean(shares) > 0.15


def test_the_tighter_the_narrower():
    problem = generate("hcvrp/30/3", 0)

    def width(tightness):
        windows = drawn(problem, parts=("windows",), tightness=tightness).day.windows
        return float((windows.closes - windows.opens).sum())

    assert width(0.5) > width(1.0) > width(2.0) > 0.0


def test_streets_are_longer_than_lines_and_differ_by_direction():
    problem = generate("omdcpdp/12/3", 0)
    found = drawn(problem, parts=("matrices",))
    numbers = np.arange(len(problem.places))
    straight = problem.travel.distance(numbers[:, None], numbers)
    by_road = found.travel.distance(numbers[:, None], numbers)
    apart = straight > 0.0
    assert (by_road[apart] >= straight[apart]).all()
    assert (by_road[apart] <= 1.5 * straight[apart] + 1e-12).all()
    assert not np.allclose(by_road, by_road.T)


def test_only_pickups_wait_for_goods():
    released = drawn(generate("omdcpdp/40/3", 0), parts=("released",)).day.released
    assert (released[:20] >= 0.0).all()
    assert (released[20:] < -1e9).all()
    assert (released[:20] > 0.0).any()
