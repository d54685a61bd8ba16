"""Lint rules for the Lenses language, one function each. Their fixes do not change the plan.

A rule takes a query or the program, and yields findings in the order of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter

from lsqlc.diagnostics import Diagnostic, Fix, Severity, order
from lsqlc.diagnostics.source import Extent
from lsqlc.lint.walk import Query, fields_of, queries
from lsqlc.syntax import tree
from lsqlc.syntax.lenses.names import own_name, read
from lsqlc.syntax.tokens import tokenize
from lsqlc.syntax.walk import walk
from lsqlc.types.record import Topic

_COMPARISONS = {"=": "IS NULL", "<>": "IS NOT NULL"}
_SPACE = re.compile(r"\s*")
_ALIAS = re.compile(r"\s+AS\s+\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Context:
    """The arguments of all rules: the program, and the topics that it can name."""

    program: tree.Program
    topics: Mapping[str, Topic]

    def finding(
        self, code: str, message: str, at: Extent, *, help: str | None = None, fix: tuple[Extent, str] | None = None
    ) -> Diagnostic:
        """Return a warning. `fix`: an extent and its replacement."""
        source = self.program.source
        edit = Fix(source.span(fix[0]), fix[1]) if fix else None
        return Diagnostic(code, message, source.span(at), (), help, Severity.WARNING, edit)

    def words(self, at: Extent) -> str:
        return self.program.source.text[at[0] : at[1]]


def lint_program(program: tree.Program, topics: Mapping[str, Topic]) -> tuple[Diagnostic, ...]:
    """Return the findings of all rules, ordered by position. `topics`: with their schemas, if available."""
    context = Context(program, topics)
    diagnostics = [d for rule in _PROGRAM_RULES for d in rule(context)]
    diagnostics += [d for query in queries(program) for rule in _QUERY_RULES for d in rule(query, context)]
    return order(diagnostics)


def unused_with(context: Context) -> Iterator[Diagnostic]:
    """Yield LSQ821 for each WITH that no later statement reads."""
    program = context.program
    # The index of the last statement that reads each name.
    selects = [*(w.select for w in program.withs), *(i.select for i in program.inserts)]
    read_by = {s.name.text: number for number, select in enumerate(selects) for s in Query(select, {}).sources}
    for number, statement in enumerate(program.withs):
        name = statement.name.text
        if read_by.get(name, -1) <= number:
            message = f"nothing reads '{name}'"
            fix = _removal(statement, context)
            yield context.finding("LSQ821", message, statement.name.at, help="remove the statement", fix=fix)


def _removal(statement: tree.With, context: Context) -> tuple[Extent, str] | None:
    """Return the statement with its semicolon and the following white space; None if it contains comments."""
    source = context.program.source
    tokens, _ = tokenize(source)
    first = bisect_left(tokens, statement.name.at[0], key=attrgetter("start")) - 1
    last = bisect_left(tokens, statement.select.at[1], key=attrgetter("start"))
    if tokens[last + 1].text != ";":
        return None
    start, end = tokens[first].start, tokens[last + 1].end
    if re.search(r"--|/\*|\{[#%]", context.words((start, end))):
        return None
    end = _SPACE.match(source.text, end).end()  # type: ignore[union-attr]
    return (start, end), ""


def wildcard_over_a_topic(context: Context) -> Iterator[Diagnostic]:
    """Yield LSQ820 for each `*` in an INSERT that selects the fields of a topic.

    A `*` in a WITH is allowed, because the INSERT that reads it names the output fields.
    """
    # The topics whose fields a WITH selects with `*`.
    wildcards: dict[str, tuple[str, ...]] = {}
    for statement in context.program.withs:
        stars = _wildcards(statement.select, wildcards)
        wildcards[statement.name.text] = tuple(dict.fromkeys(name for _, names in stars for name in names))
    for insert in context.program.inserts:
        for star, names in _wildcards(insert.select, wildcards):
            if names:
                quoted_names = " and ".join(f"'{name}'" for name in names)
                message = f"'{context.words(star.at)}' takes every column of {quoted_names}"
                yield context.finding("LSQ820", message, star.at, help="name the fields")


def _wildcards(
    select: tree.Select, wildcards: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[tree.Wildcard, tuple[str, ...]]]:
    """Yield each `*` of a query with the topics whose fields it selects.

    `wildcards`: by the name of a WITH, the topics whose fields it selects with `*`.
    """
    for projection in select.projections:
        star = projection.source
        if isinstance(star, tree.Wildcard):
            qualifier = ".".join(star.qualifier).removesuffix("._key").removesuffix("._value")
            sources = [s for s in Query(select, {}).sources if not qualifier or s.label == qualifier]
            names = [name for s in sources for name in wildcards.get(s.name.text, (s.name.text,))]
            yield star, tuple(dict.fromkeys(names))


def unqualified_name_in_a_join(query: Query, context: Context) -> Iterator[Diagnostic]:
    """Yield LSQ822 for each field without its source in a join."""
    select = query.select
    if not isinstance(select.source, tree.Join):
        return
    labels = [s.label for s in query.sources]
    aliases = {p.target.path[0] for p in select.projections if p.target and len(p.target.path) == 1}
    for expression, has_name in _expressions(select):
        whole = read(expression, context.program)
        # The text of an unnamed expression is its name, so the fix must not change it.
        plain = {whole} if expression is not select.source.on else _equated(whole)
        for each in walk(whole):
            if not isinstance(each, tree.Reference) or _is_qualified(each.parts, labels):
                continue
            root = each.parts[0]
            unknown = root in ("_key", "_value") or any("-" in part for part in each.parts)
            if unknown or (expression is select.having and root in aliases):
                continue
            owner = _owner(root, query, context.topics)
            can_fix = owner is not None and (has_name or each in plain)
            text = f"{_label(owner, context)}.{context.words(each.at)}" if owner else None
            yield context.finding(
                "LSQ822",
                f"'{root}' does not name its side of the join",
                each.at,
                help=f"write {text}" if text else f"put {labels[0]}. or {labels[1]}. before it",
                fix=(each.at, text) if can_fix and text else None,
            )


def _expressions(select: tree.Select) -> Iterator[tuple[tree.Expression, bool]]:
    """Yield the expressions of a query, and whether an edit of their text keeps all field names."""
    for projection in select.projections:
        if not isinstance(projection.source, tree.Wildcard):
            yield projection.source, projection.target is not None
    if isinstance(select.source, tree.Join) and select.source.on:
        yield select.source.on, False
    for item in select.group_by:
        yield item.expression, item.alias is not None
    yield from ((e, True) for e in (select.where, select.event_time, select.having) if e is not None)


def _equated(on: tree.Expression) -> set[tree.Expression]:
    """Return the operands of the equalities in ON: their text names the key of the join."""
    equalities = (e for e in walk(on) if isinstance(e, tree.Binary) and e.operator == "=")
    return {side for equality in equalities for side in (equality.left, equality.right)}


def _is_qualified(parts: tuple[str, ...], labels: list[str]) -> bool:
    return any(".".join(parts[:length]) in labels for length in range(1, len(parts)))


def _owner(field: str, query: Query, topics: Mapping[str, Topic]) -> tree.Source | None:
    """Return the side that has a field, as far as the schemas are available."""
    sides = [(source, fields_of(source, query, topics)) for source in query.sources]
    having = [s for s, fields in sides if fields is not None and field in fields]
    unknown = [s for s, fields in sides if fields is None]
    candidates = having or unknown
    return candidates[0] if len(candidates) == 1 else None


def _label(source: tree.Source, context: Context) -> str:
    return context.words((source.alias or source.name).at)


def comparison_with_null(query: Query, context: Context) -> Iterator[Diagnostic]:
    """Yield LSQ823 for each `x = NULL`, which is always null."""
    for expression, _ in _expressions(query.select):
        for each in walk(read(expression, context.program)):
            if not isinstance(each, tree.Binary) or each.operator not in _COMPARISONS:
                continue
            operands = (each.left, each.right)
            if any(isinstance(o, tree.Literal) and o.value is None for o in operands):
                message = f"a comparison with NULL by '{each.operator}' is never true"
                help = f"write {_COMPARISONS[each.operator]}"
                yield context.finding("LSQ823", message, each.at, help=help)


def expression_without_a_name(query: Query, context: Context) -> Iterator[Diagnostic]:
    """Yield LSQ824 for each projection whose name is its own text."""
    for projection in query.select.projections:
        source = projection.source
        if projection.target is not None or isinstance(source, tree.Wildcard):
            continue
        if isinstance(read(source, context.program), tree.Reference | tree.Member | tree.Hyphenated):
            continue
        message = f"the name of this field is '{own_name(read(source, context.program))}'"
        yield context.finding("LSQ824", message, projection.at, help="give it a name: AS name")


def redundant_alias(query: Query, context: Context) -> Iterator[Diagnostic]:
    """Yield LSQ825 for each `item AS item`."""
    for projection in query.select.projections:
        source, target = projection.source, projection.target
        if not isinstance(source, tree.Reference) or target is None or target.facet is not None:
            continue
        if target.path == (source.parts[-1],) and source.parts[-1] not in ("_key", "_value"):
            rest = (source.at[1], target.at[1])
            fix = (rest, "") if _ALIAS.fullmatch(context.words(rest)) else None
            message = f"'{target.path[0]}' is also its name without the alias"
            yield context.finding("LSQ825", message, target.at, help="remove the alias", fix=fix)


_PROGRAM_RULES = (unused_with, wildcard_over_a_topic)
_QUERY_RULES = (
    unqualified_name_in_a_join,
    comparison_with_null,
    expression_without_a_name,
    redundant_alias,
)
