"""A place among the tokens of a program, and how a parser steps on from it or gives up."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from lsqlc.diagnostics import Diagnostic, Fix
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax.tokens import Token

# An expression deeper than this is refused: what walks a tree afterwards does so by recursion.
MAX_DEPTH = 100


class SyntaxFault(Exception):
    """Leaves a statement at its first fault. Never passes the parser's own doors."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Cursor:
    """Reads tokens from left to right; the last one is of kind `end` and is never passed."""

    def __init__(
        self,
        source: SourceText,
        tokens: tuple[Token, ...],
        explain: Callable[[Cursor], tuple[str, str] | None] = lambda _: None,
    ) -> None:
        """`explain`: the message and the help for a word that other languages have where it stands, if it is one."""
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
        """Where the last token that was taken ends."""
        return self.tokens[self.at - 1].end if self.at else 0

    def advance(self) -> Token:
        token = self.tokens[self.at]
        if token.kind != "end":
            self.at += 1
        return token

    def is_word(self, *words: str) -> bool:
        """Whether the next tokens are these bare words, in upper case."""
        # Mostly it is another word: then nothing more is looked at.
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
        """From an offset to the end of the last token taken."""
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
        """Give up if the next token is a word or a mark of other languages, with what this one has for it."""
        found = self._explain(self)
        if found is not None:
            message, help = found
            self.fault("LSQ120", message, (self.token.start, self.token.end), help=help)

    def unexpected(self, wanted: str, *, help: str | None = None) -> NoReturn:
        """Give up at the next token: it is not what can stand here."""
        self.refuse_foreign()
        token = self.token
        at = (token.start, max(token.end, token.start + (token.kind != "end")))
        if token.kind == "end":
            self.fault("LSQ102", f"expected {wanted}, but the program ends here", at, help=help)
        previous = self.tokens[self.at - 1] if self.at else None
        if previous and previous.kind == "string" and previous.end == token.start:
            # The classical slip: 'It's bobby'.
            word = self.source.text[previous.start : token.end]
            mended = word[0] + word[1:].replace("'", "''") if word[0] == "'" else word
            help = f"a quote inside a string must be doubled: {mended}..."
        found = self.source.text[token.start : token.end]
        self.fault("LSQ102", f"expected {wanted}, found '{found}'", at, help=help)
