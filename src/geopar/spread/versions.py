"""Workers must be what this process is: the same Python and the same GeoPAR."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from typing import NamedTuple

from geopar import __about__
from geopar.errors import Faults


class Versions(NamedTuple):
    """Of Python, and of GeoPAR or None where it is not installed."""

    python: str
    geopar: str | None


def of_this_process() -> Versions:
    """Those that run here."""
    return Versions(platform.python_version(), __about__.__version__)


def probe() -> Callable[[], tuple[str, str | None]]:
    """A function that tells the versions of the process that calls it.

    It is nested so that it is sent as code: a worker without GeoPAR could not import it.
    """

    def tell() -> tuple[str, str | None]:
        import platform

        try:
            from geopar.__about__ import __version__
        except ImportError:
            return platform.python_version(), None
        return platform.python_version(), __version__

    return tell


def require_same(here: Versions, nodes: Mapping[str, Versions]) -> None:
    """Refuse workers that would not give the same results.

    Raises
    ------
    geopar.errors.InputError
        With every node that has another version, and both.
    """
    faults = Faults()
    hint = "Install the same on all machines, or leave the node out."
    for node, there in nodes.items():
        if _minor(there.python) != _minor(here.python):
            message = f"has Python {there.python}, here it is {here.python}."
            faults.add("other-versions", "cluster", node, message, hint)
        if there.geopar is None:
            message = f"has no GeoPAR, here it is {here.geopar}."
            faults.add("other-versions", "cluster", node, message, hint)
        elif there.geopar != here.geopar:
            message = f"has GeoPAR {there.geopar}, here it is {here.geopar}."
            faults.add("other-versions", "cluster", node, message, hint)
    faults.raise_if_any()


def _minor(version: str) -> tuple[str, ...]:
    """Those with another last number understand each other."""
    return tuple(version.split(".")[:2])
