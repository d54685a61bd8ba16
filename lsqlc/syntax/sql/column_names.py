"""What Spark calls a column without an alias: the text of its expression, in Spark's own form.

The name has the columns that the expression reads as they are written; only the query says whether `a.b` is the column
`b` of a source `a`, or a field of a struct (see `Named`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sqlglot import exp

from lsqlc.syntax.sql.functions import CALLS, OF_DATE
from lsqlc.syntax.sql.refusals import Parts
from lsqlc.syntax.sql.tree import Named
from lsqlc.syntax.sql.types import type_of

_BINARY = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.IntDiv: "div", exp.EQ: "=", exp.LT: "<",
    exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.NullSafeEQ: "<=>", exp.And: "AND", exp.Or: "OR",
}  # fmt: skip
# Functions that Spark calls otherwise than they are written, by the name in lower case.
_CALLED = {
    **{n: n.upper() for n in (
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "cos", "cosh", "cot", "csc",
        "degrees", "e", "exp", "expm1", "floor", "hypot", "log10", "log1p", "log2", "pi", "power", "radians",
        "regexp_like", "rlike", "sec", "signum", "sin", "sinh", "sqrt", "tan", "tanh",
    )},
    "dateadd": "date_add", "to_varchar": "to_char",
}  # fmt: skip
# Arguments that Spark adds to as many as these.
_DEFAULTS = {
    ("substr", 2): "2147483647", ("substring", 2): "2147483647", ("split", 2): "-1", ("regexp_replace", 3): "1",
    ("round", 1): "0", ("sort_array", 1): "true", ("lpad", 2): " ", ("rpad", 2): " ",
}  # fmt: skip
# Functions whose name has more arguments than were written, or another form, in ways of their own.
_OWN_FORMS = frozenset((
    "array_sort", "bigint", "binary", "boolean", "bround", "date", "date_part", "decimal", "double", "float",
    "from_json", "int", "smallint", "str_to_map", "string", "timestamp", "tinyint", "datepart", "from_unixtime",
    "hmac", "isnotnull", "isnull", "log", "mask", "months_between", "positive", "regexp", "regexp_extract",
    "regexp_extract_all", "regexp_instr", "sentences", "to_unix_timestamp", "unix_timestamp",
))  # fmt: skip
# Types that are others here, and that a name has as they are written.
_KEPT_TYPES = ("TINYINT", "SMALLINT", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ")
# Functions that are called otherwise where a unit of time is their first argument.
_OF_UNITS = ("date_add", "date_diff", "dateadd", "datediff")
_FUNCTION = re.compile(r"[a-z_][a-z_0-9]*")
_PLAIN_NUMBER = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")


class _Unnamed(Exception):
    """An expression whose name in Spark is not known here."""


def spark_name(node: exp.Expr, reader: Parts, word: Callable[[exp.Expr], str]) -> Named | None:
    """The name of an expression; None if it is not known. `word`: a function as it is written."""
    try:
        # A conversion of a column has the name of the column.
        while isinstance(node, exp.Paren) or (isinstance(node, exp.Cast) and isinstance(node.this, exp.Column)):
            node = node.this
        return tuple(_Names(reader, word).of(node))
    except _Unnamed:
        return None


class _Names:
    def __init__(self, reader: Parts, word: Callable[[exp.Expr], str]) -> None:
        self._reader, self._word = reader, word

    def of(self, node: exp.Expr) -> Iterator[str | tuple[str, ...]]:
        """The pieces of a name. Raises _Unnamed."""
        match node:
            case exp.Paren():
                yield from self.of(node.this)
            case exp.Column():
                yield tuple(part.name for part in node.parts)
            case exp.Literal():
                yield _text(str(node.this)) if node.args["is_string"] else _number(str(node.this))
            case exp.Null():
                yield "NULL"
            case exp.Boolean():
                yield "true" if node.this else "false"
            case exp.Binary() if node._meta and "start" in node.meta:
                yield from self._listed(self._word(node).lower(), [node.this, node.expression])
            case exp.NEQ():
                yield from ("(NOT (", *self.of(node.this), " = ", *self.of(node.expression), "))")
            case exp.Binary() if type(node) in _BINARY:
                yield from ("(", *self.of(node.this), f" {_BINARY[type(node)]} ", *self.of(node.expression), ")")
            case exp.NullSafeNEQ():
                yield from ("(NOT (", *self.of(node.this), " <=> ", *self.of(node.expression), "))")
            case exp.RegexpLike() if not (node._meta and "start" in node.meta):
                yield from self._listed("rlike", [node.this, node.expression])
            case exp.DPipe() if not isinstance(node.expression, exp.Binary):
                yield from self._listed("concat", [node.this, node.expression])
            case exp.Not(this=exp.Is(expression=exp.Null())):
                yield from ("(", *self.of(node.this.this), " IS NOT NULL)")
            case exp.Not():
                yield from ("(NOT ", *self.of(node.this), ")")
            case exp.Neg() if isinstance(node.this, exp.Literal) or self._has_suffix(node.this):
                yield from ("-", *self.of(node.this))
            case exp.Neg():
                yield from ("(- ", *self.of(node.this), ")")
            case exp.Is(expression=exp.Null()):
                yield from ("(", *self.of(node.this), " IS NULL)")
            case exp.In() if node.args.get("query") is None:
                yield from ("(", *self.of(node.this), " IN (", *self._commas(node.expressions), "))")
            case exp.Like():
                text = (*self.of(node.this), " LIKE ", *self.of(node.expression))
                yield from ("(NOT ", *text, ")") if node.args.get("negate") else text
            case exp.Between():
                yield from self._listed("between", [node.this, node.args["low"], node.args["high"]])
            case exp.Case():
                yield from self._case(node)
            case exp.If():
                branches = [node.this, node.args["true"], node.args.get("false") or exp.Null()]
                yield from ("(IF(", *self._commas(branches), "))")
            case exp.Cast(this=exp.Literal()) if self._has_suffix(node):
                yield from self.of(node.this)
            case exp.Cast() if node.meta.get("start") is None and not self._is_literal(node):
                to = type_of(node.args["to"], self._reader)
                written = node.args["to"].sql("spark").upper()
                if isinstance(node.this, exp.Array):
                    raise _Unnamed
                word = "TRY_CAST" if self._text_of(node)[:8].upper() == "TRY_CAST" else "CAST"
                yield from (f"{word}(", *self.of(node.this), f" AS {written if written in _KEPT_TYPES else to})")
            case exp.Bracket() if len(node.expressions) == 1:
                yield from (*self.of(node.this), "[", *self.of(node.expressions[0]), "]")
            case exp.Filter():
                yield from (*self.of(node.this), " FILTER (WHERE ", *self.of(node.expression.this), ")")
            case exp.Subquery() if not node.args.get("alias"):
                yield "scalarsubquery()"
            case exp.Array():
                yield from self._listed("array", node.expressions)
            case exp.Trim(expression=None) if not node.args.get("position"):
                yield from self._listed(self._word(node).lower(), [node.this])
            case exp.Count(this=exp.Star()):
                yield "count(1)"
            case exp.Anonymous():
                yield from self._listed(str(node.this).strip().lower(), node.expressions)
            case _ if type(node) in CALLS:
                yield from self._call(node)
            case _:
                raise _Unnamed

    def _text_of(self, node: exp.Expr) -> str:
        return self._reader.source.text[slice(*self._reader.places.of(node))]

    def _has_suffix(self, node: exp.Expr) -> bool:
        """Whether a conversion is the suffix of a number: `1L`."""
        return self._text_of(node)[:1].isdigit() and "::" not in self._text_of(node)

    def _is_literal(self, node: exp.Expr) -> bool:
        """Whether a conversion is a literal of a type, as DATE '2024-01-01', or one of NULL."""
        is_text = isinstance(node.this, exp.Literal) and "(" not in self._text_of(node)
        return isinstance(node.this, exp.Null) or is_text

    def _commas(self, nodes: list[exp.Expr]) -> Iterator[str | tuple[str, ...]]:
        for i, node in enumerate(nodes):
            yield from (", ", *self.of(node)) if i else self.of(node)

    def _listed(self, name: str, nodes: list[exp.Expr]) -> Iterator[str | tuple[str, ...]]:
        has_unit = name in _OF_UNITS and len(nodes) > 2
        if name in _OWN_FORMS or has_unit or not _FUNCTION.fullmatch(name):
            raise _Unnamed
        added = _DEFAULTS.get((name, len(nodes)))
        rest = (f", {added}",) if added is not None else ()
        yield from (f"{_CALLED.get(name, name)}(", *self._commas(nodes), *rest, ")")

    def _call(self, node: exp.Expr) -> Iterator[str | tuple[str, ...]]:
        name = self._word(node).lower()
        if isinstance(node.this, exp.Distinct):
            yield from (f"{name}(DISTINCT ", *self._commas(node.this.expressions), ")")
            return
        values = [node.args.get(argument) for argument in CALLS[type(node)][1]]
        flat = [v for value in values for v in (value if isinstance(value, list) else [value]) if v is not None]
        if isinstance(node, OF_DATE):
            flat = [v.this if isinstance(v, exp.TsOrDsToDate) and not v._meta else v for v in flat]
        yield from self._listed(name, flat)

    def _case(self, node: exp.Case) -> Iterator[str | tuple[str, ...]]:
        yield "CASE"
        for branch in node.args["ifs"]:
            yield " WHEN "
            condition = branch.this if node.this is None else exp.EQ(this=node.this, expression=branch.this)
            yield from (*self.of(condition), " THEN ", *self.of(branch.args["true"]))
        if node.args.get("default") is not None:
            yield from (" ELSE ", *self.of(node.args["default"]))
        yield " END"


def _text(text: str) -> str:
    if "\\" in text or not text.isprintable():
        raise _Unnamed
    return text


def _number(text: str) -> str:
    if _PLAIN_NUMBER.fullmatch(text):
        return text
    if "e" not in text.lower():
        raise _Unnamed
    value = float(text)
    if not 1e-3 <= abs(value) < 1e7:
        # Spark's form of an exponent.
        raise _Unnamed
    return str(value)
