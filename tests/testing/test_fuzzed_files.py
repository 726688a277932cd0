import pytest

from geopar.testing import fuzzed_files
from geopar.testing.fuzzed_files import READERS, fuzzed, tried


@pytest.mark.parametrize("seed", range(60))
def test_readers_understand_or_say_what_is_wrong(seed: int) -> None:
    assert tried(seed) == []


def test_a_seed_is_the_same_file_again() -> None:
    for seed in range(6):
        assert fuzzed(seed)[1] == fuzzed(seed)[1]
    assert {fuzzed(seed)[0] for seed in range(60)} == set(READERS)


def test_a_crash_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(fuzzed_files, "READERS", dict.fromkeys(READERS, crash))
    assert "ZeroDivisionError" in tried(0)[0]
