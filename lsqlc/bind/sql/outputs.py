"""The SELECT list: names of columns, the columns of a star, and the resulting rows."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.bind.columns import Column
from lsqlc.bind.field_names import Taken
from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.column_aliases import with_aliases
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.rows import Input, Output, Rows
from lsqlc.bind.sql.scope import USING, Scope, field_names, result_columns
from lsqlc.bind.storage import struct_format
from lsqlc.diagnostics import listing
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import Expression, StructOf
from lsqlc.plan.nodes import Node, Project
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.first_rows import POSITION
from lsqlc.types import data
from lsqlc.types.data import Struct

Listed = tuple[str, tree.Expression, sql.Item]


def opened(select: sql.Select, scope: Scope, findings: Findings, *, written: bool) -> list[Listed]:
    """Return the SELECT list with stars expanded: each column's name, its expression and its item.

    `written`: they are fields of a topic, so that each needs a name of its own. A column whose name an earlier one has
    is named after its source as well, `customers_id`, with a finding.
    """
    expanded: list[Listed] = []
    for number, item in enumerate(select.items):
        if isinstance(item.source, tree.Wildcard):
            expanded += _star(item, item.source, scope, findings)
            continue
        expanded.append((_name(item, item.source, number, scope, findings), item.source, item))
    if written:
        expanded = _distinct_names(expanded, scope, findings)
    columns = [(name, at_position(source, expanded, findings), item) for name, source, item in expanded]
    return with_aliases(columns, scope, findings)


def at_position(value: tree.Expression, columns: Sequence[Listed], findings: Findings) -> tree.Expression:
    """Return the expression of a column for a reference by its position, which ORDER BY has; else the value."""
    if not isinstance(value, tree.Reference) or value.parts[0] != POSITION:
        return value
    number = int(value.parts[1])
    # Columns of an order are behind those of the result.
    own = [source for name, source, _ in columns if not name.startswith(" ")]
    if number > len(own):
        findings.error("LSQ462", f"the SELECT list has no column {number} to order by", value.at,
                       help=f"it has {len(own)}; write the name of the column")  # fmt: skip
        return tree.Literal(None, value.at)
    return own[number - 1]


def _distinct_names(columns: Sequence[Listed], scope: Scope, findings: Findings) -> list[Listed]:
    """Return the columns with the name of their source in front of a name that a column of another source has."""
    names = {name.casefold() for name, _, _ in columns}
    # By name, the sources of the columns so far.
    sources: dict[str, set[str]] = {}
    used_names = Taken()
    result: list[Listed] = []
    for name, source, item in columns:
        own, label = name, _source_of(source, item, scope)
        longer = f"{label.replace('.', '_')}_{name}"
        others = sources.setdefault(name.casefold(), set())
        if others and label and label not in others and longer.casefold() not in names:
            own = longer
            findings.warn("LSQ396", f"two columns are named '{name}': that of '{label}' becomes '{own}'", item.at,
                          help=_other_name(name, item))  # fmt: skip
        if message := used_names.add(own, "columns"):
            findings.error("LSQ305", message, item.at, help=_other_name(name, item))
            break
        others.add(label)
        result.append((own, source, item))
    return result


def _source_of(source: tree.Expression, item: sql.Item, scope: Scope) -> str:
    """Return the name of the source of a column without alias; empty for all other expressions."""
    if item.alias is not None or not isinstance(source, tree.Reference):
        return ""
    candidates = scope.find(source.parts)
    column, fields = candidates[0] if len(candidates) == 1 else (None, ())
    return "" if column is None or fields or column.source in (USING, sql.GENERATED) else column.source


def _other_name(name: str, item: sql.Item) -> str:
    if isinstance(item.source, tree.Wildcard):
        return f"leave one out, b.* EXCEPT ({name}), or join by USING ({name})"
    return "give one another name: AS name"


def _name(item: sql.Item, source: tree.Expression, number: int, scope: Scope, findings: Findings) -> str:
    if item.alias is not None:
        return item.alias.text
    if isinstance(source, tree.Reference) and sql.is_name(source):
        return source.parts[-1]
    if isinstance(source, tree.Member):
        return source.field.text
    if isinstance(source, tree.Call) and source.name.text in ("WINDOW", "SESSION_WINDOW"):
        return source.name.text.lower()
    if item.name is not None:
        return rendered(item.name, scope)
    unnamed(item, f"column_{number + 1}", findings)
    return f"column_{number + 1}"


def unnamed(item: sql.Item, example: str, findings: Findings) -> None:
    """Report an expression that has no name. `example`: a possible name."""
    text = findings.source.text[slice(*item.at)]
    findings.error("LSQ457", "this column has no name", item.at, help=f"give it one: {text} AS {example}")


def rendered(name: sql.Named, scope: Scope) -> str:
    """Return the name of an expression, with columns without the names of their sources."""
    return "".join(part if isinstance(part, str) else _of_column(part, scope) for part in name)


def _of_column(parts: tuple[str, ...], scope: Scope) -> str:
    """Return a column in the name of an expression, without the name of its source."""
    labels = [tuple(label.split(".")) for label in scope.labels if label]
    prefix_lengths = [len(label) for label in labels if len(label) < len(parts) and _same(parts[: len(label)], label)]
    return ".".join(parts[max(prefix_lengths, default=0) :])


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return tuple(map(str.casefold, one)) == tuple(map(str.casefold, other))


def _star(item: sql.Item, star: tree.Wildcard, scope: Scope, findings: Findings) -> list[Listed]:
    qualifier = ".".join(star.qualifier)
    label = next((n for n in scope.labels if star.qualifier and n.casefold() == qualifier.casefold()), None)
    if star.qualifier and label is None:
        return _fields(item, star, scope, findings)
    scope_columns = (
        scope.of(label)
        if label is not None
        else [c for c in scope.columns if not c.merged and c.source != sql.GENERATED]
    )
    columns = [c for c in scope_columns if c.listed]
    for left_out in item.without:
        excluded = [c for c in columns if _is_named(c, left_out.parts)]
        if not excluded:
            help = f"its columns are {listing([c.name for c in columns])}"
            findings.error("LSQ201", f"'*' has no column '{'.'.join(left_out.parts)}'", left_out.at, help=help)
        columns = [c for c in columns if not any(c is other for other in excluded)]
    return [(c.name, reference_of(c, scope, star.at), item) for c in columns]


def _fields(item: sql.Item, star: tree.Wildcard, scope: Scope, findings: Findings) -> list[Listed]:
    """Return the fields of the struct before a star."""
    name = ".".join(star.qualifier)
    if not scope.find(star.qualifier):
        findings.error("LSQ201", f"'{name}' is not a source of this query, nor a column", star.at,
                       help=f"the sources are {listing(scope.labels)}")  # fmt: skip
        return []
    whole = scope.resolve(tree.Reference(star.qualifier, star.at), findings)
    if whole is None:
        return []
    if not isinstance(whole.type, Struct):
        findings.error("LSQ202", f"'{name}' is {whole.type}, which has no fields", star.at, help=f"write {name}")
        return []
    fields = {field.name: tree.Reference((*star.qualifier, field.name), star.at) for field in whole.type.fields}
    for left_out in item.without:
        excluded = [each for each in fields if (each.casefold(),) == tuple(map(str.casefold, left_out.parts))]
        if not excluded:
            findings.error("LSQ201", f"'{name}.*' has no column '{'.'.join(left_out.parts)}'", left_out.at,
                           help=f"its columns are {listing(list(fields))}")  # fmt: skip
        fields = {each: reference for each, reference in fields.items() if each not in excluded}
    return [(each, reference, item) for each, reference in fields.items()]


def reference_of(column: Column, scope: Scope, at: Extent) -> tree.Reference:
    """Return a name of exactly this column."""
    is_qualified = len(scope.labels) > 1 and column.source and column.source != USING
    parts = (
        (*column.source.split("."), column.name) if is_qualified or column.source == sql.GENERATED else (column.name,)
    )
    return tree.Reference(parts if len(scope.find(parts)) == 1 else scope.numbered(column), at)


def _is_named(column: Column, parts: tuple[str, ...]) -> bool:
    """Return whether a name, with or without that of the source, is a column's."""
    name = (column.name,) if len(parts) == 1 else (*column.source.split("."), column.name)
    return [part.casefold() for part in parts] == [part.casefold() for part in name]


