import torch

from geopar.peers.parallel import all_tasks, by_lot
from geopar.peers.peer import Chooser, log_prob_of
from geopar.peers.pointer import with_one_home, with_own_homes
from geopar.peers.sequential import of_vehicle

LOGITS = torch.tensor([1.0, 3.0, -torch.inf, 2.0])


def test_the_best_is_chosen_or_one_by_its_probability() -> None:
    generator = torch.Generator().manual_seed(0)
    assert int(Chooser(False, generator)(LOGITS)) == 1
    drawn = Chooser(True, generator)(LOGITS.expand(20_000, 4))
    share = torch.bincount(drawn, minlength=4) / 20_000
    assert share[2] == 0.0
    torch.testing.assert_close(share, LOGITS.softmax(-1), atol=0.015, rtol=0.0)


def test_log_probabilities_are_those_of_the_softmax() -> None:
    choice = torch.tensor([0, 1, 3])
    expected = LOGITS.log_softmax(-1)[choice]
    torch.testing.assert_close(log_prob_of(LOGITS.expand(3, 4), choice), expected)


def test_a_contested_task_goes_by_lot_and_home_is_for_all() -> None:
    proposal = torch.tensor([[[0, 0, 2, 2, 1]]])  # two tasks, home is 2, staying 3
    winners = set()
    for seed in range(30):
        action = by_lot(proposal, torch.Generator().manual_seed(seed), 2)[0, 0].tolist()
        assert action[2:] == [2, 2, 1]
        assert sorted(action[:2]) == [0, 3]
        winners.add(action.index(0))
    assert winners == {0, 1}


def test_every_column_is_its_own_task() -> None:
    scores = all_tasks(torch.zeros(2, 1, 3, 4))
    assert scores.candidates.shape == scores.logits.shape
    assert scores.candidates[1, 0, 2].tolist() == [0, 1, 2, 3]


def test_own_homes_there_and_back() -> None:
    mask = torch.tensor([[[[True, False, True], [False, True, False]]]])
    own = with_own_homes(mask)
    assert own.tolist() == [[[True, False, True, False], [False, True, False, False]]]
    logits = torch.arange(8.0).view(1, 2, 4)
    assert with_one_home(logits, 2).tolist() == [[[[0.0, 1.0, 2.0], [4.0, 5.0, 7.0]]]]


def test_the_values_of_one_vehicle() -> None:
    values = torch.arange(12.0).view(1, 2, 3, 2)
    assert of_vehicle(values, torch.tensor([[2, 0]])).tolist() == [[[4.0, 5.0], [6.0, 7.0]]]
