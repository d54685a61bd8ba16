"""The help: verbs in sections, examples that parse, and several selectors after one option."""

from __future__ import annotations

import doctest
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from lsqlc.cli import commands
from lsqlc.cli.examples import EXAMPLES
from lsqlc.cli.main import VERBS
from lsqlc.cli.verbs import SECTIONS, application

from .conftest import Cli


def program() -> Any:
    """The whole command line, as click sees it."""
    return typer.main.get_command(application(VERBS, lambda name: True, lambda: None))


def verbs() -> dict[str, Any]:
    """Each verb by its words, those of `deploy` and its like one by one."""
    found: dict[str, Any] = {}
    for name, command in program().commands.items():
        inner = getattr(command, "commands", None)
        found |= {f"{name} {word}": each for word, each in inner.items()} if inner else {name: command}
    return found


def test_each_verb_is_in_one_section() -> None:
    """A new verb gets its place in lsqlc/cli/verbs.py."""
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(VERBS)


def test_each_verb_has_examples() -> None:
    """A new verb gets examples in lsqlc/cli/examples.py, and they are in its help."""
    assert EXAMPLES.keys() == verbs().keys() and all(EXAMPLES.values())


@pytest.mark.parametrize("verb", EXAMPLES)
def test_examples_parse(cli: Cli, verb: str) -> None:
    """Each has options, values and arguments that its verb takes, and is shown."""
    command = verbs()[verb]
    shown = " ".join(cli(*verb.split(), "--help").out.split())
    for example in EXAMPLES[verb]:
        words = shlex.split(example.words)
        count = len(verb.split())
        assert words[:count] == verb.split()
        command.make_context(verb, words[count:])
        assert " ".join(f"lsqlc {example.words}".split()) in shown


def test_sections_are_shown(cli: Cli) -> None:
    """In their order, each verb once."""
    lines = cli("--help").out.splitlines()
    headings = [lines.index(f"{heading}:") for heading in SECTIONS]
    assert headings == sorted(headings) and "Other:" not in lines


def test_several_selectors_after_one_option(cli: Cli, bikes: Path) -> None:
    """As in dbt; the repeated option, one word with spaces, and both together say the same."""

    def listed(*words: str) -> list[str]:
        return [model["name"] for model in cli("ls", "--output", "json", *words).data["models"]]

    two = ["arrivals", "rides_by_station"]
    assert listed("--select", "arrivals", "rides_by_station") == two
    assert listed("-s", "arrivals", "rides_by_station", "-q") == two
    assert listed("--select=arrivals", "rides_by_station") == two
    assert listed("--select", "arrivals", "--select", "rides_by_station") == two
    assert listed("--select", "arrivals rides_by_station") == two
    assert listed("--exclude", "arrivals", "rides_by_station") == ["bikes_at_station"]
    assert listed("--select", "arrivals", "rides_by_station", "--exclude", "arrivals", "b*", "-q") == two[1:]


def test_words_that_are_no_selectors(cli: Cli, bikes: Path) -> None:
    """Words before any option, and after one that takes no list, are still wrong; so is an option without a value."""
    for words in (("arrivals",), ("--output", "json", "arrivals"), ("--select",), ("--select", "arrivals", "--", "b")):
        ran = cli("ls", *words)
        assert ran.code == 2 and "Error: " in ran.err


def test_arguments_come_before_several_selectors(cli: Cli, bikes: Path) -> None:
    """A verb with an argument takes it from before the selectors, or from behind one of them."""
    for words in (("check", "--select", "arrivals", "rides_by_station"), ("--select", "arrivals", "check")):
        assert "LSQ715" in cli("schemas", *words).err
    assert "Invalid value for" in cli("schemas", "--select", "arrivals", "rides_by_station", "check").err


def test_spread() -> None:
    """The examples of its docstring."""
    assert doctest.testmod(commands).failed == 0 and doctest.testmod(commands).attempted == 3
