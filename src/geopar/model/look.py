"""Everything that a network is told about a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Look:
    """What our network is told of ``(B, R)`` states: who may do what, and how it appears to them.

    Parameters
    ----------
    candidates
        ``(B, R, M, K)`` tasks, home in the last column.
    feasible
        ``(B, R, M, K)``.
    active
        ``(B, R, M)``: some task is open to the agent.
    agents, fleet
        ``(B, R, M, F)`` of each agent and ``(B, R, F)`` of all, relative.
    pairs
        ``(B, R, M, K, F)`` of every agent and candidate.
    """

    candidates: Tensor
    feasible: Tensor
    active: Tensor
    agents: Tensor
    fleet: Tensor
    pairs: Tensor


@dataclass(frozen=True, eq=False)
class PlainLook:
    """What the paper's network is told of ``(B, R)`` states: PARCO's states, and ξ of Eq. 8.

    Parameters
    ----------
    candidates
        ``(B, K)`` tasks that all agents look at, home in the last column.
    feasible
        ``(B, R, M, K)``.
    active
        ``(B, R, M)``: some task is open to the agent.
    agents, fleet
        ``(B, R, M, 3)`` of each agent and ``(B, R, 1)`` of the environment.
    dynamic
        ξ of the candidates, ``(B, R, K, 3)``.
    """

    candidates: Tensor
    feasible: Tensor
    active: Tensor
    agents: Tensor
    fleet: Tensor
    dynamic: Tensor


class FeatureSizes(NamedTuple):
    """How many features each part of a look has."""

    agents: int
    fleet: int
    pairs: int


class Frame:
    """The arrays that compiled code fills, and the look that they become.

    Parameters
    ----------
    state
        The states.
    sizes
        Of the features.
    near
        How many candidates to find where none are given.
    candidates
        ``(B, R, M, K)``, if they are given.
    include
        ``(B, R, M)`` tasks that must be among those that are found.
    """

    def __init__(
        self,
        state: Any,
        sizes: FeatureSizes,
        near: int,
        candidates: Tensor | None,
        include: Tensor | None,
    ) -> None:
        self._lead, vehicles = tuple(state.place.shape[:2]), state.place.shape[2]
        rows = self._lead[0] * self._lead[1]
        columns = near + 1 if candidates is None else candidates.shape[-1]
        self._given, self.choose = candidates, candidates is None
        nobody: NDArray[Any] = np.empty((0, 0), dtype=np.int64)
        self.include = nobody if include is None else rows_of_state(include)[0]
        if candidates is None:
            listed: NDArray[Any] = np.empty((rows, vehicles, columns), dtype=np.int64)
        else:
            (listed,) = rows_of_state(candidates)
        self.results: tuple[NDArray[Any], ...] = (
            listed,
            np.empty((rows, vehicles, columns), dtype=np.bool_),
            np.empty((rows, vehicles, sizes.agents), dtype=np.float32),
            np.empty((rows, sizes.fleet), dtype=np.float32),
            np.empty((rows, vehicles), dtype=np.bool_),
            np.empty((rows, vehicles, columns, sizes.pairs), dtype=np.float32),
        )

    def look(self) -> Look:
        """What was filled in, as tensors that share its memory."""
        listed, feasible, agents, fleet, active, pairs = (
            torch.from_numpy(array).view(*self._lead, *array.shape[1:]) for array in self.results
        )
        if self._given is not None:
            listed = self._given
        return Look(listed, feasible, active, agents, fleet, pairs)


def rows_of_state(*tensors: Tensor) -> tuple[NDArray[Any], ...]:
    """Tensors ``(B, R, ...)`` as arrays ``(B·R, ...)``, sharing memory where they can."""
    return tuple(t.flatten(0, 1).contiguous().numpy() for t in tensors)


class Seen(NamedTuple):
    """What is seen in one state of a compiled rollout; one row each, filled up with zeros."""

    candidates: NDArray[np.int64]
    feasible: NDArray[np.bool_]
    agents: NDArray[np.float32]
    fleet: NDArray[np.float32]
    active: NDArray[np.bool_]
    pairs: NDArray[np.float32]
