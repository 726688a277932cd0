"""A ``geopar serve`` for tests."""

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

# Compiling may take minutes on a machine that has much else to do.
MOST_SECONDS = 300


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """A service of its own on a free port; gives its address."""
    command = [
        str(Path(sys.executable).with_name("geopar")),
        "serve",
        "--port",
        "0",
        "--workers",
        "1",
    ]
    command += ["--network-workers", "1", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            address = _address(process)
            # Read on: a server whose words nobody reads stands still when the pipe is full.
            reader = Thread(target=lambda: deque(process.stdout or (), maxlen=0), daemon=True)
            reader.start()
            yield address
        finally:
            process.terminate()
            process.wait(timeout=60)


def warm_up(address: str) -> None:
    """Use search and network once, so that no test waits for compiling."""
    end = time.monotonic() + MOST_SECONDS
    while not _is_well(address):
        assert time.monotonic() < end, "the service is not well"
        time.sleep(0.5)
    problem = {
        "problem": "hcvrp", "depot": {"x": 0, "y": 0},
        "customers": [{"x": 1, "y": 1, "demand": 1}], "vehicles": [{"capacity": 1, "speed": 1}],
    }  # fmt: skip
    for solver in ("refine", "pointer"):
        wish = {"problem": problem, "solver": solver, "time_limit": 0.1, "seed": 0}
        assert _post(address + "solve", wish)["result"]["feasible"]
    assert _post(address + "trace", {"problem": problem})["steps"]


def _is_well(address: str) -> bool:
    try:
        with urllib.request.urlopen(address + "health", timeout=MOST_SECONDS):
            return True
    except urllib.error.HTTPError as error:
        error.close()
        return False  # still starting


def _post(address: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(
        address, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=MOST_SECONDS) as answer:
        return json.load(answer)


def _address(process: "subprocess.Popen[bytes]") -> str:
    told = []
    assert process.stdout is not None
    for line in process.stdout:
        told.append(line.decode())
        found = re.search(r"http://[\d.]+:\d+", told[-1])
        if found:
            return found.group() + "/"
    raise AssertionError("geopar serve ended: " + "".join(told))
