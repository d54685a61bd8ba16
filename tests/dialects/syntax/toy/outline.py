"""The outline and the keywords of the toy language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.keywords import Keywords
from lsqlc.syntax.outline import FacetName, NameKind, Outline, OutlinedColumn, OutlinedStatement, TopicOf
from lsqlc.syntax.program import Program
from tests.dialects.syntax.toy import tree as toy
from tests.dialects.syntax.toy.text import text_of


def _names(program: Program) -> Iterator[tuple[NameKind, tree.Name]]:
    assert isinstance(program, toy.Program)
    yield "topic", program.topic


def _selects(program: Program) -> Iterator[tuple[Extent, tuple[tree.Source, ...]]]:
    assert isinstance(program, toy.Program)
    yield program.at, (tree.Source(program.topic, None),)


def _statements(program: Program) -> Iterator[OutlinedStatement]:
    assert isinstance(program, toy.Program)
    columns = tuple(OutlinedColumn(c.name.text, text_of(c.expression), c.at, c.name.at) for c in program.columns)
    yield OutlinedStatement("target", None, None, "keep", program.at, program.topic.at, columns)


def _defined(program: Program, name: str) -> Extent | None:
    return None


def _column(
    program: Program, name: str, facet: FacetName, path: tuple[str, ...], query: bool, topic_of: TopicOf
) -> Extent | None:
    assert isinstance(program, toy.Program)
    return next((c.name.at for c in program.columns if (c.name.text,) == path), None)


OUTLINE = Outline(_names, _selects, _statements, _defined, _column)
_NAME = re.compile(r"\w+")
KEYWORDS = Keywords((), {}, {}, "'[^']*'?", "`[^`]*`?", _NAME, _NAME, frozenset(("KEEP", "AS")))
