"""Tokens of a program, by the lexical rules of its dialect.

There are no keywords here: the grammar knows the reserved words. Names with hyphens and dots are several tokens, and
the grammar joins adjacent ones. Models in standard SQL are parsed with sqlglot's tokens (`sql.parser`), and formatted
with these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Literal

import msgspec

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import SourceText

Kind = Literal["name", "quoted", "string", "number", "mark", "end"]


class Token(msgspec.Struct, frozen=True, gc=False):
    """A token. `text` is its value, without quotes. `upper` is the upper case of a bare word, else empty.

    `start` and `end` are offsets in code points; the end is exclusive.
    """

    kind: Kind
    text: str
    upper: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lexis:
    """The lexical rules of a dialect.

    `strings`, `names`: the quotes of strings and of names, which are escaped by doubling. `operators`: operators of
    several characters; an operator precedes its prefixes. `backslashes`: quotes in strings are escaped by a backslash,
    not by doubling. `hyphens`: names may have hyphens. `raw`: prefixes of strings in which a backslash is an ordinary
    character.
    """

    strings: str
    names: str
    operators: tuple[str, ...] = ()
    backslashes: bool = False
    hyphens: bool = False
    raw: str = ""


_EXPONENT = r"[eE][+-]?[0-9]+"
_NUMBER = re.compile(rf"[0-9]+\.[0-9]+({_EXPONENT})?|[0-9]+\.?{_EXPONENT}|[0-9]+\.(?![^\W\d]|`)|[0-9]+")
# In `orders-2024.e1` the dot separates two names: that of a topic, and that of its field.
_IN_NAME = re.compile(rf"[0-9]+\.[0-9]+({_EXPONENT})?|[0-9]+{_EXPONENT}|[0-9]+\.(?![^\W\d]|`)|[0-9]+")
_WITHOUT_WHOLE = re.compile(rf"\.[0-9]+({_EXPONENT})?")
_HALF = re.compile(r"[\ud800-\udfff]")
_OPENING = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|(?P<open>['\"`]|/\*)", re.DOTALL)
# Characters that are always tokens of their own; they end a name.
_MARKS = re.escape("()[]{}&^:,-.|+<>?/\\*;%=~@#!")
_QUOTES = "'\"`"
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# Comments of several lines, also in templates, because programs are formatted before their templates are rendered.
_COMMENT_EDGES = {"/*": re.compile(r"/\*|\*/"), "{#": re.compile(r"\{#|#\}")}


def is_number(text: str) -> bool:
    """Return whether a text is exactly one number."""
    return _NUMBER.fullmatch(text) is not None


def tokenize(source: SourceText, dialect: str = "lenses") -> tuple[tuple[Token, ...], tuple[Diagnostic, ...]]:
    """Return the tokens, with a last one of kind `end`; only that one if the text has a lexical error.

    The rules are LEXIS in the module `lexis` of the dialect's folder.
    """
    return _tokenized(source, dialect)


# Fixes and comments of a statement need its tokens again.
@lru_cache(maxsize=4)
def _tokenized(source: SourceText, dialect: str) -> tuple[tuple[Token, ...], tuple[Diagnostic, ...]]:
    lexis: Lexis = import_module(f"lsqlc.syntax.{dialect}.lexis").LEXIS
    end = len(source.text)
    last = Token("end", "", "", end, end)
    try:
        tokens = _Tokens(source.text, lexis).read()
    except _UnclosedError:
        return (last,), (_unclosed(source),)
    faults = (*_unreadable(source), *_nameless(source, tokens), *_cut_off(source, tokens))
    if faults:
        return (last,), faults
    tokens.append(last)
    return tuple(tokens), ()


class _UnclosedError(Exception):
    """A quote or a comment has no end."""


@lru_cache
def _pattern(lexis: Lexis) -> re.Pattern[str]:
    """Return the pattern of blanks followed by a token, with groups by kind. A number matches its first digit."""
    quoted = "|".join(rf"{quote}[^{quote}]*(?:{quote}{quote}[^{quote}]*)*{quote}" for quote in lexis.names)
    inside = r"(?:[^\\{0}]|\\.)*" if lexis.backslashes else r"[^{0}]*(?:{0}{0}[^{0}]*)*"
    strings = "|".join(quote + inside.format(quote) + quote for quote in lexis.strings)
    raw = "|".join(f"[{lexis.raw}]{quote}[^{quote}]*{quote}" for quote in lexis.strings) if lexis.raw else "(?!)"
    operators = "".join(re.escape(operator) + "|" for operator in lexis.operators)
    return re.compile(
        rf"\s*(?:(?P<raw>{raw})|(?P<name>[^\s{_MARKS}{_QUOTES}0-9][^\s{_MARKS}{_QUOTES}]*)|(?P<line>--[^\n\r]*)"
        rf"|(?P<comment>/\*|\{{#)"
        rf"|(?P<mark>{operators}[{_MARKS}])|(?P<number>[0-9])|(?P<quoted>{quoted})|(?P<string>{strings})|(?P<open>[{_QUOTES}])|\Z)",
        re.DOTALL,
    )


class _Tokens:
    """A lexer of one text."""

    def __init__(self, text: str, lexis: Lexis) -> None:
        self._text = text
        self._match = _pattern(lexis).match
        self._inside = _unescaped if lexis.backslashes else _inside
        self._joints = "-." if lexis.hyphens else "."
        self._tokens: list[Token] = []
        # The end of the last token that can be part of a name with hyphens.
        self._name_end = -1

    def read(self) -> list[Token]:
        """Return the tokens.

        Raises _UnclosedError.
        """
        text, tokens = self._text, self._tokens
        match = self._match(text)
        while match and (kind := match.lastgroup):
            start, end = match.span(kind)
            if kind == "name":
                word = text[start:end]
                self._name_end = end
                tokens.append(Token("name", word, word.upper(), start, end))
            elif kind == "number" or (text[start] == "." and self._begins_number(start)):
                end = self._number(start)
            elif kind == "mark":
                tokens.append(Token("mark", text[start:end], "", start, end))
            elif kind == "quoted":
                self._name_end = end
                tokens.append(Token("quoted", _inside(text, start, end), "", start, end))
            elif kind == "string":
                tokens.append(Token("string", self._inside(text, start, end), "", start, end))
            elif kind == "raw":
                tokens.append(Token("string", text[start + 2 : end - 1], "", start, end))
            elif kind == "comment":
                end = self._comment_end(text[start:end], end)
            elif kind == "open":
                raise _UnclosedError
            match = self._match(text, end)
        return tokens

    def _comment_end(self, opening: str, place: int) -> int:
        """Return the offset after a comment whose opening mark ends at an offset. Comments nest."""
        depth = 1
        while depth:
            edge = _COMMENT_EDGES[opening].search(self._text, place)
            if edge is None:
                raise _UnclosedError
            depth += 1 if edge[0] == opening else -1
            place = edge.end()
        return place

    def _begins_number(self, dot: int) -> bool:
        """Return whether a number such as `.5` begins at a dot. Otherwise the dot follows a name."""
        if not _WITHOUT_WHOLE.match(self._text, dot):
            return False
        before = self._tokens[-1] if self._tokens else None
        touches = before is not None and before.end == dot
        return not (before and touches and (before.kind != "mark" or before.text in ")]."))

    def _number(self, start: int) -> int:
        """Add the number that begins at an offset; return its end."""
        text = self._text
        # A hyphen or a dot may connect this to the name before it.
        in_name = start > 0 and text[start - 1] in self._joints and self._name_end == start - 1
        number = (_WITHOUT_WHOLE if text[start] == "." else _IN_NAME if in_name else _NUMBER).match(text, start)
        assert number is not None, "a digit, or a dot before one, begins a number"
        end = number.end()
        if in_name:
            self._name_end = end
        self._tokens.append(Token("number", f"0{number[0]}" if text[start] == "." else number[0], "", start, end))
        return end


def _inside(text: str, start: int, end: int) -> str:
    """Return the text between two quotes, in which quotes are doubled."""
    quote, within = text[start], text[start + 1 : end - 1]
    return within.replace(quote + quote, quote) if quote in within else within


def _unescaped(text: str, start: int, end: int) -> str:
    """Return the text between two quotes, in which quotes have a backslash; other backslashes are kept."""
    quote, within = text[start], text[start + 1 : end - 1]
    return _ESCAPE.sub(lambda pair: quote if pair[1] == quote else pair[0], within) if "\\" in within else within


def _unreadable(source: SourceText) -> tuple[Diagnostic, ...]:
    """Return diagnostics of surrogates, which form tokens without a meaning."""
    if source.text.isascii():
        return ()
    return tuple(
        Diagnostic(
            "LSQ102",
            f"half a character, {half[0]!r}",
            source.span(half.span()),
            notes=("U+D800 to U+DFFF are not characters by themselves, and cannot be encoded in UTF-8",),
        )
        for half in _HALF.finditer(source.text)
    )


def _nameless(source: SourceText, tokens: Sequence[Token]) -> tuple[Diagnostic, ...]:
    """Return diagnostics of quotes around an empty name."""
    return tuple(
        Diagnostic(
            "LSQ118",
            "a name must have at least one character",
            source.span((token.start, token.end)),
            help="an empty string is written ''"
            if source.text[token.start] == '"'
            else "write a name between the backticks",
        )
        for token in tokens
        if not token.text and token.kind == "quoted"
    )


def _cut_off(source: SourceText, tokens: Sequence[Token]) -> tuple[Diagnostic, ...]:
    """Return diagnostics of names with a character that ends them for an engine."""
    if "\x00" not in source.text:
        return ()
    return tuple(
        Diagnostic("LSQ102", "a name cannot have the character NUL", source.span((token.start, token.end)))
        for token in tokens
        if token.kind == "quoted" and "\x00" in token.text
    )


def _unclosed(source: SourceText) -> Diagnostic:
    """Return the diagnostic at the unclosed quote or comment, or at the quote inside a string that causes it."""
    text = source.text
    opening = None
    for match in _OPENING.finditer(text):
        if match["open"]:
            opening = match
            break
        if match[0][0] == "'" and text[match.end() : match.end() + 1].islower():
            word = match[0][1:-1].rpartition(" ")[2].removesuffix("\\")
            return Diagnostic(
                "LSQ101",
                "this quote ends the string, and another one is not closed",
                source.span((match.end() - 1, match.end())),
                help=f"a quote inside a string must be doubled: {word}''{text[match.end()]}...",
            )
    start = opening.start() if opening else 0
    what = "comment" if opening and opening["open"] == "/*" else "quote"
    return Diagnostic(
        "LSQ101",
        f"this {what} is never closed",
        source.span((start, start + (len(opening["open"]) if opening else 1))),
        help="close it; a quote inside a string must be doubled: 'It''s'" if what == "quote" else "close it with */",
    )
