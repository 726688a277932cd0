import numpy as np
import pytest
import torch
from hypothesis import given, settings

from geopar.check import check
from geopar.errors import InputError
from geopar.model.configuration import MODES, PRESETS, AssignmentConfig
from geopar.model.construct import OutOfTimeError, construct
from geopar.model.weights import random_policy
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.random import generate
from geopar.stop import Budget, MaxRuntime
from midway import policy_for
from strategies import problems

POLICIES = {kind: policy_for(kind) for kind in ("hcvrp", "omdcpdp")}


def feasible(problem, plan):
    return not check(problem, plan).violations


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("setting", ["hcvrp/14/3", "omdcpdp/14/3"])
def test_every_network_in_every_mode_builds_feasible_plans(preset, mode, setting):
    kind = setting.partition("/")[0]
    policy = random_policy(kind, PRESETS[preset](kind))
    problem = generate(setting)
    built = construct(problem, policy, mode)
    report = check(problem, built.plans[0])
    assert not report.violations
    assert report.objective == pytest.approx(float(built.objective[0]), rel=1e-5)
    whole_orders = policy.config.inserts and kind == "omdcpdp"
    assert built.steps[0] >= (7 if whole_orders else 14) / 3


@settings(max_examples=30)
@given(problems())
def test_any_problem_is_planned(problem):
    assert feasible(problem, construct(problem, POLICIES[problem.kind]).plans[0])


EXTREMES = [
    HCVRP((0, 0), [(1, 1)], [1], [1], [1]),
    HCVRP((5, 5), [(5, 5)] * 9, [1] * 9, [3, 3], [1, 2]),
    HCVRP((0, 0), [(i, i * 1e-6) for i in range(9)], [1] * 9, [4], [1]),
    HCVRP((0, 0), [(i, 1) for i in range(9)], [1e3 + i / 3 for i in range(9)], [5e3, 2e3], [1, 9]),
    HCVRP((0, 0), [(i, 1) for i in range(3)], [1] * 3, [1] * 12, [1] * 12),
    HCVRP((0, 0), [(i, 1) for i in range(5)], [0, 0, 9, 9, 1], [1, 9], [1, 1e-9]),
    OMDCPDP([(1, 1)], [(1, 1)], [(1, 1)] * 7, [1] * 7),
    OMDCPDP([(i, 0) for i in range(9)], [(0, i) for i in range(9)], [(0, 0)], [10**12]),
    OMDCPDP([(i * 1e6, 0) for i in range(5)], [(i, 1) for i in range(5)], [(0, 0)] * 2, [1, 2]),
]


@pytest.mark.parametrize("problem", EXTREMES, ids=lambda p: f"{p.num_tasks}/{p.num_vehicles}")
@pytest.mark.parametrize("pointer", [True, False])
def test_instances_far_outside_the_training_range(problem, pointer):
    policy = policy_for(problem.kind, pointer)
    for mode in MODES:
        assert feasible(problem, construct(problem, policy, mode).plans[0])


@pytest.mark.parametrize("preset", ["paper", "local"])
@pytest.mark.parametrize("setting", ["hcvrp/20/3", "omdcpdp/20/3"])
def test_a_batch_gives_the_plans_of_its_instances(preset, setting):
    kind = setting.partition("/")[0]
    policy = random_policy(kind, PRESETS[preset](kind))
    many = [generate(setting, k) for k in range(6)]
    together = construct(many, policy)
    for row, problem in enumerate(many):
        alone = construct(problem, policy)
        assert alone.plans[0] == together.plans[row]
        assert alone.steps[0] == together.steps[row]


@pytest.mark.parametrize("setting", ["hcvrp/16/3", "omdcpdp/16/3"])
def test_more_tries_are_never_worse_and_the_first_is_the_plain_one(setting):
    policy = POLICIES[setting.partition("/")[0]]
    problem = generate(setting)
    plain = construct(problem, policy).objective[0]
    augmented = construct(problem, policy, augment=8)
    assert augmented.objective[0] <= plain + 1e-9
    assert feasible(problem, augmented.plans[0])
    few = construct(problem, policy, "sample", samples=2, seed=3)
    many = construct(problem, policy, "sample", augment=2, samples=8, seed=3)
    for built in (few, many):
        report = check(problem, built.plans[0])
        assert report.objective == pytest.approx(float(built.objective[0]), rel=1e-5)


def test_the_same_seed_samples_the_same_plan():
    problem, policy = generate("hcvrp/16/3"), POLICIES["hcvrp"]
    one, other, third = (construct(problem, policy, "sample", seed=s).plans[0] for s in (1, 1, 2))
    assert one == other != third


def test_torch_is_left_as_it_was():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    construct(generate("hcvrp/8/2"), POLICIES["hcvrp"], "sample")
    random_policy("hcvrp")
    assert torch.equal(torch.rand(1), expected)


def test_a_budget_that_is_over_ends_it():
    with pytest.raises(OutOfTimeError):
        construct(generate("hcvrp/8/2"), POLICIES["hcvrp"], budget=Budget(MaxRuntime(0)))


def test_settings_that_make_no_sense_are_told_all_at_once():
    with pytest.raises(InputError) as caught:
        construct(generate("omdcpdp/8/2"), POLICIES["hcvrp"], "best", augment=9, samples=2)  # type: ignore[arg-type]
    fields = {fault.field for fault in caught.value.faults}
    assert fields == {"mode", "augment", "samples", "problem"}


def test_other_settings_of_the_assignment_can_be_given():
    problem, policy = generate("hcvrp/16/4"), POLICIES["hcvrp"]
    one = AssignmentConfig(proposals=1, pool=False)
    built = construct(problem, policy, "ca-always", assignment=one)
    assert feasible(problem, built.plans[0])
    assert np.isfinite(built.objective).all()
