"""Folders of files as sources of records: what a declaration says of one, apart from its schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

FileFormat = Literal["csv", "json", "parquet"]


@dataclass(frozen=True)
class Files:
    """Where the records of a topic lie, and how to read them.

    `path`: a folder or a pattern, relative to the project, with `/`. `header`, `delimiter` and `null` (texts that stand
    for null) are of CSV. `declared`: the value's columns stand in the declaration; else they were found in the files.
    `strict`: columns beyond the declared ones are ignored, and naming one is an error. `defaults`: the text of what a
    column holds where it is missing or null. `key`: the columns that make the key. `order_by`: of the records of one
    key in one file, the one with the highest value there is the newest. `partitions`: how many partition columns `*`
    has. `visible`: the columns of `*`, in order; what else the value has only a query by name gets. `of_path`: columns
    that hold what the path says, each with the standard name for that (`dir0`): the declared ones, and where a program
    reads the topic those that it names. `cells`: the columns of a line of a CSV file without a header, where they are
    declared.
    """

    path: str
    format: FileFormat
    header: bool = True
    delimiter: str = ","
    null: tuple[str, ...] = ()
    declared: bool = True
    strict: bool = False
    defaults: tuple[tuple[str, str], ...] = ()
    key: tuple[str, ...] = ()
    order_by: str | None = None
    partitions: int = 0
    visible: tuple[str, ...] = ()
    # The text of this object is part of what a checkpoint of Spark is known by; these two show in the views themselves.
    of_path: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    cells: tuple[str, ...] = field(default=(), repr=False)

    @property
    def is_array(self) -> bool:
        """Whether a line is the one column `columns`: a CSV file without a header whose columns nobody declared."""
        return self.format == "csv" and not self.header and not self.declared

    @property
    def is_open(self) -> bool:
        """Whether a column that nobody knows is null instead of a mistake."""
        return self.declared and not self.strict and not (self.format == "csv" and not self.header)

    @property
    def root(self) -> str:
        """The folder from which the places of the files are told: the path up to its first pattern."""
        parts = self.path.split("/")
        fixed = next((i for i, part in enumerate(parts) if set(part) & set("*?[{")), None)
        if fixed is not None:
            return "/".join(parts[:fixed])
        return self.path

    @property
    def is_pattern(self) -> bool:
        return self.root != self.path

    def default(self, name: str) -> str | None:
        """The text of a column's default; None: it has none."""
        return self._default_texts.get(name)

    @cached_property
    def path_columns(self) -> frozenset[str]:
        """The names of the columns that hold what the path says."""
        return frozenset(name for name, _ in self.of_path)

    @cached_property
    def _default_texts(self) -> Mapping[str, str]:
        return dict(self.defaults)
