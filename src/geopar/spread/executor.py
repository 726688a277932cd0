"""What runs tasks: one interface, whatever is behind it."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

from geopar.errors import GeoparError

# A worker that dies may have died of its task: so often is a task begun before it is given up.
MOST_TRIES = 4
# Tasks on their way for each worker: one that runs, and one that waits, so that none is idle while
# results travel. More would only be lost with it.
AHEAD = 2

Task = TypeVar("Task")
Value = TypeVar("Value")


class WorkerDiedError(GeoparError):
    """A task whose worker died each time."""

    def __init__(self, tries: int = MOST_TRIES) -> None:
        super().__init__(
            f"the worker died {tries} times with this task. Maybe it needs more memory than there "
            'is; a script that spreads work must begin with `if __name__ == "__main__":`.'
        )
        self.tries = tries

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tries,)


@dataclass(frozen=True, slots=True)
class Done(Generic[Value]):
    """A task that has ended: with a value, or with the error that it raised.

    Parameters
    ----------
    number
        Which task, counted from 0 in the order in which they were given.
    value
        What its function returned.
    error
        What it raised instead.
    """

    number: int
    value: Value | None = None
    error: Exception | None = None

    def result(self) -> Value:
        """The value, where an error is raised here as well."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]


class Executor(Protocol):
    """Runs tasks: in this process, in several, or on a cluster.

    Tasks are descriptions that can be pickled, and the function is one that other processes can
    import; it must depend on nothing but its task, which holds its own seed. Then the values are
    the same whatever runs them and in whichever order.
    """

    @property
    def workers(self) -> int:
        """How many tasks can run at once, now."""

    def run(
        self, function: Callable[[Task], Value], tasks: Iterable[Task]
    ) -> Iterator[Done[Value]]:
        """Run all tasks; each comes back once, as it is done.

        Tasks are taken from their source only shortly before they begin. One that raises comes back
        with its error, and the others go on; when a worker dies, its task is done again. Who stops
        taking results ends what still runs.
        """

    def close(self) -> None:
        """Let the workers go."""

    def __enter__(self) -> Self:
        """To be closed at the end."""

    def __exit__(self, *error: object) -> None:
        """Close."""


def attempt(function: Callable[[Task], Value], number: int, task: Task) -> Done[Value]:
    """Run one task, where the worker is."""
    try:
        return Done(number, function(task))
    except Exception as error:
        return Done(number, error=portable(error))


def portable(error: Exception) -> Exception:
    """The error, or one with the same words if it cannot cross to another process."""
    if not isinstance(error, GeoparError):
        # Nobody expected it: whoever looks for the fault will want to know where it was.
        error.add_note("".join(traceback.format_exception(error)))
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:  # other people's errors may do anything here
        pass
    return GeoparError(f"{type(error).__name__}: {error}")
