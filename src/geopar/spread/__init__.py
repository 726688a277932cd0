"""Work that is spread: the same tasks in this process, in several, or on a Ray cluster.

>>> with open_executor("processes:2") as executor:
...     for done in executor.run(function, tasks):
...         print(done.number, done.value)
"""

from __future__ import annotations

from geopar.spread.choice import open_executor, opened
from geopar.spread.executor import Done, Executor, WorkerDiedError
from geopar.spread.meter import Meter

__all__ = ["Done", "Executor", "Meter", "WorkerDiedError", "open_executor", "opened"]
