"""Tables that are kept: asked for once, and never taken for those of other places."""

import os
from pathlib import Path

import numpy as np
import pytest

from geopar.problems.validation import Floats
from geopar.roads.cache import Cached, default_folder
from geopar.roads.engine import Table

VIENNA, GRAZ, LINZ = (16.37, 48.21), (15.44, 47.07), (14.29, 48.31)


class Counting:
    """An engine that numbers its answers: no two are alike."""

    keeps_speeds = False

    def __init__(self, name: str = "http://roads") -> None:
        self.name, self.asked = name, 0

    def table(self, profile: str, sources: Floats, targets: Floats) -> Table:
        self.asked += 1
        shape = len(sources), len(targets)
        return Table(np.full(shape, float(self.asked)), np.full(shape, 10.0 * self.asked))

    def shape(self, profile: str, places: Floats) -> list[list[float]]:
        self.asked += 1
        return places.tolist()


def places(*some: tuple[float, float]) -> Floats:
    return np.array(some)


@pytest.fixture
def engine() -> Counting:
    return Counting()


def test_the_same_question_is_asked_once(engine: Counting, tmp_path: Path):
    cached = Cached(engine, tmp_path / "not" / "there" / "yet")
    first = cached.table("car", places(VIENNA, GRAZ), places(LINZ))
    for again in (cached, Cached(engine, tmp_path / "not" / "there" / "yet")):
        table = again.table("car", places(VIENNA, GRAZ), places(LINZ))
        np.testing.assert_array_equal(table.seconds, first.seconds)
        np.testing.assert_array_equal(table.metres, first.metres)
    assert engine.asked == 1
    assert (first.seconds[0, 0], first.metres[0, 0]) == (1.0, 10.0)


def test_other_questions_have_answers_of_their_own(engine: Counting, tmp_path: Path):
    cached = Cached(engine, tmp_path)
    questions = [
        ("car", places(VIENNA), places(GRAZ)),
        ("bike", places(VIENNA), places(GRAZ)),
        ("car", places(GRAZ), places(VIENNA)),
        ("car", places(VIENNA, GRAZ), places(LINZ)),
        # The same three places, cut elsewhere.
        ("car", places(VIENNA), places(GRAZ, LINZ)),
        ("car", places(VIENNA), places((GRAZ[0] + 2e-6, GRAZ[1]))),
    ]
    numbers = [float(cached.table(*question).seconds[0, 0]) for question in questions]
    assert numbers == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert [float(cached.table(*question).seconds[0, 0]) for question in questions] == numbers


def test_a_place_is_told_to_a_tenth_of_a_metre(engine: Counting, tmp_path: Path):
    cached = Cached(engine, tmp_path)
    cached.table("car", places(VIENNA), places(GRAZ))
    cached.table("car", places(VIENNA), places((GRAZ[0] + 1e-8, GRAZ[1])))
    assert engine.asked == 1


def test_another_engine_is_asked_itself(engine: Counting, tmp_path: Path):
    other = Counting("http://other")
    Cached(engine, tmp_path).table("car", places(VIENNA), places(GRAZ))
    Cached(other, tmp_path).table("car", places(VIENNA), places(GRAZ))
    assert (engine.asked, other.asked) == (1, 1)


def test_tiles_made_anew_are_asked_anew(tmp_path: Path):
    tiles = tmp_path / "tiles.tar"
    tiles.write_bytes(b"streets")
    engine = Counting(str(tiles))
    for made, asked in ((1_000, 1), (1_000, 1), (2_000, 2)):
        os.utime(tiles, (made, made))
        Cached(engine, tmp_path / "kept").table("car", places(VIENNA), places(GRAZ))
        assert engine.asked == asked


@pytest.mark.parametrize("damage", ["cut", "empty", "text", "other shape", "no metres", "pickled"])
def test_what_is_damaged_is_asked_for_again(engine: Counting, tmp_path: Path, damage: str):
    cached = Cached(engine, tmp_path)
    cached.table("car", places(VIENNA), places(GRAZ, LINZ))
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    if damage == "cut":
        kept.write_bytes(whole[: len(whole) // 2])
    elif damage == "empty":
        kept.write_bytes(b"")
    elif damage == "text":
        kept.write_text("not an archive")
    elif damage == "other shape":
        np.savez(kept, seconds=np.ones((2, 1)), metres=np.ones((2, 1)))
    elif damage == "no metres":
        np.savez(kept, seconds=np.ones((1, 2)))
    else:
        np.savez(kept, seconds=np.array([["a", None]], dtype=object), metres=np.ones((1, 2)))
    table = cached.table("car", places(VIENNA), places(GRAZ, LINZ))
    assert table.seconds.tolist() == [[2.0, 2.0]]
    assert cached.table("car", places(VIENNA), places(GRAZ, LINZ)).seconds.tolist() == [[2.0, 2.0]]
    assert engine.asked == 2


def test_ways_that_are_none_stay_none(tmp_path: Path):
    class Island(Counting):
        def table(self, profile: str, sources: Floats, targets: Floats) -> Table:
            nothing = np.full((len(sources), len(targets)), np.nan)
            self.asked += 1
            return Table(nothing, nothing)

    engine = Island()
    for _ in range(2):
        table = Cached(engine, tmp_path).table("car", places(VIENNA), places(GRAZ))
        assert np.isnan(table.seconds).all()
        assert np.isnan(table.metres).all()
    assert engine.asked == 1


def test_shapes_are_not_kept(engine: Counting, tmp_path: Path):
    cached = Cached(engine, tmp_path)
    for _ in range(2):
        assert cached.shape("car", places(VIENNA, GRAZ)) == [list(VIENNA), list(GRAZ)]
    assert engine.asked == 2
    assert list(tmp_path.iterdir()) == []


def test_it_speaks_for_its_engine(engine: Counting, tmp_path: Path):
    engine.keeps_speeds = True
    cached = Cached(engine, tmp_path)
    assert (cached.name, cached.keeps_speeds) == ("http://roads", True)


def test_the_usual_folder(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert default_folder() == Path("/x/geopar/roads")
    for unset in (None, ""):
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        if unset is not None:
            monkeypatch.setenv("XDG_CACHE_HOME", unset)
        assert default_folder() == Path.home() / ".cache" / "geopar" / "roads"
