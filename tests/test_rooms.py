"""The order in which rooms may import each other: each only those before it."""

import ast
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import geopar

PACKAGE = Path(geopar.__file__).parent
# Rooms and single modules, from the ground up; those on one line do not know each other.
ORDER: tuple[tuple[str, ...], ...] = (
    ("__about__", "errors", "markup"),
    ("settings", "compiled", "spread"),
    ("problems",),
    ("bounds",),
    ("bounding",),
    ("plan",),
    ("violations",),
    ("checks", "schedule"),
    ("checking",),
    ("files",),
    ("roads", "sheets"),
    ("replanning",),
    ("stop", "trace"),
    ("cores", "solver"),
    ("plotting",),
    ("result",),
    ("search",),
    ("neural", "parts"),
    ("paper", "pointer"),
    ("peers",),
    ("learn",),
    ("fallback", "hybrid", "progress"),
    ("solving",),
    ("many",),
    ("client", "evaluate", "warm_up"),
    ("reproduce", "service", "testing"),
    ("cli",),
    ("__main__",),
)
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imports() -> dict[str, set[tuple[str, str]]]:
    """By room: which other rooms it imports, and where."""
    found = defaultdict(set)
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(("geopar", *path.relative_to(PACKAGE).with_suffix("").parts))
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
                if node.module == "geopar":
                    names = [f"geopar.{alias.name}" for alias in node.names]
            for name in names:
                own, other = room_of(module), room_of(name)
                if name.startswith("geopar.") and own != other and own != "__init__":
                    found[own].add((other, module))
    return found


def test_every_room_has_its_place() -> None:
    rooms = {p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert rooms - {"__init__"} == set(LEVEL)


def test_rooms_import_only_those_before_them() -> None:
    wrong = [
        f"{where} imports {other}"
        for own, others in imports().items()
        for other, where in sorted(others)
        if other in LEVEL and LEVEL[other] >= LEVEL[own]
    ]
    assert wrong == []


def test_there_is_no_circle() -> None:
    graph = {own: {other for other, _ in others} for own, others in imports().items()}
    list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("line", [("paper", "pointer"), ("fallback", "hybrid")])
def test_rooms_on_one_line_do_not_know_each_other(line: tuple[str, str]) -> None:
    found = imports()
    for one, other in (line, line[::-1]):
        assert other not in {room for room, _ in found[one]}


def test_nothing_that_the_package_gives_shares_its_name_with_a_module():
    modules = {path.stem for path in PACKAGE.iterdir()}
    assert sorted(modules & set(geopar.__all__)) == []
