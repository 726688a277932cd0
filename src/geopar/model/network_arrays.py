"""The weights of the edge-biased pointer as compiled code takes them, and their gradients."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from geopar.model.choice_kernel import Network
from geopar.model.configuration import ModelConfig
from geopar.model.decoder import EdgePointer
from geopar.model.fleet_arrays import feature_sizes
from geopar.model.gradient_kernel import Backwards, Gradient
from geopar.model.product_kernel import COLUMNS, ROWS, padded, panels


class Parts(NamedTuple):
    """How many features each part of an input has; every part is filled up with zeros."""

    counts: tuple[int, ...]

    @property
    def size(self) -> int:
        """Numbers in all, with what fills up."""
        return sum(padded(count, ROWS) for count in self.counts)

    def spread(self, weight: Tensor) -> Tensor:
        """Rows for all features become rows for all numbers."""
        parts = weight.split(self.counts)
        return torch.cat([F.pad(p, (0, 0, 0, padded(len(p), ROWS) - len(p))) for p in parts])

    def gather(self, rows: Tensor) -> Tensor:
        """The inverse."""
        sizes = [padded(count, ROWS) for count in self.counts]
        parts = zip(rows.split(sizes), self.counts, strict=True)
        return torch.cat([part[:count] for part, count in parts])


class Layout(NamedTuple):
    """Where what stands: features of agents and fleet, of pairs, and the hidden width."""

    agent: Parts
    pair: Parts
    width: int

    @classmethod
    def of(cls, config: ModelConfig) -> Layout:
        """That of a network."""
        sizes = feature_sizes(config)
        agent, pair = Parts((sizes.agents, sizes.fleet)), Parts((sizes.pairs,))
        return cls(agent, pair, padded(config.pair_width, COLUMNS))


class Plain(NamedTuple):
    """The weights, inputs first, filled up with zeros."""

    pair: Tensor
    agent: Tensor
    state: Tensor
    crowd: Tensor
    inner: Tensor
    out: Tensor


def _plain(pointer: EdgePointer, config: ModelConfig) -> Plain:
    layout = Layout.of(config)
    more = layout.width - config.pair_width

    def wide(weight: Tensor) -> Tensor:
        return F.pad(weight.float().mT, (0, more))

    def square(weight: Tensor) -> Tensor:
        return F.pad(wide(weight), (0, 0, 0, more))

    mean, largest = pointer.pooled.weight.split(config.pair_width, 1)
    return Plain(
        pair=layout.pair.spread(wide(pointer.pair.weight)),
        agent=layout.agent.spread(wide(pointer.agent.weight)),
        state=square(pointer.agent_out.weight),
        crowd=torch.cat([square(mean), square(largest)]),
        inner=square(pointer.inner.weight),
        out=F.pad(pointer.out.weight[0].float(), (0, more)),
    )


_networks: WeakKeyDictionary[EdgePointer, tuple[Any, Network]] = WeakKeyDictionary()


def network_of(pointer: EdgePointer, config: ModelConfig) -> Network:
    """The weights as the way forwards takes them, made again only when they have changed."""
    state = [(weight.data_ptr(), weight._version) for weight in pointer.parameters()]
    known = _networks.get(pointer)
    if known is None or known[0] != state:
        known = state, _make_network(pointer, config)
        _networks[pointer] = known
    return known[1]


@torch.no_grad()
def _make_network(pointer: EdgePointer, config: ModelConfig) -> Network:
    plain = _plain(pointer, config)
    more = Layout.of(config).width - config.pair_width

    def row(bias: Tensor) -> NDArray[np.float32]:
        found: NDArray[np.float32] = F.pad(bias.float()[None], (0, more)).numpy()
        return found

    return Network(
        pair=panels(plain.pair.numpy()),
        agent=panels(plain.agent.numpy()),
        agent_bias=row(pointer.agent.bias),
        state=panels(plain.state.numpy()),
        state_bias=row(pointer.agent_out.bias),
        crowd=panels(plain.crowd.numpy()),
        inner=panels(plain.inner.numpy()),
        inner_bias=row(pointer.inner.bias),
        out=plain.out.contiguous().numpy(),
        clip=float(pointer.clip),
    )


@torch.no_grad()
def backwards_of(pointer: EdgePointer, config: ModelConfig) -> Backwards:
    """The same weights as the way backwards takes them."""
    plain = _plain(pointer, config)
    return Backwards(
        inner=(plain.inner * plain.out).mT.contiguous().numpy(),
        crowd=panels((plain.crowd * plain.out).mT.numpy()),
        state=panels(plain.state.mT.numpy()),
    )


def zero_gradient(config: ModelConfig, kind: type[np.floating]) -> Gradient:
    """Room for a gradient."""
    agent, pair, width = Layout.of(config)
    shapes = dict.fromkeys(Gradient._fields, (1, width))
    shapes |= {"pair": (pair.size, width), "agent": (agent.size, width), "state": (width, width)}
    shapes |= {"crowd": (width, 2 * width), "inner": (width, width)}
    return Gradient(**{name: np.zeros(shape, kind) for name, shape in shapes.items()})


@torch.no_grad()
def add_to_grad(pointer: EdgePointer, config: ModelConfig, found: Gradient) -> None:
    """Add a gradient to that of the weights."""
    layout, width = Layout.of(config), config.pair_width
    sums: Any = Gradient._make(torch.from_numpy(part) for part in found)
    crowd = sums.crowd[:width, :width], sums.crowd[:width, layout.width : layout.width + width]
    own, out = sums.inner[:width, :width], pointer.out.weight[0].double()
    for weight, value in (
        (pointer.pair.weight, layout.pair.gather(sums.pair)[:, :width].mT),
        (pointer.agent.weight, layout.agent.gather(sums.agent)[:, :width].mT),
        (pointer.agent.bias, sums.agent_bias[0, :width]),
        (pointer.agent_out.weight, sums.state[:width, :width].mT),
        (pointer.agent_out.bias, sums.state_bias[0, :width]),
        (pointer.pooled.weight, torch.cat(crowd, 1) * out[:, None]),
        (pointer.inner.weight, own * out[:, None]),
        (pointer.inner.bias, sums.inner_bias[0, :width] * out),
        (pointer.out.weight, (sums.out[0, :width] + (own * pointer.inner.weight).sum(1))[None]),
    ):
        added = value.to(weight.dtype)
        weight.grad = added.contiguous() if weight.grad is None else weight.grad + added
