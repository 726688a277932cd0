"""The network's parameters as compiled code takes them, and gradients back to them."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from geopar.compiled.products import COLUMNS, ROWS, padded, panels
from geopar.pointer.config import PointerConfig
from geopar.pointer.gradient_kernel import Gradient, TransposedWeights
from geopar.pointer.network import PointerNetwork
from geopar.pointer.observation import feature_sizes
from geopar.pointer.scoring import Weights


class Parts(NamedTuple):
    """How many features each part of an input has; every part is filled up with zeros."""

    counts: tuple[int, ...]

    @property
    def size(self) -> int:
        """Numbers in all, with the zeros."""
        return sum(padded(count, ROWS) for count in self.counts)

    def spread(self, weight: Tensor) -> Tensor:
        """Rows for all features become rows for all numbers."""
        parts = weight.split(self.counts)
        return torch.cat([F.pad(p, (0, 0, 0, padded(len(p), ROWS) - len(p))) for p in parts])

    def gather(self, rows: Tensor) -> Tensor:
        """The inverse of :meth:`spread`."""
        sizes = [padded(count, ROWS) for count in self.counts]
        parts = zip(rows.split(sizes), self.counts, strict=True)
        return torch.cat([part[:count] for part, count in parts])


class Layout(NamedTuple):
    """Memory layout: features of agents and fleet, of pairs, and the hidden width with zeros."""

    agent: Parts
    pair: Parts
    width: int

    @classmethod
    def of(cls, config: PointerConfig) -> Layout:
        """That of a network."""
        sizes = feature_sizes(config.kind)
        agent, pair = Parts((sizes.agents, sizes.fleet)), Parts((sizes.pairs,))
        return cls(agent, pair, padded(config.width, COLUMNS))


class _Plain(NamedTuple):
    """The matrices, inputs first, filled up with zeros."""

    pair: Tensor
    agent: Tensor
    agent_out: Tensor
    pooled: Tensor
    inner: Tensor
    out: Tensor


def _plain(network: PointerNetwork) -> _Plain:
    layout, width = Layout.of(network.config), network.config.width
    more = layout.width - width

    def wide(weight: Tensor) -> Tensor:
        return F.pad(weight.float().mT, (0, more))

    def square(weight: Tensor) -> Tensor:
        return F.pad(wide(weight), (0, 0, 0, more))

    mean, largest = network.pooled.weight.split(width, 1)
    return _Plain(
        pair=layout.pair.spread(wide(network.pair.weight)),
        agent=layout.agent.spread(wide(network.agent.weight)),
        agent_out=square(network.agent_out.weight),
        pooled=torch.cat([square(mean), square(largest)]),
        inner=square(network.inner.weight),
        out=F.pad(network.out.weight[0].float(), (0, more)),
    )


_cache: WeakKeyDictionary[PointerNetwork, tuple[Any, Weights]] = WeakKeyDictionary()


def forward_weights(network: PointerNetwork) -> Weights:
    """The parameters as the forward pass takes them, made again only when they have changed."""
    state = [(weight.data_ptr(), weight._version) for weight in network.parameters()]
    known = _cache.get(network)
    if known is None or known[0] != state:
        known = state, _make_weights(network)
        _cache[network] = known
    return known[1]


@torch.no_grad()
def _make_weights(network: PointerNetwork) -> Weights:
    plain = _plain(network)
    more = Layout.of(network.config).width - network.config.width

    def row(bias: Tensor) -> NDArray[np.float32]:
        found: NDArray[np.float32] = F.pad(bias.float()[None], (0, more)).numpy()
        return found

    return Weights(
        pair=panels(plain.pair.numpy()),
        agent=panels(plain.agent.numpy()),
        agent_bias=row(network.agent.bias),
        agent_out=panels(plain.agent_out.numpy()),
        agent_out_bias=row(network.agent_out.bias),
        pooled=panels(plain.pooled.numpy()),
        inner=panels(plain.inner.numpy()),
        inner_bias=row(network.inner.bias),
        out=plain.out.contiguous().numpy(),
        clip=float(network.config.clip),
    )


@torch.no_grad()
def transposed_weights(network: PointerNetwork) -> TransposedWeights:
    """The same parameters as the backward pass takes them."""
    plain = _plain(network)
    return TransposedWeights(
        inner=(plain.inner * plain.out).mT.contiguous().numpy(),
        pooled=panels((plain.pooled * plain.out).mT.numpy()),
        agent_out=panels(plain.agent_out.mT.numpy()),
    )


def zero_gradient(config: PointerConfig, dtype: type[np.floating]) -> Gradient:
    """Zeros that a gradient is added to."""
    agent, pair, width = Layout.of(config)
    shapes = dict.fromkeys(Gradient._fields, (1, width))
    shapes |= {"pair": (pair.size, width), "agent": (agent.size, width)}
    shapes |= {"agent_out": (width, width), "inner": (width, width), "pooled": (width, 2 * width)}
    return Gradient(**{name: np.zeros(shape, dtype) for name, shape in shapes.items()})


@torch.no_grad()
def add_to_grad(network: PointerNetwork, found: Gradient) -> None:
    """Add a gradient of compiled code to ``grad`` of the parameters."""
    layout, width = Layout.of(network.config), network.config.width
    sums: Any = Gradient._make(torch.from_numpy(part) for part in found)
    pooled = sums.pooled[:width, :width], sums.pooled[:width, layout.width : layout.width + width]
    inner, out = sums.inner[:width, :width], network.out.weight[0].double()
    from_inner = (inner * network.inner.weight).sum(1)
    for weight, value in (
        (network.pair.weight, layout.pair.gather(sums.pair)[:, :width].mT),
        (network.agent.weight, layout.agent.gather(sums.agent)[:, :width].mT),
        (network.agent.bias, sums.agent_bias[0, :width]),
        (network.agent_out.weight, sums.agent_out[:width, :width].mT),
        (network.agent_out.bias, sums.agent_out_bias[0, :width]),
        (network.pooled.weight, torch.cat(pooled, 1) * out[:, None]),
        (network.inner.weight, inner * out[:, None]),
        (network.inner.bias, sums.inner_bias[0, :width] * out),
        (network.out.weight, (sums.out[0, :width] + from_inner)[None]),
    ):
        added = value.to(weight.dtype)
        weight.grad = added.contiguous() if weight.grad is None else weight.grad + added
