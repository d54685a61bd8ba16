"""Variables of ksqlDB's scripts: `DEFINE name = 'value';`, `UNDEFINE name;`, and `${name}` in later statements.

A variable stands for words or for a part of a quoted text. The tokens of a value have the extent of the variable, so
that messages show the source text. Names are case-insensitive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace as replaced
from itertools import pairwise

import msgspec

from lsqlc.diagnostics import Diagnostic, did_you_mean
from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax.cursor import Cursor, SyntaxFault
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.tokens import Token, tokenize
from lsqlc.syntax.tree import Name

MAX_EXPANDED = 1_000_000
"""The maximum number of characters of all variables of one program, including those in the values of other
variables.
"""

_VARIABLE = re.compile(r"\$\{([^\W\d]\w*)\}")
_DEFINES = re.compile(r"\b(UN)?DEFINE\b", re.IGNORECASE)


class Expanded(msgspec.Struct, frozen=True):
    """Tokens without DEFINE and UNDEFINE, with values in place of variables; the definitions, in order."""

    tokens: tuple[Token, ...]
    definitions: tuple[ksql.Definition, ...]
    faults: tuple[Diagnostic, ...]


def expanded(source: SourceText, tokens: tuple[Token, ...]) -> Expanded:
    """Return the tokens of a program with values in place of variables."""
    if "${" not in source.text and not _DEFINES.search(source.text):
        return Expanded(tokens, (), ())
    return _Expansion(source).of(whole(tokens))


def used(text: str) -> tuple[str, ...]:
    """Return the names of the variables in a text in order of their first use, each once.

    >>> used("CREATE STREAM ${name} WITH (KAFKA_TOPIC = '${env}-${NAME}');")
    ('name', 'env')
    """
    names: dict[str, str] = {}
    for name in _VARIABLE.findall(text):
        names.setdefault(name.upper(), name)
    return tuple(names.values())


def whole(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return tokens in which each variable outside of quotes is one token, a name, together with adjacent names."""
    merged: list[Token] = []
    index = 0
    while index < len(tokens):
        token, end = tokens[index], _end(tokens, index)
        if end > index:
            text = "".join(t.text for t in tokens[index:end])
            token = Token("name", text, "", token.start, tokens[end - 1].end)
            before = merged[-1] if merged else None
            if before is not None and before.end == token.start and before.kind == "name":
                token = Token("name", merged.pop().text + text, "", before.start, token.end)
        elif merged and token.kind in ("name", "number") and merged[-1].end == token.start and _is_whole(merged[-1]):
            before = merged.pop()
            token = Token("name", before.text + token.text, "", before.start, token.end)
        merged.append(token)
        index = max(end, index + 1)
    return tuple(merged)


def _is_whole(token: Token) -> bool:
    return token.kind == "name" and token.text.endswith("}")


def _end(tokens: Sequence[Token], start: int) -> int:
    """Return the index after the tokens of the variable that begins at an index; the index itself if none does."""
    if tokens[start].kind != "name" or not tokens[start].text.endswith("$") or start + 3 >= len(tokens):
        return start
    parts = tokens[start : start + 4]
    touching = all(one.end == two.start for one, two in pairwise(parts))
    is_variable = parts[1].text == "{" and parts[2].kind == "name" and parts[3].text == "}"
    return start + 4 if touching and is_variable else start


