"""A server of our own: started, killed, started again, and looked at from outside."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from threading import Thread
from typing import NamedTuple, TextIO

WORKERS, NETWORK_WORKERS = 2, 1
START_SECONDS = 300.0


class Look(NamedTuple):
    """What a server process holds: megabytes of memory, open files, threads."""

    megabytes: float
    files: int
    threads: int


class Served:
    """``geopar serve``."""

    def __init__(self) -> None:
        self.port = 0
        self.told: deque[str] = deque(maxlen=200)
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int:
        """Of the server itself."""
        assert self._process is not None
        return self._process.pid

    def start(self, folder: Path) -> None:
        """Start it, until it listens; its jobs are in the folder, also those of another start."""
        self.start_with("--data", str(folder), "--workers", str(WORKERS))

    def start_with(self, *options: str) -> None:
        """Start it with these options, until it listens."""
        self.told.clear()
        command = [sys.executable, "-m", "geopar", "serve", "--port", "0"]
        command += ["--network-workers", str(NETWORK_WORKERS), *options]
        # Not in our group: Ctrl-C is for the campaign, which ends the server itself.
        self._process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        errors = self._process.stderr
        assert errors is not None
        line = errors.readline()
        # Read on: a server that nobody listens to stands still as soon as the pipe is full.
        Thread(target=self._listen, args=(errors,), daemon=True).start()
        found = re.search(r":(\d+) ", line)
        if found is None:
            time.sleep(1.0)
            raise RuntimeError(f"the server did not start: {line}{''.join(self.told)}")
        self.port = int(found[1])

    def _listen(self, errors: TextIO) -> None:
        with errors:
            self.told.extend(errors)

    def kill(self) -> None:
        """SIGKILL, and wait until its workers have noticed."""
        assert self._process is not None
        workers = self.workers()
        self._process.kill()
        self._process.wait()
        end = time.monotonic() + START_SECONDS
        while any(map(_is_alive, workers)):
            if time.monotonic() > end:
                raise RuntimeError("workers outlive their server")
            time.sleep(0.02)

    def end(self) -> int:
        """SIGTERM; its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(60)

    def workers(self) -> list[int]:
        """Process ids of its workers."""
        return [
            pid for pid in _children(self.pid)
            if b"spawn_main" in _read(f"/proc/{pid}/cmdline") and _is_alive(pid)
        ]  # fmt: skip

    def kill_worker(self, pid: int) -> None:
        """SIGKILL one of its workers."""
        os.kill(pid, signal.SIGKILL)

    def look(self) -> Look:
        """At the server itself."""
        status = _read(f"/proc/{self.pid}/status").decode()
        memory, threads = (
            int(re.search(rf"{name}:\s+(\d+)", status)[1])  # type: ignore[index]
            for name in ("VmRSS", "Threads")
        )
        return Look(memory / 1024, len(os.listdir(f"/proc/{self.pid}/fd")), threads)


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""  # it has just ended


def _stat(pid: int) -> list[str]:
    return _read(f"/proc/{pid}/stat").decode().rpartition(")")[2].split()


def _children(pid: int) -> list[int]:
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [number for number in numbers if _stat(number)[1:2] == [str(pid)]]


def _is_alive(pid: int) -> bool:
    return _stat(pid)[:1] not in ([], ["Z"])
