"""One real server for all tests of the service, in a thread, with one worker of each sort."""

import time
from collections.abc import Iterator

import httpx
import pytest

from geopar.service.limits import Limits
from geopar.service.service import Settings
from postgresql_fixture import database, postgres, where  # noqa: F401
from ray_fixture import ray_cluster  # noqa: F401
from service_running import Running, running

LIMITS = Limits(
    tasks=200, vehicles=20, body_bytes=60_000, time_limit=30.0, queue=3, concurrent=1,
    one_pass_queue=50, streams=3,
)  # fmt: skip


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("service")
    settings = Settings(limits=LIMITS, network_workers=1, data=folder, kinds=("hcvrp",))
    with running(settings) as made:
        # Not well until its workers are warm, which takes long where nothing is compiled yet.
        for _ in range(600):
            if (answer := made.client.get("/health")).status_code == 200:
                break
            time.sleep(0.5)
        assert answer.status_code == 200, answer.text
        yield made


@pytest.fixture
def client(served: Running) -> httpx.Client:
    return served.client
