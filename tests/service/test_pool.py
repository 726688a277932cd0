import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace

import pytest

import fake_workers
import instances
from geopar.service import pool as pool_module
from geopar.service import process
from geopar.service.messages import Compiling, Done, LostWorkerError, SolveCommand, TraceCommand
from geopar.service.pool import JobQueue, Pool, Run, local_workers


def with_pool(
    monkeypatch: pytest.MonkeyPatch,
    main: Callable[..., None],
    use: Callable[[Pool, JobQueue], Coroutine[None, None, None]],
) -> None:
    """Use a pool of one worker."""
    monkeypatch.setattr(process, "worker", SimpleNamespace(main=main))

    async def live() -> None:
        queue = JobQueue()
        pool = Pool(1, queue, local_workers((), False, 0))
        pool.start()
        try:
            await asyncio.wait_for(use(pool, queue), 60)
        finally:
            await pool.close(5.0)

    asyncio.run(live())


def run_of(queue: JobQueue) -> Run:
    run = Run(SolveCommand(instances.square(), "refine", 1.0, 0))
    queue.add(run)
    return run


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


def test_a_worker_whose_report_cannot_be_read_is_replaced_and_its_run_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def use(pool: Pool, queue: JobQueue) -> None:
        await pool.is_ready.wait()
        # Whoever takes its place is in order.
        monkeypatch.setattr(process, "worker", SimpleNamespace(main=fake_workers.answers_at_once))
        run, after = run_of(queue), run_of(queue)
        pool.hand_out()
        with pytest.raises(LostWorkerError, match="could not be read"):
            await run.done
        assert await after.done == Done(("{}",))
        assert (pool.restarts, pool.busy, pool.idle) == (1, 0, 1)

    with_pool(monkeypatch, fake_workers.sends_unreadable_report, use)


def test_who_watches_a_run_is_told_that_it_waits_for_code(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(pool: Pool, queue: JobQueue) -> None:
        told: list[object] = []
        run = Run(SolveCommand(instances.square(), "refine", 1.0, 0), watch=told.append)
        queue.add(run)
        pool.hand_out()
        assert await run.done == Done(("{}",))
        assert told == [Compiling()]

    with_pool(monkeypatch, fake_workers.compiles_then_answers, use)


def test_how_long_no_worker_was_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(pool: Pool, queue: JobQueue) -> None:
        await until(lambda: pool.unready_seconds > 0.0)
        await pool.is_ready.wait()
        assert pool.unready_seconds == 0.0
        pool._slots[0].process.kill()
        await until(lambda: pool.restarts == 1)
        assert pool.unready_seconds > 0.0
        assert pool.last_ending == "the worker process was ended by signal 9"
        await until(lambda: pool.idle == 1)
        assert pool.unready_seconds == 0.0

    with_pool(monkeypatch, fake_workers.answers_at_once, use)


def test_workers_that_end_before_they_are_ready_are_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def use(pool: Pool, queue: JobQueue) -> None:
        await until(lambda: pool.restarts == 2)
        assert pool.unready_seconds > 0.0
        assert pool.last_ending == "the worker process ended with exit code 3"

    monkeypatch.setattr(pool_module, "FIRST_PAUSE", 0.01)
    with_pool(monkeypatch, fake_workers.exits_before_ready, use)


def test_first_come_first_served() -> None:
    async def run() -> None:
        queue = JobQueue()
        one, two, three = (Run(TraceCommand(instances.square(), 0)) for _ in range(3))
        for each in (one, two, three):
            queue.add(each)
        assert [queue.position(each) for each in (one, two, three)] == [1, 2, 3]
        assert queue.remove(two)
        assert not queue.remove(two)
        assert queue.take() is one
        assert queue.position(three) == 1
        assert queue.position(one) is None
        assert (queue.take(), queue.take(), len(queue)) == (three, None, 0)

    asyncio.run(run())
