from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from geopar.cli.groups import OptionGroup, ungrouped


@dataclass(frozen=True)
class Colours(OptionGroup):
    paint: Annotated[str, typer.Option("--paint", help="Of the walls.")] = "white"
    coats: Annotated[int, typer.Option(help="How many.")] = 2


@dataclass(frozen=True)
class MoreColours(Colours):
    roof: Annotated[str | None, typer.Option(help="Its colour.")] = None


def house(
    name: Annotated[str, typer.Argument()],
    colours: MoreColours,
    big: Annotated[bool, typer.Option("--big")] = False,
) -> None:
    """Paint a house."""
    print(name, colours, big)


def run(*arguments: str) -> str:
    app = typer.Typer()
    app.command()(ungrouped(house))
    done = CliRunner().invoke(app, list(arguments))
    return done.output if done.exit_code == 0 else f"exit {done.exit_code}"


def test_options_of_a_group_arrive_as_one_object():
    assert run("mill") == f"mill {MoreColours()} False\n"
    found = run("mill", "--coats", "3", "--big", "--roof", "red", "--paint", "blue")
    assert found == f"mill {MoreColours('blue', 3, 'red')} True\n"


@pytest.mark.parametrize("option", [["--coats", "many"], ["--colours", "x"]])
def test_they_are_options_like_others(option):
    assert run("mill", *option) == "exit 2"


def test_help_tells_of_them_and_of_the_command():
    told = run("--help")
    for text in ("--paint", "Of the walls.", "--coats", "--roof", "Paint a house."):
        assert text in told


def test_a_command_without_groups_is_left_alone():
    def plain(name: str) -> None:
        """Nothing grouped."""

    assert ungrouped(plain) is plain
