import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
from numba.core.dispatcher import Dispatcher

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


def all_compiled() -> dict[str, Dispatcher]:
    """Every function of the package that is compiled, by module and name."""
    names = (one.name for one in pkgutil.walk_packages(geopar.__path__, "geopar."))
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    return {
        f"{module.__name__}.{name}": value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, Dispatcher) and value.py_func.__module__ == module.__name__
    }


def counts(function: Dispatcher) -> bool:
    """Whether it counts references."""
    return bool(function.targetoptions["_nrt"])


def gives_arrays(function: Dispatcher) -> bool:
    """Whether it returns arrays, by what it says that it returns."""

    def has_arrays(kind: Any) -> bool:
        if get_origin(kind) is np.ndarray:
            return True
        is_named = hasattr(kind, "_fields")
        parts = tuple(get_type_hints(kind).values()) if is_named else get_args(kind)
        return any(has_arrays(part) or (is_named and part is Any) for part in parts)

    return has_arrays(get_type_hints(function.py_func).get("return"))


def test_nobody_counts_references_to_arrays_of_somebody_who_does_not() -> None:
    """Arrays that are passed on between the two would be freed too soon, or never."""
    wrong = [
        f"{name} calls {called}"
        for name, function in all_compiled().items()
        for called in function.py_func.__code__.co_names
        if isinstance(one := function.py_func.__globals__.get(called), Dispatcher)
        and gives_arrays(one)
        and counts(one) != counts(function)
    ]
    assert not wrong


def test_what_python_is_given_is_counted() -> None:
    wrong = [
        name
        for name, function in all_compiled().items()
        if gives_arrays(function)
        and not counts(function)
        and not function.targetoptions.get("no_cpython_wrapper")
    ]
    assert not wrong


def test_some_return_arrays() -> None:
    """The laws above look at what functions say that they return: some must be found."""
    found = [name for name, one in all_compiled().items() if gives_arrays(one)]
    assert len(found) > 10
    assert any(counts(one) for one in all_compiled().values())
    assert not all(counts(one) for one in all_compiled().values())
