"""The life of a job: queue, worker, store."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from geopar.errors import Faults, GeoparError
from geopar.files import parse_json, plan_from_json, plan_to_json, problem_from_json
from geopar.problems import Problem
from geopar.service.documents import join_text, problem_text, to_text
from geopar.service.events import EventLog
from geopar.service.messages import (
    Compiling,
    Done,
    Improvement,
    LostWorkerError,
    ProgressReport,
    RunOptions,
    SolveCommand,
)
from geopar.service.pool import STOP_GRACE, JobQueue, Pool, Run
from geopar.service.requests import Key, SolveRequest, read_options
from geopar.service.responses import (
    CONFLICT,
    INTERNAL,
    NOT_FOUND,
    UNAVAILABLE,
    UNPROCESSABLE,
    RefusedError,
    refusal,
)
from geopar.service.store import (
    Claims,
    DamagedRowError,
    FullStoreError,
    Listing,
    Row,
    Store,
    UnreachableStoreError,
    moment,
)
from geopar.service.webhooks import Called, Webhooks

# Seconds between two saves of the best plan so far: what a crash may cost.
SAVE_EVERY = 1.0
# Seconds until a write to a full disk, or to a database that is away, is tried again.
RETRY_EVERY = 5.0
# Seconds that DELETE waits for the end of a job: by then a worker that hangs has been replaced.
STOP_SECONDS = STOP_GRACE + 5.0
# Seconds that workers have at shutdown to hand over their best plans.
CLOSE_SECONDS = 3.0
# A run whose machine is lost so often has something to do with it.
MOST_LOSSES = 3

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Job:
    """A job in memory: queued, running, or not yet saved."""

    row: Row
    log: EventLog
    run: Run
    best: Improvement | None = None
    stop_asked: bool = False
    losses: int = 0
    has_ended: asyncio.Event = field(default_factory=asyncio.Event)
    next_save: float = 0.0
    next_progress: float = 0.0

    def result_text(self) -> str | None:
        """The result, or the best so far."""
        if self.row.result is not None or self.best is None:
            return self.row.result
        return best_text(self.best, self.row.seed)


def best_text(best: Improvement, seed: int) -> str:
    """A result document of the best plan so far."""
    fields = {
        "objective": best.objective, "feasible": True, "solver": best.solver, "seed": seed,
        "iterations": best.iterations, "seconds": best.time, "interrupted": True, "notes": [],
        "history": best.history,
    }  # fmt: skip
    return join_text(fields, {"plan": best.plan, "schedule": best.schedule})


def now() -> str:
    """The present moment as it is stored."""
    return moment(datetime.now(UTC))


def may_run_again(error: LostWorkerError, losses: int) -> bool:
    """Whether a run whose worker was lost so often is tried once more."""
    return error.may_try_again and losses < MOST_LOSSES


class Saved(Enum):
    """What came of storing a job."""

    YES = "stored"
    NOT_NOW = "full or away: try again"
    LOST = "it is not this server's any more"


# Everything that waits, as after a restart.
ALL = Claims(1_000_000_000, 1 << 62, 1 << 62, math.inf)

ProgressSaver = Callable[[str, str, int, int], Awaitable[None]]


class Place(NamedTuple):
    """Where a job stands: the answer to who created it."""

    id: str
    status: str
    position: int | None


class Jobs:
    """All jobs of the service.

    Parameters
    ----------
    store
        Keeps the jobs.
    queue
        Holds the runs until a worker is free.
    pool
        Carries out the runs.
    on_end
        Called with the final status of each job.
    webhooks
        Tells addresses of the ends of jobs.
    """

    def __init__(
        self,
        store: Store,
        queue: JobQueue,
        pool: Pool,
        on_end: Callable[[str], None] = lambda status: None,
        webhooks: Webhooks | None = None,
    ) -> None:
        self.store, self.queue, self.pool, self.on_end = store, queue, pool, on_end
        self.webhooks = webhooks
        self._live: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        # Ids of jobs that are accepted and not yet in the queue, because the store is still writing
        # them.
        self._being_stored: set[str] = set()
        # Where several servers share a store: how a job of another one is stopped, and how others
        # hear how far a run is.
        self.stop_elsewhere: Callable[[str], Awaitable[None]] | None = None
        self.save_progress: ProgressSaver | None = None

    @property
    def being_stored(self) -> int:
        """How many jobs are accepted and not yet in the queue."""
        return len(self._being_stored)

    @property
    def known(self) -> list[str]:
        """Ids of all jobs that this server has."""
        return [*self._live, *self._being_stored]

    async def recover(self, claims: Claims = ALL, tell: bool = True) -> None:
        """Look after jobs that nobody looks after: those of the last run, or of other servers.

        What ran is interrupted, what waited is queued again, and whoever was not told of an end yet
        is told now, unless this server tells nobody.
        """
        error = to_text(_error("interrupted", "The service ended while this ran."))
        await self.store.release(now(), error)
        await self.take_over(claims)
        if tell:
            for row in await self.store.claim_untold():
                self._tell(row)

    async def take_over(self, claims: Claims) -> None:
        """Queue jobs here that wait, and that nobody else has begun."""
        if claims.most > 0:
            for row in await self.store.claim(self.known, claims):
                await self._queue_again(row)

    def hand_over(self, id: str) -> None:
        """Let go of a job that another server has taken from here; it answers for it now."""
        job = self._live.get(id)
        if job is not None and not job.row.has_ended:
            self._let_go(job)

    async def _queue_again(self, row: Row) -> None:
        try:
            text = await self.store.problem(row.id)
            problem = await asyncio.to_thread(_problem_of, text or "")
            begin = await self.store.start(row.id)
            start = None if begin is None else plan_from_json(parse_json(begin.encode()))
            options = _options_of(row)
        except UnreachableStoreError:
            raise
        except (GeoparError, DamagedRowError) as error:  # written by another version, or damaged
            row.status, row.ended = "failed", now()
            row.error = to_text(refusal(error).to_json()["error"])
            with contextlib.suppress(FullStoreError):
                await self.store.save(row)
            return
        asked = SolveRequest(problem, row.solver, row.time_limit, row.seed, start, options)
        self._enqueue(row, asked)

    async def made_before(self, key: Key) -> Place | None:
        """The job that was created with this key, if there is one.

        Raises
        ------
        RefusedError
            When it was created with another body.
        """
        try:
            row = await self.store.with_key(key.text)
        except DamagedRowError as error:
            raise _damaged(key.text, error) from error
        if row is None:
            return None
        if row.digest != key.digest:
            raise RefusedError(
                UNPROCESSABLE, "key-reused",
                f"Job {row.id!r} was made with this Idempotency-Key, and with another body. Take "
                "a new key for each job, and the same body for each try of one.",
            )  # fmt: skip
        job = self._live.get(row.id)
        return Place(row.id, row.status, None) if job is None else self.place(job)

    def place(self, job: Job) -> Place:
        """Where a job in memory stands."""
        return Place(job.row.id, job.row.status, self.queue.position(job.run))

    async def create(self, request: SolveRequest, solver: str, key: Key | None = None) -> Job:
        """Queue a new job; ``solver`` is the solver that will be used.

        Raises
        ------
        RefusedError
            When it cannot be stored.
        TakenKeyError
            When there is a job with this key by now.
        """
        problem = request.problem
        row = Row(
            id=secrets.token_hex(8), status="queued", solver=solver,
            time_limit=request.time_limit, seed=request.seed, kind=problem.kind,
            tasks=problem.num_tasks, vehicles=problem.num_vehicles, created=now(),
            name=request.name or problem.name or None, options=_options_text(request),
            callback=request.callback,
        )  # fmt: skip
        if key is not None:
            row.key, row.digest = key
        self._being_stored.add(row.id)
        try:
            text = await asyncio.to_thread(problem_text, problem)
            start = None if request.start is None else to_text(plan_to_json(request.start))
            await self.store.add(row, text, start)
        except FullStoreError as error:
            raise RefusedError(
                UNAVAILABLE, "store-full",
                f"The job cannot be written down ({error}). Make room where --data is, and try "
                "again; jobs that run go on.",
            ) from error  # fmt: skip
        finally:
            self._being_stored.discard(row.id)
        return self._enqueue(row, request)

    def live(self, id: str) -> Job | None:
        """The job if it is in memory, not just in the store."""
        return self._live.get(id)

    async def document(self, id: str) -> str:
        """A job as a JSON document."""
        if (job := self._live.get(id)) is not None:
            return self.text_of(job)
        try:
            row = await self.store.get(id)
        except DamagedRowError as error:
            raise _damaged(id, error) from error
        # It may have moved between memory and store during the query.
        if (job := self._live.get(id)) is not None:
            return self.text_of(job)
        if row is None:
            raise unknown(id)
        return row_text(row, None, row.result)

    def text_of(self, job: Job) -> str:
        """A job in memory as a JSON document."""
        return row_text(job.row, self.queue.position(job.run), job.result_text())

    async def listed(self, wanted: Listing) -> str:
        """A page of jobs without plans, and where the next page begins."""
        live = {id: job for id, job in self._live.items() if wanted.statuses}
        # Of those in memory some may have another status by now: so many more are needed at most.
        enough = wanted.most + len(live) + 1
        found = await self.store.page(wanted._replace(most=enough), [*live])
        texts: list[str] = []
        seen = 0
        for number, row in found:
            if len(texts) == wanted.most:
                break
            seen += 1
            last = number
            job = self._live.get(row.id)
            row = row if job is None else job.row
            if wanted.statuses and row.status not in wanted.statuses:
                continue
            try:
                text = row_text(row, None if job is None else self.queue.position(job.run), None)
                json.loads(text)
            except (TypeError, ValueError) as error:
                _log.error("job %s is damaged, and not listed: %s", row.id, error)
            else:
                texts.append(text)
        more = seen < len(found) or len(found) == enough
        following = to_text(str(last) if more else None)
        return f'{{"jobs":[{",".join(texts)}],"next":{following}}}'

    async def problem(self, id: str) -> str:
        """The problem document of a job."""
        try:
            text = await self.store.problem(id)
        except DamagedRowError as error:
            raise _damaged(id, error) from error
        if text is None:
            raise unknown(id)
        return text

    async def stop(self, id: str) -> str:
        """Stop a job and keep its best plan; any number of clients may ask.

        The document of the job as it is after at most ``STOP_SECONDS``.
        """
        job = self._live.get(id)
        if job is None and self.stop_elsewhere is not None:
            await self.stop_elsewhere(id)
        elif job is not None and not job.row.has_ended:
            self.ask_to_stop(id)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(job.has_ended.wait(), STOP_SECONDS)
        return await self.document(id)

    def ask_to_stop(self, id: str) -> None:
        """Stop a job of this server, without waiting for its end."""
        job = self._live.get(id)
        if job is not None and not job.row.has_ended and not job.stop_asked:
            job.stop_asked = True
            self._let_go(job)

    def _let_go(self, job: Job) -> None:
        """Take a job out of the queue, or off its worker."""
        if self.queue.remove(job.run):
            job.run.done.cancel()
            self._publish_positions()
        else:
            self.pool.stop(job.run)

    async def rename(self, id: str, name: str | None) -> str:
        """Give a job another name, or none, whatever its status; the document that it has then.

        Raises
        ------
        RefusedError
            When there is no such job, or when the disk is too full.
        """
        try:
            found = await self.store.rename(id, name)
        except FullStoreError as error:
            raise RefusedError(
                UNAVAILABLE, "store-full",
                f"The name cannot be written down ({error}). Make room where --data is, and try "
                "again.",
            ) from error  # fmt: skip
        if not found:
            raise unknown(id)
        self.call(id, name)
        return await self.document(id)

    def call(self, id: str, name: str | None) -> None:
        """What a job in memory is called from now on."""
        job = self._live.get(id)
        if job is not None:
            job.row.name = name

    async def forget(self, id: str) -> None:
        """Remove a job that has ended, with its problem and its plan.

        Raises
        ------
        RefusedError
            When there is none, when it has not ended, or when the disk is too full.
        """
        job = self._live.get(id)
        if job is not None and not job.row.has_ended:
            raise _not_ended(id, job.row.status)
        try:
            # One that is in memory has ended, though that may not be written down yet.
            found = await self.store.remove(id, ended_only=job is None)
        except FullStoreError as error:
            raise RefusedError(
                UNAVAILABLE, "store-full",
                f"The job cannot be removed ({error}). Make room where --data is, and try again.",
            ) from error  # fmt: skip
        if found:
            self._live.pop(id, None)
            if self.webhooks is not None:
                self.webhooks.drop(id)
            return
        with contextlib.suppress(DamagedRowError):
            row = await self.store.get(id)
            if row is not None:
                raise _not_ended(id, row.status)
        raise unknown(id)

    async def close(self) -> None:
        """Wait until every run that was stopped is stored."""
        self._closing = True
        running = [job.has_ended.wait() for job in self._live.values() if job.row.started]
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*running), CLOSE_SECONDS)
        for _ in range(2):  # what has ended is being written down; then whatever still waits
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=0.2)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def prepare_to_close(self) -> None:
        """End all event streams; runs that end from now on count as interrupted."""
        self._closing = True
        for job in self._live.values():
            job.log.close()

    def _enqueue(self, row: Row, request: SolveRequest) -> Job:
        command = SolveCommand(
            request.problem,
            request.solver,
            request.time_limit,
            request.seed,
            watched=True,
            start=request.start,
            options=request.options,
        )
        job = Job(row, EventLog(row.events), Run(command))
        self._attend(job)
        self._live[row.id] = job
        self.queue.add(job.run)
        self._publish_status(job)
        self._spawn(self._finish(job))
        self.pool.hand_out()
        return job

    def _attend(self, job: Job) -> None:
        """Hear of the job's run."""
        job.run.started = lambda: self._started(job)
        job.run.watch = lambda report: self._watch(job, report)

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _started(self, job: Job) -> None:
        job.row.status, job.row.started = "running", now()
        self._publish_status(job)
        self._spawn(self._save(job))
        self._publish_positions()

    def _publish_positions(self) -> None:
        for job in self._live.values():
            if job.row.status == "queued":
                self._publish_status(job)

    def _publish_status(self, job: Job) -> None:
        position = self.queue.position(job.run)
        job.log.publish("status", to_text({"status": job.row.status, "position": position}))

    def _watch(self, job: Job, report: Compiling | ProgressReport | Improvement) -> None:
        if isinstance(report, Compiling):
            waits = {"time": 0.0, "iterations": None, "compiling": True}
            job.log.publish("progress", to_text(waits))
            return
        job.row.iterations = report.iterations
        fields = {"time": report.time, "iterations": report.iterations}
        clock = asyncio.get_running_loop().time()
        if isinstance(report, ProgressReport):
            text = to_text(fields)
            job.log.publish("progress", text)
            if self.save_progress is not None and clock >= job.next_progress:
                job.next_progress = clock + SAVE_EVERY
                self._spawn(self._save_progress(job, text, report.iterations))
            return
        job.best = report
        job.row.objective = report.objective
        texts = {"plan": report.plan, "schedule": report.schedule}
        job.log.publish("improvement", join_text({**fields, "objective": report.objective}, texts))
        if clock >= job.next_save:
            job.next_save = clock + SAVE_EVERY
            self._spawn(self._save(job))

    async def _save(self, job: Job) -> None:
        """Store the present state of a job, now or never; one that is lost is let go."""
        row = replace(job.row, events=job.log.count, result=job.result_text())
        if await self._store(row) is Saved.LOST:
            _log.warning("job %s is another server's by now, so it is let go", row.id)
            self._let_go(job)

    async def _save_progress(self, job: Job, text: str, iterations: int) -> None:
        assert self.save_progress is not None
        with contextlib.suppress(FullStoreError, UnreachableStoreError):
            await self.save_progress(job.row.id, text, iterations, job.log.count)

    async def _store(self, row: Row) -> Saved:
        try:
            return Saved.YES if await self.store.save(row) else Saved.LOST
        except (FullStoreError, UnreachableStoreError) as error:
            _log.error("job %s cannot be written down: %s", row.id, error)
            return Saved.NOT_NOW

    async def _outcome(self, job: Job) -> Done:
        """What comes of a run; one that was lost with a machine of a cluster is run again."""
        while True:
            try:
                # Shielded: at shutdown this task is cancelled, and the run must not be with it.
                return await asyncio.shield(job.run.done)
            except LostWorkerError as error:
                job.losses += 1
                if job.stop_asked or self._closing or not may_run_again(error, job.losses):
                    raise
                _log.warning("job %s is run again: %s", job.row.id, error)
                self._run_again(job)

    def _run_again(self, job: Job) -> None:
        """Queue a job as the next one, from the best plan so far unless its run is to repeat."""
        command = job.run.command
        assert isinstance(command, SolveCommand)
        if job.best is not None and command.options.iterations is None:
            command = replace(command, start=plan_from_json(parse_json(job.best.plan.encode())))
        job.run = Run(command)
        self._attend(job)
        job.row.status, job.row.started = "queued", None
        self.queue.add_first(job.run)
        self._publish_status(job)
        self._spawn(self._save(job))
        self.pool.hand_out()

    async def _finish(self, job: Job) -> None:
        """Wait for the end of a run, and store its outcome."""
        try:
            done = await self._outcome(job)
        except asyncio.CancelledError:
            if not job.run.done.cancelled():
                raise  # shutdown: the job stays queued in the store, for the next start
            row = self._ended(job, "stopped")
        except Exception as error:
            row = self._failed(job, error)
        else:
            row = self._succeeded(job, done)
        # Written down before anybody hears of it, if that is possible: it then holds, whatever
        # happens to this server.
        saved = await self._store(replace(row, events=job.log.count + 1))
        job.row = row
        if saved is not Saved.LOST:
            job.log.publish("end", self.text_of(job))
            self.on_end(row.status)
        row.events = job.log.count
        job.log.close()
        job.has_ended.set()
        while saved is Saved.NOT_NOW:
            # Until it can be stored it stays in memory, where clients find it.
            if self._closing:
                return
            await asyncio.sleep(RETRY_EVERY)
            saved = await self._store(row)
        self._live.pop(row.id, None)
        if saved is Saved.YES and not self._closing:
            self._tell(row)

    def _tell(self, row: Row) -> None:
        """Let the job's address know of its end, which is written down by now."""
        if self.webhooks is not None and row.callback is not None:
            job = row_text(row, None, None)
            self.webhooks.tell(row.id, row.callback, f'{{"event":"job.ended","job":{job}}}')

    def _succeeded(self, job: Job, done: Done) -> Row:
        status = "interrupted" if job.run.stopping and self._closing else "finished"
        row = self._ended(job, "stopped" if job.stop_asked else status)
        row.result, row.objective = done.texts[0], done.objective
        row.iterations = done.iterations
        return row

    def _failed(self, job: Job, error: Exception) -> Row:
        if self._closing:
            return self._ended(job, "interrupted")
        if isinstance(error, LostWorkerError):
            if job.stop_asked:
                return self._ended(job, "stopped")  # its worker hung and was killed
            told = _error(
                "worker-lost", f"While this ran {error}; another one has taken its place."
            )
        else:
            if not isinstance(error, GeoparError):
                _log.error("job %s failed", job.row.id, exc_info=error)
            told = refusal(error).to_json()["error"]
        row = self._ended(job, "failed")
        row.error = to_text(told)
        return row

    def _ended(self, job: Job, status: str) -> Row:
        """The job as it ends, with the best plan that it has so far."""
        return replace(job.row, status=status, ended=now(), result=job.result_text())


