"""Splitting of ksqlDB scripts into statements, each with its comment and the variables that it uses.

Nothing is bound here. A statement that cannot be parsed keeps its text. A request to a server, which is not part of a
program, is identified by its first words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import SourceText
from lsqlc.imports.imported import first_line
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.parser import parse
from lsqlc.syntax.ksql.text import text_of
from lsqlc.syntax.ksql.variables import used, whole
from lsqlc.syntax.tokens import Token, tokenize
from lsqlc.syntax.tree import Literal

# The first words of statements that are part of a program; CREATE only before `_DECLARED`.
_KEPT = ("CREATE", "INSERT", "SELECT")
# A request may contain a secret after these.
_SECRETIVE = re.compile(r"\bWITH\b|[=(]", re.IGNORECASE)
_DECLARED = ("STREAM", "TABLE", "OR")
_SAME_LINE = re.compile(r"[ \t]*--[^\n]*")


@dataclass(frozen=True, slots=True)
class Script:
    """A text of statements. `path`: the file, or the name of a stream that a server described."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. `text` ends with its semicolon. `comment` precedes it. `variables`: the used ones, with their
    values.

    `request`: the reason to leave it out, if it is a request to a server such as DROP STREAM. `parsed`: None if it
    cannot be parsed. `name`: the stream or table that it creates, writes or drops.
    """

    path: str
    line: int
    text: str
    comment: str
    variables: Mapping[str, str]
    request: str | None = None
    parsed: ksql.Statement | None = None
    name: str | None = None

    @property
    def shown(self) -> str:
        """The first line for reports, without the values of settings and connectors, which can be secret."""
        is_plain = self.request is None and self.text[:3].upper() not in ("SET", "UNS")
        return first_line(self.text if is_plain else _SECRETIVE.split(self.text)[0].strip())

    @property
    def origin(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Cut:
    """Statements in order, settings, and syntax errors."""

    statements: tuple[Statement, ...]
    settings: tuple[Statement, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(slots=True)
class _Draft:
    values: dict[str, str]
    statements: list[Statement] = field(default_factory=list)
    settings: list[Statement] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def cut(scripts: Iterable[Script], variables: Mapping[str, str]) -> Cut:
    """Split scripts into statements. Later scripts see the variables of earlier ones.

    `variables`: initial values by name.
    """
    draft = _Draft({name.upper(): value for name, value in variables.items()})
    for script in scripts:
        source = SourceText(script.path, script.text)
        tokens, faults = tokenize(source, "ksql")
        draft.diagnostics += faults
        if not faults:
            _cut(script, whole(tokens), draft)
    return Cut(tuple(draft.statements), tuple(draft.settings), tuple(draft.diagnostics))


def defined(variables: Mapping[str, str]) -> str:
    """Return statements that define variables, one per line."""
    return "".join(f"DEFINE {name} = {text_of(Literal(value, (0, 0)))};\n" for name, value in variables.items())


def _cut(script: Script, tokens: Sequence[Token], draft: _Draft) -> None:
    statement: list[Token] = []
    # The start of the text that can contain the comment of the next statement.
    comment_start = 0
    for token in tokens:
        ends = token.kind == "end" or (token.kind == "mark" and token.text == ";")
        if not ends:
            statement.append(token)
            continue
        # A comment after the semicolon on the same line belongs to the statement before it.
        trailing = _SAME_LINE.match(script.text, token.end)
        if statement:
            start, end = statement[0].start, statement[-1].end
            text = script.text[start:end] + ";"
            parts = (script.text[comment_start:start], script.text[end : token.start], trailing[0] if trailing else "")
            comment = "\n".join(part.strip() for part in parts if part.strip())
            line = script.text.count("\n", 0, start) + 1
            _add(Statement(script.path, line, text, comment, _values(text, draft.values)), statement, draft)
        statement = []
        comment_start = trailing.end() if trailing else token.end


def _values(text: str, values: Mapping[str, str]) -> dict[str, str]:
    return {name: values[name.upper()] for name in used(text) if name.upper() in values}


def _add(statement: Statement, tokens: Sequence[Token], draft: _Draft) -> None:
    first = tokens[0].upper
    if first in ("DEFINE", "UNDEFINE"):
        _define(statement, draft)
    elif first in ("SET", "UNSET"):
        draft.settings.append(statement)
    elif first not in _KEPT or (first == "CREATE" and not _is_declaration(tokens)):
        reason = parse(statement.text, statement.path).diagnostics[0]
        draft.statements.append(replace(statement, request=f"{reason.message} ({reason.code})", name=_dropped(tokens)))
    else:
        program = parse(defined(statement.variables) + statement.text, statement.path).program
        parsed = program.statements[0] if program is not None and program.statements else None
        draft.statements.append(replace(statement, parsed=parsed, name=_named(parsed, tokens)))


def _is_declaration(tokens: Sequence[Token]) -> bool:
    """Return whether CREATE declares a stream or table. CREATE SOURCE can also create a connector."""
    one, two = (*(t.upper for t in tokens[1:3]), "", "")[:2]
    return two in ("STREAM", "TABLE") if one == "SOURCE" else one in _DECLARED


def _define(statement: Statement, draft: _Draft) -> None:
    result = parse(defined(statement.variables) + statement.text, statement.path)
    if result.program is None:
        draft.diagnostics += result.diagnostics
        return
    last = result.program.definitions[-1]
    if last.value is None:
        draft.values.pop(last.name.text.upper(), None)
    else:
        draft.values[last.name.text.upper()] = last.value.text


def _named(parsed: ksql.Statement | None, tokens: Sequence[Token]) -> str | None:
    """Return the stream or table that a statement creates or writes. Uses the tokens if it cannot be parsed."""
    match parsed:
        case ksql.CreateSource() | ksql.CreateAs():
            return parsed.name.text
        case ksql.InsertSelect() | ksql.InsertValues():
            return parsed.target.text
        case ksql.BareSelect():
            return None
    return _after(tokens, ("CREATE", "OR", "REPLACE", "SOURCE", "STREAM", "TABLE", "INSERT", "INTO"))


def _dropped(tokens: Sequence[Token]) -> str | None:
    """Return the stream or table that DROP STREAM or DROP TABLE drops."""
    is_drop = tokens[0].upper == "DROP" and len(tokens) > 1 and tokens[1].upper in ("STREAM", "TABLE")
    return _after(tokens, ("DROP", "STREAM", "TABLE")) if is_drop else None


def _after(tokens: Sequence[Token], words: Sequence[str]) -> str | None:
    rest = next((i for i, t in enumerate(tokens) if t.upper not in (*words, "IF", "NOT", "EXISTS")), None)
    token = None if rest is None else tokens[rest]
    return None if token is None or token.kind not in ("name", "quoted") else token.upper or token.text
