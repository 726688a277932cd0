import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from geopar.checking import check
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from geopar.problems.chains import put, stops_of
from geopar.problems.environment import make_environment
from geopar.problems.hcvrp.trips import arranged, cheapest_place
from geopar.problems.random import generate
from rollouts import roll_out

# A road to the east with a branch: customers 0 to 3, then the depot.
PLACES = torch.tensor([[[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [1.0, 1.0], [0.0, 0.0]]])


def test_a_customer_on_the_way_costs_nothing_and_one_beyond_the_way_there_and_back():
    stops = torch.tensor([[[[4, 1, 4], [4, 4, 4]]]])
    tasks = torch.tensor([[[[0, 2, 3], [0, 2, 3]]]])
    extra, behind = cheapest_place(PLACES, stops, tasks)
    torch.testing.assert_close(extra[0, 0, 0], torch.tensor([0.0, 2.0, math.sqrt(2) * 2 - 2]))
    torch.testing.assert_close(extra[0, 0, 1], torch.tensor([2.0, 6.0, math.sqrt(2) * 2]))
    assert behind[0, 0].tolist() == [[0, 0, 0], [0, 0, 0]]


@given(st.permutations(range(6)), st.integers(0, 9))
def test_an_arranged_trip_is_what_putting_one_after_the_other_makes_of_it(order, seed):
    places = torch.rand(1, 7, 2, generator=torch.Generator().manual_seed(seed))
    start, follow = torch.full((1, 1, 1), 6), torch.full((1, 1, 7), 6)
    for task in order:
        stops, tasks = stops_of(start, follow), torch.tensor([[[task]]])
        _, behind = cheapest_place(places, stops, tasks[..., None])
        start, follow = put(start, follow, tasks, stops.gather(-1, behind)[..., 0])
    driven = arranged(order, places[0].numpy())
    assert stops_of(start, follow)[0, 0, 0].tolist() == [6, *driven, 6]
    assert sorted(driven) == sorted(order)


def length_of(route, places):
    stops = places[[len(places) - 1, *route, len(places) - 1]]
    return np.hypot(*np.diff(stops, axis=0).T).sum()


def test_inserting_is_never_longer_than_going_one_after_the_other_from_far_to_near():
    places = np.random.default_rng(3).random((9, 2))
    order = sorted(range(8), key=lambda j: -math.dist(places[j], places[-1]))
    assert length_of(arranged(order, places), places) <= length_of(order, places)


@given(st.integers(0, 50))
def test_plans_of_random_rollouts_are_feasible_and_cost_what_the_state_says(seed):
    problems = [generate("hcvrp/9/3", seed), generate("hcvrp/9/3", seed + 1)]
    environment = make_environment(make_batch(problems), inserts=True)
    state, recorder, _ = roll_out(environment, 2, seed)
    for rollout in range(2):
        for row, plan in enumerate(recorder.plans(problems, rollout)):
            assert check(problems[row], plan).feasible
            cost = float(environment.cost(state)[row, rollout])
            assert check(problems[row], plan).objective == pytest.approx(cost, rel=1e-5)


def test_the_depot_ends_a_trip():
    problem = HCVRP((0, 0), [(1, 0), (2, 0), (3, 0)], [1, 1, 1], capacity=[2], speed=[1])
    environment: Any = make_environment(make_batch([problem]), inserts=True)
    state = environment.reset()
    for task in (1, 0, 3, 2):
        state = environment.step(state, torch.tensor([[[task]]]))
        finish = float(environment.finish(state)) * float(environment.batch.scale)
        assert finish == pytest.approx({1: 4, 0: 4, 3: 4, 2: 10}[task], rel=1e-5)
    assert stops_of(state.start, state.follow)[0, 0, 0].tolist() == [3, 2, 3]
