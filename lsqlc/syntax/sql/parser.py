"""From text of standard SQL to a program: sqlglot's parser of Spark, then conversion to the compiler's tree."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import NoReturn

from sqlglot import TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, TokenError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax.cursor import MAX_DEPTH, SyntaxFault
from lsqlc.syntax.program import Parsed
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.flows import read_flow
from lsqlc.syntax.sql.functions import HIDDEN, HIDDEN_WORDS
from lsqlc.syntax.sql.pipes import check_pipes
from lsqlc.syntax.sql.places import Places, mark, parts
from lsqlc.syntax.sql.queries import Queries
from lsqlc.syntax.sql.refusals import name_of
from lsqlc.syntax.sql.texts import joined_strings
from lsqlc.syntax.sql.unions import SETS
from lsqlc.syntax.tokens import tokenize

# The parser logs unknown constructs, which are refused here; the log is not for the terminal.
_LOG = logging.getLogger("sqlglot")
_LOG.addHandler(logging.NullHandler())
_LOG.propagate = False

# The maximum number of characters of an INTERVAL.
_LONGEST_LENGTH = 100
_UNSIGNED = ">>>"
# After these, ANY and SOME have a list of patterns, and are not functions.
_OF_PATTERNS, _LISTS = (TokenType.LIKE, TokenType.ILIKE), ("ANY", "SOME")
_DEEP = "compute a part of it in a WITH before it"
_MISSING = re.compile(r"Required keyword: '\w+' missing")
_EXPECTED = re.compile(r"Expecting (\S+)")
# Tokens that cannot follow a comma.
_ENDS = (",", ")", "]", ";")
_OPENING, _CLOSING = ("(", "[", "CASE"), (")", "]", "END")
_BRACKETS = {"(": ")", "[": "]"}
# Each nested type doubles the time of the parser.
_MAX_TYPES = 8
# The statements that a model may have.
_STATEMENTS = (exp.Create, exp.Select, exp.Values, exp.Subquery, exp.Paren, *SETS)
# The first tokens in the brackets of a clause, in contrast to a function.
_CLAUSES_INSIDE = (TokenType.SELECT, TokenType.WITH, TokenType.WHERE, TokenType.VALUES)
_QUOTED = (TokenType.IDENTIFIER, TokenType.STRING)
_CLAUSES = ("FROM", "WHERE", "HAVING", "GROUP BY", "UNION", "ON")


def parse(text: str, path: str) -> Parsed[sql.Program]:
    """Return the program, or the first fault. Never raises for bad input."""
    source = SourceText(path, text)
    try:
        return Parsed(_program(source), ())
    except SyntaxFault as fault:
        return Parsed(None, (fault.diagnostic,))


def readable(text: str, path: str) -> sql.Program:
    """Return the program, without a query if that is invalid."""
    return parse(text, path).program or sql.Program(SourceText(path, text), None, None, None)


def _program(source: SourceText) -> sql.Program:
    # Unclosed quotes, surrogates and empty names are reported by the rules of all dialects.
    _, faults = tokenize(source, "sql")
    if faults:
        raise SyntaxFault(faults[0])
    try:
        tokens = plain_tokens(source.text)
    except TokenError as error:
        _fault(source, "LSQ101", "this text cannot be read as tokens of Spark SQL", (0, 0), str(error).split("\n")[0])
    if not tokens:
        _fault(source, "LSQ105", "this program writes nothing", (0, 0), "write a query: SELECT ... FROM topic")
    flow = read_flow(source, tokens, read_statement)
    if flow is not None:
        return flow
    statement = read_statement(source, tokens)
    if not isinstance(statement, _STATEMENTS):
        message = f"{name_of(statement) or mark(tokens[0])} is not supported in models of the dialect sql"
        first = (tokens[0].start, tokens[0].end + 1)
        _fault(source, "LSQ450", message, first, "a model is one query: SELECT ... FROM topic")
    kind, name, query = Queries(source, Places(statement, tokens)).statement(statement)
    return sql.Program(source, kind, name, query)


def read_statement(source: SourceText, tokens: list[Token]) -> exp.Expr:
    """Return the single statement of tokens of a text.

    Raises SyntaxFault.
    """
    _check_commas(source, tokens)
    _check_lengths(source, tokens)
    _check_nesting(source, tokens)
    check_pipes(source, tokens)
    try:
        statements = Dialect.get_or_raise("spark").parser().parse(tokens, source.text)
    except ParseError as error:
        _refuse(source, tokens, error)
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        # The parser does not check the number and the kind of the arguments of some functions.
        message = "a function has arguments with which it cannot be read"
        _fault(source, "LSQ102", message, _whole(tokens), "the functions are listed in docs/reference/sql-functions.md")
    except RecursionError:
        _fault(source, "LSQ103", f"this expression has more than {MAX_DEPTH} levels", _whole(tokens), _DEEP)
    # The parser reads a comment after the last semicolon as a statement.
    parsed = [s for s in statements if s is not None and not isinstance(s, exp.Semicolon)]
    if len(parsed) != 1:
        second = next((t for t in tokens if t.token_type == TokenType.SEMICOLON), tokens[0])
        message = "a second statement is not supported in models of the dialect sql"
        _fault(source, "LSQ450", message, (second.start, second.end + 1), "write each in a model of its own")
    statement = parsed[0]
    _check_levels(source, statement, tokens)
    return statement


def plain_tokens(text: str) -> list[Token]:
    """Return Spark's tokens of a text, as the parser gets them.

    Raises TokenError for a text with a lexical error.
    """
    tokens = joined_strings(text, Dialect.get_or_raise("spark").tokenize(text))
    tokens = _with_unsigned(tokens)
    before, behind = [None, *tokens], [*tokens[2:], None, None]
    return [
        t if last is not None and last.token_type in _OF_PATTERNS and mark(t) in _LISTS else _plain(t, after, inside)
        for last, (t, after), inside in zip(before, _pairs(tokens), behind, strict=False)
    ]


def _with_unsigned(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with `>>>` as one token that the parser reads as `^`. `operators` distinguishes them by their
    text.
    """
    merged: list[Token] = []
    # The open angle brackets of types: `MAP<STRING, ARRAY<STRUCT<a: INT>>>` does not have the operator.
    open_types, in_row = 0, 0
    for token in tokens:
        before = merged[-1] if merged else None
        if token.token_type == TokenType.LT and before is not None and before.token_type in Parser.NESTED_TYPE_TOKENS:
            open_types += 1
        is_closing = token.token_type == TokenType.GT and open_types > 0
        open_types -= is_closing
        adjacent = before is not None and before.end + 1 == token.start
        in_row = 0 if is_closing or token.token_type != TokenType.GT else in_row + 1 if adjacent else 1
        merged.append(token)
        if in_row == len(_UNSIGNED):
            first = merged[-in_row]
            merged[-in_row:] = [
                Token(TokenType.CARET, _UNSIGNED, first.line, first.col, first.start, token.end, first.comments)
            ]
            in_row = 0
    return merged


