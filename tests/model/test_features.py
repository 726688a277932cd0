import math

import pytest
import torch

from geopar.model.features import Neighbourhood, rival_distance, rows_of, squash

INF = math.inf


def test_squash_keeps_sign_and_order():
    assert squash(torch.tensor([-3.0, 0.0, 1.0])).tolist() == [-0.75, 0.0, 0.5]


def test_spacing_is_the_mean_distance_between_neighbours():
    line = torch.tensor([[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]])
    assert float(Neighbourhood.of(line).spacing) == pytest.approx((1 + 2 + 1 + 1 + 1 + 2) / 6)
    assert float(Neighbourhood.of(torch.zeros(1, 1, 2)).spacing) == 1.0


@pytest.mark.parametrize("dense", [True, False])
def test_the_share_of_neighbours(dense):
    places = torch.tensor([[[0.0, 0.0], [0.1, 0.0], [0.2, 0.0], [5.0, 5.0]]])
    around = Neighbourhood.of(places)
    if not dense:
        around = Neighbourhood(around.spacing, around.index, None)
    # With fewer than eight others, all are neighbours.
    share = around.share_of(torch.tensor([[[1.0, 0.0, 1.0, 0.0]]]))
    torch.testing.assert_close(share, torch.tensor([[[1.0, 2.0, 1.0, 2.0]]]) / 3)


def test_rivals_by_hand():
    gap = torch.tensor([[[[1.0, 5.0, INF], [2.0, 5.0, 3.0], [INF, 9.0, INF]]]])
    expected = [[[[2.0, 5.0, 3.0], [1.0, 5.0, INF], [1.0, 5.0, 3.0]]]]
    own = torch.tensor([0, 1, 2]).expand(1, 1, 3, -1)
    assert rival_distance(own, gap, 3).tolist() == expected


def test_rivals_look_at_tasks_not_at_columns():
    candidates = torch.tensor([[[[0, 1], [1, 2]]]])
    gap = torch.tensor([[[[4.0, 1.0], [3.0, 2.0]]]])
    assert rival_distance(candidates, gap, 3).tolist() == [[[[INF, 3.0], [1.0, INF]]]]


def test_one_agent_has_no_rival():
    alone = rival_distance(torch.tensor([[[[0]]]]), torch.ones(1, 1, 1, 1), 1)
    assert alone.tolist() == [[[[INF]]]]


def test_rows_belong_to_their_own_rollout():
    table = torch.arange(12.0).view(1, 2, 3, 2)
    index = torch.tensor([[[2], [0]]])
    assert rows_of(table, index).tolist() == [[[[4.0, 5.0]], [[6.0, 7.0]]]]
