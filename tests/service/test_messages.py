import pickle

import pytest

from geopar.errors import Faults, GeoparError, InputError, MissingExtraError
from geopar.service.messages import Failed
from geopar.service.responses import refusal


class StubbornError(Exception):
    """Cannot be made from its text alone, as unpickling would try, nor say what it is."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)

    def __str__(self) -> str:
        raise ValueError


class TalkativeError(GeoparError):
    """Cannot be made from its text alone either."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


def bad_seed() -> InputError:
    faults = Faults(most_per_code=2)
    for seed in (-1, 1.5, "x"):
        faults.add("bad-seed", "seed", seed, "is no seed.", "Maybe 0.")
    with pytest.raises(InputError) as caught:
        faults.raise_now()
    return caught.value


@pytest.mark.parametrize(
    ("error", "status", "code", "message"),
    [
        (bad_seed(), 422, "bad-seed", "… and 1 more"),
        (MissingExtraError("solver 'x'", "neural"), 422, "missing-extra", "geopar[neural]"),
        (MemoryError(), 503, "out-of-memory", "not enough memory"),
        (TalkativeError("this", "that"), 500, "internal", "this and that"),
        (KeyError("somewhere"), 500, "internal", "KeyError: 'somewhere'"),
        (StubbornError("a", "b"), 500, "internal", "StubbornError"),
        (SystemExit(3), 500, "internal", "SystemExit: 3"),
    ],
)
def test_whatever_was_raised_arrives_in_words(
    error: BaseException, status: int, code: str, message: str
) -> None:
    failed = pickle.loads(pickle.dumps(Failed.of(error)))
    refused = refusal(failed.to_error())
    assert (refused.status, refused.code) == (status, code)
    assert message in str(refused)


def test_all_that_is_wrong_with_an_input_arrives() -> None:
    arrived = Failed.of(bad_seed()).to_error()
    assert arrived.faults == bad_seed().faults
    assert str(arrived) == str(bad_seed())


def test_only_text_and_numbers_travel() -> None:
    failed = Failed.of(bad_seed())
    assert all(type(part) is str for fault in failed.faults for part in fault)
    assert (type(failed.code), type(failed.message), type(failed.left_out)) == (str, str, int)
