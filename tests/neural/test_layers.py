import torch

from geopar.neural.layers import RMSNorm, TransformerLayer, join_heads, split_heads


def test_the_norm_is_that_of_torch():
    own, theirs = RMSNorm(8), torch.nn.RMSNorm(8)
    torch.nn.init.normal_(own.weight)
    theirs.load_state_dict(own.state_dict())
    x = torch.randn(3, 8)
    torch.testing.assert_close(own(x), theirs(x))
    assert torch.equal(own(torch.zeros(2, 8)), torch.zeros(2, 8))


@torch.no_grad()
def test_a_masked_token_is_not_heard():
    torch.manual_seed(0)
    layer = TransformerLayer(8, 2, 16)
    x, mask = torch.randn(1, 4, 8), torch.tensor([[True, True, True, False]])
    alone = layer(x[:, :3], mask[:, :3])
    torch.testing.assert_close(layer(x, mask)[:, :3], alone)


def test_heads_are_split_and_joined():
    x = torch.arange(24.0).view(1, 3, 8)
    assert split_heads(x, 2)[0, 1, 2].tolist() == x[0, 2, 4:].tolist()
    assert torch.equal(join_heads(split_heads(x, 4)), x)
