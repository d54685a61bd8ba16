"""Statements as documents, in the house style: a line for each clause, a line for each item after its comma, AS in a
column.

Choices that the grammar allows (JOIN or INNER JOIN, WITHIN before or after ON, the order of clauses) are kept.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import count
from typing import assert_never

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.formatting.layout import INDENT, Doc, Group, Hard, Line, Nest, Text, comma_list
from lsqlc.syntax.lenses.expressions import as_written
from lsqlc.syntax.lenses.printer import document
from lsqlc.syntax.tokens import Token

_SEMICOLON = Text(";", "end")


Statement = tree.Setting | tree.With | tree.Insert


def statements(
    program: tree.Program, tokens: tuple[Token, ...], *, template: bool = False
) -> list[tuple[Statement, Doc]]:
    """Return the statements in their order in the text, each with its document.

    `tokens`: those of the program's text. `template`: names may stand for anything, so that no parentheses are added or
    removed.
    """
    writer = _Writer(program, tokens, template)
    documents: list[tuple[int, Statement, Doc]] = []
    documents += [(s.key.at[0], s, writer.setting(s)) for s in program.settings]
    documents += [(w.name.at[0], w, writer.with_(w)) for w in program.withs]
    documents += [((i.target or i.select).at[0], i, writer.insert(i)) for i in program.inserts]
    return [(statement, doc) for _, statement, doc in sorted(documents, key=lambda f: f[0])]


class _Writer:
    def __init__(self, program: tree.Program, tokens: tuple[Token, ...], template: bool) -> None:
        self._template = template
        self._source = program.source
        self._tokens = tokens
        self._starts = [t.start for t in tokens]
        self._lists = count()

    def setting(self, setting: tree.Setting) -> Doc:
        start, end = setting.value.at
        value = Text(self._source.text[start:end].strip(), "verbatim", setting.value.at)
        return Text("SET "), self._name(setting.key.at), Text(" = "), value, _SEMICOLON

    def with_(self, statement: tree.With) -> Doc:
        head: Doc = (Text("WITH "), self._name(statement.name.at), Text(" AS ("))
        return head, Nest(INDENT, (Hard(), self._select(statement.select))), Hard(), Text(")"), _SEMICOLON

    def insert(self, insert: tree.Insert) -> Doc:
        parts: list[Doc] = []
        if insert.target:
            parts += [Text("INSERT INTO "), self._name(insert.target.at), Hard()]
        formats = [("KEY AS ", insert.key_format), ("VALUE AS ", insert.value_format)]
        declared_formats = sorted(((f.at, word, f.text) for word, f in formats if f), key=lambda f: f[0])
        if declared_formats:
            stored = [(Text(f" {word}"), Text(text, "at", at)) for at, word, text in declared_formats]
            parts += [Text("STORE"), *stored, Hard()]
        return *parts, self._select(insert.select), _SEMICOLON

    def _select(self, select: tree.Select) -> Doc:
        clauses: list[tuple[Extent, Doc]] = [(lateral.at, self._lateral(lateral)) for lateral in select.laterals]
        for word, expression in (
            ("EVENTTIME BY ", select.event_time),
            ("WHERE ", select.where),
            ("HAVING ", select.having),
        ):
            if expression is not None:
                clauses.append((expression.at, (Hard(), Text(word), self._expression(expression))))
        if select.window:
            clauses.append((select.window.at, (Hard(), Text("WINDOW BY "), self._window(select.window))))
        if select.group_by:
            clauses.append((select.group_by[0].at, (Hard(), self._group_by(select.group_by))))
        source = self._join(select.source) if isinstance(select.source, tree.Join) else self._topic(select.source)
        head = (
            Text(f"SELECT {select.semantics}"),
            self._projections(select.projections),
            Hard(),
            Text("FROM "),
            source,
        )
        return *head, *(doc for _, doc in sorted(clauses, key=lambda c: c[0]))

    def _projections(self, projections: tuple[tree.Projection, ...]) -> Doc:
        if len(projections) == 1 and isinstance(projections[0].source, tree.Wildcard):
            return Text(" ", "free"), self._name(projections[0].source.at)
        column = next(self._lists)
        items = [self._projection(p, column) for p in projections]
        rest = tuple(Nest(INDENT - 2, (Hard(), Text(", ", "joint"), Nest(2, item))) for item in items[1:])
        return Nest(INDENT, (Hard(), items[0])), *rest

    def _projection(self, projection: tree.Projection, column: int) -> Doc:
        if isinstance(projection.source, tree.Wildcard):
            return self._name(projection.source.at)
        source = self._expression(projection.source)
        if projection.target is None:
            return source
        return source, Text("", "pad", (column, column)), Text(" AS "), self._name(projection.target.at)

    def _topic(self, source: tree.Source) -> Doc:
        name = self._name(source.name.at)
        return (name, Text(" AS "), self._name(source.alias.at)) if source.alias else name

    def _join(self, join: tree.Join) -> Doc:
        start, end = join.kind_at
        kind = " ".join(t.upper for t in self._tokens_at((start, end)))
        line: list[Doc] = [Hard(), Text(kind, "phrase", join.kind_at), Text(" ", "free"), self._topic(join.right)]
        below: list[Doc] = []
        for within in join.within:
            if join.on is None or within.at < join.on.at:
                line += [Text(" WITHIN "), self._duration(within)]
            else:
                below += [Hard(), Text("WITHIN "), self._duration(within)]
        if join.on is not None:
            # Here parentheses are kept, because they show the precedence of an OR.
            below = [Hard(), Text("ON "), self._expression(join.on, keep=True), *below]
        return self._topic(join.left), Nest(INDENT, (*line, Nest(INDENT, tuple(below))))

    def _lateral(self, lateral: tree.Lateral) -> Doc:
        parts = (Hard(), Text("LATERAL "), self._expression(lateral.array), Text(" AS "), self._name(lateral.alias.at))
        return Nest(INDENT, parts)

    def _window(self, window: tree.Window) -> Doc:
        match window:
            case tree.Tumble(size):
                text = f"TUMBLE {self._duration(size).text}"
            case tree.Hop(size, advance):
                text = f"HOP {self._duration(size).text}, {self._duration(advance).text}"
            case tree.Session(gap):
                text = f"SESSION {self._duration(gap).text}"
            case _:
                assert_never(window)
        grace = f" GRACE BY {self._duration(window.grace).text}" if window.grace else ""
        return Text(f"{text}{grace}", "phrase", window.at)

    def _duration(self, duration: tree.Duration) -> Text:
        start, end = duration.at
        return Text(self._source.text[start:end].lower(), "at", duration.at)

    def _group_by(self, items: tuple[tree.GroupItem, ...]) -> Doc:
        docs: list[Doc] = []
        for item in items:
            doc = self._expression(item.expression)
            docs.append((doc, Text(" AS "), self._name(item.alias.at)) if item.alias else doc)
        return Group((Text("GROUP BY"), Nest(INDENT, Line()), comma_list(docs)))

    def _expression(self, expression: tree.Expression, *, keep: bool = False) -> Doc:
        """Return the document of an expression. `keep`: with its own parentheses."""
        if isinstance(expression, tree.Hyphenated):
            read = as_written(expression, self._source)
        elif self._template or keep:
            read = as_written(self._whole(expression), self._source)
        else:
            read = None
        return document(*read) if read else document(expression)

    def _whole(self, expression: tree.Expression) -> tree.Hyphenated:
        """Return the tokens of an expression with the parentheses around it, which are not in its extent."""
        first, behind = (bisect_left(self._starts, at) for at in expression.at)
        while first and self._tokens[first - 1].text == "(" and self._tokens[behind].text == ")":
            first, behind = first - 1, behind + 1
        tokens = self._tokens[first:behind]
        return tree.Hyphenated(tokens, (tokens[0].start, tokens[-1].end))

    def _name(self, at: Extent) -> Text:
        """Return names, dots and hyphens as in the text, without white space."""
        return Text("".join(self._source.text[t.start : t.end] for t in self._tokens_at(at)), "at", at)

    def _tokens_at(self, at: Extent) -> tuple[Token, ...]:
        return self._tokens[bisect_left(self._starts, at[0]) : bisect_left(self._starts, at[1])]
