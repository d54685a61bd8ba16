"""The format of a model by `lsqlc fmt`: the text of sqlglot's generator.

The generator has words of its own: COALESCE for IFNULL, and `/* */` around every comment. The text before the first
word and after the last is kept. The output is parsed again, and used only if it is the same query with the same
comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token

from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax.formatting.comments import read_gap
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.flow_format import print_flow
from lsqlc.syntax.sql.parser import parse, plain_tokens, read_statement
from lsqlc.syntax.tokens import tokenize


def format_sql(program: sql.Program, restore: Callable[[str], str] | None = None) -> str:
    """Return the program's formatted text, with its comments.

    `restore`, for a template: returns the tags that names stand for.
    """
    text = program.source.text
    dialect = Dialect.get_or_raise("spark")
    tokens = plain_tokens(text)
    head, tail = text[: tokens[0].start], text[tokens[-1].end + 1 :]
    tokens[0] = _with_comments(tokens[0], tokens[0].comments[_count(head) :])
    tokens[-1] = _with_comments(tokens[-1], tokens[-1].comments[: len(tokens[-1].comments) - _count(tail)])
    flow = print_flow(program.source, tokens, read_statement, _printed)
    statements = dialect.parser().parse(tokens, text) if flow is None else []
    printed = [_printed(s) for s in statements if isinstance(s, exp.Expr)] if flow is None else [flow]
    apart = "\n" if re.search(r"\n[ \t]*\n\s*\Z", head) else ""
    above = f"{_lines(head)}\n{apart}" if head.strip() else ""
    behind = " " if tail[: len(tail) - len(tail.lstrip())].count("\n") == 0 else "\n"
    below = f"{behind}{_lines(tail)}" if tail.strip() else ""
    return (restore or str)(above + "\n".join(printed) + below + "\n")


def _printed(node: exp.Expr) -> str:
    for call in node.find_all(exp.Anonymous):
        # A name with a space, which the parser does not know (see `functions.HIDDEN`).
        call.set("this", str(call.this).strip())
    return Dialect.get_or_raise("spark").generate(node.transform(_with_is_not), pretty=True)


def _with_is_not(node: exp.Expr) -> exp.Expr:
    """Return the node of `x IS NOT y` in a form that is printed so, instead of `NOT x IS y`."""
    test = node.this if isinstance(node, exp.Not) else None
    if not isinstance(test, exp.Is) or isinstance(test.expression, exp.Not):
        return node
    node_of_is = exp.Is(this=test.this, expression=exp.Not(this=test.expression))
    node_of_is.add_comments([*(node.comments or ()), *(test.comments or ())])
    return node_of_is


def _lines(text: str) -> str:
    """Return the lines of a text without surrounding blanks."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


def _count(gap: str) -> int:
    """Return the number of comments in a text without tokens."""
    return len(read_gap(gap, 0, len(gap)).comments)


def _with_comments(token: Token, comments: list[str]) -> Token:
    return Token(token.token_type, token.text, token.line, token.col, token.start, token.end, comments)


def is_same(before: sql.Program, text: str) -> bool:
    """Return whether a text is the same program, except for extents, with the same comments."""
    after = parse(text, before.source.path).program
    if after is None or _comments(before.source) != _comments(after.source):
        return False
    return same_parts(
        (before.kind, before.name, before.query, before.flow), (after.kind, after.name, after.query, after.flow)
    )  # fmt: skip


def _comments(source: SourceText) -> list[str]:
    """Return the texts of all comments, without their marks, sorted."""
    tokens, _ = tokenize(source, "sql")
    starts = [0, *(t.end for t in tokens)]
    gaps = (read_gap(source.text, start, token.start) for start, token in zip(starts, tokens, strict=False))
    return sorted(_said(comment.text) for gap in gaps for comment in gap.comments)


def _said(comment: str) -> str:
    inner = comment.removeprefix("--") if comment.startswith("--") else comment.removeprefix("/*").removesuffix("*/")
    return " ".join(inner.split())
