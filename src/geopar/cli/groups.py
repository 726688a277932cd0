"""Options that several commands have, as one parameter of each: a data class.

A command says ``reading: ReadingOptions`` and gets all options of that class as one object; people
see them as options like all others.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints


class OptionGroup:
    """Data classes below it are groups: their fields are options, each with a default."""


def ungrouped(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the options of its groups as parameters of its own, for typer."""
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, tuple[type[OptionGroup], list[str]]] = {}
    shown: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        group = parameter.annotation
        if not (isinstance(group, type) and issubclass(group, OptionGroup)):
            shown.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        own = _options(group)
        groups[parameter.name] = group, [option.name for option in own]
        shown += own
    if not groups:
        return command

    @functools.wraps(command)
    def run(**options: Any) -> Any:
        for name, (group, fields) in groups.items():
            options[name] = group(**{field: options.pop(field) for field in fields})
        return command(**options)

    # What typer looks at; set, since annotations of a wrapper are those of what it wraps.
    run.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def _options(group: type[OptionGroup]) -> list[inspect.Parameter]:
    """The fields of a group as parameters."""
    hints = get_type_hints(group, include_extras=True)
    return [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
        for parameter in inspect.signature(group).parameters.values()
    ]
