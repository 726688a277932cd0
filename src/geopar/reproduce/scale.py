"""How much of an experiment is run: the whole of it, what an evening allows, or a quick look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from geopar.problems.frozen import set_size
from geopar.problems.setting import Setting

# By the most tasks for which each holds.
Counts = tuple[tuple[int, int], ...]
ANY = 10**9


@dataclass(frozen=True)
class Scale:
    """How much is run.

    Parameters
    ----------
    name
        Of the scale.
    instances, searched
        Of a set, for networks and for searches, by the most tasks for which each number holds.
    single
        How many of them are timed one by one; the others go in batches, which gives amortised
        times.
    patience
        Seconds after which one pass over one instance is given up: of the processor where one
        thread works.
    largest
        Tasks of the largest instances of curves over the size.
    share
        What part of its own budget a search gets, by its name.
    search_seconds
        Of our search, for each thousand tasks, where its plans are looked at.
    """

    name: str
    instances: Counts
    searched: Counts
    single: int
    patience: float
    largest: int
    share: Mapping[str, float] = field(default_factory=dict)
    search_seconds: float = 1.0

    def count(self, name: str, *, searching: bool = False) -> int:
        """Instances of a set."""
        setting = Setting.parse(name)
        counts = self.searched if searching else self.instances
        wanted = next(count for most, count in counts if setting.num_tasks <= most)
        return min(wanted, set_size(setting))


QUICK = Scale(
    "quick",
    instances=((100, 32), (1000, 2), (ANY, 1)),
    searched=((100, 4), (ANY, 1)),
    single=1,
    patience=15.0,
    largest=3000,
    share={"sisr": 0.01, "ga": 1.0, "sa": 1.0, "ortools-span": 0.02},
)
USUAL = Scale(
    "usual",
    instances=((100, 128), (1000, 16), (ANY, 4)),
    searched=((100, 16), (ANY, 1)),
    single=2,
    patience=120.0,
    largest=10_000,
    share={"sisr": 0.02, "ga": 1.0, "sa": 1.0, "ortools-span": 0.1},
    search_seconds=5.0,
)
FULL = Scale(
    "full",
    instances=((100, 1000), (1000, 128), (ANY, 16)),
    searched=((100, 16), (ANY, 2)),
    single=8,
    patience=1800.0,
    largest=20_000,
    share={"sisr": 1.0, "ga": 1.0, "sa": 1.0, "ortools-span": 1.0},
    search_seconds=20.0,
)
