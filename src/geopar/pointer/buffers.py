"""Preallocated buffers for the choices of compiled rollouts, for scores and for gradients."""

from __future__ import annotations

from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.products import ROWS, SPARE, skewed
from geopar.compiled.registers import LANES
from geopar.pointer.config import PointerConfig
from geopar.pointer.gradient_kernel import CHOICES, PAIRS, GradientScratch
from geopar.pointer.parameters import Layout
from geopar.pointer.sample_kernel import SampleLog
from geopar.pointer.scoring import CHOICES_AT_ONCE, Choices, Scratch
from geopar.problems.batch import Batch

T = TypeVar("T", Choices, SampleLog)

# Fresh memory costs as much as a tenth of what is done with it, so it is kept for the next time.
# The lock is for those who look through the list; a finaliser only ever adds to its end.
_idle: list[tuple[Layout, Choices]] = []
_lock = Lock()


def _floats(*shape: int) -> NDArray[np.float32]:
    return np.zeros(shape, dtype=np.float32)


def _ints(*shape: int) -> NDArray[np.int64]:
    return np.zeros(shape, dtype=np.int64)


def reused_choices(config: PointerConfig, count: int, pairs: int) -> Choices:
    """For so many choices and pairs, or more; from what was given back where that fits."""
    layout = Layout.of(config)
    with _lock:
        for i, (other, choices) in enumerate(_idle):
            if other == layout and len(choices.rollout) >= count and len(choices.task) >= pairs:
                return _idle.pop(i)[1]
        # Of another size or network: they will hardly be asked for again.
        _idle.clear()
    return new_choices(config, count, pairs)


def give_back(config: PointerConfig, buffers: list[Choices]) -> None:
    """Keep buffers that are no longer in use for the next rollouts."""
    layout = Layout.of(config)
    _idle.extend([(layout, choices) for choices in buffers])


def new_choices(config: PointerConfig, count: int, pairs: int) -> Choices:
    """For so many choices and pairs, with the spare rows that products need."""
    layout = Layout.of(config)
    count, pairs, width = count + 1 + SPARE, pairs + SPARE, layout.width

    def floats(*shape: int) -> NDArray[np.float32]:
        return np.empty(shape, dtype=np.float32)

    def ints(*shape: int) -> NDArray[np.int64]:
        return np.empty(shape, dtype=np.int64)

    return Choices(
        rollout=ints(count),
        first=ints(count),
        chosen=ints(count),
        agents=floats(count, layout.agent.size),
        agent_hidden=floats(count, width),
        agent_state=floats(count, width),
        pooling=floats(count, 2 * width),
        context=floats(count, width),
        pairs=floats(pairs, layout.pair.size),
        task=ints(pairs),
        logit=floats(pairs),
        probability=floats(pairs),
        is_positive=np.empty((pairs, width // LANES), dtype=np.uint8),
    )


def new_sample_log(
    batch: Batch, count: int, log_prob: NDArray[np.float64], stream: NDArray[np.uint64]
) -> SampleLog:
    """For so many rollouts of a batch; the sums and random streams are those of all rollouts."""
    steps = count * (2 * batch.num_tasks // batch.num_vehicles + 8)
    return SampleLog(
        rollout=_ints(steps),
        action=_ints(steps, batch.num_vehicles),
        order=_ints(steps, batch.num_vehicles),
        log_prob=log_prob,
        stream=stream,
        filled=_ints(3),
    )


def enlarged(buffers: T, names: tuple[str, ...]) -> T:
    """With the named arrays twice as long, and what they hold."""
    old = {name: getattr(buffers, name) for name in names}
    return buffers._replace(
        **{name: np.concatenate([array, np.empty_like(array)]) for name, array in old.items()}
    )


def new_score_scratch(config: PointerConfig) -> Scratch:
    """For the choices that are scored at once."""
    rows = CHOICES_AT_ONCE * (config.reach + 1) + SPARE
    hidden = _floats(rows, skewed(Layout.of(config).width))
    return Scratch(hidden=hidden, owner=_ints(rows), zeros=_ints(rows))


def new_gradient_scratch(config: PointerConfig) -> GradientScratch:
    """For a block of choices in the backward pass."""
    width, columns = Layout.of(config).width, config.reach + 1
    # One choice may have more pairs than are done at once.
    pairs, choices = PAIRS + columns + SPARE, CHOICES + SPARE
    most = max(pairs, choices)
    return GradientScratch(
        slope=_floats(CHOICES * columns),
        is_live=np.zeros(CHOICES, dtype=np.bool_),
        hidden=_floats(pairs, skewed(width)),
        owner=_ints(most),
        inputs=_floats(pairs, skewed(width)),
        back=_floats(pairs, skewed(width)),
        total=_floats(pairs, skewed(width)),
        common=_ints(width),
        mixed=_ints(width),
        rows=_floats(width + ROWS, width),
        sums=_floats(width + ROWS, width),
        context=_floats(choices, width),
        pooling=_floats(choices, 2 * width),
        agent_state=_floats(choices, width),
        agent_hidden=_floats(choices, width),
        each=np.arange(most),
        zeros=_ints(most),
        nothing=_floats(1, 2 * width),
    )
