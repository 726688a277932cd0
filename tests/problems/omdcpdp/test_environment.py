import torch

from geopar.problems import OMDCPDP
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from rollouts import roll_out

A, B, C, TO_A, TO_B, TO_C, HOME, STAY = range(8)


def act(*actions: int) -> torch.Tensor:
    return torch.tensor(actions).view(1, 1, -1)


def test_arrivals_by_hand(corridor):
    environment = make_environment(make_batch([corridor]))
    state = environment.reset()
    for joint in ((A, C), (TO_A, TO_C), (B, HOME), (TO_B, HOME)):
        state = environment.step(state, act(*joint))
    assert bool(state.done)
    torch.testing.assert_close(environment.cost(state).item(), 8.0)
    assert state.steps.item() == 4


def test_a_delivery_is_open_only_to_who_carries_it(corridor):
    environment = make_environment(make_batch([corridor]))
    state = environment.step(environment.reset(), act(A, B))
    assert environment.mask(state)[0, 0].tolist() == [
        [False, False, True, True, False, False, False],
        # The other has room for one and it is taken.
        [False, False, False, False, True, False, False],
    ]


def test_waiting_is_only_for_those_who_can_do_nothing_else(corridor):
    environment = make_environment(make_batch([corridor]))
    state = environment.step(environment.reset(), act(A, C))
    state = environment.step(state, act(B, TO_C))
    assert environment.mask(state)[0, 0, 1].tolist() == [False] * 6 + [True]
    waited = environment.step(state, act(STAY, HOME))
    assert torch.equal(waited.place, state.place)
    assert torch.equal(waited.length, state.length)


def test_the_board_lists_what_the_carriers_hold():
    problem = OMDCPDP(
        [(i, 0) for i in range(6)], [(i, 1) for i in range(6)], [(0, 0), (5, 5)], [3, 2]
    )
    environment = make_environment(make_batch([problem]))
    _, recorder, _ = roll_out(environment, 3, seed=4)
    state = environment.reset(3)
    for action in recorder.actions:
        state = environment.step(state, action)
        for r in range(3):
            for m in range(2):
                held = {k for k in range(6) if int(state.carrier[0, r, k]) == m}
                slots = state.board[0, r, m].tolist()
                assert set(slots[: len(held)]) == held
                assert slots[len(held) :] == [6] * (3 - len(held))
                assert int(state.load[0, r, m]) == len(held)


def test_retired_vehicles_stay_home_until_the_whole_fleet_has(corridor):
    environment = make_environment(make_batch([corridor]), retirement=True)
    state = environment.reset()
    # Nobody has moved, and pickups are free.
    assert not environment.mask(state)[..., -1].any()
    for joint in ((A, C), (TO_A, TO_C)):
        state = environment.step(state, act(*joint))
    assert environment.mask(state)[..., -1].all()
    state = environment.step(state, act(HOME, STAY))
    assert environment.mask(state)[0, 0, 0].tolist() == [False] * 6 + [True]
    assert environment.mask(state)[0, 0, 1].tolist() == [False, True] + [False] * 4 + [True]
    state = environment.step(state, act(HOME, HOME))
    # Work remains: free pickups open to everybody again, and home is closed.
    assert environment.mask(state)[0, 0].tolist() == [[False, True] + [False] * 5] * 2
