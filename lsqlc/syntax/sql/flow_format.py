"""The format of a flow of changes by `lsqlc fmt`: a line for each clause, and sqlglot's text of the source and
expressions.

A comment precedes its clause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import TokenType, exp
from sqlglot.tokenizer_core import Token

from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax.sql.flows import Piece, Reader, opening, parts_of, statements_of
from lsqlc.syntax.sql.places import mark

_WORDS = frozenset(
    ("CREATE", "OR", "REFRESH", "STREAMING", "TABLE", "FLOW", "AS", "AUTO", "CDC", "APPLY", "CHANGES", "INTO",
     "COMMENT", "EXCEPT", "SCD", "TYPE", "ON")
)  # fmt: skip
_TIGHT_BEFORE, _TIGHT_BEHIND = (".", ",", ")"), (".", "(")
_EXPRESSIONS = ("SEQUENCE BY", "APPLY AS DELETE WHEN")


def print_flow(
    source: SourceText, tokens: Sequence[Token], read: Reader, generate: Callable[[exp.Expr], str]
) -> str | None:
    """Return the text of a flow and of the CREATE before it; None for any other statement. `generate` prints a node."""
    statements = statements_of(tokens)
    if not any(opening(each) is not None for each in statements):
        return None
    printed = []
    for statement in statements:
        if opening(statement) is None:
            printed.append(_with_comments(statement, _plain(source, statement)))
            continue
        header, pieces = parts_of(source, statement)
        lines = [_with_comments(header, _plain(source, header))]
        lines += [_clause(source, piece, read, generate) for piece in pieces]
        printed.append("\n".join(lines))
    # Comments after a statement are those of its semicolon.
    ends = [token for token in tokens if token.token_type == TokenType.SEMICOLON]
    behind = [_comments((end,)) for end in ends[: len(printed)]]
    behind += [[] for _ in range(len(printed) - len(behind))]
    parts = [*printed[:1]]
    for text, comments in zip(printed[1:], behind, strict=False):
        parts.append("\n".join((*comments, text)))
    return "\n".join((";\n\n".join(parts), *(behind[-1] if behind else ())))


def _clause(source: SourceText, piece: Piece, read: Reader, generate: Callable[[exp.Expr], str]) -> str:
    if piece.words == "FROM" or piece.words in _EXPRESSIONS:
        statement = read(source, piece.as_query)
        assert isinstance(statement, exp.Select), "the tokens begin with SELECT"
        node = statement.args["from_"].this if piece.words == "FROM" else statement.expressions[0]
        return _with_comments(piece.head, f"{piece.words} {generate(node)}")
    text = _plain(source, piece.tokens)
    if piece.words in ("COLUMNS", "TRACK HISTORY ON") and mark(piece.tokens[0]) not in ("(", "*"):
        text = f"({text})"
    return _with_comments((*piece.head, *piece.tokens), f"{piece.words} {text}".strip())


def _plain(source: SourceText, tokens: Sequence[Token]) -> str:
    """Return words and names, as in the text."""
    text, before = "", "("
    for token in tokens:
        word = mark(token)
        is_word = word in _WORDS and token.token_type != TokenType.IDENTIFIER and before != "."
        apart = "" if before in _TIGHT_BEHIND or word in _TIGHT_BEFORE else " "
        text += apart + (word if is_word else source.text[token.start : token.end + 1])
        before = word
    return text


def _with_comments(tokens: Sequence[Token], text: str) -> str:
    """Return a text after the comments of its tokens."""
    return "\n".join((*_comments(tokens), text))


def _comments(tokens: Sequence[Token]) -> list[str]:
    return [f"/* {' '.join(comment.split())} */" for token in tokens for comment in token.comments]
