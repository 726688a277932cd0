import torch

from geopar.model.edge_function import ScorePairs, SeePairs


def parts(*shapes):
    generator = torch.Generator().manual_seed(1)
    return [
        torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()
        for shape in shapes
    ]


def test_the_first_layer_and_its_gradients():
    pairs, state, weight = parts((3, 4, 5), (3, 6), (6, 5))
    unseen = torch.tensor([[False] * 4, [True, False, False, True], [True] * 4])

    def call(state, weight):
        return SeePairs.apply(pairs.detach(), state, weight, unseen, True)

    hidden, mean, largest = call(state, weight)
    plain = (pairs @ weight.mT + state[:, None]).masked_fill(unseen[..., None], 0.0).relu()
    torch.testing.assert_close(hidden, plain)
    torch.testing.assert_close(mean, plain.sum(1) / torch.tensor([[4.0], [2.0], [1.0]]))
    torch.testing.assert_close(largest, plain.amax(1))
    assert torch.autograd.gradcheck(call, (state, weight))


def test_the_second_layer_and_its_gradients():
    inputs = parts((3, 4, 6), (3, 6), (6, 6), (6,), (6,))
    hidden, pooled, weight, bias, out = inputs
    plain = (hidden @ weight.mT + bias + pooled[:, None]).relu() @ out
    torch.testing.assert_close(ScorePairs.apply(*inputs), plain)
    assert torch.autograd.gradcheck(ScorePairs.apply, inputs)
