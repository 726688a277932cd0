"""Room for the choices of compiled rollouts, and for what is in between."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from geopar.model.choice_kernel import AT_ONCE, Choices, Workplace
from geopar.model.configuration import ModelConfig
from geopar.model.gradient_kernel import CHOICES, PAIRS, Desk
from geopar.model.network_arrays import Layout
from geopar.model.product_kernel import SPARE
from geopar.model.sample_kernel import Story
from geopar.model.vectors import LANES
from geopar.problems.batch import Batch

T = TypeVar("T", Choices, Story)


def _numbers(*shape: int) -> NDArray[np.float32]:
    """Zeros, since products read a little further than what was written."""
    return np.zeros(shape, dtype=np.float32)


def _whole(*shape: int) -> NDArray[np.int64]:
    return np.zeros(shape, dtype=np.int64)


def choices_for(config: ModelConfig, count: int, pairs: int) -> Choices:
    """For so many choices and pairs; what is never written costs nothing."""
    layout = Layout.of(config)
    width = layout.width
    return Choices(
        rollout=_whole(count),
        first=_whole(count),
        chosen=_whole(count),
        agents=_numbers(count, layout.agent.size),
        inside=_numbers(count, width),
        state=_numbers(count, width),
        crowd=_numbers(count, 2 * width),
        pooled=_numbers(count, width),
        pairs=_numbers(pairs, layout.pair.size),
        task=_whole(pairs),
        logit=_numbers(pairs),
        share=_numbers(pairs),
        is_above=np.zeros((pairs, width // LANES), dtype=np.uint8),
    )


def story_for(batch: Batch, stream: NDArray[np.uint64]) -> Story:
    """For rollouts of a batch, each with its random stream."""
    count, vehicles = len(stream), batch.num_vehicles
    steps = count * (2 * batch.num_tasks // vehicles + 8)
    return Story(
        rollout=_whole(steps),
        action=_whole(steps, vehicles),
        order=_whole(steps, vehicles),
        log_prob=np.zeros(count),
        stream=stream,
        filled=_whole(3),
    )


def enlarged(parts: T, names: tuple[str, ...]) -> T:
    """Twice the room in the named arrays, with what they hold."""
    old = {name: getattr(parts, name) for name in names}
    return parts._replace(
        **{name: np.concatenate([array, np.zeros_like(array)]) for name, array in old.items()}
    )


def workplace_for(config: ModelConfig) -> Workplace:
    """For the choices that are scored at once."""
    rows = AT_ONCE * (config.reach_size + 1) + SPARE
    hidden = _numbers(rows, Layout.of(config).width)
    return Workplace(hidden=hidden, owner=_whole(rows), nobody=_whole(rows))


def desk_for(config: ModelConfig) -> Desk:
    """For a block of choices on the way back."""
    width, columns = Layout.of(config).width, config.reach_size + 1
    # One choice may have more pairs than are done at once; the last row stays zero.
    pairs, choices = PAIRS + columns + SPARE + 1, CHOICES + SPARE
    most = max(pairs, choices)
    return Desk(
        slope=_numbers(CHOICES * columns),
        is_live=np.zeros(CHOICES, dtype=np.bool_),
        hidden=_numbers(pairs, width),
        reached=_numbers(pairs, width),
        back=_numbers(pairs, width),
        total=_numbers(pairs, width),
        owner=_whole(most),
        slot=_whole(pairs),
        kept=_whole(pairs),
        each=np.arange(most),
        nobody=_whole(most),
        nothing=_numbers(1, 2 * width),
        pooled=_numbers(choices, width),
        crowd=_numbers(choices, 2 * width),
        state=_numbers(choices, width),
        inside=_numbers(choices, width),
    )
