"""Bombs under names that are known: refused from a file and over HTTP before anything unpacks."""

import asyncio
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import httpx
import numpy as np
import pytest

from geopar.errors import InputError
from geopar.files import read_batch
from geopar.problems.kinds import KINDS, Kind
from geopar.service.app import make_app
from geopar.service.service import Settings
from geopar.testing.npz_bombs import BOMBS, BYTES, long_details
from geopar.testing.rude_requests import a_bomb

ALL = pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
EACH = pytest.mark.parametrize("kind", KINDS)
# Looking into one takes a good deal less, and half of a bomb far more.
MOST_MEMORY = 6_000_000
CODES = {"too-large", "bad-npz", "too-many"}


@contextmanager
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()


@EACH
@ALL
def test_in_a_file(tmp_path: Path, kind: Kind, bomb: Callable[[Kind], bytes]) -> None:
    path = tmp_path / "bomb.npz"
    path.write_bytes(bomb(kind))
    assert path.stat().st_size < BYTES / 100
    with little_memory(), pytest.raises(InputError) as caught:
        read_batch(path)
    assert {fault.code for fault in caught.value.faults} <= CODES


@EACH
@ALL
def test_over_http(kind: Kind, bomb: Callable[[Kind], bytes]) -> None:
    file = {"files": ("bomb.npz", bomb(kind))}
    app = make_app(Settings())
    app.state.service = SimpleNamespace(metrics=Mock())  # all that answers without a job need

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
            return await client.post("http://localhost/read", files=file)

    with little_memory():
        response = asyncio.run(send())
    assert response.status_code in (413, 422)
    assert {fault["code"] for fault in response.json()["error"]["faults"]} <= CODES


@EACH
def test_what_they_are_made_of_is_read_when_it_is_small(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("geopar.testing.npz_bombs.BYTES", 100)
    path = tmp_path / "small.npz"
    path.write_bytes(long_details(kind))
    assert [problem.kind for problem in read_batch(path)] == [kind]


def test_the_campaign_sends_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("BYTES", 1000), ("TASKS", 10)):
        monkeypatch.setattr(f"geopar.testing.npz_bombs.{name}", value)
    sent = {a_bomb(np.random.default_rng(seed)) for seed in range(60)}
    assert len(sent) == len(BOMBS) * len(KINDS)
