import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.problems import OMDCPDP
from geopar.problems.random import generate
from geopar.search.omdcpdp import cooling_for, prepare


def orders() -> OMDCPDP:
    problem = generate("omdcpdp/12/2")
    assert isinstance(problem, OMDCPDP)
    return problem


@pytest.fixture(scope="module")
def data():
    return prepare(orders())


@given(horizon=st.one_of(st.integers(0, 10**9), st.just(math.inf)))
def test_every_run_cools(data, horizon):
    cooling = cooling_for(data, horizon)
    assert 0.0 < cooling.cold < cooling.hot
    at = [cooling.at(fraction) for fraction in (0.0, 0.5, 1.0)]
    assert at == pytest.approx([cooling.hot, np.sqrt(cooling.hot * cooling.cold), cooling.cold])


def test_a_short_run_begins_cooler(data):
    assert cooling_for(data, 10).hot < cooling_for(data, 1000).hot
    assert cooling_for(data, 0).hot == cooling_for(data, 1_000_000).hot


def test_only_long_runs_are_annealed_again_and_again(data):
    assert cooling_for(data, 1000).doublings == 0
    assert cooling_for(data, 0).doublings == 0
    assert cooling_for(data, 100_000).doublings > 1


def test_where_everything_is_in_one_place_there_is_no_heat():
    problem = orders()
    nowhere = {
        name: np.zeros_like(getattr(problem, name)) for name in ("pickups", "deliveries", "starts")
    }
    assert cooling_for(prepare(problem.replace(**nowhere)), 100).at(0.5) == 0.0
