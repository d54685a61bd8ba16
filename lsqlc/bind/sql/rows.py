"""What a query gives: rows of a STREAM, of a TABLE, or the records of a topic without a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lsqlc.bind.columns import Column
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import Expression, Field
from lsqlc.plan.nodes import Node
from lsqlc.types.record import Facet

# RECORDS: a topic without a key, read by its plain name: rows that come and never change, without a key.
Kind = Literal["STREAM", "TABLE", "RECORDS"]


@dataclass(frozen=True, slots=True)
class Constants:
    """Rows of constants: the values of each. `one`: the node whose only row they stand beside, which is there as soon
    as the model reads a row.
    """

    one: Node
    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a query or a topic.

    `node` gives one relation; `columns` are the query's, over it. `group`: the columns whose values are the key, None
    where it is another, that of a source. `near`: the value of the first topic, whose format a result takes.
    `depth`, `size`: how many queries they stand on, one on another and in all. `unkeyed`: rows of a TABLE that share
    their keys, the elements of arrays. `unique`: columns that no two rows have alike, if some are known besides.
    `constants`: the rows, where all are constants.
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


@dataclass(frozen=True, slots=True)
class Output:
    """A column of a SELECT list, stars opened. `at`: its place."""

    name: str
    expression: Expression
    at: Extent


@dataclass(frozen=True, slots=True)
class Fed:
    """What FROM, its joins and WHERE give. `key`: of the rows, over the relations of the node; `unkeyed`: they share it
    (see `Rows`). `constants`: the values of the columns, where all are constants.
    """

    node: Node
    kind: Kind
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    key: Expression
    key_format: str
    near: Facet
    known: tuple[Expression, ...] = ()
    depth: int = 0
    size: int = 0
    unkeyed: bool = False
    constants: Constants | None = None
