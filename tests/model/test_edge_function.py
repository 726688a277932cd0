import pytest
import torch

from geopar.model.edge_function import ScorePairs, SeePairs


def parts(*shapes):
    generator = torch.Generator().manual_seed(1)
    return [
        torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()
        for shape in shapes
    ]


@pytest.mark.parametrize("with_tasks", [True, False])
def test_the_first_layer_and_its_gradients(with_tasks):
    pairs, state, tasks, weight = parts((3, 4, 5), (3, 6), (3, 4, 6), (6, 5))
    unseen = torch.tensor([[False] * 4, [True, False, False, True], [True] * 4])
    known = tasks if with_tasks else None
    hidden, mean, largest = SeePairs.apply(pairs.detach(), state, known, weight, unseen, True)
    plain = pairs @ weight.mT + state[:, None] + (tasks if with_tasks else 0.0)
    plain = plain.masked_fill(unseen[..., None], 0.0).relu()
    torch.testing.assert_close(hidden, plain)
    torch.testing.assert_close(mean, plain.sum(1) / torch.tensor([[4.0], [2.0], [1.0]]))
    torch.testing.assert_close(largest, plain.amax(1))

    def call(state, weight, *rest):
        tasks = rest[0] if rest else None
        return SeePairs.apply(pairs.detach(), state, tasks, weight, unseen, True)

    inputs = (state, weight, tasks) if with_tasks else (state, weight)
    assert torch.autograd.gradcheck(call, inputs)


def test_the_second_layer_and_its_gradients():
    inputs = parts((3, 4, 6), (3, 6), (6, 6), (6,), (6,))
    hidden, pooled, weight, bias, out = inputs
    plain = (hidden @ weight.mT + bias + pooled[:, None]).relu() @ out
    torch.testing.assert_close(ScorePairs.apply(*inputs), plain)
    assert torch.autograd.gradcheck(ScorePairs.apply, inputs)
