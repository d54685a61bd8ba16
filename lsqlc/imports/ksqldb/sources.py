"""The streams and tables of a ksqlDB program: the statement that creates each, and its declaration in other models.

A stream that a query creates is declared by the columns of the query. If the query does not compile, the declaration
comes from the server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lsqlc.bind.trace import Trace
from lsqlc.dialects import dialect
from lsqlc.imports.ksqldb.statements import Statement, defined
from lsqlc.plan.nodes import scans
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A statement that no model contains, and the reason."""

    statement: Statement
    why: str


@dataclass(slots=True)
class Sources:
    """`created`: the statement of each stream and table, by name. `described`: declarations from a server."""

    described: Mapping[str, str]
    created: dict[str, Statement] = field(default_factory=dict)
    inserts: dict[str, list[Statement]] = field(default_factory=dict)
    values: list[Statement] = field(default_factory=list)
    others: list[Statement] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    _declared: dict[str, str | None] = field(default_factory=dict)

    def declaration(self, name: str) -> str | None:
        """Return the statement that declares a stream or table, with its variables; None if unknown."""
        # Iterative, because a program can be deeper than Python's stack. A name is visited twice: before and after its
        # sources. A cycle is computed without the source that closes it.
        pending, visited = [name], set[str]()
        while pending:
            last = pending[-1]
            statement = self.created.get(last)
            read = read_by(statement) if statement is not None and last not in visited else ()
            visited.add(last)
            further = [r for r in read if r not in self._declared and r not in visited]
            if further:
                pending += further
                continue
            pending.pop()
            if last not in self._declared:
                own = self._declaration(last, statement) if statement is not None else None
                self._declared[last] = own or self.described.get(last)
        return self._declared[name]

    def topic(self, name: str) -> Topic | None:
        """Return the topic of a declared stream or table, with its columns; None after an error."""
        trace = Trace()
        dialect("ksql").bind(_program(self.declaration(name) or ""), {}, name="import", trace=trace)
        source = trace.sources.get(name)
        return None if source is None else next(iter(scans(source.node))).topic

    def _declaration(self, name: str, statement: Statement) -> str | None:
        if isinstance(statement.parsed, ksql.CreateSource):
            is_whole = statement.parsed.columns is not None or name not in self.described
            return defined(statement.variables) + statement.text if is_whole else None
        if not isinstance(statement.parsed, ksql.CreateAs):
            return None
        before = [self._declared.get(source) or "" for source in read_by(statement)]
        text = "\n".join([*before, defined(statement.variables) + statement.text])
        trace = Trace()
        dialect("ksql").bind(_program(text), {}, name="import", trace=trace)
        return trace.declarations.get(name)


def _program(text: str) -> ksql.Program:
    program = dialect("ksql").readable(text, "import.sql")
    assert isinstance(program, ksql.Program)
    return program


def read_by(statement: Statement) -> tuple[str, ...]:
    """Return the streams and tables that a statement reads, each once."""
    parsed = statement.parsed
    if not isinstance(parsed, ksql.CreateAs | ksql.InsertSelect | ksql.BareSelect):
        return ()
    return tuple(dict.fromkeys(source.name.text for source in parsed.query.sources))


def sources_of(statements: Sequence[Statement], declarations: Mapping[str, str]) -> Sources:
    """Return the state after all statements have run, without dropped or replaced streams."""
    sources = Sources(declarations)
    for statement in statements:
        name, parsed = statement.name, statement.parsed
        if statement.request is not None:
            _requested(statement, sources)
        elif isinstance(parsed, ksql.BareSelect):
            sources.left_out.append(LeftOut(statement, "a query without a target: `lsqlc show` reads a topic"))
        elif isinstance(parsed, ksql.InsertValues):
            sources.values.append(statement)
        elif name is None or (parsed is None and statement.text[:6].upper() == "INSERT"):
            sources.others.append(statement)
        elif isinstance(parsed, ksql.InsertSelect):
            sources.inserts.setdefault(name, []).append(statement)
        else:
            _created(name, statement, sources)
    return sources


def _requested(statement: Statement, sources: Sources) -> None:
    name = statement.name
    if name is None:
        sources.left_out.append(LeftOut(statement, statement.request or ""))
        return
    for removed in (*filter(None, [sources.created.pop(name, None)]), *sources.inserts.pop(name, ())):
        sources.left_out.append(LeftOut(removed, f"'{name}' is dropped later ({statement.origin})"))


def _created(name: str, statement: Statement, sources: Sources) -> None:
    other = sources.created.get(name)
    exists = getattr(statement.parsed, "exists", "fail")
    if other is None or exists == "replace":
        if other is not None:
            sources.left_out.append(LeftOut(other, f"'{name}' is replaced later ({statement.origin})"))
        sources.created[name] = statement
    elif exists == "ignore" or _words(other) == _words(statement):
        sources.left_out.append(LeftOut(statement, f"'{name}' exists already ({other.origin})"))
    else:
        sources.others.append(statement)


def _words(statement: Statement) -> tuple[str, ...]:
    return (*statement.text.split(), *statement.variables.values())
