"""A function of the project itself, for its calls: its signature, and its body over its parameters."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lsqlc.plan.expression import Expression
from lsqlc.types.data import DataType, Field

_WORD = re.compile(r"[A-Za-z_]\w*")

# By its name in upper case: names of functions are case-insensitive, as those of the catalogue are.
OwnFunctions = dict[str, "OwnFunction"]
Kind = Literal["expression", "python", "jvm"]


@dataclass(frozen=True, slots=True)
class OwnFunction:
    """A function that a project declares.

    `path`: its file. `dialect`: that of its body, None if it has none.

    `body(nullable)` is the result as an expression over the parameters, which are the fields of the value of relation
    0; None for a declaration with errors. `nullable` says for each parameter whether its argument may be null.
    `takes_null()`: whether the strict check allows nullable arguments. `identity` changes with everything that the body
    depends on.
    """

    name: str
    parameters: tuple[Field, ...]
    returns: DataType
    path: str
    body: Callable[[tuple[bool, ...]], Expression | None]
    takes_null: Callable[[], bool]
    identity: str
    kind: Kind = "expression"
    dialect: str | None = None
    comment: str | None = None

    @property
    def signature(self) -> str:
        """The signature: `net(price DOUBLE, rate DOUBLE) RETURNS DOUBLE`."""
        parameters = ", ".join(f"{p.name} {p.type}" for p in self.parameters)
        return f"{self.name}({parameters}) RETURNS {self.returns}"


def called_by(text: str, functions: OwnFunctions) -> tuple[OwnFunction, ...]:
    """Return the functions whose names are words of a text, sorted: all that it calls, and possibly more."""
    if not functions:
        return ()
    words = {word.upper() for word in _WORD.findall(text)}
    return tuple(functions[name] for name in sorted(words & functions.keys()))
