"""A position in the tokens of a program, with the steps of a parser and its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from lsqlc.diagnostics import Diagnostic, Fix
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax.tokens import Token

# Deeper expressions are refused, because functions over trees are recursive.
MAX_DEPTH = 100


class SyntaxFault(Exception):
    """The first fault of a statement. Parsers catch it in their public functions."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Cursor:
    """A reader of tokens from left to right. It never passes the last token, of kind `end`."""

    def __init__(
        self,
        source: SourceText,
        tokens: tuple[Token, ...],
        explain: Callable[[Cursor], tuple[str, str] | None] = lambda _: None,
    ) -> None:
        """Begin at the first token.

        `explain`: returns the message and the help if the next token is a word of another language, else None.
        """
        self._explain = explain
        self.source = source
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def ahead(self, count: int) -> Token:
        return self.tokens[min(self.at + count, len(self.tokens) - 1)]

    @property
    def previous_end(self) -> int:
        """The offset where the previous token ends."""
        return self.tokens[self.at - 1].end if self.at else 0

    def advance(self) -> Token:
        token = self.tokens[self.at]
        if token.kind != "end":
            self.at += 1
        return token

    def is_word(self, *words: str) -> bool:
        """Return whether the next tokens are these bare words, in upper case."""
        # Fast path: usually the first word differs.
        if self.tokens[self.at].upper != words[0]:
            return False
        return all(self.ahead(i).upper == word for i, word in enumerate(words[1:], 1))

    def take_words(self, *words: str) -> bool:
        if self.tokens[self.at].upper != words[0] or not self.is_word(*words):
            return False
        self.at += len(words)
        return True

    def is_mark(self, mark: str) -> bool:
        token = self.tokens[self.at]
        return token.text == mark and token.kind == "mark"

    def take_mark(self, mark: str) -> bool:
        token = self.tokens[self.at]
        if token.text != mark or token.kind != "mark":
            return False
        self.at += 1
        return True

    def expect_mark(self, mark: str, after: str) -> None:
        if not self.take_mark(mark):
            self.unexpected(f"'{mark}' after {after}")

    def expect_words(self, *words: str, help: str | None = None) -> None:
        if not self.take_words(*words):
            self.unexpected(" ".join(words), help=help)

    def extent(self, start: int) -> Extent:
        """Return the extent from an offset to the end of the previous token."""
        return start, max(start, self.previous_end)

    def fault(
        self,
        code: str,
        message: str,
        at: Extent,
        *,
        help: str | None = None,
        notes: tuple[str, ...] = (),
        fix: Fix | None = None,
    ) -> NoReturn:
        raise SyntaxFault(Diagnostic(code, message, self.source.span(at), notes=notes, help=help, fix=fix))

    def refuse_foreign(self) -> None:
        """Raise a fault if the next token is a word or a mark of other languages. The help names the
        counterpart here.
        """
        explanation = self._explain(self)
        if explanation is not None:
            message, help = explanation
            self.fault("LSQ120", message, (self.token.start, self.token.end), help=help)

    def unexpected(self, expected: str, *, help: str | None = None) -> NoReturn:
        """Raise a fault at the next token, which is not what is expected."""
        self.refuse_foreign()
        token = self.token
        at = (token.start, max(token.end, token.start + (token.kind != "end")))
        if token.kind == "end":
            self.fault("LSQ102", f"expected {expected}, but the program ends here", at, help=help)
        previous = self.tokens[self.at - 1] if self.at else None
        if previous and previous.kind == "string" and previous.end == token.start:
            # The usual mistake: 'It's bobby'.
            word = self.source.text[previous.start : token.end]
            mended = word[0] + word[1:].replace("'", "''") if word[0] == "'" else word
            help = f"a quote inside a string must be doubled: {mended}..."
        actual = self.source.text[token.start : token.end]
        self.fault("LSQ102", f"expected {expected}, found '{actual}'", at, help=help)
