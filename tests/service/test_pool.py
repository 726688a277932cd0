import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace

import pytest

import fake_workers
import instances
from geopar.service import pool as pool_module
from geopar.service import process
from geopar.service.orders import Done, LostWorkerError, SolveOrder
from geopar.service.pool import Pool, Run
from geopar.service.queueing import Line


def with_pool(
    monkeypatch: pytest.MonkeyPatch,
    main: Callable[..., None],
    use: Callable[[Pool, Line], Coroutine[None, None, None]],
) -> None:
    """Use a pool of one worker."""
    monkeypatch.setattr(process, "work", SimpleNamespace(main=main))

    async def live() -> None:
        line = Line()
        pool = Pool(1, line, (), False, 0)
        pool.start()
        try:
            await asyncio.wait_for(use(pool, line), 60)
        finally:
            await pool.close(5.0)

    asyncio.run(live())


def run_of(line: Line) -> Run:
    run = Run(SolveOrder(instances.square(), "refine", 1.0, 0))
    line.add(run)
    return run


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


def test_a_worker_that_nobody_understands_is_replaced_and_its_run_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def use(pool: Pool, line: Line) -> None:
        await pool.is_ready.wait()
        # Whoever takes its place is in order.
        monkeypatch.setattr(process, "work", SimpleNamespace(main=fake_workers.does_as_told))
        run, after = run_of(line), run_of(line)
        pool.pump()
        with pytest.raises(LostWorkerError, match="could not be read"):
            await run.done
        assert await after.done == Done(("{}",))
        assert (pool.restarts, pool.busy, pool.idle) == (1, 0, 1)

    with_pool(monkeypatch, fake_workers.says_what_nobody_can_read, use)


def test_how_long_no_worker_was_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(pool: Pool, line: Line) -> None:
        await until(lambda: pool.unready_seconds > 0.0)
        await pool.is_ready.wait()
        assert pool.unready_seconds == 0.0
        pool._seats[0].process.kill()
        await until(lambda: pool.restarts == 1)
        assert pool.unready_seconds > 0.0
        assert pool.last_ending == "the worker process was ended by signal 9"
        await until(lambda: pool.idle == 1)
        assert pool.unready_seconds == 0.0

    with_pool(monkeypatch, fake_workers.does_as_told, use)


def test_workers_that_end_before_they_are_ready_are_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def use(pool: Pool, line: Line) -> None:
        await until(lambda: pool.restarts == 2)
        assert pool.unready_seconds > 0.0
        assert pool.last_ending == "the worker process ended with exit code 3"

    monkeypatch.setattr(pool_module, "FIRST_PAUSE", 0.01)
    with_pool(monkeypatch, fake_workers.stillborn, use)