def _pairs(tokens: Sequence[Token]) -> list[tuple[Token, Token | None]]:
    return list(zip(tokens, [*tokens[1:], None], strict=False))


def _plain(token: Token, after: Token | None, inside: Token | None) -> Token:
    """Return a token in the form that the parser needs.

    `window(` and `array(` are calls of functions in any position. The parser would read the one word as a clause in
    GROUP BY, and the other as a type if `<` follows. A function that the parser must not convert gets a name with a
    space at its end, which the parser does not know.

    `inside`: the token after `after`, which distinguishes `exists(array, ...)` from `EXISTS (SELECT ...)`.
    """
    if after is None or after.token_type != TokenType.L_PAREN:
        return token
    word = token.text.upper()
    is_renamed = token.token_type == TokenType.VAR and word in HIDDEN
    if word in HIDDEN_WORDS and token.token_type not in _QUOTED:
        is_renamed = inside is not None and inside.token_type not in _CLAUSES_INSIDE
        is_renamed = is_renamed and not (
            word == "EXISTS" and inside is not None and inside.token_type == TokenType.L_PAREN
        )
    text = f"{token.text} " if is_renamed else token.text
    if token.token_type in (TokenType.WINDOW, TokenType.ARRAY) or text != token.text:
        return Token(TokenType.VAR, text, token.line, token.col, token.start, token.end, token.comments)
    return token


def _whole(tokens: Sequence[Token]) -> Extent:
    return (tokens[0].start, tokens[-1].end + 1) if tokens else (0, 0)


def _check_commas(source: SourceText, tokens: Sequence[Token]) -> None:
    """Refuse a comma without an expression after it, which the parser skips."""
    for token, after in _pairs(tokens):
        if token.token_type == TokenType.COMMA and (after is None or mark(after) in (*_ENDS, *_CLAUSES)):
            actual = f"found '{after.text}'" if after else "but the program ends here"
            at = (after.start, after.end + 1) if after else (token.start, token.end + 1)
            _fault(source, "LSQ102", f"expected an expression behind ',', {actual}", at)


def _check_lengths(source: SourceText, tokens: Sequence[Token]) -> None:
    """Refuse a long length of time, which takes the parser quadratic time."""
    for token, after in _pairs(tokens):
        if token.token_type == TokenType.INTERVAL and after is not None and len(after.text) > _LONGEST_LENGTH:
            _fault(source, "LSQ450", "INTERVAL is only supported for lengths such as 10 MINUTES",
                   (after.start, after.end + 1))  # fmt: skip


