"""Random working days with plans, for tests."""

import numpy as np
from hypothesis import strategies as st

from geopar.problems.random import generate
from geopar.problems.random_day import random_day
from geopar.replanning.mending import repaired
from geopar.schedule import schedule
from geopar.testing.random_days import drawn
from strategies import random_plan


@st.composite
def days(draw, kinds=("hcvrp", "omdcpdp"), tightness=(0.3, 1.0, 2.0)):
    """A small problem with a random day."""
    kind = draw(st.sampled_from(kinds))
    tasks, vehicles = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = tasks if kind == "hcvrp" else 2 * tasks
    problem = generate(f"{kind}/{size}/{vehicles}", int(rng.integers(2**31)))
    return random_day(problem, rng, tightness=draw(st.sampled_from(tightness)))


@st.composite
def days_with_plans(draw, **options):
    """A small problem with a random day, and any plan for it: complete, but maybe impossible."""
    problem = draw(days(**options))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return problem, random_plan(problem.replace(day=None), rng)


@st.composite
def days_under_way(draw):
    """Any random day, a plan that can be driven, and a moment from before it to after it."""
    problem = drawn(draw(st.integers(0, 2**32)))
    if draw(st.booleans()) and draw(st.booleans()):
        problem = problem.replace(day=None)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    plan = repaired(problem, random_plan(problem.replace(day=None), rng))
    tables = schedule(problem, plan.to_indices(problem))
    end = max((table.finish for table in tables), default=0.0)
    first = problem.first_start
    now = first + (end - first) * draw(st.floats(-0.1, 1.1))
    return problem, plan, now
