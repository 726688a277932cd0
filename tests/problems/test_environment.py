import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from geopar.checking import check
from geopar.neural.recorder import Recorder
from geopar.problems import HCVRP, Problem
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from geopar.problems.setting import Setting
from rollouts import roll_out
from strategies import problems

SHAPES = [
    "hcvrp/1/1", "hcvrp/1/3", "hcvrp/7/2", "hcvrp/20/5", "hcvrp/3/9",
    "omdcpdp/2/1", "omdcpdp/2/4", "omdcpdp/12/2", "omdcpdp/20/5", "omdcpdp/6/9",
]  # fmt: skip


def draw(setting: str, count: int, seed: int = 0) -> list[Problem]:
    rng = np.random.default_rng(seed)
    return [Setting.parse(setting).generate(rng) for _ in range(count)]


def check_costs(problems: list[Problem], environment, state, recorder: Recorder) -> None:
    cost = environment.cost(state)
    for rollout in range(cost.shape[1]):
        for row, plan in enumerate(recorder.plans(problems, rollout)):
            report = check(problems[row], plan)
            assert not report.violations
            assert report.objective == pytest.approx(float(cost[row, rollout]), rel=1e-5)


@pytest.mark.parametrize("setting", SHAPES)
@pytest.mark.parametrize("retirement", [False, True])
def test_random_rollouts_are_feasible_and_cost_what_the_checker_says(setting, retirement):
    problems = draw(setting, 3)
    environment = make_environment(make_batch(problems), retirement)
    state, recorder, _ = roll_out(environment, rollouts=2, seed=1)
    check_costs(problems, environment, state, recorder)


@given(problems(), st.integers(0, 2**31), st.booleans())
def test_any_problem_can_be_rolled_out(problem, seed, retirement):
    environment = make_environment(make_batch([problem]), retirement)
    state, recorder, _ = roll_out(environment, rollouts=1, seed=seed)
    cost, report = environment.cost(state), check(problem, recorder.plans([problem])[0])
    assert not report.violations
    assert float(cost) == pytest.approx(report.objective, rel=1e-5, abs=1e-5 * scale(problem))


def scale(problem: Problem) -> float:
    xy = problem.customers_xy if isinstance(problem, HCVRP) else problem.tasks_xy
    return 1.0 + float(np.ptp(xy))


@pytest.mark.parametrize("setting", ["hcvrp/9/3", "omdcpdp/10/3"])
def test_the_mask_is_what_feasible_says_of_every_candidate(setting):
    environment = make_environment(make_batch(draw(setting, 2)))
    state = environment.reset(2)
    generator = torch.Generator().manual_seed(0)
    n, fleet = environment.batch.num_tasks, environment.batch.num_vehicles
    for _ in range(3):
        mask = environment.mask(state)
        shuffled = torch.rand(2, 2, fleet, n + 1, generator=generator).argsort(-1)
        assert torch.equal(environment.feasible(state, shuffled), mask.gather(-1, shuffled))
        shared = shuffled[:, 0, 0]
        expected = mask.gather(-1, shared[:, None, None].expand(-1, 2, fleet, -1))
        assert torch.equal(environment.feasible(state, shared), expected)
        assert torch.equal(mask[..., -1], environment.home_allowed(state))
        assert torch.equal(mask[..., :-1].any(-1), environment.has_task(state))
        first = torch.where(mask[:, :, :1].any(-1), mask[:, :, :1].int().argmax(-1), n + 1)
        others = torch.full((2, 2, fleet - 1), n + 1)
        state = environment.step(state, torch.cat([first, others], -1))


@pytest.mark.parametrize("setting", ["hcvrp/6/2", "omdcpdp/6/2"])
def test_a_finished_instance_rests_at_no_cost_while_others_go_on(setting):
    environment = make_environment(make_batch(draw(setting, 2)))
    state, _, _ = roll_out(environment, 1, seed=0)
    mask = environment.mask(state)
    assert not mask[..., :-1].any()
    assert mask[..., -1].all()
    rested = environment.step(state, torch.full_like(state.place, environment.batch.num_tasks))
    assert torch.equal(rested.steps, state.steps)
    torch.testing.assert_close(environment.cost(rested), environment.cost(state))


@pytest.mark.parametrize("setting", ["hcvrp/10/3", "omdcpdp/10/3"])
def test_one_instance_in_a_batch_goes_as_it_goes_alone(setting):
    problems = draw(setting, 3)
    together, alone = (
        make_environment(make_batch(problems)),
        make_environment(make_batch([problems[1]])),
    )
    _, recorder, _ = roll_out(together, 1, seed=3)
    state = alone.reset()
    for action in recorder.actions:
        state = alone.step(state, action[1:2])
    full = together.reset()
    for action in recorder.actions:
        full = together.step(full, action)
    torch.testing.assert_close(alone.cost(state)[0], together.cost(full)[1])
    assert torch.equal(alone.reset().open[0], together.reset().open[1])
