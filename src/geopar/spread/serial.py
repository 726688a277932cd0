"""One task after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from geopar.spread.closing import Closing
from geopar.spread.executor import Done, Task, Value, attempt


class Serial(Closing):
    """Runs tasks here, in their order."""

    workers = 1

    def run(
        self, function: Callable[[Task], Value], tasks: Iterable[Task]
    ) -> Iterator[Done[Value]]:
        """As :meth:`geopar.spread.executor.Executor.run`."""
        for number, task in enumerate(tasks):
            yield attempt(function, number, task)
