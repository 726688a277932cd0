"""What both environments have in common: actions and states.

A state has two leading dimensions, ``B`` instances and ``R`` rollouts of each (or, when training
scores a finished rollout again, ``R`` steps of it), so that everything which belongs to the
instance is shared by broadcasting and never copied.

An action is a task ``0 … N-1``, ``N`` for home (HCVRP: drive to the depot and reload, or wait
there; OMDCPDP: wait), or ``N + 1`` for staying after a lost conflict, which is never chosen and
always allowed.
"""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

from torch import Tensor

from geopar.problems.batch import Batch, HCVRPBatch


class State(Protocol):
    """What every state has; all tensors start with ``(B, R)``."""

    @property
    def place(self) -> Tensor:
        """``(B, R, M)``: the task where each vehicle is, ``N`` at its depot or start."""

    @property
    def position(self) -> Tensor:
        """``(B, R, M, 2)``: the coordinates of that place."""

    @property
    def length(self) -> Tensor:
        """``(B, R, M)``: how far each vehicle has driven."""

    @property
    def open(self) -> Tensor:
        """``(B, R, N + 1)``: tasks that somebody might still serve now; the last is never set."""

    @property
    def steps(self) -> Tensor:
        """``(B, R)``: parallel steps until the instance was done."""

    @property
    def done(self) -> Tensor:
        """``(B, R)``: whether everything is served."""


S = TypeVar("S")


class Environment(Protocol, Generic[S]):
    """The rules of a problem for one batch."""

    @property
    def batch(self) -> Batch:
        """The instances."""

    @property
    def inserts(self) -> bool:
        """Whether tasks are put where they cost least, not one behind the other."""

    def on(self, batch: Any) -> Environment[S]:
        """The same rules for other instances of the problem."""

    def reset(self, rollouts: int = 1) -> S:
        """The state in which nothing has been done."""

    def step(self, state: S, action: Tensor) -> S:
        """All vehicles act at once: ``action`` is ``(B, R, M)``; no task may be named twice."""

    def feasible(self, state: S, candidates: Tensor) -> Tensor:
        """Whether each vehicle may name each candidate.

        Parameters
        ----------
        state
            The state.
        candidates
            Tasks, or ``N`` for home: ``(B, K)`` shared by all vehicles and rollouts, or
            ``(B, R, M, K)``.

        Returns
        -------
        Tensor
            ``(B, R, M, K)`` booleans.
        """

    def mask(self, state: S) -> Tensor:
        """``(B, R, M, N + 1)``: what each vehicle may do; home is the last column."""

    def home_allowed(self, state: S) -> Tensor:
        """``(B, R, M)``: whether the home action is open to each vehicle."""

    def unserved(self, state: S) -> Tensor:
        """``(B, R, N + 1)``: tasks that still have to be served, now or later."""

    def has_task(self, state: S) -> Tensor:
        """``(B, R, M)``: whether some task is open to each vehicle."""

    def cost(self, state: S) -> Tensor:
        """``(B, R)`` float64: the objective of finished rollouts, in the user's units."""


def make_environment(
    batch: Batch, retirement: bool = False, inserts: bool = False
) -> Environment[Any]:
    """The environment for a batch.

    ``retirement`` is PARCO's rule for OMDCPDP; with ``inserts`` customers of HCVRP are put where
    they cost least in an open trip, and orders of OMDCPDP in a route.
    """
    if isinstance(batch, HCVRPBatch):
        from geopar.problems.hcvrp.environment import HCVRPEnvironment

        return HCVRPEnvironment(batch, inserts)
    if inserts:
        from geopar.problems.omdcpdp.insertion import InsertionEnvironment

        return InsertionEnvironment(batch)
    from geopar.problems.omdcpdp.environment import OMDCPDPEnvironment

    return OMDCPDPEnvironment(batch, retirement)
