"""A PostgreSQL of our own: in a temporary folder, reached by a socket there and by nothing else."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

START_SECONDS = 60.0
# Who it runs as where we are root, which it refuses to be.
USERS = ("postgres", "nobody")


def why_not() -> str | None:
    """Why there can be none here; None when there can."""
    if find_spec("psycopg") is None:
        return "psycopg is not installed: pip install 'geopar[postgresql]'"
    if _programs() is None:
        return "PostgreSQL is not installed: apt install postgresql"
    if os.geteuid() == 0 and _user() is None:
        return "PostgreSQL does not run as root, and there is no user postgres or nobody"
    return None


class Postgres:
    """A server with one empty database; started when it is made, removed by :meth:`close`."""

    def __init__(self) -> None:
        programs = _programs()
        assert programs is not None
        self._programs = programs
        self._user = _user() if os.geteuid() == 0 else None
        # Short: the path of a socket has about a hundred characters.
        self.folder = Path(tempfile.mkdtemp(prefix="geopar-pg-", dir="/tmp"))
        if self._user is not None:
            shutil.chown(self.folder, self._user)
        # Everybody may reach the socket; the data are their owner's.
        self.folder.chmod(0o755)
        self._process: subprocess.Popen[bytes] | None = None
        command = ["initdb", "-D", "data", "-U", "geopar", "-A", "trust", "-E", "UTF8"]
        self._run([*command, "--locale=C", "--no-sync"])
        self.start()

    @property
    def url(self) -> str:
        """Of its database."""
        return f"postgresql://geopar@/postgres?host={self.folder}"

    def start(self) -> None:
        """Start it, until it answers."""
        command = [self._program("postgres"), "-D", "data", "-k", str(self.folder)]
        command += ["-c", "listen_addresses=", "-c", "log_min_messages=fatal"]
        self._process = subprocess.Popen(
            command, cwd=self.folder, user=self._user, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        end = time.monotonic() + START_SECONDS
        ready = [self._program("pg_isready"), "-h", str(self.folder), "-U", "geopar", "-q"]
        while subprocess.run(ready).returncode != 0:
            if time.monotonic() > end or self._process.poll() is not None:
                raise RuntimeError("PostgreSQL did not start")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it at once, and with it all connections; nothing that was written is lost."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)
            self._process = None

    def close(self) -> None:
        """End it and remove its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _program(self, name: str) -> str:
        return str(self._programs / name)

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(
            [self._program(command[0]), *command[1:]], cwd=self.folder, user=self._user,
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]}: {done.stderr.strip()}")


def _programs() -> Path | None:
    """Where ``initdb`` is: on the path, or where Debian puts it, the newest version first."""
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).resolve().parent
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return next((path.parent for path in sorted(found, reverse=True)), None)


def _user() -> str | None:
    known = {user.pw_name for user in pwd.getpwall()}
    return next((name for name in USERS if name in known), None)
