"""The declaration of a function: its signature, its nullability, and its form on each engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import msgspec

from lsqlc.types.data import DataType

# From the SQL texts of the arguments and their types to the SQL text of the call.
Render = Callable[[Sequence[str], Sequence[DataType]], str]

# The same, with the values of the arguments last: the Python value of a literal, None for anything else.
RenderByValue = Callable[[Sequence[str], Sequence[DataType], Sequence[object]], str]

# From the types of the arguments and the Python values of literals (else None) to the type of the call. None: the
# arguments do not agree with each other, or the literal is not legal.
Result = Callable[[Sequence[DataType], Sequence[object]], "DataType | None"]


class Nulls(Enum):
    """Rules for when the result may be null.

    PROPAGATE: if an argument may be. ALL: if every argument may be. MAY: always. NEVER: never. SIZED: as PROPAGATE, and
    also if an integer is not a literal, or is too large for a size.
    """

    PROPAGATE = "propagate"
    ALL = "all"
    MAY = "may"
    NEVER = "never"
    SIZED = "sized"


class Parameter(msgspec.Struct, frozen=True):
    """One parameter. `accepts` is a key of `kinds.KINDS`.

    `literal`: the argument must be a literal, whose value the result or the engine's form may use. `null`: the literal
    may be NULL. `default`: the value of the literal for an optional argument that is absent.
    """

    name: str
    accepts: str
    literal: bool = False
    optional: bool = False
    default: int | str | None = None
    null: bool = False


class PythonForm(msgspec.Struct, frozen=True):
    """A DuckDB form that SQL cannot express: a Python function that is registered under `name` before a query runs.

    `parameters` and `returns` are DuckDB type names. The function is called with one value per argument, none of them
    None, and returns None for null. DuckDB also takes a returned NaN for null.
    """

    name: str
    function: Callable[..., Any]
    parameters: tuple[str, ...]
    returns: str

    def call(self, arguments: Sequence[str]) -> str:
        """Return the SQL text of a call."""
        return f"{self.name}({', '.join(arguments)})"


class ValueForm(msgspec.Struct, frozen=True):
    """A form that depends on the values of literal arguments, which are passed to it."""

    render: RenderByValue


class Function(msgspec.Struct, frozen=True):
    """A scalar function.

    `result` gives the type of a call. `duckdb` and `spark` are templates with `{0}`, `{1}`, ... for the arguments, or
    functions; the arguments have the type of the parameter's kind (`calls.call`). In a template of a `clock` function
    `{now}` is the time of evaluation. The form of an `of_record` function has the text of the record's ordinal as its
    first argument. `variadic`: the last `repeats` parameters may repeat, together. `uses`: the Python forms that
    `duckdb` mentions if it is not itself one. `bare`: the function that the name means without arguments. `takes_null`:
    the function is for values that may be null, so that the strict check ignores its arguments.
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: Result
    duckdb: str | Render | ValueForm | PythonForm
    spark: str | Render | ValueForm
    doc: str
    aliases: tuple[str, ...] = ()
    nulls: Nulls = Nulls.PROPAGATE
    variadic: bool = False
    clock: bool = False
    uses: tuple[PythonForm, ...] = ()
    of_record: bool = False
    repeats: int = 1
    bare: str | None = None
    takes_null: bool = False

    @property
    def least(self) -> int:
        """The smallest number of arguments."""
        return sum(not p.optional for p in self.parameters)

    @property
    def most(self) -> int | None:
        """The largest number of arguments, None for no limit."""
        return None if self.variadic else len(self.parameters)

    def parameter(self, index: int) -> Parameter:
        beyond = index - len(self.parameters)
        return self.parameters[index if beyond < 0 else beyond % self.repeats - self.repeats]


class Aggregate(msgspec.Struct, frozen=True):
    """An aggregate function. Its forms are in the lowerings, because they differ for a STREAM and a TABLE.

    `on_table` False: refused over a TABLE; `why_not` then completes the sentence "NAME is refused on a TABLE because".
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: Result
    doc: str
    on_table: bool = True
    why_not: str = ""
    nulls: Nulls = Nulls.MAY

    @property
    def least(self) -> int:
        return sum(not p.optional for p in self.parameters)

    @property
    def most(self) -> int:
        return len(self.parameters)

    def parameter(self, index: int) -> Parameter:
        return self.parameters[index]
