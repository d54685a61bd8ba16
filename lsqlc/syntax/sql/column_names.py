"""Spark's name of a column without an alias: the text of its expression, in Spark's own form.

The name has the columns of the expression as in the text. Only the binder knows whether `a.b` is the column `b` of a
source `a`, or a field of a struct (see `Named`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sqlglot import exp

from lsqlc.syntax.sql.column_name_forms import (
    Definition,
    Unnamed,
    double,
    is_interval,
    over,
    trimmed,
    typed_literal,
    within_group,
)
from lsqlc.syntax.sql.functions import CALLS, OF_DATE
from lsqlc.syntax.sql.lengths import Length, added, read_length
from lsqlc.syntax.sql.operators import LEVELS
from lsqlc.syntax.sql.refusals import Parts
from lsqlc.syntax.sql.tree import Named
from lsqlc.syntax.sql.types import type_of
from lsqlc.types import data
from lsqlc.types.intervals import interval_text

_BINARY = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.IntDiv: "div", exp.EQ: "=", exp.LT: "<",
    exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.NullSafeEQ: "<=>", exp.And: "AND", exp.Or: "OR",
    exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "^", exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
}  # fmt: skip
_BITS = (exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseLeftShift, exp.BitwiseRightShift, exp.DPipe)
# Conversions to these are not in a name.
_COMPLEX = (exp.DataType.Type.ARRAY, exp.DataType.Type.MAP, exp.DataType.Type.STRUCT)
# Functions with another name in Spark's column names, by the name in lower case.
_CALLED = {
    **{n: n.upper() for n in (
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "cos", "cosh", "cot", "csc",
        "degrees", "e", "exp", "expm1", "floor", "hypot", "log10", "log1p", "log2", "pi", "power", "radians",
        "regexp_like", "rlike", "sec", "signum", "sin", "sinh", "sqrt", "tan", "tanh",
    )},
    "dateadd": "date_add", "log": "LOG", "array_agg": "collect_list",
}  # fmt: skip
# Arguments that Spark adds to this number of arguments.
_DEFAULTS = {
    ("substr", 2): "2147483647", ("substring", 2): "2147483647", ("split", 2): "-1", ("regexp_replace", 3): "1",
    ("round", 1): "0", ("bround", 1): "0", ("sort_array", 1): "true", ("lpad", 2): " ", ("rpad", 2): " ",
    ("regexp_extract", 2): "1", ("regexp_extract_all", 2): "1", ("regexp_instr", 2): "0",
    ("months_between", 2): "true", ("unix_timestamp", 1): "yyyy-MM-dd HH:mm:ss",
    ("to_unix_timestamp", 1): "yyyy-MM-dd HH:mm:ss", ("from_unixtime", 1): "yyyy-MM-dd HH:mm:ss",
    ("str_to_map", 1): ",, :", ("str_to_map", 2): ":", ("percentile", 2): "1", ("listagg", 1): "NULL",
    ("string_agg", 1): "NULL", ("percentile_approx", 2): "10000", ("approx_percentile", 2): "10000",
}  # fmt: skip
# Functions whose name has more arguments than the text, or another form.
_OWN_FORMS = frozenset((
    "bigint", "binary", "boolean", "date", "decimal", "double", "float", "from_json", "int", "smallint", "string",
    "timestamp", "tinyint", "hmac", "mask", "positive", "regexp", "sentences",
    "to_char", "to_varchar",
))  # fmt: skip
# Types that are other types here, and that a name has as in the text.
_KEPT_TYPES = ("TINYINT", "SMALLINT", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ")
# Functions with another name if a unit of time is their first argument.
_OF_UNITS = ("date_add", "date_diff", "dateadd", "datediff")
_FUNCTION = re.compile(r"[a-z_][a-z_0-9]*")
_UNIT = re.compile(r"extract\s*\(\s*(\w+)\s+from\b", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")


def spark_name(
    node: exp.Expr, reader: Parts, word: Callable[[exp.Expr], str], definition: Definition
) -> Named | None:  # fmt: skip
    """Return the name of an expression; None if it is unknown.

    `word`: returns the name of a function in the text. `definition`: returns the parts of a call with OVER.
    """
    try:
        # A conversion of a column has the name of the column.
        while isinstance(node, exp.Paren) or (isinstance(node, exp.Cast) and isinstance(node.this, exp.Column)):
            node = node.this
        return tuple(_Names(reader, word, definition).of(node))
    except Unnamed:
        return None


class _Names:
    def __init__(self, reader: Parts, word: Callable[[exp.Expr], str], definition: Definition) -> None:
        self._reader, self._word, self._definition = reader, word, definition
        # The parameters of the enclosing lambdas, in lower case.
        self._parameters: tuple[str, ...] = ()

    def of(self, node: exp.Expr) -> Iterator[str | tuple[str, ...]]:
        """Yield the pieces of a name.

        Raises Unnamed.
        """
        match node:
            case exp.Paren():
                yield from self.of(node.this)
            case exp.Identifier() | exp.Column() if self._is_parameter(node):
                yield "namedlambdavariable()"
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
            case exp.Interval() | exp.Add() if (interval := self._interval(node)) is not None:
                yield interval
            case exp.Mul() if is_interval(node.expression) and not is_interval(node.this):
                yield from ("(", *self.of(node.expression), " * ", *self.of(node.this), ")")
            case exp.Add() | exp.Sub() if is_interval(node.this) and is_interval(node.expression):
                yield from ("(", *self.of(node.this), f" {_BINARY[type(node)]} ", *self.of(node.expression), ")")
            case exp.Add() | exp.Sub() if any(map(self._is_time, (node.this, node.expression))):
                # The name of a sum of times depends on the types.
                raise Unnamed
            case exp.Binary() if self._is_out_of_order(node):
                # The parser has all of these operators on one level, unlike Spark.
                raise Unnamed
            case exp.BitwiseXor() if ">>>" in self._between(node):
                yield from ("(", *self.of(node.this), " >>> ", *self.of(node.expression), ")")
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
            case exp.Is(expression=exp.Boolean()):
                yield from ("(", *self.of(node.this), " <=> ", *self.of(node.expression), ")")
            case exp.Exists():
                yield "exists()"
            case exp.In(this=exp.Tuple()):
                raise Unnamed
            case exp.In() if node.args.get("query") is not None:
                yield from ("(", *self.of(node.this), " IN (listquery()))")
            case exp.In():
                yield from ("(", *self.of(node.this), " IN (", *self._commas(node.expressions), "))")
            case exp.HexString():
                digits = str(node.this).upper()
                yield f"X'{digits if len(digits) % 2 == 0 else f'0{digits}'}'"
            case exp.Escape(this=exp.ILike()):
                yield from self.of(node.this)
            case exp.Escape(this=exp.Like()):
                yield from (*self.of(node.this), f" ESCAPE '{node.expression.name}'")
            case exp.Like():
                text = (*self.of(node.this), " LIKE ", *self.of(node.expression))
                yield from ("(NOT ", *text, ")") if node.args.get("negate") else text
            case exp.ILike():
                text = (*self._listed("ilike", [node.this, node.expression]),)
                yield from ("(NOT ", *text, ")") if node.args.get("negate") else text
            case exp.BitwiseNot():
                yield from ("~", *self.of(node.this))
            case exp.Between():
                yield from self._listed("between", [node.this, node.args["low"], node.args["high"]])
            case exp.Case():
                yield from self._case(node)
            case exp.If():
                branches = [node.this, node.args["true"], node.args.get("false") or exp.Null()]
                yield from ("(IF(", *self._commas(branches), "))")
            case exp.Cast(this=exp.Literal()) if self._has_suffix(node):
                yield from self.of(node.this)
            case exp.Cast(this=exp.Literal()) if self._is_literal(node):
                yield typed_literal(str(node.this.this), node.args["to"].sql("spark").upper())
            case exp.Cast() if node.args["to"].this in _COMPLEX:
                yield from self.of(node.this)
            case exp.Cast() if node.meta.get("start") is None:
                to = type_of(node.args["to"], self._reader)
                type_text = node.args["to"].sql("spark").upper()
                if isinstance(node.this, exp.Array):
                    raise Unnamed
                word = "TRY_CAST" if self._text_of(node)[:8].upper() == "TRY_CAST" else "CAST"
                label = "BINARY" if to == data.BYTES else to
                yield from (f"{word}(", *self.of(node.this), f" AS {type_text if type_text in _KEPT_TYPES else label})")
            case exp.Bracket() if len(node.expressions) == 1:
                yield from (*self.of(node.this), "[", *self.of(node.expressions[0]), "]")
            case exp.Filter():
                yield from (*self.of(node.this), " FILTER (WHERE ", *self.of(node.expression.this), ")")
            case exp.Subquery() if not node.args.get("alias"):
                yield "scalarsubquery()"
            case exp.Array():
                yield from self._listed("array", node.expressions)
            case exp.Trim():
                yield from trimmed(node, self._word(node).lower(), self.of)
            case exp.Pad():
                pad = node.args.get("fill_pattern")
                nodes = [node.this, node.expression, *([pad] if pad is not None else [])]
                yield from self._listed(self._word(node).lower(), nodes)
            case exp.Extract() if (unit := _UNIT.match(self._text_of(node))) is not None:
                yield from (f"extract({unit[1]} FROM ", *self.of(node.expression), ")")
            case exp.Extract(this=exp.Literal()):
                yield from (f"extract({node.this.name} FROM ", *self.of(node.expression), ")")
            case exp.Overlay():
                length = node.args.get("for_")
                parts = [node.this, node.expression, node.args["from_"], *([length] if length is not None else [])]
                yield from ("overlay(", *self._commas(parts), ", -1)" if length is None else ")")
            case exp.StrPosition() if self._word(node) in ("POSITION", "LOCATE", "CHARINDEX"):
                name = self._word(node).lower()
                start = node.args.get("position") or exp.Literal.number(1)
                nodes = [node.args["substr"], node.this, start]
                # `position(a IN b)` is a call of locate.
                is_call = "," in self._text_between(node.args["substr"], node.this)
                yield from self._listed("locate" if name == "position" and not is_call else name, nodes)
            case exp.Window():
                yield from over(node, self.of, self._definition)
            case exp.WithinGroup():
                yield from within_group(node, self.of)
            case exp.IgnoreNulls(this=exp.Anonymous()) | exp.RespectNulls(this=exp.Anonymous()):
                word = str(node.this.this).strip().lower()
                word = word.removesuffix("_value") if word != "any_value" else word
                yield from self._listed(word, node.this.expressions)
            case exp.Lambda():
                yield from self._lambda(node)
            case exp.Count(this=exp.Star()):
                yield "count(1)"
            case exp.Anonymous():
                yield from self._anonymous(str(node.this).strip().lower(), node.expressions)
            case _ if type(node) in CALLS:
                yield from self._call(node)
            case _:
                raise Unnamed

    def _anonymous(self, name: str, nodes: list[exp.Expr]) -> Iterator[str | tuple[str, ...]]:
        if name in ("isnull", "isnotnull") and len(nodes) == 1:
            yield from ("(", *self.of(nodes[0]), " IS NULL)" if name == "isnull" else " IS NOT NULL)")
        elif nodes and isinstance(nodes[0], exp.Distinct):
            values = [*nodes[0].expressions, *nodes[1:]]
            added = ", NULL" if name in ("listagg", "string_agg") and len(values) == 1 else ""
            yield from (f"{_CALLED.get(name, name)}(DISTINCT ", *self._commas(values), added, ")")
        elif name == "log" and len(nodes) == 1:
            yield from ("LOG(E(), ", *self.of(nodes[0]), ")")
        elif name in ("aggregate", "reduce") and len(nodes) == 3:
            last = "lambdafunction(namedlambdavariable(), namedlambdavariable())"
            yield from (f"{name}(", *self._commas(nodes), f", {last})")
        elif name == "datepart" and len(nodes) == 2:
            yield from ("datepart(", *self.of(nodes[0]), " FROM ", *self.of(nodes[1]), ")")
        elif name == "convert_timezone" and len(nodes) == 2:
            yield from ("convert_timezone(current_timezone(), ", *self._commas(nodes), ")")
        elif name == "array_sort" and len(nodes) < 2:
            raise Unnamed
        elif name in ("first", "last") and len(nodes) == 2:
            yield from self._listed(name, nodes[:1])
        else:
            yield from self._listed(name, nodes)

    def _lambda(self, node: exp.Lambda) -> Iterator[str | tuple[str, ...]]:
        around = self._parameters
        self._parameters = (*around, *(each.name.lower() for each in node.expressions))
        body = tuple(self.of(node.this))
        self._parameters = around
        parameters = ", ".join("namedlambdavariable()" for _ in node.expressions)
        yield from ("lambdafunction(", *body, f", {parameters})")

    def _interval(self, node: exp.Expr) -> str | None:
        """Return the name of an interval, which may have several units; None for any other sum."""
        if isinstance(node, exp.Add):
            parts = [node.this, node.expression]
            if not all(map(is_interval, parts)):
                return None
            if "+" in self._text_of(node):
                # The parser has the same node for several units and for a sum, without positions.
                raise Unnamed
            lengths = [self._length(part) for part in parts]
        else:
            lengths = [self._length(node)]
        total = added(lengths)
        if total is None:
            raise Unnamed
        return interval_text(total.months or total.micros, str(total.type))

    def _length(self, node: exp.Expr) -> Length | None:
        if isinstance(node, exp.Add):
            return added([self._length(node.this), self._length(node.expression)])
        value, sign = node.this, ""
        while isinstance(value, exp.Neg):
            value, sign = value.this, "" if sign else "-"
        unit = node.args.get("unit")
        return read_length(f"{sign}{value.this}", unit.sql("spark") if unit is not None else "")

    def _is_parameter(self, node: exp.Expr) -> bool:
        """Return whether a name is that of a parameter of a lambda."""
        is_plain = not isinstance(node, exp.Column) or len(node.parts) == 1
        return is_plain and node.name.lower() in self._parameters

    def _is_out_of_order(self, node: exp.Binary) -> bool:
        """Return whether an operator on bits, or `||`, has a looser one on its left, so that Spark reads
        another tree.
        """
        left = node.this
        return isinstance(node, _BITS) and isinstance(left, _BITS) and self._level(left) < self._level(node)

    def _level(self, node: exp.Binary) -> int:
        """Return the precedence of an operator."""
        is_unsigned = isinstance(node, exp.BitwiseXor) and ">>>" in self._between(node)
        return LEVELS[exp.BitwiseRightShift if is_unsigned else type(node)]

    def _between(self, node: exp.Expr) -> str:
        """Return the text between the sides of an operator."""
        return self._text_between(node.this, node.expression)

    def _text_between(self, left: exp.Expr, right: exp.Expr) -> str:
        places = self._reader.places
        return self._reader.source.text[places.of(left)[1] : places.of(right)[0]]

    def _text_of(self, node: exp.Expr) -> str:
        return self._reader.source.text[slice(*self._reader.places.of(node))]

    def _has_suffix(self, node: exp.Expr) -> bool:
        """Return whether a conversion is the suffix of a number: `1L`."""
        return self._text_of(node)[:1].isdigit() and "::" not in self._text_of(node)

    def _is_literal(self, node: exp.Expr) -> bool:
        """Return whether a conversion is a literal of a type, as DATE '2024-01-01'."""
        text = self._text_of(node)
        return isinstance(node.this, exp.Literal) and "(" not in text and "::" not in text

    def _is_time(self, node: exp.Expr) -> bool:
        return isinstance(node, exp.Interval) or (isinstance(node, exp.Cast) and self._is_literal(node))

    def _commas(self, nodes: list[exp.Expr]) -> Iterator[str | tuple[str, ...]]:
        for i, node in enumerate(nodes):
            yield from (", ", *self.of(node)) if i else self.of(node)

    def _listed(self, name: str, nodes: list[exp.Expr]) -> Iterator[str | tuple[str, ...]]:
        has_unit = name in _OF_UNITS and len(nodes) > 2
        if name in _OWN_FORMS or has_unit or not _FUNCTION.fullmatch(name):
            raise Unnamed
        added = _DEFAULTS.get((name, len(nodes)))
        rest = (f", {added}",) if added is not None else ()
        is_to_places = name in ("ceil", "floor") and len(nodes) > 1
        yield from (f"{name if is_to_places else _CALLED.get(name, name)}(", *self._commas(nodes), *rest, ")")

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
    if not text.isprintable():
        raise Unnamed
    return text


def _number(text: str) -> str:
    if _PLAIN_NUMBER.fullmatch(text):
        return text
    if "e" not in text.lower():
        raise Unnamed
    return double(float(text))
