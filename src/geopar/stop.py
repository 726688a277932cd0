"""When to stop: small rules that combine with ``|`` (whichever first) and ``&`` (all of them)."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from geopar.errors import refuse

# Of a run that nobody gave a rule.
DEFAULT_SECONDS = 10.0
# Of what is set aside, so little is the same however busy the machine is; and the busiest machine
# that is reckoned with lets a run have one part in so many of a processor.
SHORT, MOST_SLOWER = 0.05, 4.0


class OutOfTimeError(Exception):
    """The time was up before a first plan was complete."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    seconds: float
    iterations: int
    cost: float
    stale_seconds: float
    stale_iterations: int


class StopRule(ABC):
    """Says when a run is over, and how much of it has passed, for schedules that need to know."""

    @abstractmethod
    def fraction(self, progress: Progress) -> float:
        """How much of the run has passed; 1 or more means: stop."""

    def seconds_left(self, progress: Progress) -> float:
        """Time until this rule stops the run, as far as it can tell; infinite otherwise."""
        return math.inf

    def iterations_left(self, progress: Progress) -> float:
        """Iterations until this rule stops the run, as far as it can tell; infinite otherwise."""
        return math.inf

    def __or__(self, other: StopRule) -> StopRule:
        return FirstOf((self, other))

    def __and__(self, other: StopRule) -> StopRule:
        return AllOf((self, other))


def _require(name: str, value: float, low: float) -> None:
    if not (value >= low) or math.isinf(value):
        refuse("bad-limit", name, value, f"must be a finite number, {low:g} or more.")


@dataclass(frozen=True)
class MaxRuntime(StopRule):
    """Stop after so many seconds, set-up included; 0 returns the start."""

    limit: float

    def __post_init__(self) -> None:
        _require("time limit", self.limit, 0.0)

    def fraction(self, progress: Progress) -> float:
        """Seconds passed over the limit."""
        return progress.seconds / self.limit if self.limit else 1.0

    def seconds_left(self, progress: Progress) -> float:
        """What remains of the limit."""
        return self.limit - progress.seconds


@dataclass(frozen=True)
class MaxIterations(StopRule):
    """Stop after exactly so many iterations: the budget that repeats on any machine."""

    limit: int

    def __post_init__(self) -> None:
        _require("iterations", self.limit, 0)

    def fraction(self, progress: Progress) -> float:
        """Iterations done over the limit."""
        return progress.iterations / self.limit if self.limit else 1.0

    def iterations_left(self, progress: Progress) -> float:
        """What remains of the limit."""
        return self.limit - progress.iterations


@dataclass(frozen=True)
class NoImprovement(StopRule):
    """Stop when the best plan has stayed the same for so many seconds or iterations."""

    seconds: float = math.inf
    iterations: float = math.inf

    def __post_init__(self) -> None:
        if math.isinf(self.seconds) and math.isinf(self.iterations):
            _require("no improvement", math.inf, 0.0)
        _require("no improvement seconds", min(self.seconds, 1e300), 0.0)
        _require("no improvement iterations", min(self.iterations, 1e300), 0.0)

    def fraction(self, progress: Progress) -> float:
        """One when it has been too long; otherwise zero, because one find starts it anew."""
        stale = (
            progress.stale_seconds >= self.seconds or progress.stale_iterations >= self.iterations
        )
        return 1.0 if stale else 0.0

    def iterations_left(self, progress: Progress) -> float:
        """Iterations without improvement that are still allowed."""
        return self.iterations - progress.stale_iterations


@dataclass(frozen=True)
class TargetCost(StopRule):
    """Stop as soon as the objective is this good."""

    target: float

    def __post_init__(self) -> None:
        _require("target cost", self.target, -1e300)

    def fraction(self, progress: Progress) -> float:
        """One when it is reached, zero before."""
        return 1.0 if progress.cost <= self.target else 0.0


