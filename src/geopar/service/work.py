"""What a worker process does: it takes one order at a time, solves, checks, and reports.

A second thread listens, so that a run can be stopped and the worker ends when its server does.
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
from threading import Event, Thread
from typing import Any

import geopar
from geopar.check import check
from geopar.errors import GeoparError, InputError, MissingExtraError
from geopar.fallback import BrokenPlanError
from geopar.files import plan_to_json
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.result import Result
from geopar.service.documents import result_document, result_fields, schedule
from geopar.service.orders import (
    EXIT,
    STOP,
    ConstructOrder,
    Done,
    Failed,
    Improvement,
    Order,
    Pace,
    Ready,
    Report,
    SolveOrder,
    TraceOrder,
)
from geopar.service.stopping import UntilTold
from geopar.service.texts import join_text, to_text
from geopar.service.tracing import trace_document
from geopar.solve import judge, load, never_broken
from geopar.solvers import Outcome, Snapshot, solvers
from geopar.stop import Budget, MaxIterations, MaxRuntime

# Between two improvements that are told, at least so long, and so many times what telling took.
TELL_EVERY = 0.1
TELLING_SHARE = 20
PACE_EVERY = 0.5
# The solver that builds a plan in one pass, for many at once.
ONE_PASS = "pointer"
# Numbers of vehicles for which weights are looked for.
FLEETS = (3, 5, 7, 10)

_log = logging.getLogger(__name__)


def main(conn: Connection, kinds: tuple[str, ...], one_pass: bool, niceness: int) -> None:
    """Work until the server ends.

    Parameters
    ----------
    conn
        To the server.
    kinds
        The problems to be warm for.
    one_pass
        Whether it is the network rather than search that is needed first.
    niceness
        How far to stand back behind the server.
    """
    # Ctrl-C reaches every process of a terminal; the server decides when a worker ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.nice(niceness)
    inbox: SimpleQueue[Order] = SimpleQueue()
    worker = Worker(conn)
    Thread(target=_listen, args=(conn, inbox, worker), daemon=True).start()
    missing = _warm_up(kinds, one_pass)
    # What is loaded stays loaded: the collector need not go through all of it again and again.
    gc.collect()
    gc.freeze()
    worker.tell(Ready(missing))
    while True:
        order = inbox.get()
        worker.tell(worker.report_on(order))


def _listen(conn: Connection, inbox: SimpleQueue[Order], worker: Worker) -> None:
    try:
        while True:
            message = conn.recv()
            if message == EXIT:
                break
            if message == STOP:
                worker.told.set()
            else:
                # Before it is carried out, so that a stop that follows at once is not lost.
                worker.told = Event()
                inbox.put(message)
    except (EOFError, OSError):
        pass  # the server is gone, and with it everyone who waits
    except Exception:
        # Without ears it would keep whoever waits for it waiting for ever.
        _log.exception("what the server sent cannot be read")
        os._exit(1)
    os._exit(0)


def _warm_up(kinds: tuple[str, ...], one_pass: bool) -> dict[str, str]:
    """Load and compile what is needed first; say which solvers are not there, and why."""
    missing: dict[str, str] = {}
    for kind in kinds:
        for name in (ONE_PASS, "refine") if one_pass else ("refine",):
            try:
                load(name, kind, _log.warning)  # whoever starts a service should know why it waits
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


@dataclass
class Worker:
    """One order at a time. ``told`` is set when the present one is to end."""

    conn: Connection
    told: Event = field(default_factory=Event)

    def tell(self, report: Report) -> None:
        """Send something to the server."""
        try:
            self.conn.send(report)
        except (OSError, ValueError):
            os._exit(0)

    def report_on(self, order: Order) -> Done | Failed:
        """Carry an order out, and say what came of it, whatever that is."""
        try:
            return self.carry_out(order)
        except (GeoparError, MemoryError) as error:
            return Failed.of(error)
        except BaseException as error:
            _log.exception("an order failed")
            return Failed.of(error)

    def carry_out(self, order: Order) -> Done:
        """Do it."""
        if isinstance(order, SolveOrder):
            return self._solve(order)
        if isinstance(order, ConstructOrder):
            return _construct(order)
        return _trace(order)

    def _solve(self, order: SolveOrder) -> Done:
        told = self.told
        rule = MaxRuntime(order.time_limit) | UntilTold(told)
        if order.iterations is not None:
            rule |= MaxIterations(order.iterations)
        teller = _Teller(self, order) if order.watched else None
        result = geopar.solve(
            order.problem, rule, order.seed,
            solver=order.solver, observe=teller, announce=_log.info,
        )  # fmt: skip
        if result.is_fallback:
            _log.error("%s", result.notes[-1])
        result = replace(result, interrupted=told.is_set())
        return Done((to_text(result_document(result)),), result.objective, result.iterations)


class _Teller:
    """An observer that tells the server of improvements, but not so often that search suffers."""

    def __init__(self, worker: Worker, order: SolveOrder) -> None:
        self.worker, self.problem = worker, order.problem
        # What solve will take, which only says so at the end.
        self.solver = load(order.solver, order.problem.kind, _log.info)[0]
        self.history: list[tuple[float, float]] = []
        self.untold = False
        self.next_tell = self.next_pace = 0.0

    def __call__(self, now: Snapshot) -> None:
        if now.improved:
            self.history.append((now.seconds, now.cost))
            self.untold = True
        if self.untold and now.seconds >= self.next_tell:
            self._tell(now)
        elif now.seconds >= self.next_pace:
            self.worker.tell(Pace(now.seconds, now.iterations))
            self.next_pace = now.seconds + PACE_EVERY

    def _tell(self, now: Snapshot) -> None:
        began = time.perf_counter()
        plan = Plan(self.problem.kind, now.plan().routes)
        report = check(self.problem, plan)
        self.untold = False
        if report.feasible:
            plan = plan.with_objective(report.objective)
            self.worker.tell(
                Improvement(
                    now.seconds, now.iterations, report.objective,
                    to_text(plan_to_json(plan)), to_text(schedule(self.problem, plan)),
                    self.solver, self.history,
                )
            )  # fmt: skip
        pause = max(TELL_EVERY, TELLING_SHARE * (time.perf_counter() - began))
        self.next_tell = now.seconds + pause
        self.next_pace = now.seconds + PACE_EVERY


def _construct(order: ConstructOrder) -> Done:
    solver: Any = solvers()[ONE_PASS].load()
    began = time.perf_counter()
    # Nothing in it is random, so seeds do not matter and all plans are built together.
    built = solver.solve_many(list(order.problems), Budget(MaxRuntime(3600.0)), order.seeds[0])
    seconds = time.perf_counter() - began
    rows = zip(order.problems, built, order.seeds, strict=True)
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


def _trace(order: TraceOrder) -> Done:
    result: Result = geopar.solve(
        order.problem, 3600.0, order.seed, solver=ONE_PASS, trace=True, announce=_log.info
    )
    if result.is_fallback:
        raise GeoparError(result.notes[-1])  # a plan that was not built has no steps to show
    steps = trace_document(order.problem, result.trace)
    texts = {
        "steps": to_text(steps),
        "plan": to_text(plan_to_json(result.plan)),
        "schedule": to_text(schedule(order.problem, result.plan)),
    }
    return Done((join_text(result_fields(result), texts),), result.objective)
