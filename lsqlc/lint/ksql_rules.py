"""Lint rules for ksqlDB programs, with the codes of the equivalent rules for the Lenses language.

A comparison with NULL is an error in ksqlDB (LSQ369), and `*` selects columns that the program declares. Neither has a
rule here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from operator import attrgetter

from lsqlc.diagnostics import Diagnostic, Fix, Severity, order
from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.tokens import tokenize
from lsqlc.syntax.walk import walk

_SPACE = re.compile(r"\s*")
_COMMENT = re.compile(r"--|/\*|\{[#%]")
_ALIAS = re.compile(r"\s+AS\s+\S+", re.IGNORECASE)

# The columns of a stream or table by name; None if the program does not declare them.
_Columns = Mapping[str, frozenset[str] | None]


def lint_ksql(program: ksql.Program) -> tuple[Diagnostic, ...]:
    """Return the findings of all rules, ordered by position. All are warnings."""
    diagnostics = list(_unused_source(program))
    columns: dict[str, frozenset[str] | None] = {}
    for statement in program.statements:
        if isinstance(statement, ksql.CreateAs | ksql.InsertSelect):
            for rule in (_column_without_a_name, _redundant_alias):
                diagnostics += rule(statement.query, program)
            diagnostics += _unqualified_column_in_a_join(statement.query, columns, program)
        if isinstance(statement, ksql.CreateSource):
            columns[statement.name.text] = frozenset(c.name.text for c in statement.columns or ()) or None
        elif isinstance(statement, ksql.CreateAs):
            columns[statement.name.text] = _columns(statement.query)
    return order(diagnostics)


@dataclass(frozen=True, slots=True)
class _Remedy:
    """The help of a finding, and the edit that resolves it."""

    help: str
    fix: tuple[Extent, str] | None = None


def _finding(program: ksql.Program, code: str, message: str, at: Extent, remedy: _Remedy) -> Diagnostic:
    source = program.source
    edit = Fix(source.span(remedy.fix[0]), remedy.fix[1]) if remedy.fix else None
    return Diagnostic(code, message, source.span(at), (), remedy.help, Severity.WARNING, edit)


def _unused_source(program: ksql.Program) -> Iterator[Diagnostic]:
    """Yield LSQ821 for each CREATE over a topic that no statement reads or writes."""
    used: set[str] = set()
    for statement in program.statements:
        if isinstance(statement, ksql.InsertSelect | ksql.InsertValues):
            used.add(statement.target.text)
        if isinstance(statement, ksql.CreateAs | ksql.InsertSelect | ksql.BareSelect):
            used |= {source.name.text for source in statement.query.sources}
    for statement in program.statements:
        if isinstance(statement, ksql.CreateSource) and statement.name.text not in used:
            message = f"nothing reads '{statement.name.text}'"
            fix = _removal(statement.at, program)
            yield _finding(program, "LSQ821", message, statement.name.at, _Remedy("remove the statement", fix))


def _removal(at: Extent, program: ksql.Program) -> tuple[Extent, str] | None:
    """Return the statement with its semicolon and the following white space; None if it contains comments."""
    text = program.source.text
    tokens, _ = tokenize(program.source)
    end = bisect_left(tokens, at[1], key=attrgetter("start"))
    if tokens[end].text != ";" or _COMMENT.search(text[at[0] : tokens[end].end]):
        return None
    return (at[0], _SPACE.match(text, tokens[end].end).end()), ""  # type: ignore[union-attr]


def _columns(query: ksql.Query) -> frozenset[str] | None:
    """Return the column names of a result; None if the query selects `*` or a field of a struct."""
    numbers = count()
    names = []
    for item in query.items:
        if isinstance(item.source, tree.Wildcard) or item.fields or isinstance(item.source, tree.Member):
            return None
        if item.alias is not None:
            names.append(item.alias.text)
        elif isinstance(item.source, tree.Reference):
            names.append(item.source.parts[-1])
        else:
            names.append(f"KSQL_COL_{next(numbers)}")
    return frozenset(names)


def _unqualified_column_in_a_join(query: ksql.Query, columns: _Columns, program: ksql.Program) -> Iterator[Diagnostic]:
    """Yield LSQ822 for each column without its source in a join. There is a fix if only one source has the column."""
    if not query.joins:
        return
    labels = [source.label for source in query.sources]
    for expression, can_fix in _expressions(query):
        parts = [*walk(expression)]
        parameters = {p.text for each in parts if isinstance(each, tree.Lambda) for p in each.parameters}
        for each in parts:
            if not isinstance(each, tree.Reference) or len(each.parts) > 1 or each.parts[0] in parameters:
                continue
            owners = _owners(each.parts[0], query, columns)
            if not owners:
                continue
            owner = owners[0] if len(owners) == 1 else None
            if owner is None:
                help = f"put {' or '.join(f'{label}.' for label in labels)} before it"
                fix = None
            else:
                label = (owner.alias or owner.name).at
                qualified = ".".join(program.source.text[at[0] : at[1]] for at in (label, each.at))
                help = f"write {qualified}"
                fix = (each.at, qualified) if can_fix else None
            message = f"'{each.parts[0]}' does not name its side of the join"
            yield _finding(program, "LSQ822", message, each.at, _Remedy(help, fix))


def _expressions(query: ksql.Query) -> Iterator[tuple[tree.Expression, bool]]:
    """Yield the expressions of a query, and whether an edit of their text keeps all column names."""
    for item in query.items:
        if not isinstance(item.source, tree.Wildcard):
            yield item.source, not item.fields
    yield from ((join.on, True) for join in query.joins)
    yield from ((e, True) for e in (query.where, *query.group_by, *query.partition_by, query.having) if e is not None)


def _owners(name: str, query: ksql.Query, columns: _Columns) -> list[tree.Source]:
    """Return the sources that have a column, or may have it because the program does not declare their columns.

    No source has ROWKEY, which the join adds.
    """
    if name == "ROWKEY":
        return []
    sides = [(source, columns.get(source.name.text)) for source in query.sources]
    return [source for source, names in sides if names is None or name in names]


def _column_without_a_name(query: ksql.Query, program: ksql.Program) -> Iterator[Diagnostic]:
    """Yield LSQ824 for each expression in the SELECT list whose name ksqlDB generates."""
    numbers = count()
    for item in query.items:
        if item.alias is not None or item.fields or isinstance(item.source, tree.Wildcard):
            continue
        if isinstance(item.source, tree.Reference | tree.Member):
            continue
        message = f"the name of this column is 'KSQL_COL_{next(numbers)}'"
        yield _finding(program, "LSQ824", message, item.at, _Remedy("give it a name: AS name"))


def _redundant_alias(query: ksql.Query, program: ksql.Program) -> Iterator[Diagnostic]:
    """Yield LSQ825 for `item AS item`. Joins are skipped, because there the alias of a column decides its name."""
    for item in () if query.joins else query.items:
        if item.alias is None or not isinstance(item.source, tree.Reference):
            continue
        if item.alias.text == item.source.parts[-1]:
            rest = (item.source.at[1], item.alias.at[1])
            text = program.source.text[rest[0] : rest[1]]
            fix = (rest, "") if _ALIAS.fullmatch(text) else None
            message = f"'{item.alias.text}' is also its name without the alias"
            yield _finding(program, "LSQ825", message, item.alias.at, _Remedy("remove the alias", fix))
