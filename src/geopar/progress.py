"""The progress line of a run: time, iterations per second, best, balance."""

from __future__ import annotations

import time

from rich.console import Console
from rich.live import Live
from rich.text import Text

from geopar.checking import check
from geopar.problems import Problem
from geopar.result import balance, number
from geopar.solver import Snapshot

FIRST_AFTER = 2.0
INTERVAL = 1.0

# The balance needs the plan, and looking at it takes the solver's time: at most this share of it,
# by this guess at first.
MOST_SHARE = 0.02
SECONDS_PER_TASK = 1e-5


class ProgressLine:
    """Shows snapshots of a run that takes longer than two seconds, one a second.

    On a terminal it is one line that changes, elsewhere a line each time.
    """

    def __init__(self, problem: Problem, console: Console) -> None:
        self._problem = problem
        self._console = console
        self._next = FIRST_AFTER
        self._next_balance = SECONDS_PER_TASK * problem.num_tasks / MOST_SHARE
        self._balance = ""
        self._live: Live | None = None

    def __call__(self, snapshot: Snapshot) -> None:
        """Show this snapshot, if it is time to."""
        if snapshot.seconds < self._next:
            return
        if snapshot.seconds >= self._next_balance:
            before = time.perf_counter()
            completion = check(self._problem, snapshot.plan()).completion
            self._balance = f"  balance {balance(completion):.0%}"
            cost = time.perf_counter() - before
            self._next_balance = snapshot.seconds + cost / MOST_SHARE
        self._show(self._line(snapshot))
        self._next = snapshot.seconds + INTERVAL

    def _line(self, snapshot: Snapshot) -> str:
        speed = snapshot.iterations / max(snapshot.seconds, 1e-9)
        return (
            f"{snapshot.seconds:6.1f} s  {speed:,.0f} iterations/s  "
            f"best {number(snapshot.objective)}{self._balance}"
        )

    def _show(self, line: str) -> None:
        if not self._console.is_terminal:
            self._console.print(line, highlight=False, soft_wrap=True)
            return
        if self._live is None:
            # It is refreshed here and not by a thread of its own, which would disturb the run.
            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(Text(line), refresh=True)

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()
