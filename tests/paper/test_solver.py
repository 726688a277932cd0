import pytest
import torch
from hypothesis import given, settings

from geopar.checking import check
from geopar.errors import InputError
from geopar.paper.config import MODES, AssignmentConfig
from geopar.paper.solver import GeoparSolver, construct
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.random import generate
from geopar.stop import Budget, MaxRuntime, OutOfTimeError
from paper_states import small_policy
from strategies import problems

POLICIES = {kind: small_policy(kind).eval() for kind in ("hcvrp", "omdcpdp")}
SETTINGS = ["hcvrp/14/3", "omdcpdp/14/3"]


def policy_of(problem):
    return POLICIES[problem.kind]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_every_mode_builds_feasible_plans(mode, setting):
    problem = generate(setting)
    built = construct([problem], policy_of(problem), mode)
    report = check(problem, built.plans[0])
    assert not report.violations
    assert report.objective == pytest.approx(float(built.objective[0]), rel=1e-5)
    assert built.steps[0] >= 14 / 3


@settings(max_examples=30)
@given(problems())
def test_any_problem_is_planned(problem):
    built = construct([problem], policy_of(problem))
    assert not check(problem, built.plans[0]).violations


EXTREMES = [
    HCVRP((0, 0), [(1, 1)], [1], [1], [1]),
    HCVRP((5, 5), [(5, 5)] * 9, [1] * 9, [3, 3], [1, 2]),
    HCVRP((0, 0), [(i, 1) for i in range(9)], [1e3 + i / 3 for i in range(9)], [5e3, 2e3], [1, 9]),
    HCVRP((0, 0), [(i, 1) for i in range(3)], [1] * 3, [1] * 12, [1] * 12),
    HCVRP((0, 0), [(i, 1) for i in range(5)], [0, 0, 9, 9, 1], [1, 9], [1, 1e-9]),
    OMDCPDP([(1, 1)], [(1, 1)], [(1, 1)] * 7, [1] * 7),
    OMDCPDP([(i, 0) for i in range(9)], [(0, i) for i in range(9)], [(0, 0)], [10**12]),
]


@pytest.mark.parametrize("problem", EXTREMES, ids=lambda p: f"{p.num_tasks}/{p.num_vehicles}")
@pytest.mark.parametrize("mode", MODES)
def test_instances_far_outside_the_training_range(problem, mode):
    built = construct([problem], policy_of(problem), mode)
    assert not check(problem, built.plans[0]).violations


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_batch_gives_the_plans_of_its_instances(setting):
    many = [generate(setting, k) for k in range(5)]
    together = construct(many, policy_of(many[0]))
    for row, problem in enumerate(many):
        alone = construct([problem], policy_of(problem))
        assert alone.plans[0] == together.plans[row]
        assert alone.steps[0] == together.steps[row]


@pytest.mark.parametrize("setting", SETTINGS)
def test_more_tries_are_never_worse(setting):
    problem = generate(setting)
    plain = construct([problem], policy_of(problem)).objective[0]
    augmented = construct([problem], policy_of(problem), augment=8)
    assert augmented.objective[0] <= plain + 1e-9
    assert not check(problem, augmented.plans[0]).violations


def test_the_same_seed_samples_the_same_plan():
    problem, policy = generate("hcvrp/16/3"), POLICIES["hcvrp"]
    one, other, third = (construct([problem], policy, "sample", seed=s).plans[0] for s in (1, 1, 2))
    assert one == other != third


def test_a_budget_that_is_over_ends_it():
    with pytest.raises(OutOfTimeError):
        construct([generate("hcvrp/8/2")], POLICIES["hcvrp"], budget=Budget(MaxRuntime(0)))


def test_settings_that_make_no_sense_are_told():
    with pytest.raises(InputError) as caught:
        construct([generate("omdcpdp/8/2")], POLICIES["hcvrp"], "best")  # type: ignore[arg-type]
    assert {fault.field for fault in caught.value.faults} == {"mode", "problem"}
    with pytest.raises(InputError) as caught:
        construct([generate("hcvrp/8/2")], POLICIES["hcvrp"], augment=9, samples=2)
    assert {fault.field for fault in caught.value.faults} == {"augment", "samples"}


def test_other_settings_of_the_assignment_can_be_given():
    problem = generate("hcvrp/16/4")
    one = AssignmentConfig(proposals=1, pool=False)
    built = construct([problem], POLICIES["hcvrp"], "ca-always", assignment=one)
    assert not check(problem, built.plans[0]).violations


def test_a_trace_has_every_step_where_it_is_asked_for():
    problem = generate("hcvrp/12/3")
    built = construct([problem], POLICIES["hcvrp"], trace=True)
    assert built.trace is not None
    assert len(built.trace.steps) == built.steps[0]
    assert construct([problem], POLICIES["hcvrp"]).trace is None


def test_random_weights_are_said_to_be_random():
    problem = generate("hcvrp/5/2")
    _, notes = GeoparSolver(weights="random").network(problem)
    assert notes == ("random weights: the network has learned nothing",)


def test_the_network_runs_on_any_device():
    """On torch's device without data a tensor that was made on the wrong one is an error."""
    policy = small_policy("hcvrp").to("meta")
    environment = policy.environment(_batch("meta"))
    encoded = policy.encode(environment)
    scores = policy.logits(encoded, environment.reset(2))
    assert scores.logits.device.type == "meta"
    assert scores.logits.shape == (1, 2, 3, 13)


def _batch(device):
    from geopar.problems.batch import make_batch

    return make_batch([generate("hcvrp/12/3")], torch.device(device))
