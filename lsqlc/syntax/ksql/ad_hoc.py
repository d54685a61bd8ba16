"""A SELECT of ksqlDB that is answered once: a pull query, or a push query over the records that exist.

A persistent query has its key in the projection, and at least one value. A SELECT that is answered once may lack both;
then hidden columns add them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lsqlc.diagnostics import Diagnostic, did_you_mean, listing
from lsqlc.syntax import tree
from lsqlc.syntax.ad_hoc import AdHocQuery
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.parser import parse
from lsqlc.syntax.program import Program

_NAME = "_LSQLC_QUERY"
_HIDDEN = "_LSQLC_HIDDEN"
_BOUNDS = ("WINDOWSTART", "WINDOWEND")
_HELP = "write one query: SELECT ... FROM name;"


def ad_hoc_query(program: Program, declarations: Mapping[str, str]) -> AdHocQuery | Diagnostic:
    """Return the program that creates the result of a SELECT, after the declarations of its sources; or the
    diagnostic.
    """
    assert isinstance(program, ksql.Program)
    selects = [s for s in program.statements if isinstance(s, ksql.BareSelect)]
    other = next((s for s in program.statements if not isinstance(s, ksql.BareSelect)), None)
    if other is not None or len(selects) != 1:
        at = other.at if other is not None else selects[1].at if selects else (0, 0)
        return Diagnostic("LSQ882", "this is not one query", program.source.span(at), help=_HELP)
    names = {source.name.text: source.name for source in selects[0].query.sources}
    for text, name in names.items():
        if text not in declarations:
            help = did_you_mean(text, declarations)
            help = help or (f"known are {listing(sorted(declarations))}" if declarations else None)
            return Diagnostic("LSQ200", f"unknown stream or table '{text}'", program.source.span(name.at), help=help)
    before = "".join(f"{declarations[name]}\n" for name in names)
    whole = parse(before + program.source.text, program.source.path).program
    assert whole is not None, "the declarations and the query have been read one by one"
    sources = {s.name.text: s for s in whole.statements if isinstance(s, ksql.CreateSource)}
    select = whole.statements[-1]
    assert isinstance(select, ksql.BareSelect)
    query = select.query
    selected = tuple(_names(query.items))
    kinds = {sources[source.name.text].kind for source in query.sources}
    hidden_items = tuple(_hidden(query, sources))
    # A table has the bounds of a window as columns, even if they are not selected.
    shown_items = tuple(item for item in query.items if not _is_bound(item))
    query = replace(query, items=(*shown_items, *hidden_items))
    kind: tree.Semantics = "TABLE" if query.group_by or kinds == {"TABLE"} else "STREAM"
    properties: tuple[ksql.Property, ...] = ()
    if len(query.group_by) > 1:
        properties = (ksql.Property(tree.Name("KEY_FORMAT", select.at), tree.Literal("JSON", select.at)),)
    created = ksql.CreateAs(kind, tree.Name(_NAME, select.at), properties, query, "fail", select.at, select.at)
    return AdHocQuery(
        replace(whole, statements=(*whole.statements[:-1], created)),
        limit=select.limit,
        hidden=tuple(item.alias.text for item in hidden_items if item.alias is not None),
        names=selected,
        columns="of source",
        lines=before.count("\n"),
        pushes=query.emits_changes,
    )


def _names(items: Sequence[ksql.Item]) -> Iterator[str]:
    """Yield the names of the columns of a SELECT list; none if it has a star."""
    if any(isinstance(item.source, tree.Wildcard) or item.fields for item in items):
        return
    for number, item in enumerate(items):
        if item.alias is not None:
            yield item.alias.text
        elif isinstance(item.source, tree.Reference):
            yield item.source.parts[-1]
        else:
            yield f"KSQL_COL_{number}"


def _is_bound(item: ksql.Item) -> bool:
    """Return whether an item is the start or the end of a window, under its own name."""
    return item.alias is None and isinstance(item.source, tree.Reference) and item.source.parts[-1] in _BOUNDS


def _hidden(query: ksql.Query, sources: Mapping[str, ksql.CreateSource]) -> Iterator[ksql.Item]:
    """Yield the columns that a persistent query of these items lacks: parts of the key, or a value."""
    if query.joins or query.partition_by or any(isinstance(item.source, tree.Wildcard) for item in query.items):
        return
    at = query.items_at
    if query.group_by:
        keys = query.group_by
    else:
        columns = sources[query.source.name.text].columns or ()
        keys = tuple(tree.Reference((c.name.text,), at) for c in columns if c.role in ("KEY", "PRIMARY KEY"))
    number = 0
    for key in keys:
        if not any(_is_same(item.source, key) for item in query.items):
            number += 1
            yield ksql.Item(key, tree.Name(f"{_HIDDEN}_{number}", at), at)
    if all(any(_is_same(item.source, key) for key in keys) for item in query.items):
        one = tree.Literal(1, at)
        yield ksql.Item(one, tree.Name(f"{_HIDDEN}_VALUE", at), at)


def _is_same(one: tree.Expression | tree.Wildcard, key: tree.Expression) -> bool:
    if isinstance(one, tree.Reference) and isinstance(key, tree.Reference):
        return one.parts[-1] == key.parts[-1]
    return not isinstance(one, tree.Wildcard) and same_parts(one, key)
