import socket
import sys
from pathlib import Path

import pytest

from geopar.service.postgresql_store import PostgresStore


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list:
    """What would have been served, instead of serving it."""
    calls: list = []

    def serve_on(listener: socket.socket, settings: object) -> None:
        calls.append((listener.getsockname()[0], settings))
        listener.close()

    monkeypatch.setattr("geopar.service.server.serve_on", serve_on)
    return calls


def test_on_this_machine_only_unless_told_otherwise(run, started: list) -> None:
    done = run("serve", "--port", 0)
    assert done.exit_code == 0
    assert "http://127.0.0.1:" in done.stderr
    ((address, settings),) = started
    assert address == "127.0.0.1"
    assert settings.local_only
    assert settings.token is None
    assert settings.data is None
    assert settings.webhooks.hosts == ()  # nobody is called
    assert settings.webhook_secret is None


def test_options_reach_the_service(run, started: list, tmp_path: Path) -> None:
    done = run(
        "serve", "--port", 0, "--data", tmp_path / "jobs", "--token", "t", "--workers", 3,
        "--max-tasks", 50, "--max-vehicles", 5, "--max-body", 1000, "--max-time", 7, "--queue", 9,
        "--one-pass-queue", 11, "--streams", 13, "--network-workers", 1,
        "--connections", 17, "--keep-jobs", 19, "--keep-days", 0.5,
        "--tiles", "https://tiles.example/{z}/{x}/{y}.png", "--host", "0.0.0.0",
        "--webhooks", "hooks.example", "--webhooks", "[::1]:9000", "--webhook-secret", "s",
    )  # fmt: skip
    assert done.exit_code == 0
    _, settings = started[0]
    limits = settings.limits
    assert (limits.tasks, limits.vehicles, limits.body_bytes, limits.time_limit) == (50, 5, 1000, 7)
    assert (limits.queue, limits.concurrent) == (9, 3)
    assert (limits.one_pass_queue, limits.streams, limits.connections) == (11, 13, 17)
    assert (settings.keep_jobs, settings.keep_days) == (19, 0.5)
    assert (settings.network_workers, settings.token) == (1, "t")
    assert settings.webhooks.hosts == ("hooks.example", "[::1]:9000")
    assert settings.webhook_secret == "s"
    assert not settings.local_only
    assert (tmp_path / "jobs" / "jobs.sqlite").exists()


@pytest.mark.parametrize(
    ("text", "address", "most"),
    [
        ("ray", "auto", None), ("ray:4", "auto", 4), ("ray:10.0.0.1:6379", "10.0.0.1:6379", None),
        ("ray:4:[::1]:6379", "[::1]:6379", 4),
    ],
)  # fmt: skip
def test_workers_on_a_cluster(
    run, started: list, monkeypatch: pytest.MonkeyPatch, text: str, address: str, most: int | None
) -> None:
    monkeypatch.setattr("geopar.service.cluster.try_out", lambda cluster: 12)
    assert run("serve", "--port", 0, "--workers", text).exit_code == 0
    _, settings = started[0]
    assert settings.cluster == (address, most)
    assert settings.limits.concurrent == 12


def test_everywhere_without_a_token_is_said(run, started: list) -> None:
    assert "--token" in run("serve", "--port", 0, "--host", "0.0.0.0").stderr


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--workers", 0), "bad-limit"),
        (("--workers", "-1"), "bad-limit"),
        (("--workers", "ray:0"), "bad-limit"),
        (("--workers", "rays"), "bad-cluster"),
        (("--workers", "ray:host"), "bad-cluster"),
        (("--max-time", "nan"), "bad-limit"),
        (("--queue", -1), "bad-limit"),
        (("--keep-days", 0), "bad-limit"),
        (("--keep-days", "inf"), "bad-limit"),
        (("--token", " "), "bad-token"),
        (("--token", "ä"), "bad-token"),
        (("--tiles", "ftp://x"), "bad-address"),
        (("--webhooks", "https://hooks.example/"), "bad-address"),
        (("--webhooks", "*.example"), "bad-address"),
        (("--webhooks", ""), "bad-address"),
        (("--port", 99999), "bad-address"),
        (("--host", "256.1.1.1"), "bad-address"),
    ],
)
def test_bad_options(run, started: list, options: tuple, code: str) -> None:
    done = run("serve", "--port", 0, *options)
    assert done.exit_code == 2
    assert f"[{code}]" in done.stderr
    assert started == []


def test_a_port_that_is_taken_and_a_folder_that_is_none(run, started: list, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("serve", "--port", taken.getsockname()[1])
    assert done.exit_code == 2
    assert "[bad-address]" in done.stderr
    (tmp_path / "file").write_text("")
    done = run("serve", "--port", 0, "--data", tmp_path / "file")
    assert done.exit_code == 2
    assert "[bad-store]" in done.stderr
    assert started == []


def test_a_store_that_is_none(run, started: list, tmp_path: Path) -> None:
    done = run("serve", "--data", tmp_path, "--store", "postgresql://h/d", "--lease", 1)
    assert done.exit_code == 2
    assert "bad-store" in done.stderr
    assert "bad-limit" in done.stderr
    done = run("serve", "--store", "mysql://h/d")
    assert (done.exit_code, "bad-address" in done.stderr) == (2, True)
    assert started == []


def test_a_store_needs_its_extra(run, started: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    done = run("serve", "--store", "postgresql://h/d")
    assert (done.exit_code, "geopar[postgresql]" in done.stderr) == (2, True)
    assert started == []


def test_a_store_reaches_the_service(run, started: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PostgresStore, "try_out", lambda store: None)
    monkeypatch.setenv("GEOPAR_STORE", "postgresql://h/d")
    assert run("serve", "--port", 0, "--lease", 5).exit_code == 0
    ((_, settings),) = started
    assert (settings.store, settings.lease, settings.data) == ("postgresql://h/d", 5.0, None)
