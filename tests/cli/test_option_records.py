"""Options in records: typer sees one parameter for each field, and the verb gets records."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import typer

from lsqlc.cli.option_records import with_options


@dataclass(frozen=True)
class Pair:
    """A record with an option that is needed and one that is not."""

    left: Annotated[int, typer.Option("--left")]
    right: Annotated[int, typer.Option("--right")] = 2


def verb(name: Annotated[str, typer.Argument()], *, pair: Pair, last: bool = False) -> str:
    """Join the values."""
    return f"{name} {pair.left} {pair.right} {last}"


def test_fields_are_parameters_in_their_order() -> None:
    """With their defaults and annotations; the help is that of the verb."""
    function = with_options(verb)
    parameters = inspect.signature(function).parameters
    assert list(parameters) == ["name", "left", "right", "last"]
    assert parameters["left"].default is inspect.Parameter.empty and parameters["right"].default == 2
    assert function.__doc__ == "Join the values."
    assert function(name="a", left=1, right=3, last=True) == "a 1 3 True"


def test_a_verb_without_records_stays_as_it_is() -> None:
    """Nothing is wrapped."""

    def plain(name: str) -> None: ...

    assert with_options(plain) is plain