class _Expansion:
    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._values: dict[str, str] = {}
        self._faults: list[Diagnostic] = []
        self._left = MAX_EXPANDED

    def of(self, tokens: Sequence[Token]) -> Expanded:
        expanded_tokens: list[Token] = []
        definitions: list[ksql.Definition] = []
        start = 0
        for index, token in enumerate(tokens):
            if not (token.kind == "end" or (token.kind == "mark" and token.text == ";")):
                continue
            statement = tokens[start:index]
            start = index + 1
            if statement and statement[0].upper in ("DEFINE", "UNDEFINE"):
                definition = self._definition((*statement, Token("end", "", "", token.start, token.start)))
                definitions += [definition] if definition else []
                expanded_tokens += [token] if token.kind == "end" else []
            else:
                expanded_tokens += [*(t for each in statement for t in self._expanded(each)), token]
        return Expanded(tuple(expanded_tokens), tuple(definitions), tuple(self._faults))

    def _definition(self, tokens: tuple[Token, ...]) -> ksql.Definition | None:
        """Read DEFINE or UNDEFINE, and set or remove the value."""
        cursor = Cursor(self._source, tokens)
        try:
            return self._read(cursor)
        except SyntaxFault as fault:
            self._faults.append(fault.diagnostic)
            return None

    def _read(self, cursor: Cursor) -> ksql.Definition:
        defines = cursor.advance().upper == "DEFINE"
        name = cursor.token
        if name.kind != "name":
            cursor.unexpected("the name of a variable", help="write DEFINE name = 'value';")
        cursor.advance()
        variable = Name(name.text, (name.start, name.end))
        if not defines:
            if cursor.token.kind != "end":
                cursor.unexpected("';' or the end of the statement")
            self._values.pop(name.upper, None)
            return ksql.Definition(variable, None)
        cursor.expect_mark("=", "the name of the variable")
        value = cursor.token
        if value.kind != "string":
            cursor.unexpected("a value in single quotes", help=f"write DEFINE {name.text} = 'value';")
        cursor.advance()
        if cursor.token.kind != "end":
            cursor.unexpected("';' or the end of the statement")
        text = self._filled(value.text, value)
        self._values[name.upper] = text
        return ksql.Definition(variable, Name(text, (value.start, value.end)))

    def _expanded(self, token: Token) -> Iterator[Token]:
        if "${" not in token.text or token.kind not in ("name", "quoted", "string"):
            yield token
            return
        before = len(self._faults)
        text = self._filled(token.text, token)
        if token.kind != "name" or len(self._faults) > before:
            # An unknown variable becomes a name, so that the statement has no further error.
            kind = "quoted" if token.kind == "name" else token.kind
            yield Token(kind, text or token.text, "", token.start, token.end)
            return
        read, faults = tokenize(SourceText(self._source.path, text), "ksql")
        at = self._source.span((token.start, token.end))
        self._faults += [replaced(fault, span=at, fix=None) for fault in faults]
        for part in read[:-1]:
            yield Token(part.kind, part.text, part.upper, token.start, token.end)

    def _filled(self, text: str, token: Token) -> str:
        """Return a text with values in place of its variables.

        A variable without a value is a fault, and so is the first one beyond the limit of all values; those after it
        are empty.
        """

        def value(match: re.Match[str]) -> str:
            replacement = self._values.get(match[1].upper())
            if replacement is None:
                self._faults.append(_unknown(match[1], self._values, self._source, token))
                return ""
            if self._left < 0:
                return ""
            self._left -= len(replacement)
            if self._left < 0:
                self._faults.append(_too_long(match[1], self._source, token))
                return ""
            return replacement

        return _VARIABLE.sub(value, text)


def _unknown(name: str, values: Mapping[str, str], source: SourceText, token: Token) -> Diagnostic:
    help = did_you_mean(name.upper(), values) or f"write DEFINE {name} = 'value'; before this statement"
    return Diagnostic("LSQ392", f"the variable '{name}' is not defined", source.span((token.start, token.end)),
                      help=help)  # fmt: skip


def _too_long(name: str, source: SourceText, token: Token) -> Diagnostic:
    message = f"the values of this program's variables exceed {MAX_EXPANDED:,} characters at '{name}'"
    return Diagnostic("LSQ393", message, source.span((token.start, token.end)),
                      notes=("a value that contains variables is as long as all their values",),
                      help="define shorter values, or use the variable less often")  # fmt: skip
