"""Random working days with plans, for tests."""

import numpy as np
from hypothesis import strategies as st

from geopar.problems.random import generate
from geopar.problems.random_day import random_day
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
