import os
from pathlib import Path

import pytest

from geopar.errors import InputError
from geopar.reproduce.store import FILE, Key, Measured, Store

KEY = Key("quick", 0, 1, "hcvrp/60/3", "geopar mode=greedy", "abc")
OTHER = KEY._replace(set="hcvrp/60/5")
MEASURED = Measured({"objective": 1.1, "steps": 3.0}, 'with "quotes", and a comma')


def filled(folder: Path) -> Path:
    store = Store(folder)
    store.add(KEY, MEASURED)
    store.add(OTHER, Measured(note="longer than 15 s"))
    return folder / FILE


def test_what_was_measured_is_there_again(tmp_path: Path) -> None:
    filled(tmp_path / "new" / "folder")
    store = Store(tmp_path / "new" / "folder")
    assert store.get(KEY) == MEASURED
    assert store.get(OTHER) == Measured(note="longer than 15 s")
    assert store.get(KEY._replace(weights="other")) is None
    assert not store.dropped


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_line_that_was_cut_off_is_dropped_and_the_others_stay(tmp_path: Path, cut: int) -> None:
    path = filled(tmp_path)
    path.write_bytes(path.read_bytes()[:-cut])
    store = Store(tmp_path)
    assert store.dropped
    assert store.get(KEY) == MEASURED
    assert store.get(OTHER) is None
    store.add(OTHER, MEASURED)
    assert Store(tmp_path).get(OTHER) == MEASURED


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("scale,", "size,", 1),
        lambda text: text.replace(",1.1,", ",one,"),
        lambda text: text.replace("quick,0,1,", "quick,0,", 1),
        lambda text: text.replace('"with', '"wi"th', 1),
        lambda text: "",
    ],
)
def test_a_damaged_file_is_refused_and_left_as_it_is(tmp_path: Path, change) -> None:
    path = filled(tmp_path)
    damaged = change(path.read_text())
    path.write_text(damaged or "\x00\n")
    before = path.read_bytes()
    with pytest.raises(InputError, match="damaged-results"):
        Store(tmp_path)
    assert path.read_bytes() == before


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match="cannot-write"):
        Store(tmp_path / "taken")


def test_no_disk_is_told_and_what_was_measured_is_kept(tmp_path: Path, monkeypatch) -> None:
    path = filled(tmp_path)
    before = path.read_bytes()
    store = Store(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left") as caught:
        store.add(KEY._replace(seed=1), MEASURED)
    assert "kept" in caught.value.faults[0].hint
    assert path.read_bytes() == before
