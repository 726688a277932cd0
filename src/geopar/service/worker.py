"""The worker process: it carries out one command at a time, checks the plans, and reports.

A second thread reads the pipe, so that a run can be stopped and the worker ends with its server.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import signal
import time
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, Protocol

import geopar
from geopar.checking import as_checked, check
from geopar.errors import GeoparError, InputError, MissingExtraError
from geopar.fallback import BrokenPlanError
from geopar.files import plan_to_json
from geopar.problems import Problem
from geopar.result import Result
from geopar.service.documents import (
    join_text,
    result_document,
    result_fields,
    schedule,
    to_text,
    trace_document,
)
from geopar.service.messages import (
    EXIT,
    STOP,
    Command,
    Compiling,
    ConstructCommand,
    Done,
    Failed,
    Improvement,
    ProgressReport,
    Ready,
    Report,
    SolveCommand,
    TraceCommand,
)
from geopar.solver import Outcome, Snapshot, solvers
from geopar.solving import Announce, judge, load, never_broken
from geopar.stop import (
    Budget,
    MaxIterations,
    MaxRuntime,
    NoImprovement,
    Progress,
    StopRule,
    TargetCost,
)

# Least seconds between two reported improvements, and as a multiple of what reporting took.
REPORT_EVERY = 0.1
REPORT_SHARE = 20
PROGRESS_EVERY = 0.5
# The solver that builds a plan in one pass, for many problems at once.
ONE_PASS = "pointer"
# Numbers of vehicles for which weights are looked for.
FLEETS = (3, 5, 7, 10)

_log = logging.getLogger(__name__)


class Ends(Protocol):
    """What connects a worker with its server: the ends of a pipe, or of two queues."""

    def recv(self) -> Any:
        """The next message of the server."""

    def send(self, report: Any, /) -> None:
        """Send a report to it."""


def main(conn: Connection, kinds: tuple[str, ...], one_pass: bool, niceness: int) -> None:
    """Entry point of a worker process; returns never, ends with the server.

    Parameters
    ----------
    conn
        Pipe to the server.
    kinds
        The problems to be warm for.
    one_pass
        Whether to load the network as well as the search.
    niceness
        Added to the niceness of the process.
    """
    # Ctrl-C reaches every process of a terminal; the server decides when a worker ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.nice(niceness)
    live(conn, kinds, one_pass)


def live(conn: Ends, kinds: tuple[str, ...], one_pass: bool) -> None:
    """Carry out commands as they come, in this process; returns never."""
    inbox: SimpleQueue[Command] = SimpleQueue()
    worker = Worker(conn)
    Thread(target=_listen, args=(conn, inbox, worker), daemon=True).start()
    missing = _warm_up(kinds, one_pass, worker.announce_start)
    # What is loaded stays loaded: the collector need not go through all of it again and again.
    gc.collect()
    gc.freeze()
    worker.send(Ready(missing))
    while True:
        command = inbox.get()
        worker.send(worker.report_on(command))


def _listen(conn: Ends, inbox: SimpleQueue[Command], worker: Worker) -> None:
    try:
        while True:
            message = conn.recv()
            if message == EXIT:
                break
            if message == STOP:
                worker.stopped.set()
            else:
                # Before it is carried out, so that a stop that follows at once is not lost.
                worker.stopped = Event()
                inbox.put(message)
    except (EOFError, OSError):
        pass  # the server has ended
    except Exception:
        # A worker that cannot read commands would leave its clients waiting for ever.
        _log.exception("what the server sent cannot be read")
        os._exit(1)
    os._exit(0)


def _warm_up(kinds: tuple[str, ...], one_pass: bool, announce: Announce) -> dict[str, str]:
    """Load and compile what is needed first; say which solvers are not there, and why."""
    missing: dict[str, str] = {}
    for kind in kinds:

        def of_kind(text: str, kind: str = kind) -> None:
            announce(f"{text} ({kind.upper()})")

        for name in (ONE_PASS, "refine") if one_pass else ("refine",):
            try:
                load(name, kind, of_kind)
            except GeoparError as error:
                _log.info("%s: %s", name, error)
    if one_pass:
        for name, info in solvers().items():
            reason = _why_missing(name, info.kinds)
            if reason is not None:
                missing[name] = reason
    return missing


def _why_missing(name: str, kinds: tuple[str, ...]) -> str | None:
    """Why a solver cannot be used, or None. Solvers with a ``network`` need weights as well."""
    try:
        solver: Any = solvers()[name].load()
    except MissingExtraError as error:
        return str(error)
    if not hasattr(solver, "network"):
        return None
    # Some have other weights for other numbers of vehicles: one that is there is enough.
    reasons = [_no_weights(solver, f"{kind}/2/{m}") for kind in kinds for m in FLEETS]
    return None if None in reasons else reasons[0]


def _no_weights(solver: Any, setting: str) -> str | None:
    try:
        solver.network(geopar.generate(setting))
    except InputError as error:
        return str(error.faults[0])
    return None


@dataclass(frozen=True)
class UntilStopped(StopRule):
    """A stop rule that another thread can set: stop as soon as ``stopped`` is set."""

    stopped: Event = field(default_factory=Event)

    def fraction(self, progress: Progress) -> float:
        """One when it is set, zero before."""
        return 1.0 if self.stopped.is_set() else 0.0

    def seconds_left(self, progress: Progress) -> float:
        """Zero when it is set, unknown before."""
        return 0.0 if self.stopped.is_set() else super().seconds_left(progress)


@dataclass(frozen=True)
class AtTheLatest(StopRule):
    """Ends a run that takes too long, and lets nobody plan by it.

    A run of so many iterations cools by these, and repeats, as long as no clock takes part.
    """

    seconds: float

    def fraction(self, progress: Progress) -> float:
        """One when the time is over."""
        return 1.0 if progress.seconds >= self.seconds else 0.0


@dataclass
class Worker:
    """Carries out commands. ``stopped`` is set when the present one is to end."""

    conn: Ends
    stopped: Event = field(default_factory=Event)
    # What delays a run is told from a thread of its own.
    _sending: Lock = field(default_factory=Lock)

    def send(self, report: Report) -> None:
        """Send a report to the server."""
        try:
            with self._sending:
                self.conn.send(report)
        except (OSError, ValueError):
            os._exit(0)

    def announce_start(self, text: str) -> None:
        """What delays the start is told to whoever started the service, and to the server."""
        _log.warning(text)
        self.send(Compiling())

    def _announce(self, text: str) -> None:
        """What delays a run is told to the server, which would think that it hangs."""
        _log.info(text)
        self.send(Compiling())

    def report_on(self, command: Command) -> Done | Failed:
        """Carry out a command; whatever it raises becomes a report."""
        try:
            return self.carry_out(command)
        except (GeoparError, MemoryError) as error:
            return Failed.of(error)
        except BaseException as error:
            _log.exception("a command failed")
            return Failed.of(error)

    def carry_out(self, command: Command) -> Done:
        """Carry out a command and return its result."""
        if isinstance(command, SolveCommand):
            return self._solve(command)
        if isinstance(command, ConstructCommand):
            return _construct(command)
        return _trace(command)

    def _solve(self, command: SolveCommand) -> Done:
        stopped = self.stopped
        options = command.options
        rule = UntilStopped(stopped) | (
            MaxRuntime(command.time_limit)
            if options.iterations is None
            else MaxIterations(options.iterations) | AtTheLatest(command.time_limit)
        )
        if options.target is not None:
            rule |= TargetCost(options.target)
        if options.no_improvement is not None:
            rule |= NoImprovement(seconds=options.no_improvement)
        reporter = _Reporter(self, command) if command.watched else None
        result = geopar.solve(
            command.problem, rule, command.seed,
            solver=command.solver, start=command.start, observe=reporter, announce=self._announce,
            threads=options.threads,
        )  # fmt: skip
        if result.is_fallback:
            _log.error("%s", result.notes[-1])
        result = replace(result, interrupted=stopped.is_set())
        return Done((to_text(result_document(result)),), result.objective, result.iterations)


class _Reporter:
    """An observer that reports improvements, at a rate that does not slow down the search."""

    def __init__(self, worker: Worker, command: SolveCommand) -> None:
        self.worker, self.problem = worker, command.problem
        # What solve will take, which only says so at the end.
        self.solver = load(command.solver, command.problem.kind, _log.info)[0]
        self.history: list[tuple[float, float]] = []
        self.unsent = False
        self.next_report = self.next_progress = 0.0

    def __call__(self, now: Snapshot) -> None:
        if now.improved:
            self.history.append((now.seconds, now.objective))
            self.unsent = True
        if self.unsent and now.seconds >= self.next_report:
            self._report(now)
        elif now.seconds >= self.next_progress:
            self.worker.send(ProgressReport(now.seconds, now.iterations))
            self.next_progress = now.seconds + PROGRESS_EVERY

    def _report(self, now: Snapshot) -> None:
        began = time.perf_counter()
        plan = now.plan().with_objective(None)
        report = check(self.problem, plan)
        self.unsent = False
        if report.feasible:
            plan = as_checked(self.problem, plan, report)
            self.worker.send(
                Improvement(
                    now.seconds, now.iterations, report.objective,
                    to_text(plan_to_json(plan)), to_text(schedule(self.problem, plan)),
                    self.solver, self.history,
                )
            )  # fmt: skip
        pause = max(REPORT_EVERY, REPORT_SHARE * (time.perf_counter() - began))
        self.next_report = now.seconds + pause
        self.next_progress = now.seconds + PROGRESS_EVERY


def _construct(command: ConstructCommand) -> Done:
    solver: Any = solvers()[ONE_PASS].load()
    began = time.perf_counter()
    # Nothing in it is random, so seeds do not matter and all plans are built together.
    built = solver.solve_many(list(command.problems), Budget(MaxRuntime(3600.0)), command.seeds[0])
    seconds = time.perf_counter() - began
    rows = zip(command.problems, built, command.seeds, strict=True)
    return Done(tuple(_passed(problem, outcome, seed, seconds) for problem, outcome, seed in rows))


def _passed(problem: Problem, outcome: Outcome, seed: int, seconds: float) -> str:
    """The result of one pass as text; empty where no plan could be made."""
    try:
        result = never_broken(judge(problem, outcome, ONE_PASS, seed, seconds))
    except BrokenPlanError as error:
        _log.error("%s", error)
        return ""
    if result.is_fallback:
        _log.error("%s", result.notes[-1])
    return to_text(result_document(replace(result, history=((seconds, result.objective),))))


def _trace(command: TraceCommand) -> Done:
    result: Result = geopar.solve(
        command.problem, 3600.0, command.seed, solver=ONE_PASS, trace=True, announce=_log.info
    )
    if result.is_fallback:
        raise GeoparError(result.notes[-1])  # a plan that was not built has no steps to show
    steps = trace_document(command.problem, result.trace)
    texts = {
        "steps": to_text(steps),
        "plan": to_text(plan_to_json(result.plan)),
        "schedule": to_text(schedule(command.problem, result.plan)),
    }
    return Done((join_text(result_fields(result), texts),), result.objective)
