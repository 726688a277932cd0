import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

import fake_workers
import instances
from geopar.service import process
from geopar.service.messages import Ready, SolveCommand
from geopar.service.process import WorkerProcess

COMMAND = SolveCommand(instances.square(), "refine", 1.0, 0)


def live(monkeypatch: pytest.MonkeyPatch, main: object, command: Any) -> tuple[list, str]:
    """What a worker reports, and how it ends, when it is given one command."""
    monkeypatch.setattr(process, "worker", SimpleNamespace(main=main))

    async def watch() -> tuple[list, str]:
        reports, ended = [], asyncio.Event()

        def on_report(worker: WorkerProcess, report: object) -> None:
            reports.append(report)
            worker.send(command)

        worker = WorkerProcess(((), False, 0), on_report, lambda worker: ended.set())
        try:
            await asyncio.wait_for(ended.wait(), 60)
        finally:
            worker.kill()
        return reports, worker.ending

    return asyncio.run(watch())


def test_a_worker_whose_report_cannot_be_read_is_ended(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    reports, ending = live(monkeypatch, fake_workers.sends_unreadable_report, COMMAND)
    assert reports == [Ready({})]
    assert ending == "a report of the worker process could not be read (TypeError)"
    assert "this cannot be read" in caplog.text


def test_a_worker_that_cannot_be_sent_a_command_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, ending = live(monkeypatch, fake_workers.answers_at_once, lambda: "cannot be sent")
    assert ending.startswith("a command could not be sent to the worker process")


def test_a_worker_that_cannot_be_started_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    _, ending = live(monkeypatch, lambda: "cannot be sent", COMMAND)
    assert ending.startswith("no worker process could be started")


def test_a_worker_that_ends_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    reports, ending = live(monkeypatch, fake_workers.exits_before_ready, COMMAND)
    assert reports == []
    assert ending == "the worker process ended with exit code 3"
