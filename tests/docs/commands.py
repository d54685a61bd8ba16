"""docs/reference/commands.md: every command with its arguments, options and examples, from what the command line
declares. It reads the declarations and not typer's help, whose words differ by release.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo, ParameterInfo

from lsqlc.cli.examples import EXAMPLES
from lsqlc.cli.option_records import with_options
from lsqlc.cli.verbs import SECTIONS, command_of

_HEAD = """\
# Commands

Generated from the command line by `python -m tests.docs.generate`; `lsqlc COMMAND --help` shows the same. Options that
take a value have its name behind them; brackets have what may be left out. [The command line](command-line.md) has
what all commands share: output, completion and exit codes.
"""
# Declared once, for all that have them: shown at the end of each command in one line.
_COMMON = ("--output", "--quiet", "--project-dir")


@dataclass(frozen=True)
class Parameter:
    """An argument or an option. `names`: of an option, the long one first; `value`: what it takes, empty for a switch;
    `default`: as it is shown, empty if there is nothing to show.
    """

    names: tuple[str, ...]
    value: str
    help: str
    default: str
    required: bool
    many: bool

    @property
    def text(self) -> str:
        """As a row of a table shows it."""
        return f"`{', '.join(self.names)}{' ' if self.names and self.value else ''}{self.value}`"


def commands_page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for heading, verbs in SECTIONS.items():
        parts.append(f"## {heading}\n")
        for verb in verbs:
            parts += [_command(words, function) for words, function in functions(verb)]
    return "\n".join(parts)


def functions(verb: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The commands of a verb by their words, such as `deploy stage`."""
    command = command_of(verb)
    if not isinstance(command, typer.Typer):
        yield verb, with_options(command)
        return
    for known in command.registered_commands:
        assert known.callback is not None
        yield f"{verb} {known.name or known.callback.__name__}", with_options(known.callback)


def parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The arguments and options of a command, in the order of its declaration; hidden ones are left out."""
    hints = get_type_hints(function, include_extras=True)
    found = []
    for name, declared in inspect.signature(function).parameters.items():
        assert get_origin(hints[name]) is Annotated, f"{name} of {function.__module__} is not declared"
        type, info = get_args(hints[name])[:2]
        assert isinstance(info, OptionInfo | ArgumentInfo), f"{name} of {function.__module__} is no parameter"
        if not info.hidden:
            found.append(_parameter(name, type, info, declared.default))
    return tuple(found)


def _parameter(name: str, type: Any, info: ParameterInfo, default: object) -> Parameter:
    inner = _without_none(type)
    many = get_origin(inner) is list
    inner = get_args(inner)[0] if many else inner
    shown = "" if default in (None, False, inspect.Parameter.empty) or default is True else str(default)
    required = default is inspect.Parameter.empty
    if isinstance(info, ArgumentInfo):
        value = (info.metavar or name.upper()).removesuffix("...").removeprefix("[").removesuffix("]")
        return Parameter((), value, _text(info), shown, required, many)
    # Beside Annotated the first word stands where the default would.
    words = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
    names = sorted(words or [f"--{name.replace('_', '-')}"], key=lambda word: not word.startswith("--"))
    value = "" if inner is bool else info.metavar or _value(inner)
    return Parameter(tuple(names), value, _text(info), shown, required, many)


def _value(type: Any) -> str:
    if get_origin(type) is Literal:
        return "|".join(map(str, get_args(type)))
    return {int: "NUMBER", float: "NUMBER", Path: "PATH"}.get(type, "TEXT")


def _without_none(type: Any) -> Any:
    if get_origin(type) in (Union, UnionType):
        (inner,) = (each for each in get_args(type) if each is not None.__class__)
        return inner
    return type


def _text(info: ParameterInfo) -> str:
    assert info.help, "a parameter has help"
    return info.help


def _command(words: str, function: Callable[..., Any]) -> str:
    found = parameters(function)
    common = [each for each in found if set(each.names) & set(_COMMON)]
    arguments = [each for each in found if not each.names]
    options = [each for each in found if each.names and each not in common]
    needed = [f"{each.names[0]} {each.value}".strip() for each in options if each.required]
    usage = " ".join(["lsqlc", words, *(["[OPTIONS]"] if options or common else []), *needed, *map(_usage, arguments)])
    help = inspect.cleandoc(function.__doc__ or "")
    parts = [f"### lsqlc {words}\n", f"```\n{usage}\n```\n", f"{help}\n"]
    for title, rows in (("argument", arguments), ("option", options)):
        if rows:
            parts.append(f"| {title} | does | default |\n| --- | --- | --- |")
            parts += [
                f"| {_cell(each.text)} | {_cell(each.help)} | {f'`{each.default}`' if each.default else ''} |"
                for each in rows
            ]
            parts.append("")
    if common:
        parts.append(f"Also {', '.join(each.text for each in common)}.\n")
    examples = EXAMPLES.get(words, ())
    if examples:
        lines = "\n".join(f"# {example.text}\nlsqlc {example.words}" for example in examples)
        parts.append(f"```sh\n{lines}\n```\n")
    return "\n".join(parts)


def _usage(argument: Parameter) -> str:
    word = f"{argument.value}..." if argument.many else argument.value
    return word if argument.required else f"[{word}]"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
