"""Learned peers by name: those solvers of this room that are trained (:mod:`geopar.solver`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from geopar.solver import find_solver, solvers

if TYPE_CHECKING:
    from geopar.peers.peer import Peer


def peers(kind: str | None = None) -> tuple[str, ...]:
    """The names of all learned peers, or of those for one problem."""
    found = solvers(kind).values()
    return tuple(i.name for i in found if i.is_trained and i.target.startswith(__package__))


def peer_class(name: str, kind: str) -> type[Peer]:
    """The class of a peer for a problem.

    Raises
    ------
    geopar.errors.InputError
        For an unknown name, or a peer that does not do this problem.
    """
    from geopar.peers.solver import PeerSolver

    return cast(PeerSolver, find_solver(name, kind).load()).peer
