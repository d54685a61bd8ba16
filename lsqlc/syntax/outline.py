"""The outline of a program: what its statements define and write, for tools that know no dialect.

Each dialect gives it by the functions of `Outline`. All extents are of the program's text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax.program import Program
from lsqlc.syntax.tree import Name, Source

# What a name of a statement names. `query`: a query, stream or table that the program reads by that name.
NameKind = Literal["topic", "query", "alias", "setting"]
FacetName = Literal["key", "value"]
# The topic that a target means; None is the target of a SELECT without one.
TopicOf = Callable[[Name | None], str]


class OutlinedColumn(msgspec.Struct, frozen=True):
    """A column that a statement declares or projects: `at` its whole definition, `name_at` its name."""

    name: str
    detail: str
    at: Extent
    name_at: Extent


class OutlinedStatement(msgspec.Struct, frozen=True):
    """A statement that defines a source or a query, or writes a target.

    `target`: the topic that it writes as the program names it, None for the topic of a SELECT without target; `name`:
    what it defines, if it writes none. `detail`: its keywords. `at` and `name_at` lie together around all of it.
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

    `names(program)`: the names of its statements with what each names, in no order. `selects(program)`: each SELECT
    with its sources. `statements(program)`: in no order. `defined(program, name)`: where a query, stream or table of
    that name is defined. `column(program, name, facet, path, query, topic_of)`: where the program gives a column of
    what it calls `name`: a query of its own, or else a topic that it writes.
    """

    names: Callable[[Program], Iterator[tuple[NameKind, Name]]]
    selects: Callable[[Program], Iterator[tuple[Extent, tuple[Source, ...]]]]
    statements: Callable[[Program], Iterator[OutlinedStatement]]
    defined: Callable[[Program, str], Extent | None]
    column: Callable[[Program, str, FacetName, tuple[str, ...], bool, TopicOf], Extent | None]
