import pytest
import torch

from geopar.learn.reinforce import RolloutConfig, advantages, farthest

COST = torch.tensor([[1.0, 3.0], [10.0, 30.0]], dtype=torch.float64)
STEPS = torch.tensor([[5, 5], [10, 30]])


def weights(**changes) -> torch.Tensor:
    config = RolloutConfig(samples=2, **changes)
    return advantages(config, COST, COST.mean(1, keepdim=True), STEPS, 1.0).weight


def test_advantages_are_costs_over_their_mean() -> None:
    torch.testing.assert_close(weights(), torch.tensor([[-0.25, 0.25], [-2.5, 2.5]]))


def test_relative_advantages_count_alike_at_every_size() -> None:
    found = weights(relative=True)
    assert found[0].tolist() == pytest.approx(found[1].tolist())
    assert float(found.abs().sum()) == pytest.approx(1.0)


def test_steps_have_a_price() -> None:
    free, priced = weights(), weights(step_price=0.1)
    assert torch.equal(free[0], priced[0])
    # Half as many steps again than the mean, at a tenth of the mean cost for as many again.
    assert priced[1].tolist() == pytest.approx([-2.5 - 0.25, 2.5 + 0.25])


def test_a_bad_outlier_counts_no_more_than_the_cut() -> None:
    cost = torch.tensor([[1.0, 1.0, 1.0, 1.0, 9.0]], dtype=torch.float64)
    steps = torch.full((1, 5), 3)
    level = cost.mean(1, keepdim=True)

    def found(cut: float) -> torch.Tensor:
        config = RolloutConfig(samples=5, relative=True, cut=cut)
        return advantages(config, cost, level, steps, 5.0).weight[0]

    # The others are half a spread below the mean, the outlier two above it.
    assert found(0.0).tolist() == pytest.approx([-0.5, -0.5, -0.5, -0.5, 2.0])
    assert found(1.5).tolist() == pytest.approx([-0.4, -0.4, -0.4, -0.4, 1.6])
    assert float(found(1.0).sum()) == pytest.approx(0.0, abs=1e-6)


def test_only_the_farthest_are_scored() -> None:
    weight = torch.tensor([[0.1, -0.9, 0.5, 0.2]])
    assert farthest(RolloutConfig(samples=4), weight) is None
    index = farthest(RolloutConfig(samples=4, scored=0.5), weight)
    assert index is not None
    assert sorted(index[0].tolist()) == [1, 2]
