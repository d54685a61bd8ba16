"""A model as `lsqlc fmt` writes it: what sqlglot's generator prints of it.

The generator has words of its own: COALESCE where IFNULL was written, and `/* */` around every comment. What it prints
is read again, and given only if it is the same query with the same comments.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax.formatting.comments import read_gap
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.parser import parse, plain_tokens
from lsqlc.syntax.tokens import tokenize


def format_sql(program: sql.Program) -> str:
    """The program's text, formatted, with its comments."""
    text = program.source.text
    dialect = Dialect.get_or_raise("spark")
    statements = dialect.parser().parse(plain_tokens(text), text)
    for call in (call for s in statements if isinstance(s, exp.Expr) for call in s.find_all(exp.Anonymous)):
        # A name that was hidden from the parser (see `functions.HIDDEN`).
        call.set("this", str(call.this).strip())
    printed = [dialect.generate(s, pretty=True) for s in statements if isinstance(s, exp.Expr)]
    return "\n".join(printed) + "\n"


def is_same(before: sql.Program, text: str) -> bool:
    """Whether a text is the same program, places aside, with the same comments."""
    after = parse(text, before.source.path).program
    if after is None or _comments(before.source) != _comments(after.source):
        return False
    return same_parts(
        (before.kind, before.name, before.query), (after.kind, after.name, after.query)
    )  # fmt: skip


def _comments(source: SourceText) -> list[str]:
    """What all comments say, without their marks, in an order of their own."""
    tokens, _ = tokenize(source, "sql")
    starts = [0, *(t.end for t in tokens)]
    gaps = (read_gap(source.text, start, token.start) for start, token in zip(starts, tokens, strict=False))
    return sorted(_said(comment.text) for gap in gaps for comment in gap.comments)


def _said(comment: str) -> str:
    inner = comment.removeprefix("--") if comment.startswith("--") else comment.removeprefix("/*").removesuffix("*/")
    return " ".join(inner.split())
