"""A stop rule that another thread can pull."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event

from geopar.stop import Progress, StopRule


@dataclass(frozen=True)
class UntilTold(StopRule):
    """Stop as soon as ``told`` is set."""

    told: Event = field(default_factory=Event)

    def fraction(self, progress: Progress) -> float:
        """One when told, zero before."""
        return 1.0 if self.told.is_set() else 0.0

    def seconds_left(self, progress: Progress) -> float:
        """No time when told; nobody knows before."""
        return 0.0 if self.told.is_set() else super().seconds_left(progress)
