"""Tables kept on disk, so that a plan of tomorrow asks only for what is new."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path

import numpy as np

from geopar.files.storage import write_files
from geopar.problems.validation import Floats
from geopar.roads.engine import RoadEngine, Table


def default_folder() -> Path:
    """Where tables are kept when nothing else is said."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "geopar" / "roads"


class Cached:
    """A road engine that remembers.

    Parameters
    ----------
    engine
        Who is asked.
    folder
        Where answers are kept; removing it forgets them.
    """

    def __init__(self, engine: RoadEngine, folder: Path) -> None:
        self.name, self._engine, self._folder = engine.name, engine, folder
        self.keeps_speeds = engine.keeps_speeds

    def table(self, profile: str, sources: Floats, targets: Floats) -> Table:
        """See :class:`~geopar.roads.engine.RoadEngine`."""
        path = self._folder / f"{self._key(profile, sources, targets)}.npz"
        known = _read(path, (len(sources), len(targets)))
        if known is not None:
            return known
        table = self._engine.table(profile, sources, targets)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, seconds=table.seconds, metres=table.metres)
        self._folder.mkdir(parents=True, exist_ok=True)
        write_files({path: buffer.getvalue()})
        return table

    def shape(self, profile: str, places: Floats) -> list[list[float]]:
        """See :class:`~geopar.roads.engine.RoadEngine`."""
        return self._engine.shape(profile, places)

    def _key(self, profile: str, sources: Floats, targets: Floats) -> str:
        digest = hashlib.sha256(f"{self.name}\0{profile}\0{_age(self.name)}\0".encode())
        for places in (sources, targets):
            digest.update(np.round(places, 6).tobytes() + b"\0")
        return digest.hexdigest()


def _age(name: str) -> float:
    """When tiles on this machine were made; 0 for a server."""
    try:
        return os.stat(name).st_mtime
    except OSError:
        return 0.0


def _read(path: Path, shape: tuple[int, int]) -> Table | None:
    try:
        # By its bytes: of a file that is damaged NumPy would leave the handle open.
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as members:
            table = Table(members["seconds"], members["metres"])
    except Exception:  # none yet, or a damaged archive, in one of zipfile's many ways
        return None
    return table if table.seconds.shape == table.metres.shape == shape else None
