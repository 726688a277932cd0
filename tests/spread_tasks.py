"""Tasks for the tests of what runs them; other processes import this."""

import os
import signal
import time
from pathlib import Path
from typing import NoReturn

from geopar.errors import refuse


class StubbornError(Exception):
    """An error that cannot be made again from its text."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def square(number: int) -> int:
    return number * number


def root(number: int) -> float:
    if number < 0:
        refuse("out-of-range", "number", number, "has no root.", "Maybe its opposite.")
    return number**0.5


def stubborn(number: int) -> NoReturn:
    raise StubbornError("so", f"{number}")


def broken(number: int) -> NoReturn:
    raise ZeroDivisionError(number)


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def dies_at_first(task: tuple[int, Path | None]) -> int:
    """Kills its worker unless the file is there already, which it leaves behind."""
    number, mark = task
    if mark is not None and not mark.exists():
        mark.touch()
        die()
    return number


def dies_if_odd(number: int) -> int:
    if number % 2:
        die()
    return number


def dies_at_99(number: int) -> int:
    if number == 99:
        die()
    return number


def waits(task: tuple[int, Path]) -> int:
    """Waits until the file is there."""
    number, mark = task
    while not mark.exists():
        time.sleep(0.01)
    return number


def tells_process(number: int) -> int:
    return os.getpid()
