"""Learned peers by name, loaded when first used."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from geopar.errors import Faults
from geopar.problems.kinds import Kind

if TYPE_CHECKING:
    from geopar.peers.peer import Peer, PeerConfig


@dataclass(frozen=True, slots=True)
class PeerInfo:
    """Where a peer lives, and its problems."""

    name: str
    target: str
    kinds: tuple[Kind, ...]


_ALL = (
    PeerInfo("parco", "geopar.peers.parco:Parco", ("hcvrp", "omdcpdp")),
    PeerInfo("am", "geopar.peers.am:AttentionModel", ("hcvrp",)),
    PeerInfo("2d-ptr", "geopar.peers.two_d_ptr:TwoDPtr", ("hcvrp",)),
    PeerInfo("dpn", "geopar.peers.dpn:DPN", ("hcvrp",)),
    PeerInfo("ham", "geopar.peers.ham:HAM", ("omdcpdp",)),
    PeerInfo("mapdp", "geopar.peers.mapdp:MAPDP", ("omdcpdp",)),
)


def peers(kind: str | None = None) -> dict[str, PeerInfo]:
    """All learned peers by name, or those for one problem."""
    return {info.name: info for info in _ALL if kind is None or kind in info.kinds}


def peer_class(name: str, kind: str) -> type[Peer]:
    """The class of a peer for a problem.

    Raises
    ------
    geopar.errors.InputError
        For an unknown name, or a peer that does not do this problem.
    """
    info, faults = peers().get(name), Faults()
    hint = f"Maybe one of: {', '.join(peers(kind))}."
    if info is None:
        faults.add("unknown-value", "learner", name, "is no learned peer.", hint)
        faults.raise_now()
    if kind not in info.kinds:
        faults.add("wrong-problem", "learner", name, f"does not learn {kind}.", hint)
        faults.raise_now()
    module, _, attribute = info.target.partition(":")
    found: type[Peer] = getattr(importlib.import_module(module), attribute)
    return found


def make_peer(name: str, config: PeerConfig) -> Peer:
    """A peer that has learned nothing."""
    return peer_class(name, config.kind)(config)