def outputs(items: Sequence[Listed], binder: SqlBinder) -> list[Output] | None:
    """Return the columns of a result; None after an error."""
    bound = [(name, binder.bind(source), item) for name, source, item in items]
    output_columns = [Output(name, expression, item.at) for name, expression, item in bound if expression is not None]
    if len(output_columns) < len(bound):
        return None
    for output in output_columns:
        if any(part == data.NULL for part in data.parts(output.expression.type)):
            binder.findings.error("LSQ459", f"the column '{output.name}' is NULL and has no type", output.at,
                                  help="say which: CAST(NULL AS STRING)")  # fmt: skip
            return None
    return output_columns


def project(
    output_columns: Sequence[Output], node: Node, query_input: Input, *, key: Expression, key_format: str,
    group: tuple[str, ...] | None = None,
) -> Rows:  # fmt: skip
    """Return the columns over a node as rows of one relation."""
    names = tuple(o.name for o in output_columns)
    value = StructOf(field_names(names), tuple(o.expression for o in output_columns))
    projection = Project(node, key, value, key_format, struct_format(query_input.near), False, "")
    columns = result_columns(projection.relations[0], names)
    return Rows(
        projection,
        query_input.kind,
        columns,
        query_input.near,
        group,
        query_input.depth,
        query_input.size,
        query_input.unkeyed,
    )
