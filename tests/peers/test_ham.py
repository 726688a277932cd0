import math

import torch

from geopar.neural.layers import split_heads
from geopar.peers.ham import HeterogeneousAttention
from peer_laws import Laws


class TestHAM(Laws):
    learner, kind, setting = "ham", "omdcpdp", "omdcpdp/12/3"


class TestHAMWithoutRetirement(Laws):
    learner, kind, changes = "ham", "omdcpdp", {"retirement": False}
    setting = "omdcpdp/12/3"


def by_hand(attention: HeterogeneousAttention, x: torch.Tensor, half: int) -> torch.Tensor:
    """Token after token, all that it looks at in one list."""
    heads = attention.heads

    def headed(rows: torch.Tensor) -> torch.Tensor:
        return split_heads(rows[None], heads)[0]

    key, value = (headed(part) for part in attention.key_value(x).chunk(2, -1))
    usual = headed(attention.query(x))
    typed = [
        [headed(part) for part in attention.pickup(x).chunk(3, -1)],
        [headed(part) for part in attention.delivery(x).chunk(3, -1)],
    ]
    result = []
    for token in range(len(x)):
        looks = [(usual, other) for other in range(len(x))]
        if token < 2 * half:
            partner, alike, different = typed[token // half]
            own = range(half) if token < half else range(half, 2 * half)
            theirs = range(half, 2 * half) if token < half else range(half)
            looks.append((partner, (token + half) % (2 * half)))
            looks += [(alike, other) for other in own]
            looks += [(different, other) for other in theirs]
        joined = []
        for head in range(heads):
            scores = torch.stack([q[head, token] @ key[head, other] for q, other in looks])
            weights = (scores / math.sqrt(key.shape[-1])).softmax(0)
            joined.append(weights @ torch.stack([value[head, other] for _, other in looks]))
        result.append(torch.cat(joined))
    return attention.out(torch.stack(result))


def test_one_softmax_over_everything_that_a_token_looks_at() -> None:
    torch.manual_seed(0)
    attention, x = HeterogeneousAttention(8, 2), torch.randn(2, 8, 8)
    with torch.no_grad():
        found = attention(x, 3)
        wanted = torch.stack([by_hand(attention, row, 3) for row in x])
    torch.testing.assert_close(found, wanted)
