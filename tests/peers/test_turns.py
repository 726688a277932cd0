import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.peers.turns import TurnEnvironment
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from strategies import hcvrps


def environment_of(problem: HCVRP, **options: bool) -> TurnEnvironment:
    return TurnEnvironment(make_batch([problem]), **options)  # type: ignore[arg-type]


@settings(max_examples=30)
@given(hcvrps(), st.integers(0, 99))
def test_random_turns_end_and_always_have_a_choice(problem: HCVRP, seed: int) -> None:
    environment = environment_of(problem)
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(problem.num_vehicles, generator=generator).view(1, 1, -1)
    state, steps = environment.reset(order), 0
    while not bool(state.done.all()):
        mask = environment.mask(state)
        assert bool(mask.any(-1).all())
        choice = torch.where(mask, torch.rand(mask.shape, generator=generator), -1.0).argmax(-1)
        state = environment.step(
            state, environment.action(state, choice), choice == problem.num_tasks + 1
        )
        steps += 1
    assert steps <= 2 * problem.num_tasks + problem.num_vehicles


def test_nobody_hands_over_what_the_others_cannot_carry() -> None:
    problem = HCVRP((0, 0), [(1, 0), (0, 1)], [5, 1], capacity=[2, 6, 2], speed=[1, 1, 1])
    environment = environment_of(problem)
    state = environment.reset(torch.tensor([[[0, 1, 2]]]))
    # The first cannot take customer 0, but may hand over: the second can.
    assert environment.mask(state)[0, 0].tolist() == [False, True, False, True]
    state = environment.step(
        state, environment.action(state, torch.tensor([[3]])), torch.tensor([[True]])
    )
    assert int(state.vehicle[0, 0]) == 1
    assert environment.mask(state)[0, 0].tolist() == [True, True, False, False]
    state = environment.step(
        state, environment.action(state, torch.tensor([[0]])), torch.tensor([[False]])
    )
    # Now the rest fits the third, and reloading is open away from the depot.
    assert environment.mask(state)[0, 0].tolist() == [False, True, True, True]


@settings(max_examples=30)
@given(hcvrps())
def test_the_fallback_serves_everybody(problem: HCVRP) -> None:
    environment = environment_of(problem)
    state = environment.reset(torch.arange(problem.num_vehicles).view(1, 1, -1))
    for _ in range(2 * problem.num_tasks):
        if bool(state.done.all()):
            break
        action = environment.serve(state)
        state = environment.step(state, action, torch.zeros(1, 1, dtype=torch.bool))
    assert bool(state.done.all())
