import subprocess
import sys
from pathlib import Path

import geopar
from geopar.compiled.jit import stamp_of

CALLEE = """
from geopar.compiled.jit import inner


@inner
def more(x):
    return x + {added}
"""
CALLER = """
from geopar.compiled.jit import compiled
from geopar.search.callee import more


@compiled
def twice(x):
    return more(more(x))
"""
PROGRAM = (
    "from geopar.search.caller import twice; print(twice(1), sum(twice.stats.cache_hits.values()))"
)


def a_copy(folder: Path) -> Path:
    """A package with the decorators and nothing else but what is compiled here."""
    package = folder / "geopar"
    for room in ("compiled", "search"):
        (package / room).mkdir(parents=True)
        (package / room / "__init__.py").touch()
    (package / "__init__.py").touch()
    source = Path(geopar.__file__).parent / "compiled" / "jit.py"
    (package / "compiled" / "jit.py").write_text(source.read_text())
    (package / "search" / "caller.py").write_text(CALLER)
    return package


def run(folder: Path) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=folder, capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(folder), "PATH": ""},
    )  # fmt: skip
    return [int(word) for word in done.stdout.split()]


def test_a_changed_callee_in_another_file_is_compiled_anew(tmp_path: Path) -> None:
    package = a_copy(tmp_path)
    callee = package / "search" / "callee.py"
    callee.write_text(CALLEE.format(added=1))
    assert run(tmp_path) == [3, 0]
    assert run(tmp_path) == [3, 1], "what did not change is loaded from disk"
    callee.write_text(CALLEE.format(added=100))
    assert run(tmp_path) == [201, 0]


def test_the_stamp_is_that_of_the_sources(tmp_path: Path) -> None:
    room = tmp_path / "search"
    room.mkdir()
    (room / "a.py").write_text("x = 1\n")
    before = stamp_of(tmp_path, ("search",))
    assert stamp_of(tmp_path, ("search",)) == before
    (room / "notes.txt").write_text("nothing to compile")
    assert stamp_of(tmp_path, ("search",)) == before
    (room / "a.py").rename(room / "b.py")
    renamed = stamp_of(tmp_path, ("search",))
    assert renamed != before
    (room / "b.py").write_text("x = 2\n")
    assert stamp_of(tmp_path, ("search",)) != renamed
