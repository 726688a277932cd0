"""The nearest neighbours of very many places, in pieces between which a run may give up."""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Pause = Callable[[], float]
"""Called now and then by what takes long: how many seconds are left. It may raise to end that."""

# A piece takes some hundredths of a second.
PIECE = 10_000
# The tree of more places is built in haste, and answers as fast.
HASTE = 100_000
# Seconds between two pauses while a tree is built.
POLL = 0.02


def go_on() -> float:
    """A pause without an end to come."""
    return math.inf


def nearest_others(
    places: Floats, count: int, rows: int | None = None, pause: Pause = go_on
) -> tuple[NDArray[np.uint32], Floats]:
    """For each of the first ``rows`` places the nearest others, nearest first, and how far.

    Parameters
    ----------
    places
        Where they are.
    count
        How many others; fewer when there are no more.
    rows
        All when left out.
    """
    rows = len(places) if rows is None else rows
    count = min(count, len(places) - 1)
    index, distance = np.empty((rows, count), np.uint32), np.empty((rows, count))
    if count == 0:
        return index, distance
    tree = _tree(places, pause)
    if rows > HASTE:
        # Pieces are spread over all rows: the first would have to wait for all of the memory.
        for begin in range(0, rows, 2 * PIECE):
            pause()
            index[begin : begin + 2 * PIECE] = 0
            distance[begin : begin + 2 * PIECE] = 0.0
    # Place by place as the tree has them: neighbours find the same nodes in the cache.
    order = np.asarray(tree.indices)
    order = order[order < rows]
    for begin in range(0, rows, PIECE):
        pause()
        piece = order[begin : begin + PIECE]
        away, found = tree.query(places[piece], np.arange(1, count + 2))
        found, away = _without_itself(np.asarray(found), np.asarray(away), piece)
        index[piece], distance[piece] = found, away
    return index, distance


def _tree(places: Floats, pause: Pause) -> cKDTree:
    """A tree of the places.

    Building one of a million takes half a second, in which a run could neither be given up nor be
    interrupted. So another thread builds it; who gives up leaves that to itself.
    """
    if len(places) <= HASTE:
        return cKDTree(places)
    found: Future[cKDTree] = Future()

    def build() -> None:
        try:
            found.set_result(_built(places))
        except BaseException as error:  # for whoever waits
            found.set_exception(error)

    builder = threading.Thread(target=build, name="tree of places", daemon=True)
    builder.start()
    try:
        while True:
            pause()
            with suppress(TimeoutError):
                return found.result(POLL)
    finally:
        if not found.done():
            _step_back(builder)


def _step_back(builder: threading.Thread) -> None:
    """Nobody waits for it any more: on one core it must not hold up who goes on without it."""
    if sys.platform == "linux" and builder.native_id is not None:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, builder.native_id, 19)  # there: of one thread


def _built(places: Floats) -> cKDTree:
    return cKDTree(places, compact_nodes=False, balanced_tree=False)


def _without_itself(found: Ints, away: Floats, piece: Ints) -> tuple[Ints, Floats]:
    """Drop each place from its own neighbours, or the farthest of them.

    Among places in one spot it need not be the first, nor there at all.
    """
    itself = found == piece[:, None]
    if itself[:, 0].all():
        return found[:, 1:], away[:, 1:]
    itself[~itself.any(axis=1), -1] = True
    shape = len(piece), found.shape[1] - 1
    return found[~itself].reshape(shape), away[~itself].reshape(shape)
