"""``python -m geopar.testing torture --minutes 5``: random cases, counts, and what failed.

``days`` are working days of any mix through reader, search and two checkers; ``solves`` plain
problems of every shape through every solver; ``threads`` such problems and larger ones through
searches of two and three threads; ``files`` spoilt files through every reader; ``service`` a server
under load whose workers and which itself are killed, rude clients, and what a day brings (a round
of one of these for a seed, or of ``--round``); ``torture`` all of them in turn. A case is its
campaign and its seed: ``solves --seed 7 --count 1`` sees it again, and ``--keep`` writes what was
solved, read or sent to a folder.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import secrets
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from geopar.files.problem_json import problem_text
from geopar.problems import Problem
from geopar.testing import fuzzed_files, random_days, random_solves, random_threads, shapes
from geopar.testing.service_rounds import ROUNDS, ServiceRounds, can_run

# Seeds of one campaign in a row, when there are several; a round of the service takes seconds.
IN_A_ROW = {"days": 5, "solves": 20, "threads": 10, "files": 50, "service": 1}
# A shape counts as worse with more search from so many pairs on, and from this mean ratio.
LEAST_PAIRS, MOST_RATIO = 30, 1.01
SECONDS_BETWEEN_LINES = 10.0


class Campaigns:
    """What was tried so far, and what came of it."""

    def __init__(
        self, keep: Path | None, rate: float = 20.0, only_round: str | None = None
    ) -> None:
        self.rounds = ServiceRounds(rate, only_round)
        self.done: dict[str, int] = defaultdict(int)
        self.failed = 0
        self._keep = keep
        self._ratios: dict[str, list[float]] = defaultdict(list)
        self._told = time.monotonic()

    def run(self, name: str, seed: int) -> None:
        """One case."""
        try:
            found = CAMPAIGNS[name](self, seed)
        except Exception as error:  # whatever it is, it is what is looked for
            found = [f"{type(error).__name__}: {error}"]
        for what in found:
            print(f"{name} --seed {seed}: {what}", flush=True)
        if found:
            self.failed += 1
            self._write(name, seed)
            print(f"Again: python -m geopar.testing {name} --seed {seed} --count 1", flush=True)
        if time.monotonic() - self._told > SECONDS_BETWEEN_LINES:
            self._told = time.monotonic()
            print(self, flush=True)

    def days(self, seed: int) -> list[str]:
        """A working day."""
        self.done["days"] += 1
        return [failure.what for _, some in random_days.campaign(1, seed) for failure in some]

    def solves(self, seed: int) -> list[str]:
        """A plain problem."""
        tried = random_solves.tried(seed)
        self.done["solves"] += tried.solves
        if tried.long_over_short is not None:
            self._ratios[tried.shape].append(tried.long_over_short)
        return tried.failures

    def threads(self, seed: int) -> list[str]:
        """A plain problem, by several threads."""
        tried = random_threads.tried(seed)
        self.done["threads"] += tried.solves
        return tried.failures

    def files(self, seed: int) -> list[str]:
        """A file."""
        self.done["files"] += 1
        return fuzzed_files.tried(seed)

    def service(self, seed: int) -> list[str]:
        """A round of the service."""
        return self.rounds.tried(seed)

    def close(self) -> None:
        """End what is still running."""
        for what in self.rounds.close():
            print(what, flush=True)
            self.failed += 1

    def _write(self, name: str, seed: int) -> None:
        if self._keep is None:
            return
        self._keep.mkdir(parents=True, exist_ok=True)
        if name == "service":
            text = json.dumps(self.rounds.reproduce, indent=1, default=str)
            (self._keep / f"service-{seed}.json").write_text(text)
        elif name == "files":
            form, data, _ = fuzzed_files.fuzzed(seed)
            (self._keep / f"files-{seed}.{form}").write_bytes(data)
        else:
            problem = DRAWN[name](seed)
            (self._keep / f"{name}-{seed}.json").write_text(problem_text(problem))

    def worse_with_more(self) -> list[str]:
        """The shapes in which ten times the search is worse in the mean."""
        means = {shape: sum(some) / len(some) for shape, some in self._ratios.items()}
        return [
            f"{shape}: ten times the search is {mean:.4f} of a tenth"
            for shape, mean in means.items()
            if len(self._ratios[shape]) >= LEAST_PAIRS and mean > MOST_RATIO
        ]

    def __str__(self) -> str:
        counts = ", ".join(
            f"{count:,} {'solves by ' if name == 'threads' else ''}{name}"
            for name, count in self.done.items()
        )
        if self.rounds.done:
            counts = f"{counts}{', ' if counts else ''}{self.rounds}"
        return f"{counts}; {self.failed} failed"


CAMPAIGNS: dict[str, Callable[[Campaigns, int], list[str]]] = {
    "days": Campaigns.days,
    "solves": Campaigns.solves,
    "threads": Campaigns.threads,
    "files": Campaigns.files,
    "service": Campaigns.service,
}


DRAWN: dict[str, Callable[[int], Problem]] = {
    "days": random_days.drawn,
    "solves": shapes.drawn,
    "threads": random_threads.drawn,
}


def turns(names: list[str]) -> Iterator[tuple[str, bool]]:
    """Whose turn it is, seed after seed, and whether everybody had one before."""
    one_round = [name for name in names for _ in range(IN_A_ROW[name])]
    yield from ((name, False) for name in one_round)
    yield from ((name, True) for name in itertools.cycle(one_round))


def main() -> int:
    """Run a campaign; 1 if anything failed."""
    parser = argparse.ArgumentParser(
        prog="python -m geopar.testing",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("campaign", choices=[*CAMPAIGNS, "torture"])
    parser.add_argument("--count", type=int, help="seeds at most")
    parser.add_argument("--seed", type=int, help="the first; a new one each time when left out")
    parser.add_argument(
        "--minutes", type=float, help="about; 1 when left out, unless --count says when to end"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write what failed there")
    parser.add_argument(
        "--rate", type=float, default=20.0, help="honest solves a second while the service suffers"
    )
    parser.add_argument("--round", choices=ROUNDS, help="of the service, that one alone")
    options = parser.parse_args()
    names = [*CAMPAIGNS] if options.campaign == "torture" else [options.campaign]
    if not can_run():
        names = [name for name in names if name != "service"]
        print("The service is left out: it needs Linux and geopar[service].", flush=True)
    first = secrets.randbelow(1 << 40) if options.seed is None else options.seed
    print(f"{options.campaign} from seed {first}", flush=True)
    campaigns = Campaigns(options.keep, options.rate, options.round)
    minutes = options.minutes
    if minutes is None:
        minutes = 1.0 if options.count is None else math.inf
    end = time.monotonic() + 60.0 * minutes
    try:
        seeds = itertools.islice(itertools.count(first), options.count)
        for seed, (name, all_had_one) in zip(seeds, turns(names), strict=False):
            # However slow a machine is, of a torture nothing is left out.
            enough = all_had_one or (len(names) == 1 and seed > first)
            if time.monotonic() > end and enough:
                break
            campaigns.run(name, seed)
    finally:
        campaigns.close()
    worse = campaigns.worse_with_more()
    for line in worse:
        print(line)
    print(f"{campaigns} (from seed {first})")
    return 1 if campaigns.failed or worse else 0


if __name__ == "__main__":
    sys.exit(main())
