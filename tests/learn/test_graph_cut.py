import torch

from geopar.learn.graph_cut import Cuts


def test_two_passes_over_what_was_cut_give_the_gradient_of_the_whole():
    weight = torch.tensor([2.0, -3.0], requires_grad=True)

    def beginning():
        return weight.square()

    (whole,) = torch.autograd.grad((3 * beginning() + beginning() ** 2).sum(), weight)
    cuts = Cuts()
    middle = cuts.cut(beginning())
    (3 * middle).sum().backward()
    (middle**2).sum().backward()
    assert weight.grad is None
    cuts.backward()
    assert torch.equal(weight.grad, whole)


def test_what_needs_no_gradient_or_got_none_is_left_alone():
    fixed = torch.ones(2)
    cuts = Cuts()
    assert cuts.cut(fixed) is fixed
    cuts.cut(torch.ones(2, requires_grad=True) * 2)
    cuts.backward()