def _problem_of(text: str) -> Problem:
    return problem_from_json(parse_json(text.encode()))


def _options_text(request: SolveRequest) -> str:
    rest_of = {} if request.rest_of is None else {"rest_of": request.rest_of}
    return to_text({**request.options._asdict(), **rest_of})


def _options_of(row: Row) -> RunOptions:
    """As they were asked for; none of a job of an earlier version."""
    faults = Faults()
    options = read_options(faults, json.loads(row.options or "{}"))
    faults.raise_if_any()
    return options


def unknown(id: str) -> RefusedError:
    """There is no such job."""
    return RefusedError(NOT_FOUND, "no-such-job", f"There is no job {id[:40]!r} here.")


def _not_ended(id: str, status: str) -> RefusedError:
    message = (
        f"Job {id!r} is {status}. Stop it first (DELETE without forget), which keeps its best "
        "plan; then it can be forgotten."
    )
    return RefusedError(CONFLICT, "not-ended", message)


def _damaged(id: str, error: DamagedRowError) -> RefusedError:
    message = f"Job {id[:40]!r} cannot be read from the store any more: {error}."
    return RefusedError(INTERNAL, "damaged-job", message)


def _error(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "message": message, "faults": []}


def callback_of(row: Row) -> dict[str, Any] | None:
    """Whom a job tells of its end, and what came of it; the address itself may hold secrets."""
    if row.callback is None:
        return None
    called: dict[str, Any] = Called("waiting")._asdict()
    with contextlib.suppress(ValueError, TypeError):
        called |= json.loads(row.called or "{}")
    return {"host": urlsplit(row.callback).hostname, **called}


def row_text(row: Row, position: int | None, result: str | None) -> str:
    """A job document."""
    fields = {
        "id": row.id, "status": row.status, "name": row.name, "solver": row.solver,
        "time_limit": row.time_limit, "seed": row.seed, "kind": row.kind, "tasks": row.tasks,
        "vehicles": row.vehicles, "created": row.created, "started": row.started,
        "ended": row.ended, "position": position, "iterations": row.iterations,
        "objective": row.objective, "callback": callback_of(row),
    }  # fmt: skip
    texts = {"options": row.options, "result": result, "error": row.error}
    return join_text(fields, {name: text or "null" for name, text in texts.items()})
