"""The outline of a program: the definitions and targets of its statements, for tools that know no dialect.

Each dialect has the functions of `Outline`. All extents are in the program's text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax.program import Program
from lsqlc.syntax.tree import Name, Source

# The kind of a named object. `query`: a query, stream or table that the program reads by that name.
NameKind = Literal["topic", "query", "alias", "setting"]
FacetName = Literal["key", "value"]
# Returns the topic of a target; None is the target of a SELECT without one.
TopicOf = Callable[[Name | None], str]


class OutlinedColumn(msgspec.Struct, frozen=True):
    """A column in a declaration or a SELECT list. `at`: its whole definition. `name_at`: its name."""

    name: str
    detail: str
    at: Extent
    name_at: Extent


class OutlinedStatement(msgspec.Struct, frozen=True):
    """A statement that defines a source or a query, or writes a target.

    `target`: the topic that it writes, by its name in the program; None for a SELECT without target. `name`: the name
    that it defines, if it does not write. `detail`: its keywords. `at` is the whole statement, and `name_at` is inside
    of it.
    """

    kind: Literal["source", "query", "target"]
    name: str | None
    target: Name | None
    detail: str
    at: Extent
    name_at: Extent
    columns: tuple[OutlinedColumn, ...]


class Outline(msgspec.Struct, frozen=True):
    """The functions that outline the programs of a dialect.

    `names(program)`: the names in its statements with their kinds, in any order. `selects(program)`: each SELECT with
    its sources. `statements(program)`: in any order. `defined(program, name)`: the extent of the definition of a query,
    stream or table. `column(program, name, facet, path, query, topic_of)`: the extent of a column's definition in the
    query `name` or in the topic `name` that the program writes.
    """

    names: Callable[[Program], Iterator[tuple[NameKind, Name]]]
    selects: Callable[[Program], Iterator[tuple[Extent, tuple[Source, ...]]]]
    statements: Callable[[Program], Iterator[OutlinedStatement]]
    defined: Callable[[Program, str], Extent | None]
    column: Callable[[Program, str, FacetName, tuple[str, ...], bool, TopicOf], Extent | None]
