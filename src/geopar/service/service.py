"""The service without HTTP: puts its parts together, starts and closes them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from geopar.problems import HCVRP, Problem
from geopar.service.batching import MOST_TASKS, Batcher
from geopar.service.bounds import Bounds
from geopar.service.cluster import Cluster, ClusterWorkers
from geopar.service.jobs import CLOSE_SECONDS, Jobs, Place, may_run_again
from geopar.service.limits import Limits
from geopar.service.messages import Done, LostWorkerError, RunOptions, SolveCommand, TraceCommand
from geopar.service.metrics import Metrics
from geopar.service.pool import JobQueue, Pool, Run, local_workers
from geopar.service.requests import Key, SolveRequest
from geopar.service.responses import UNAVAILABLE, UNPROCESSABLE, RefusedError
from geopar.service.sharing import LEASE, Sharing
from geopar.service.store import TakenKeyError
from geopar.service.stores import make_store
from geopar.service.webhooks import Allowed, Webhooks
from geopar.service.worker import ONE_PASS
from geopar.solver import solvers
from geopar.solving import PREFERENCE

# Solvers that are done when they have built one plan, however long they may take.
BUILDERS = (
    "geopar", "pointer", "insert", "parco", "am", "2d-ptr", "dpn", "ham", "mapdp", "dispatch",
)  # fmt: skip
# The search yields to the network and the server, for which clients wait.
SEARCH_NICENESS = 5
HEALTH_SECONDS, HEALTH_KEPT = 30.0, 2.0
STARTING_SECONDS = 1.0
# Without a ready worker for so many seconds, longer than one takes to start, health is bad.
UNREADY_SECONDS = 60.0
# Seconds between two removals of ended jobs that are too old; too many are removed at once.
PRUNE_EVERY = 3600.0


@dataclass(frozen=True)
class Settings:
    """How a service is set up.

    Parameters
    ----------
    limits
        What requests may ask for; ``limits.concurrent`` is the number of workers.
    network_workers
        Processes for one-pass requests, traces and health.
    data
        Where jobs are kept; memory when left out.
    store
        Address of a database in which several servers keep their jobs together, instead.
    lease
        Seconds after which another server that gives no sign of life is given up.
    token
        What clients must show, if anything.
    tiles
        Address of map tiles for the page, such as ``https://tiles.example/{z}/{x}/{y}.png``.
    local_only
        Whether only names of this machine are right.
    kinds
        The problems to be warm for.
    keep_jobs, keep_days
        Ended jobs are removed when there are more, or when they are older.
    webhooks
        Which addresses may be told of the end of a job.
    webhook_secret
        What these messages are signed with, if anything.
    cluster
        Where runs are carried out; in processes here when left out.
    """

    limits: Limits = field(default_factory=Limits)
    network_workers: int = 2
    data: Path | None = None
    token: str | None = None
    tiles: str | None = None
    local_only: bool = True
    kinds: tuple[str, ...] = ("hcvrp", "omdcpdp")
    keep_jobs: int = 1_000
    keep_days: float = 30.0
    webhooks: Allowed = field(default_factory=Allowed)
    webhook_secret: str | None = None
    store: str | None = None
    lease: float = LEASE
    cluster: Cluster | None = None


class Service:
    """Store, queue, pools and jobs behind the routes."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.limits = settings, settings.limits
        self.metrics = Metrics()
        self.closing = asyncio.Event()
        self.queue = JobQueue()
        self.store, shared = make_store(
            settings.data, settings.store, settings.keep_jobs, settings.keep_days
        )
        self.cluster: ClusterWorkers | None = None
        if settings.cluster is None:
            here = local_workers(settings.kinds, False, SEARCH_NICENESS)
            self.pool = Pool(settings.limits.concurrent, self.queue, here)
        else:
            self.cluster = ClusterWorkers(settings.cluster, settings.kinds)
            self.pool = Pool(0, self.queue, self.cluster.make_worker)
        self.batcher = Batcher(
            self._hand_out_to_network, self.metrics.batches.note, lambda: self.network.busy
        )
        self.network = Pool(
            settings.network_workers, self.batcher, local_workers(settings.kinds, True, 0)
        )
        self.webhooks = Webhooks(settings.webhooks, settings.webhook_secret, self.store.note_called)
        self.jobs = Jobs(self.store, self.queue, self.pool, self._note_end, self.webhooks)
        self.sharing: Sharing | None = None
        if shared is not None:
            tells = bool(settings.webhooks.hosts)
            self.sharing = Sharing(
                shared, self.jobs, self.limits, settings.lease, tells, lambda: self.network.missing
            )
        self.bounds = Bounds(self.limits)
        self._health: tuple[float, dict[str, Any]] | None = None
        self._pruning: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the store, start the workers, queue the jobs of the last run again."""
        await self.store.open()
        self.network.start()
        self.pool.start()
        if self.cluster is not None:
            self.cluster.start(self.pool)
        if self.sharing is None:
            await self.jobs.recover()
        else:
            self.sharing.start()
        self._pruning = asyncio.create_task(self._prune_regularly())

    def prepare_to_close(self) -> None:
        """End event streams and waiting requests, so that the server can shut down."""
        self.closing.set()
        self.jobs.prepare_to_close()
        if self.sharing is not None:
            self.sharing.mirrors.close()

    async def close(self) -> None:
        """Stop all runs, keep their best plans, end the workers."""
        self.prepare_to_close()
        if self._pruning is not None:
            self._pruning.cancel()
        if self.sharing is not None:
            await self.sharing.close()
        await asyncio.gather(self.pool.close(CLOSE_SECONDS), self.network.close(0.5))
        if self.cluster is not None:
            self.cluster.close()
        await self.jobs.close()
        await self.webhooks.close()
        await self.store.close()

    def default_solver(self, kind: str | None = None) -> str:
        """The solver that is taken when none is named."""
        known = solvers(kind)
        usable = [name for name in PREFERENCE if name in known and name not in self.network.missing]
        return (usable or list(PREFERENCE))[0]

    def solver_list(self) -> dict[str, Any]:
        """Every solver, and whether it can be used here.

        As long as the first worker is not ready, all of them are listed as available.
        """
        missing = self.network.missing
        return {
            "default": self.default_solver(),
            "ready": self.network.is_ready.is_set(),
            "solvers": [
                {
                    "name": name,
                    "problems": list(info.kinds),
                    "description": info.summary,
                    "anytime": name not in BUILDERS,
                    "available": name not in missing,
                    "hint": missing.get(name),
                }
                for name, info in solvers().items()
            ],
        }

    async def solve(self, request: SolveRequest) -> str:
        """Solve and wait: the result as text. Cancelled, it frees its worker."""
        if request.solver == ONE_PASS and request.problem.num_tasks <= MOST_TASKS:
            self._check_usable(request.solver)
            self.limits.check_room(
                "one-pass requests", len(self.batcher), self.limits.one_pass_queue,
                "--one-pass-queue",
            )  # fmt: skip
            return await self.batcher.construct(request.problem, request.seed)
        self._check_queue(request)
        solver = request.solver or self.default_solver(request.problem.kind)
        command = SolveCommand(
            request.problem, solver, request.time_limit, request.seed, start=request.start,
            options=request.options,
        )  # fmt: skip
        losses = 0
        while True:
            try:
                return (await self._run(command)).texts[0]
            except LostWorkerError as error:
                losses += 1
                if not may_run_again(error, losses):
                    raise

    async def _run(self, command: SolveCommand) -> Done:
        """Run a command on a worker. Cancelled, it frees the worker."""
        run = Run(command)
        self.queue.add(run)
        self.pool.hand_out()
        try:
            # Shielded: the end of the run frees the worker even if the client has disconnected.
            return await asyncio.shield(run.done)
        finally:
            if not run.done.done() and not self.queue.remove(run):
                self.pool.stop(run)

    async def create_job(self, request: SolveRequest, key: Key | None = None) -> Place:
        """Solve in the background; a key that is known already names the job that it made."""
        # Before anything else: who asks once more is not refused because the queue is full by now.
        if key is not None and (made := await self.jobs.made_before(key)) is not None:
            return made
        self._check_queue(request)
        solver = request.solver or self.default_solver(request.problem.kind)
        try:
            return self.jobs.place(await self.jobs.create(request, solver, key))
        except TakenKeyError:  # the same was asked twice at the same time
            return await self.create_job(request, key)

    async def runs_elsewhere(self, id: str) -> bool:
        """Whether another server has this job, and it has not ended."""
        return self.sharing is not None and await self.sharing.is_elsewhere(id)

    def follow_elsewhere(self, id: str, after: int) -> AsyncIterator[bytes]:
        """Events of a job of another server, encoded."""
        assert self.sharing is not None
        return self.sharing.mirrors.follow(id, after)

    async def trace(self, problem: Problem, seed: int) -> str:
        """One pass of the network step by step, as text."""
        self._check_usable(ONE_PASS)
        most = self.limits.one_pass_queue
        self.limits.check_room("requests", len(self.batcher), most, "--one-pass-queue")
        return (await self.batcher.run(TraceCommand(problem, seed))).texts[0]

    async def health(self) -> dict[str, Any]:
        """Really solve a small case; what came of it holds for a moment.

        Raises
        ------
        RefusedError
            When it cannot be solved.
        """
        if self._health is not None and time.monotonic() < self._health[0]:
            return self._health[1]
        self._check_workers()
        began = time.perf_counter()
        try:
            await asyncio.wait_for(self.network.is_ready.wait(), STARTING_SECONDS)
        except TimeoutError:
            raise _still_starting() from None
        try:
            done: Done = await asyncio.wait_for(
                self.batcher.run(
                    SolveCommand(_SMALL_CASE, "refine", 5.0, 1, options=RunOptions(iterations=200))
                ),
                HEALTH_SECONDS,
            )
            if done.objective is None or abs(done.objective - _SMALL_OPTIMUM) > 1e-9:
                raise ValueError(f"the small case has {_SMALL_OPTIMUM}, not {done.objective}")
        except Exception as error:
            reason = "no worker answered in time" if isinstance(error, TimeoutError) else error
            raise RefusedError(
                UNAVAILABLE, "not-well", f"A small case could not be solved: {reason}."
            ) from error
        solved = {"objective": done.objective, "seconds": time.perf_counter() - began}
        self._health = time.monotonic() + HEALTH_KEPT, solved
        return solved

    def _check_workers(self) -> None:
        for sort, pool in (("search", self.pool), ("network", self.network)):
            if pool.is_compiling:
                raise _still_starting(f" It has compiled for {pool.unready_seconds:.0f} seconds.")
            if pool.unready_seconds > UNREADY_SECONDS:
                last = f"; the last time, {pool.last_ending}" if pool.last_ending else ""
                raise RefusedError(
                    UNAVAILABLE, "no-workers",
                    f"No worker for the {sort} has been ready for {pool.unready_seconds:.0f} "
                    f"seconds{last}.",
                )  # fmt: skip

    def gauges(self) -> dict[str, tuple[str, float]]:
        """Present values for the metrics."""
        return {
            "geopar_queue_length": ("Runs that wait for a worker.", len(self.queue)),
            "geopar_one_pass_waiting": ("Requests that wait for the network.", len(self.batcher)),
            "geopar_workers": ("Workers that solve.", self.pool.size),
            "geopar_workers_busy": ("Workers at work.", self.pool.busy),
            "geopar_bounds": ("Bounds that are looked for.", len(self.bounds)),
            "geopar_network_workers": ("Workers with the network.", self.network.size),
            "geopar_network_workers_busy": ("Of these at work.", self.network.busy),
            "geopar_worker_restarts_total": (
                "Workers that ended by themselves.", self.pool.restarts + self.network.restarts,
            ),
            "geopar_webhooks_waiting": ("Ends of jobs still to be told.", len(self.webhooks)),
            "geopar_store_away": ("Whether the database of jobs is away.", self.store.is_away),
            "geopar_event_streams": ("Clients that listen to events.", self.metrics.streams),
        }  # fmt: skip

    async def _prune_regularly(self) -> None:
        while True:
            await asyncio.sleep(PRUNE_EVERY)
            await self.store.prune()

    def _hand_out_to_network(self) -> None:
        self.network.hand_out()

    def _note_end(self, status: str) -> None:
        self.metrics.ended[status] += 1

    def _check_queue(self, request: SolveRequest) -> None:
        if request.solver is not None:
            self._check_usable(request.solver)
        # One that a worker takes at once does not wait.
        waiting = len(self.queue) + self.jobs.being_stored - self.pool.idle
        self.limits.check_room("runs in the queue", waiting, self.limits.queue, "--queue")

    def _check_usable(self, solver: str) -> None:
        reason = self.network.missing.get(solver)
        if reason is not None:
            raise RefusedError(
                UNPROCESSABLE, "solver-missing", f"Solver {solver!r} cannot be used here: {reason}"
            )


# Two neighbours each: out, across and back.
_SMALL_CASE = HCVRP((0, 0), [(3, 0), (3, 4), (-3, 0), (-3, -4)], [1, 1, 1, 1], [2, 2], [1, 1])
_SMALL_OPTIMUM = 12.0


def _still_starting(more: str = "") -> RefusedError:
    message = "The service is warming up; where nothing is compiled yet that takes minutes, once."
    return RefusedError(UNAVAILABLE, "starting", message + more)
