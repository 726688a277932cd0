"""The health of a service whose workers do not work; no worker is started for real."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

import fake_workers
import instances
from geopar.service import pool as pool_module
from geopar.service import process
from geopar.service import service as service_module
from geopar.service.limits import Limits
from geopar.service.requests import SolveRequest
from geopar.service.responses import RefusedError
from geopar.service.service import Service, Settings

SETTINGS = Settings(limits=Limits(concurrent=1), network_workers=1)


@pytest.mark.parametrize(
    ("main", "reason"),
    [
        (fake_workers.never_ready, "has been ready"),
        (fake_workers.exits_before_ready, "ended with exit code 3"),
    ],
)
@pytest.mark.parametrize("sort", ["search", "network"])
def test_without_workers_it_is_not_well_and_says_why(
    monkeypatch: pytest.MonkeyPatch, main: object, reason: str, sort: str
) -> None:
    monkeypatch.setattr(process, "worker", SimpleNamespace(main=main))
    monkeypatch.setattr(service_module, "UNREADY_SECONDS", 0.0)

    async def ask() -> RefusedError:
        service = Service(SETTINGS)
        pool = {"search": service.pool, "network": service.network}[sort]
        pool.start()
        try:
            while main is fake_workers.exits_before_ready and not pool.restarts:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.01)
            with pytest.raises(RefusedError) as caught:
                await service.health()
            return caught.value
        finally:
            await pool.close(0.1)

    error = asyncio.run(ask())
    assert (error.status, error.code) == (503, "no-workers")
    assert f"for the {sort}" in str(error)
    assert reason in str(error)


@pytest.mark.parametrize(("longest", "code"), [(900.0, "starting"), (0.0, "no-workers")])
def test_workers_that_compile_are_starting_unless_that_never_ends(
    monkeypatch: pytest.MonkeyPatch, longest: float, code: str
) -> None:
    monkeypatch.setattr(process, "worker", SimpleNamespace(main=fake_workers.compiles_for_ever))
    monkeypatch.setattr(service_module, "UNREADY_SECONDS", 0.0)

    async def ask() -> RefusedError:
        service = Service(SETTINGS)
        service.pool.start()
        try:
            async with asyncio.timeout(60):
                while not service.pool.is_compiling:
                    await asyncio.sleep(0.01)
            monkeypatch.setattr(pool_module, "COMPILING", longest)
            with pytest.raises(RefusedError) as caught:
                await service.health()
            return caught.value
        finally:
            await service.pool.close(0.1)

    error = asyncio.run(ask())
    assert (error.status, error.code) == (503, code)
    assert ("compiled for" in str(error)) is (code == "starting")


def test_solvers_are_listed_before_any_worker_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "worker", SimpleNamespace(main=fake_workers.compiles_for_ever))

    async def ask() -> dict[str, Any]:
        service = Service(SETTINGS)
        service.network.start()
        try:
            return service.solver_list()
        finally:
            await service.network.close(0.1)

    told = asyncio.run(ask())
    assert (told["default"], told["ready"]) == ("refine", False)
    assert all(solver["available"] for solver in told["solvers"])


def test_a_moment_without_workers_is_no_illness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "worker", SimpleNamespace(main=fake_workers.never_ready))
    monkeypatch.setattr(service_module, "STARTING_SECONDS", 0.01)

    async def ask() -> str:
        service = Service(SETTINGS)
        service.pool.start()
        try:
            with pytest.raises(RefusedError) as caught:
                await service.health()
            return caught.value.code
        finally:
            await service.pool.close(0.1)

    assert asyncio.run(ask()) == "starting"


def test_the_limit_of_the_queue_holds_for_requests_at_the_same_time() -> None:
    async def ask() -> tuple[list, int]:
        service = Service(Settings(limits=Limits(queue=5, concurrent=1)))  # its workers never start
        await service.store.open()
        request = SolveRequest(instances.square(), "refine", 1.0, 0)
        try:
            answers = await asyncio.gather(
                *(service.create_job(request) for _ in range(200)), return_exceptions=True
            )
            return answers, len(service.queue)
        finally:
            await service.jobs.close()
            await service.store.close()

    answers, waiting = asyncio.run(ask())
    refused = [answer for answer in answers if isinstance(answer, RefusedError)]
    assert (waiting, len(refused)) == (5, 195)
    assert {error.status for error in refused} == {429}
