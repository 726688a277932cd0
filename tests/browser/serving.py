"""A ``geopar serve`` for tests."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
            yield _address(process)
        finally:
            process.terminate()
            process.communicate(timeout=60)


def _address(process: "subprocess.Popen[bytes]") -> str:
    told = []
    assert process.stdout is not None
    for line in process.stdout:
        told.append(line.decode())
        found = re.search(r"http://[\d.]+:\d+", told[-1])
        if found:
            return found.group() + "/"
    raise AssertionError("geopar serve ended: " + "".join(told))
