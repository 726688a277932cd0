import torch

from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment

HOME, STAY = 4, 5


def act(*actions: int) -> torch.Tensor:
    return torch.tensor(actions).view(1, 1, -1)


def test_loads_and_lengths_by_hand(square):
    environment = make_environment(make_batch([square]))
    state = environment.step(environment.reset(), act(0, 2))
    state = environment.step(state, act(1, STAY))
    # Normalised: the square is two wide.
    torch.testing.assert_close(state.length[0, 0], torch.tensor([0.5 + 2**0.5 / 2, 0.5]))
    torch.testing.assert_close(state.left[0, 0].round(), torch.tensor([0.0, 1.0]).double())
    # Red is full: only home is open to it.
    assert environment.mask(state)[0, 0].tolist() == [
        [False, False, False, False, True],
        [False, False, False, True, True],
    ]
    state = environment.step(state, act(HOME, 3))
    state = environment.step(state, act(HOME, HOME))
    assert bool(state.done)
    torch.testing.assert_close(environment.cost(state).item(), 2 + 2**0.5)
    assert state.steps.item() == 3


def test_staying_takes_no_load_twice(square):
    environment = make_environment(make_batch([square]))
    state = environment.step(environment.reset(), act(0, STAY))
    stayed = environment.step(state, act(STAY, STAY))
    assert torch.equal(stayed.left, state.left)
    assert torch.equal(stayed.length, state.length)


def test_the_depot_is_closed_only_when_all_stand_at_it(square):
    environment = make_environment(make_batch([square]))
    state = environment.reset()
    assert not environment.mask(state)[..., -1].any()
    state = environment.step(state, act(0, STAY))
    assert environment.mask(state)[..., -1].all()
    state = environment.step(state, act(HOME, HOME))
    assert not environment.mask(state)[..., -1].any()


def test_a_vehicle_too_small_for_everybody_may_wait():
    problem = HCVRP((0, 0), [(1, 0), (0, 1)], [5, 5], capacity=[1, 9], speed=[1, 1])
    environment = make_environment(make_batch([problem]))
    assert environment.mask(environment.reset())[0, 0].tolist() == [
        [False, False, True],
        [True, True, False],
    ]


def test_decimal_loads_that_fill_a_vehicle_exactly_fit():
    problem = HCVRP((0, 0), [(i, 1) for i in range(10)], [0.1] * 10, capacity=[1.0], speed=[1])
    environment = make_environment(make_batch([problem]))
    state = environment.reset()
    for task in range(10):
        assert bool(environment.mask(state)[0, 0, 0, task])
        state = environment.step(state, act(task))
    assert bool(state.done)