@dataclass(frozen=True)
class FirstOf(StopRule):
    """Stop as soon as one of the rules says so."""

    rules: tuple[StopRule, ...]

    def fraction(self, progress: Progress) -> float:
        """The largest of the fractions."""
        return max(rule.fraction(progress) for rule in self.rules)

    def seconds_left(self, progress: Progress) -> float:
        """The shortest of the times."""
        return min(rule.seconds_left(progress) for rule in self.rules)

    def iterations_left(self, progress: Progress) -> float:
        """The fewest of the iterations."""
        return min(rule.iterations_left(progress) for rule in self.rules)


@dataclass(frozen=True)
class AllOf(StopRule):
    """Stop when all the rules say so."""

    rules: tuple[StopRule, ...]

    def fraction(self, progress: Progress) -> float:
        """The smallest of the fractions."""
        return min(rule.fraction(progress) for rule in self.rules)

    def seconds_left(self, progress: Progress) -> float:
        """The longest of the times."""
        return max(rule.seconds_left(progress) for rule in self.rules)

    def iterations_left(self, progress: Progress) -> float:
        """The most of the iterations."""
        return max(rule.iterations_left(progress) for rule in self.rules)


@dataclass
class Budget:
    """A stop rule at work: the clock, the counters, and the user's wish to stop now.

    The clock starts when the budget is made, or at :meth:`restart`.
    """

    rule: StopRule
    interrupted: bool = False
    iterations: int = 0
    cost: float = math.inf
    _started: float = field(default_factory=lambda: time.perf_counter())
    _improved_at: tuple[float, int] = (0.0, 0)
    _after: float = 0.0
    _used: float = 0.0

    def restart(self, spent: float = 0.0, after: float = 0.0) -> None:
        """Start the clock now (after compiling, which does not count), so many seconds on.

        What comes ``after`` the run takes so many seconds of a processor, which are set aside.
        """
        self._started, self._after = time.perf_counter() - spent, after
        self._used = time.process_time()

    @property
    def seconds(self) -> float:
        """Time since the start, and what is set aside."""
        passed = time.perf_counter() - self._started
        if self._after < SHORT:
            return passed + self._after
        # Where processors are shared with others, it will take longer than it should.
        used = time.process_time() - self._used
        slower = min(max(passed / max(used, 1e-9), 1.0), MOST_SLOWER) if passed > 1.0 else 1.0
        return passed + self._after * slower

    def note(self, iterations: int, cost: float) -> bool:
        """Tell how many iterations are done in all and the best cost; True if that is better."""
        self.iterations = iterations
        improved = cost < self.cost
        if improved:
            self.cost = cost
            self._improved_at = (self.seconds, iterations)
        return improved

    @property
    def progress(self) -> Progress:
        """What the rules judge by."""
        seconds = self.seconds
        at_seconds, at_iterations = self._improved_at
        return Progress(
            seconds, self.iterations, self.cost, seconds - at_seconds,
            self.iterations - at_iterations,
        )  # fmt: skip

    @property
    def fraction(self) -> float:
        """How much of the run has passed, from 0 to 1."""
        return 1.0 if self.interrupted else min(1.0, self.rule.fraction(self.progress))

    @property
    def done(self) -> bool:
        """Whether to stop."""
        return self.fraction >= 1.0

    @property
    def seconds_left(self) -> float:
        """Time left, infinite if no rule limits it."""
        return self.rule.seconds_left(self.progress)

    @property
    def iterations_left(self) -> float:
        """Iterations left, infinite if no rule limits them."""
        return self.rule.iterations_left(self.progress)

    def require_time(self) -> float:
        """The seconds left; if the time is up, give up, whatever other rules say.

        Raises
        ------
        OutOfTimeError
            After the last second, or after Ctrl-C.
        """
        left = self.seconds_left
        if self.interrupted or left <= 0.0:
            raise OutOfTimeError
        return left
