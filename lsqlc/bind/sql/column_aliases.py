"""Lateral column aliases: in `SELECT a + 1 AS b, b * 2 AS c`, the second item reads the first one by its alias.

A column of a source with that name takes precedence over an alias, and aggregates do not use aliases, as in Spark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.expressions import DIALECT
from lsqlc.bind.sql.scope import Scope
from lsqlc.functions import catalogue
from lsqlc.plan.sizes import MAX_PARTS
from lsqlc.syntax import tree
from lsqlc.syntax.rewrite import rewrite
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.rankings import RANK
from lsqlc.syntax.walk import walk

_Listed = tuple[str, tree.Expression, sql.Item]


def with_aliases(items: Sequence[_Listed], scope: Scope, findings: Findings) -> list[_Listed]:
    """Return the items of a SELECT list with aliases replaced by their expressions. Errors are reported."""
    aliases = _Aliases(scope, findings)
    expanded_items = []
    for name, source, item in items:
        expanded = aliases.meant(source) if item.source is source and source != RANK else source
        expanded_items.append((name, expanded, item))
        if item.alias is not None and expanded != RANK:
            aliases.add(name, expanded)
    return expanded_items


@dataclass(slots=True)
class _Aliases:
    scope: Scope
    findings: Findings
    meanings: dict[str, list[tree.Expression]] = field(default_factory=dict)
    # The number of parts of each expression, by its identity.
    sizes: dict[int, int] = field(default_factory=dict)

    def add(self, name: str, meaning: tree.Expression) -> None:
        self.meanings.setdefault(name.casefold(), []).append(meaning)

    def meant(self, source: tree.Expression) -> tree.Expression:
        """Return an expression with its aliases replaced."""
        total = 0

        def change(part: tree.Expression) -> tree.Expression | None:
            nonlocal total
            total += 1
            if isinstance(part, tree.Call) and catalogue.aggregate(part.name.text, DIALECT) is not None:
                total += sum(1 for _ in walk(part))
                return part
            meaning = self._of(part) if isinstance(part, tree.Reference) else None
            total += self.sizes.get(id(meaning), 0) if meaning is not None else 0
            if meaning is None or total > MAX_PARTS:
                return None
            assert isinstance(part, tree.Reference)
            for name in part.parts[1:]:
                meaning = tree.Member(meaning, tree.Name(name, part.at), part.at)
            return meaning

        expanded: tree.Expression = rewrite(source, change)
        if total > MAX_PARTS:
            self.findings.error("LSQ115", f"this expression has more than {MAX_PARTS:,} parts", source.at,
                                help="compute a part of it in a query in FROM")  # fmt: skip
            return source
        self.sizes[id(expanded)] = total
        return expanded

    def _of(self, reference: tree.Reference) -> tree.Expression | None:
        """Return the expression of an alias; None for another name."""
        first = reference.parts[0]
        meanings = self.meanings.get(first.casefold(), [])
        if not meanings or self.scope.find(reference.parts):
            return None
        if len(meanings) > 1:
            self.findings.error("LSQ203", f"'{first}' is the alias of {len(meanings)} columns", reference.at,
                                help="give each a name of its own")  # fmt: skip
        return meanings[0]
