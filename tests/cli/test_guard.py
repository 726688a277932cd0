import errno
import signal
import sys

import pytest
import typer

from geopar.cli.guard import guarded
from geopar.errors import Faults, MissingExtraError


def ends(command) -> int:
    try:
        guarded(command)()
    except typer.Exit as end:
        return end.exit_code
    return 0


def raiser(error: BaseException):
    def command() -> None:
        raise error

    return command


def bad_input() -> None:
    faults = Faults()
    faults.add("empty", "customers", ..., "is empty.", "Add one.")
    faults.raise_now()


@pytest.fixture(autouse=True)
def no_traceback(monkeypatch) -> None:
    monkeypatch.delenv("GEOPAR_TRACEBACK", raising=False)


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (lambda: None, 0, ""),
        (lambda: 1, 1, ""),
        (bad_input, 2, "[empty] customers: is empty. Add one."),
        (raiser(MissingExtraError("a picture", "plot")), 2, "geopar[plot]"),
        (raiser(PermissionError(13, "Permission denied", "/x")), 2, "/x: Permission denied"),
        (raiser(ZeroDivisionError("by zero")), 3, "ZeroDivisionError: by zero"),
        (raiser(RecursionError("deep")), 3, "geopar info"),
        (raiser(MemoryError()), 3, "out of memory"),
        (raiser(OSError("no file involved")), 3, "Please report"),
        (raiser(OSError(errno.ENOSPC, "No space left on device")), 2, "the output: No space left"),
        (raiser(KeyboardInterrupt()), 130, "Stopped"),
        (raiser(typer.Exit(7)), 7, ""),
    ],
)
def test_exit_codes_and_messages(command, code: int, said: str, capsys) -> None:
    assert ends(command) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err
    assert "Traceback" not in printed.err


def test_a_traceback_on_demand(monkeypatch) -> None:
    monkeypatch.setenv("GEOPAR_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        ends(raiser(ZeroDivisionError()))


def test_the_command_keeps_its_name_and_help() -> None:
    assert guarded(bad_input).__name__ == "bad_input"


def test_a_reader_that_went_away(monkeypatch, tmp_path) -> None:
    with open(tmp_path / "output", "w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        output.write("what was still to be said")
        assert ends(raiser(BrokenPipeError())) == 141
    assert (tmp_path / "output").read_text() == ""


def test_an_output_that_is_closed_is_not_missed(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert ends(lambda: print("nobody hears this")) == 0
    sys.stdout.close()


def test_a_signal_to_terminate_interrupts_what_keeps_its_best(capsys) -> None:
    def terminated() -> None:
        signal.raise_signal(signal.SIGTERM)

    with pytest.raises(typer.Exit) as end:
        guarded(terminated, keeps_best=True)()
    assert end.value.exit_code == 130
    assert "Stopped before there was a result." in capsys.readouterr().err
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_someone_elses_way_to_terminate_stays() -> None:
    caught: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: caught.append(number))
    try:
        guarded(lambda: signal.raise_signal(signal.SIGTERM), keeps_best=True)()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert caught == [signal.SIGTERM]
