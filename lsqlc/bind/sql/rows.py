"""The result of a query: rows of a STREAM, of a TABLE, or the records of a topic without a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lsqlc.bind.columns import Column
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import Expression, Field
from lsqlc.plan.nodes import Node
from lsqlc.types.record import Facet

# RECORDS: a topic without a key, read by its plain name: rows that are added and never change, without a key.
Kind = Literal["STREAM", "TABLE", "RECORDS"]


@dataclass(frozen=True, slots=True)
class Constants:
    """Rows of constants: the values of each.

    `one`: the node with a single row with which they are combined.
    """

    one: Node
    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a query or a topic.

    `node` has one relation, and `columns` are the query's, over it. `group`: the columns whose values are the key, None
    for another key, such as a source's. `near`: the value of the first topic, whose format a result takes. `depth`,
    `size`: the number of nested queries, and of all queries. `unkeyed`: rows of a TABLE that share their keys, such as
    elements of arrays. `unique`: columns that are unique together, if any are known in addition. `constants`: the rows,
    if all are constants.
    """

    node: Node
    kind: Kind
    columns: tuple[Column, ...]
    near: Facet
    group: tuple[str, ...] | None = None
    depth: int = 0
    size: int = 0
    unkeyed: bool = False
    unique: tuple[str, ...] | None = None
    constants: Constants | None = None

    @property
    def key(self) -> Expression:
        return Field(0, "key", (), self.node.relations[0].key.type, True)


def extent_of(rows: Sequence[Rows]) -> tuple[int, int]:
    """Return the number of queries below a join of these rows: on the longest path, and in all."""
    return max(each.depth for each in rows) + len(rows), sum(each.size for each in rows) + len(rows)


@dataclass(frozen=True, slots=True)
class Output:
    """A column of a SELECT list with stars expanded. `at`: its extent."""

    name: str
    expression: Expression
    at: Extent


@dataclass(frozen=True, slots=True)
class Input:
    """The result of FROM, its joins and WHERE.

    `key`: that of the rows, over the relations of the node. `unkeyed`: rows share it (see `Rows`). `known`: the
    expressions that were tested for null. `constants`: the values of the columns, if all are constants.
    """

    node: Node
    kind: Kind
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    key: Expression
    key_format: str
    near: Facet
    not_null: tuple[Expression, ...] = ()
    depth: int = 0
    size: int = 0
    unkeyed: bool = False
    constants: Constants | None = None
