"""Room for the choices of compiled rollouts, and for what is in between."""

from __future__ import annotations

from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from geopar.model.choice_kernel import AT_ONCE, Choices, Workplace
from geopar.model.configuration import ModelConfig
from geopar.model.gradient_kernel import CHOICES, PAIRS, Desk
from geopar.model.network_arrays import Layout
from geopar.model.product_kernel import ROWS, SPARE, skewed
from geopar.model.sample_kernel import Story
from geopar.model.vectors import LANES
from geopar.problems.batch import Batch

T = TypeVar("T", Choices, Story)


def _numbers(*shape: int) -> NDArray[np.float32]:
    return np.zeros(shape, dtype=np.float32)


def _whole(*shape: int) -> NDArray[np.int64]:
    return np.zeros(shape, dtype=np.int64)


# Fresh memory costs as much as a tenth of what is done with it, so it is kept for the next time.
_idle: list[tuple[Layout, Choices]] = []
_lock = Lock()


def choices_for(config: ModelConfig, count: int, pairs: int) -> Choices:
    """For so many choices and pairs, or more."""
    layout = Layout.of(config)
    with _lock:
        for i, (other, room) in enumerate(_idle):
            if other == layout and len(room.rollout) >= count and len(room.task) >= pairs:
                return _idle.pop(i)[1]
        # Of another size or network: they will hardly be asked for again.
        _idle.clear()
    return new_choices(config, count, pairs)


def new_choices(config: ModelConfig, count: int, pairs: int) -> Choices:
    """For so many choices and pairs, with what products need besides."""
    layout = Layout.of(config)
    count, pairs, width = count + 1 + SPARE, pairs + SPARE, layout.width

    def numbers(*shape: int) -> NDArray[np.float32]:
        return np.empty(shape, dtype=np.float32)

    def whole(*shape: int) -> NDArray[np.int64]:
        return np.empty(shape, dtype=np.int64)

    return Choices(
        rollout=whole(count),
        first=whole(count),
        chosen=whole(count),
        agents=numbers(count, layout.agent.size),
        inside=numbers(count, width),
        state=numbers(count, width),
        crowd=numbers(count, 2 * width),
        pooled=numbers(count, width),
        pairs=numbers(pairs, layout.pair.size),
        task=whole(pairs),
        logit=numbers(pairs),
        share=numbers(pairs),
        is_above=np.empty((pairs, width // LANES), dtype=np.uint8),
    )


def give_back(config: ModelConfig, rooms: list[Choices]) -> None:
    """Whoever had them needs them no more."""
    layout = Layout.of(config)
    _idle.extend([(layout, room) for room in rooms])


def story_for(
    batch: Batch, count: int, log_prob: NDArray[np.float64], stream: NDArray[np.uint64]
) -> Story:
    """For so many rollouts of a batch."""
    steps = count * (2 * batch.num_tasks // batch.num_vehicles + 8)
    return Story(
        rollout=_whole(steps),
        action=_whole(steps, batch.num_vehicles),
        order=_whole(steps, batch.num_vehicles),
        log_prob=log_prob,
        stream=stream,
        filled=_whole(3),
    )


def enlarged(parts: T, names: tuple[str, ...]) -> T:
    """Twice the room in the named arrays, with what they hold."""
    old = {name: getattr(parts, name) for name in names}
    return parts._replace(
        **{name: np.concatenate([array, np.empty_like(array)]) for name, array in old.items()}
    )


def workplace_for(config: ModelConfig) -> Workplace:
    """For the choices that are scored at once."""
    rows = AT_ONCE * (config.reach_size + 1) + SPARE
    hidden = _numbers(rows, skewed(Layout.of(config).width))
    return Workplace(hidden=hidden, owner=_whole(rows), nobody=_whole(rows))


def desk_for(config: ModelConfig) -> Desk:
    """For a block of choices on the way back."""
    width, columns = Layout.of(config).width, config.reach_size + 1
    # One choice may have more pairs than are done at once.
    pairs, choices = PAIRS + columns + SPARE, CHOICES + SPARE
    most = max(pairs, choices)
    return Desk(
        slope=_numbers(CHOICES * columns),
        is_live=np.zeros(CHOICES, dtype=np.bool_),
        hidden=_numbers(pairs, skewed(width)),
        reached=_numbers(pairs, skewed(width)),
        back=_numbers(pairs, skewed(width)),
        total=_numbers(pairs, skewed(width)),
        owner=_whole(most),
        each=np.arange(most),
        common=_whole(width),
        mixed=_whole(width),
        rows=_numbers(width + ROWS, width),
        sums=_numbers(width + ROWS, width),
        nobody=_whole(most),
        nothing=_numbers(1, 2 * width),
        pooled=_numbers(choices, width),
        crowd=_numbers(choices, 2 * width),
        state=_numbers(choices, width),
        inside=_numbers(choices, width),
    )