def _check_nesting(source: SourceText, tokens: Sequence[Token]) -> None:
    """Refuse too deep nesting before the parser, which reads some of it several times at each level."""
    depth = 0
    # Joins that wait for their ON, for each level of parentheses: each doubles the work of the parser. A NATURAL JOIN
    # does not wait, and the end of a SELECT ends all.
    waiting, is_natural = [0], False
    # The open brackets, and whether each follows the word of a type: `DATE(`, `ARRAY[`.
    typed: list[bool] = []
    before: Token | None = None
    for token in tokens:
        word, crosses = mark(token), before is not None and before.token_type == TokenType.CROSS
        if word in _BRACKETS:
            typed.append(before is not None and _may_be_type(before, token))
            if sum(typed) > _MAX_TYPES:
                message = f"words of types, such as DATE(...), are nested in more than {_MAX_TYPES} levels"
                _fault(source, "LSQ103", message, (token.start, token.end + 1), _DEEP)
        elif word in _BRACKETS.values() and typed:
            typed.pop()
        before = token
        depth += (word in _OPENING) - (word in _CLOSING)
        if word == "(":
            waiting.append(0)
        elif word == ")":
            waiting = waiting[:-1] or [0]
        elif token.token_type == TokenType.NATURAL:
            is_natural = True
        elif token.token_type == TokenType.JOIN and not crosses:
            waiting[-1] += not is_natural
            is_natural = False
        elif token.token_type in (TokenType.ON, TokenType.USING, TokenType.SELECT):
            waiting[-1] = 0
        if waiting[-1] > 1:
            _fault(source, "LSQ454", "a join requires ON before the next one", (token.start, token.end + 1),
                   "write the condition: JOIN ... ON a.x = b.x")  # fmt: skip
        if depth > MAX_DEPTH:
            at = (token.start, token.end + 1)
            _fault(source, "LSQ103", f"this expression has more than {MAX_DEPTH} levels", at, _DEEP)


def _may_be_type(token: Token, bracket: Token) -> bool:
    """Return whether the parser tries to read a word and the bracket after it as a type first."""
    if token.token_type not in Parser.TYPE_TOKENS:
        return False
    return bracket.text == "[" or token.token_type not in Parser.NESTED_TYPE_TOKENS


def _refuse(source: SourceText, tokens: Sequence[Token], error: ParseError) -> NoReturn:
    """Raise the parser's error as a fault with its position."""
    details = error.errors[0] if error.errors else {}
    description = str(details.get("description", ""))
    end = _offset(source.text, details.get("line"), details.get("col"))
    index = next((i for i, t in enumerate(tokens) if t.end + 1 >= end), len(tokens) - 1)
    token = tokens[index]
    at = (token.start, token.end + 1)
    last = index == len(tokens) - 1
    missing, expected = _MISSING.match(description), _EXPECTED.match(description)
    if missing or "table name" in description:
        what = "a name" if "table name" in description else "an expression"
        actual = ", but the program ends here" if last else ""
        _fault(source, "LSQ102", f"expected {what} behind '{token.text}'{actual}", at)
    if expected:
        actual = "but the program ends here" if last and token.text != expected[1] else f"found '{token.text}'"
        _fault(source, "LSQ102", f"expected '{expected[1]}', {actual}", at)
    _fault(source, "LSQ102", f"'{token.text}' is not expected here", at)


def _offset(text: str, line: int | None, column: int | None) -> int:
    """Return the offset after a position of the parser."""
    start = 0
    for _ in range((line or 1) - 1):
        start = text.find("\n", start) + 1
    return start + (column or 1)


def _check_levels(source: SourceText, root: exp.Expr, tokens: Sequence[Token]) -> None:
    """Refuse an expression with too many levels, and a sequence of operators that is too long."""
    pending: list[tuple[exp.Expr, int, int]] = [(root, 0, 0)]
    while pending:
        node, depth, chain = pending.pop()
        is_chain = isinstance(node, exp.Binary) and not isinstance(node, (exp.And, exp.Or, exp.DPipe, exp.Dot))
        if depth > MAX_DEPTH:
            code = "LSQ114" if chain > MAX_DEPTH // 2 else "LSQ103"
            message = (
                f"this chain of operators has more than {MAX_DEPTH} operands"
                if code == "LSQ114"
                else f"this expression has more than {MAX_DEPTH} levels"
            )
            _fault(source, code, message, _whole(tokens), _DEEP)
        for part in parts(node):
            same = type(part) is type(node) and isinstance(node, (exp.And, exp.Or, exp.DPipe, exp.Union))
            own = 0 if same or isinstance(part, _FLAT) else 1
            goes_on = is_chain and (part is node.this or not isinstance(part, exp.Binary))
            pending.append((part, depth + own, chain + 1 if goes_on else 0))


# Nodes that are not a level of the tree.
_FLAT = (exp.Alias, exp.Where, exp.From, exp.Having, exp.Group, exp.If, exp.Select, exp.Table, exp.Identifier)


def _fault(source: SourceText, code: str, message: str, at: Extent, help: str | None = None) -> NoReturn:
    raise SyntaxFault(Diagnostic(code, message, source.span(at), help=help))
