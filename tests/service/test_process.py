import asyncio
from types import SimpleNamespace

import pytest

import fake_workers
import instances
from geopar.service import process
from geopar.service.orders import Ready, SolveOrder
from geopar.service.process import WorkerProcess

ORDER = SolveOrder(instances.square(), "refine", 1.0, 0)


def live(monkeypatch: pytest.MonkeyPatch, main: object, order: object) -> tuple[list, str]:
    """What a worker reports, and how it ends, when it is given one order."""
    monkeypatch.setattr(process, "work", SimpleNamespace(main=main))

    async def watch() -> tuple[list, str]:
        reports, ended = [], asyncio.Event()

        def on_report(worker: WorkerProcess, report: object) -> None:
            reports.append(report)
            worker.send(order)

        worker = WorkerProcess((), False, 0, on_report, lambda worker: ended.set())
        try:
            await asyncio.wait_for(ended.wait(), 60)
        finally:
            worker.kill()
        return reports, worker.ending

    return asyncio.run(watch())


def test_a_worker_that_says_what_cannot_be_read_is_ended(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    reports, ending = live(monkeypatch, fake_workers.says_what_nobody_can_read, ORDER)
    assert reports == [Ready({})]
    assert ending == "what the worker process said could not be read (TypeError)"
    assert "this cannot be read" in caplog.text


def test_a_worker_that_cannot_be_told_what_to_do_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, ending = live(monkeypatch, fake_workers.does_as_told, lambda: "cannot be sent")
    assert ending.startswith("the worker process could not be told what to do")


def test_a_worker_that_cannot_be_started_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    _, ending = live(monkeypatch, lambda: "cannot be sent", ORDER)
    assert ending.startswith("no worker process could be started")


def test_a_worker_that_ends_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    reports, ending = live(monkeypatch, fake_workers.stillborn, ORDER)
    assert reports == []
    assert ending == "the worker process ended with exit code 3"
