"""Conversion of sqlglot's expressions to the tree of all dialects. Unsupported ones are refused by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal as Number
from decimal import InvalidOperation
from typing import Any

from sqlglot import exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.sql.counts import counted_rows
from lsqlc.syntax.sql.functions import CALLS, OF_DATE
from lsqlc.syntax.sql.group_calls import GroupCalls, filtered
from lsqlc.syntax.sql.operators import CHAINS, Operators
from lsqlc.syntax.sql.types import CONVERSIONS, NARROW, type_of
from lsqlc.types.data import DATE, STRING, TIME, TIMESTAMP, Decimal
from lsqlc.types.digits import integer

_BINARY: Mapping[type[exp.Expr], str] = {
    exp.Mul: "*", exp.Div: "/", exp.IntDiv: "DIV", exp.Mod: "%",
    exp.SafeAdd: "+", exp.SafeSubtract: "-", exp.SafeMultiply: "*", exp.SafeDivide: "/",
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
# Nodes that an unary plus binds tighter than, and nodes with a sign of their own.
_NOT_SIGNED = (
    *_BINARY, exp.And, exp.Or, exp.DPipe, exp.Not, exp.Neg, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between,
    exp.In, exp.Like, exp.ILike, exp.RegexpLike, exp.Escape, exp.Interval, *CHAINS,
)  # fmt: skip
_UNIT_FIRST = ("TIMESTAMPADD", "TIMESTAMPDIFF")
# Functions that are these two if a unit precedes two arguments.
_WITH_UNIT = {
    "DATEADD": "TIMESTAMPADD", "DATE_ADD": "TIMESTAMPADD", "DATEDIFF": "TIMESTAMPDIFF", "DATE_DIFF": "TIMESTAMPDIFF",
}  # fmt: skip
_AS_DATE = ("TO_DATE", "TRY_TO_DATE")
_AS_TIME = ("TO_TIMESTAMP", "TRY_TO_TIMESTAMP", "TO_TIMESTAMP_LTZ", "TO_TIMESTAMP_NTZ")
_AS_TEXT = ("VALIDATE_UTF8", "TRY_VALIDATE_UTF8")
_EPOCHS = ("UNIX_TIMESTAMP", "TO_UNIX_TIMESTAMP")
_MADE = ("MAKE_TIMESTAMP", "TRY_MAKE_TIMESTAMP", "MAKE_TIMESTAMP_LTZ", "TRY_MAKE_TIMESTAMP_LTZ")
# The aggregates that may have DISTINCT.
_OF_DISTINCT = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)
_TRIMS = {"None": "TRIM", "BOTH": "TRIM", "LEADING": "LTRIM", "TRAILING": "RTRIM"}
_DIGITS = 38
# With a sign this is a BIGINT. A larger integer is a DECIMAL.
_BIGINT_OPPOSITE = 1 << 63
_CALL = re.compile(r"(?!(?:EXISTS|ANY|ALL|SOME|CAST|TRY_CAST|INTERVAL)\b)[A-Za-z_]\w*\s*\(", re.IGNORECASE)


class Expressions(GroupCalls, Operators):
    """Converts expressions. Every method raises SyntaxFault for an unsupported node."""

    # The offset of the operand of the current plus.
    _signed_at = -1

    def expression(self, node: exp.Expr) -> tree.Expression:
        at = self.places.of(node)
        if isinstance(node, _NOT_SIGNED) or at[0] == self._signed_at or not self.places.has_sign(node):
            return self._operand(node)
        around, self._signed_at = self._signed_at, at[0]
        operand = self._operand(node)
        self._signed_at = around
        return tree.Call(tree.Name("POSITIVE", at), (operand,), False, at)

    def _operand(self, node: exp.Expr) -> tree.Expression:
        """Return an expression without the plus before it, which the parser skips."""
        convert = _CONVERSIONS.get(type(node))
        if convert is not None:
            return convert(self, node)
        if type(node) in _BINARY:
            return self._binary(node)
        if type(node) in CALLS:
            return self._call(node)
        if isinstance(node, exp.Func) and (not node.args or _CALL.match(self.source.text, self._at(node)[0])):
            # The parser has a node for this function, and the catalogue does not: the binder reports it.
            return tree.Call(tree.Name(self._word(node), self._name_at(node)), (), False, self._at(node))
        self.unknown(node)

    def name(self, node: Any) -> tree.Name:
        """Return an identifier."""
        if not isinstance(node, exp.Identifier):
            self.unknown(node)
        self.only(node, "this")
        # A name in backticks is checked with the tokens of all dialects; an alias may also be a string.
        if not node.this or "\x00" in node.this:
            self.fault("LSQ102", f"a name {'cannot have the character NUL' if node.this else 'has no character'}",
                       self.places.of(node))  # fmt: skip
        return tree.Name(node.this, self.places.of(node))

    def _at(self, node: exp.Expr) -> Extent:
        return self.places.of(node)

    def _several(self, value: Any) -> tuple[tree.Expression, ...]:
        if value is None:
            return ()
        return tuple(self.expression(v) for v in (value if isinstance(value, list) else [value]))

    def _paren(self, node: exp.Expr) -> tree.Expression:
        while isinstance(node, exp.Paren):
            self.only(node, "this")
            node = node.this
        return self.expression(node)

    def _column(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "table", "db", "catalog")
        names = [node.args.get(a) for a in ("catalog", "db", "table", "this")]
        return tree.Reference(tuple(self.name(n).text for n in names if n is not None), self._at(node))

    def _dot(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "expression")
        operand, field = self.expression(node.this), self.name(node.expression)
        if isinstance(operand, tree.Reference):
            return tree.Reference((*operand.parts, field.text), self._at(node))
        return tree.Member(operand, field, self._at(node))

    def _literal(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "is_string")
        text, at = str(node.this), self._at(node)
        if node.args["is_string"]:
            return tree.Literal(text, at)
        try:
            return self._number(text, at)
        except (ValueError, InvalidOperation):
            self.fault("LSQ102", f"'{text}' is not a number", at)

    def _number(self, text: str, at: Extent) -> tree.Expression:
        """Return a number.

        Raises ValueError or InvalidOperation for a text that is not a number.
        """
        if "e" in text.lower():
            if float(text) in (float("inf"), 0.0) and any(c in "123456789" for c in text.lower().split("e")[0]):
                self.fault("LSQ211", "this number is too large or too small for any type", at)
            return tree.Literal(float(text), at)
        if "." not in text and integer(text) <= _BIGINT_OPPOSITE:
            return tree.Literal(integer(text), at)
        _, digits, exponent = Number(text).as_tuple()
        scale = -int(exponent)
        precision = max(len(digits), scale)
        if precision > _DIGITS:
            message = f"an exact number has at most {_DIGITS} digits, and this one has {precision}"
            self.fault("LSQ211", message, at, "write it as a DOUBLE: 1.5e0")
        return tree.Cast(tree.Literal(text, at), Decimal(precision, scale), at)

    def _null(self, node: exp.Expr) -> tree.Expression:
        self.only(node)
        return tree.Literal(None, self._at(node))

    def _boolean(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this")
        return tree.Literal(bool(node.this), self._at(node))

    def _binary(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "expression")
        operator = _BINARY[type(node)]
        if isinstance(node.this, exp.Tuple) or isinstance(node.expression, exp.Tuple):
            if not isinstance(node, (exp.EQ, exp.NEQ)):
                self.refuse(f"'{operator}' of rows", self._at(node), "write a < c OR (a = c AND b < d)")
            return self._equal_rows(node)
        return tree.Binary(operator, self.expression(node.this), self.expression(node.expression), self._at(node))

    def _logic(self, node: exp.Expr) -> tree.Expression:
        word: tree.LogicWord = "AND" if isinstance(node, exp.And) else "OR"
        return tree.Logic(word, self._chain(node), self._at(node))

    def _chain(self, node: exp.Expr) -> tuple[tree.Expression, ...]:
        """Return the operands that one operator joins from the left, in any number."""
        kind, operands = type(node), []
        while type(node) is kind:
            self.only(node, "this", "expression")
            operands.append(node.expression)
            node = node.this
        return tuple(self.expression(part) for part in (node, *reversed(operands)))

    def _not(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this")
        operand = self.expression(node.this)
        at = self._at(node)
        match operand:
            case tree.IsNull(inner, False) if isinstance(node.this, exp.Is):
                return tree.IsNull(inner, True, at)
        return tree.Unary("NOT", operand, at)

    def _negative(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this")
        operand, at = self.expression(node.this), self._at(node)
        # sqlglot does not record the position of the sign.
        before = self.source.text[: at[0]].rstrip()
        at = (len(before) - 1, at[1]) if before.endswith("-") else at
        is_literal = isinstance(node.this, exp.Literal) and isinstance(operand, tree.Literal)
        if is_literal and isinstance(operand, tree.Literal) and isinstance(operand.value, int | float):
            return tree.Literal(-operand.value, at)
        match operand:
            case tree.Call(name, (tree.Literal(int(value)),)) if isinstance(node.this, exp.TryCast):
                # `-128Y`: the sign is part of the number.
                return tree.Call(name, (tree.Literal(-value, at),), False, at)
        return tree.Unary("-", operand, at)

    def _is(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "expression", "negate")
        operand, value, at = self.expression(node.this), node.expression, self._at(node)
        negated = bool(node.args.get("negate"))
        if isinstance(value, exp.Null):
            return tree.IsNull(operand, negated, at)
        if isinstance(value, exp.Boolean):
            return tree.Distinct(operand, self.expression(value), not negated, at)
        self.unknown(value)

    def _same(self, node: exp.Expr) -> tree.Expression:
        """Convert `a <=> b` and `a IS DISTINCT FROM b`."""
        self.only(node, "this", "expression")
        left, right = self.expression(node.this), self.expression(node.expression)
        return tree.Distinct(left, right, isinstance(node, exp.NullSafeEQ), self._at(node))

    def _between(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "low", "high")
        parts = [self.expression(node.args[a]) for a in ("this", "low", "high")]
        return tree.Between(parts[0], parts[1], parts[2], False, self._at(node))

    def operands_of(self, node: exp.Expr) -> tuple[tree.Expression, ...]:
        """Return the parts of a row, `(a, b)`, or a single value."""
        if not isinstance(node, exp.Tuple):
            return (self.expression(node),)
        self.only(node, "expressions")
        return self._several(node.args.get("expressions"))

    def _equal_rows(self, node: exp.Expr) -> tree.Expression:
        """Convert `(a, b) = (c, d)`: a row is a struct in Spark, where nulls are equal."""
        same = self._same_row(node.this, node.expression, self._at(node))
        return tree.Unary("NOT", same, same.at) if isinstance(node, exp.NEQ) else same

    def _same_row(self, left: exp.Expr, right: exp.Expr, at: Extent) -> tree.Expression:
        ours, theirs = self.operands_of(left), self.operands_of(right)
        if len(ours) != len(theirs) or len(ours) < 2:
            self.refuse("a comparison of rows of several lengths", at, "give both rows the same columns")
        parts = tuple(tree.Distinct(one, other, True, at) for one, other in zip(ours, theirs, strict=True))
        return tree.Logic("AND", parts, at)

    def _in(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "expressions")
        if isinstance(node.this, exp.Tuple):
            at = self._at(node)
            nodes = self.listed(node.args.get("expressions"))
            if any(isinstance(row, exp.Values) for row in nodes):
                self.refuse("IN of VALUES with several columns", at, "write IN ((1, 2), (3, 4))")
            rows = tuple(self._same_row(node.this, row, at) for row in nodes)
            return rows[0] if len(rows) == 1 else tree.Logic("OR", rows, at)
        items = self._several(self._values_of_in(node))
        return tree.In(self.expression(node.this), items, False, self._at(node))

    def _values_of_in(self, node: exp.Expr) -> list[Any]:
        """Return the items of IN; for `IN (VALUES (1), (2))` the values of its rows."""
        items = self.listed(node.args.get("expressions"))
        if len(items) != 1 or not isinstance(items[0], exp.Values):
            return items
        self.only(items[0], "expressions")
        rows = self.listed(items[0].args.get("expressions"))
        for row in rows:
            self.only(row, "expressions")
            if not isinstance(row, exp.Tuple) or len(row.expressions) != 1:
                self.refuse("IN of VALUES with several columns", self.places.of(row))
        return [row.expressions[0] for row in rows]

    def _cast(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "to")
        if node.meta.get("start") is not None:
            # A function of Spark that converts: `to_timestamp(x)`, `date(x)`.
            self.refuse(f"{self._word(node)} as a function", self._at(node))
        if (word := self._type_before(node.this)) is not None:
            return self._typed_literal(node.this, node.args["to"], word)
        if isinstance(node.this, exp.TryCast) and (word := self._type_before(node.this.this)) is not None:
            # The parser reads `TIME '10:20' :: INT` as a cast of `'10:20' :: INT`.
            self.only(node.this, "this", "to")
            literal = self._typed_literal(node.this.this, node.args["to"], word)
            return self._cast_to(literal, node.this.args["to"], self._at(node))
        return self._cast_to(self.expression(node.this), node.args["to"], self._at(node))

    def _cast_to(self, operand: tree.Expression, to: Any, at: Extent) -> tree.Expression:
        if (narrow := NARROW.get(getattr(to, "this", None))) is not None:
            self.only(to, "this")
            return tree.Call(tree.Name(narrow, at), (operand,), False, at)
        return tree.Cast(operand, type_of(to, self), at)

    def _type_before(self, literal: exp.Expr) -> Token | None:
        """Return the word of a type before a text, as in `DATE '2024-01-05'`; None without one."""
        before = (
            self.places.before(literal)
            if isinstance(literal, exp.Literal) and literal.args.get("is_string") is True
            else None
        )
        return before if before is not None and before.token_type in Parser.TYPE_TOKENS else None

    def _typed_literal(self, literal: exp.Expr, to: Any, word: Token) -> tree.Expression:
        """Convert `DATE '2024-01-05'`, which the parser reads as a cast."""
        at = (word.start, self._at(literal)[1])
        type = type_of(to, self)
        if type not in (DATE, TIME, TIMESTAMP):
            name = self.source.text[word.start : word.end + 1].upper()
            self.refuse(f"a literal of the type {name}", at, f"write CAST('{literal.this}' AS {name})")
        return tree.Cast(self.expression(literal), type, at, True)

    def _case(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "ifs", "default")
        branches = []
        for branch in node.args["ifs"]:
            self.only(branch, "this", "true")
            branches.append((self.expression(branch.this), self.expression(branch.args["true"])))
        operand, default = node.args.get("this"), node.args.get("default")
        return tree.Case(
            self.expression(operand) if operand is not None else None, tuple(branches),
            self.expression(default) if default is not None else None, self._at(node),
        )  # fmt: skip

    def _if(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "true", "false")
        otherwise = node.args.get("false")
        branch = self.expression(node.this), self.expression(node.args["true"])
        last = self.expression(otherwise) if otherwise is not None else None
        return tree.Case(None, (branch,), last, self._at(node))

    def _array(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "expressions")
        return tree.ArrayLiteral(self._several(node.args.get("expressions")), self._at(node))

    def _bracket(self, node: exp.Expr) -> tree.Expression:
        if node.args.get("offset"):
            self.refuse("ELEMENT_AT", self._at(node))
        self.only(node, "this", "expressions", "offset")
        items = self._several(node.args["expressions"])
        if len(items) != 1:
            self.refuse("an index of several parts", self._at(node))
        return tree.Index(self.expression(node.this), items[0], self._at(node))

    def _filter(self, node: exp.Expr) -> tree.Expression:
        """Convert `SUM(x) FILTER (WHERE c)`, which aggregates null if the condition is not true."""
        self.only(node, "this", "expression")
        where = node.expression
        self.only(where, "this")
        call, condition, at = self.expression(node.this), self.expression(where.this), self._at(node)
        if not isinstance(call, tree.Call):
            self.unknown(node)
        return filtered(call, condition, at)

    def _call(self, node: exp.Expr) -> tree.Expression:
        name, arguments = CALLS[type(node)]
        self.only(node, *arguments)
        if isinstance(node.this, exp.Star):
            self.only(node, "this")
            self.only(node.this)
            return tree.Call(self._function_name(node, name), (), True, self._at(node))
        if isinstance(node.this, exp.Distinct):
            self.only(node.this, "expressions")
            values = self._several(node.this.expressions)
            is_count = isinstance(node, exp.Count) and bool(values)
            if (
                not isinstance(node, _OF_DISTINCT)
                or node.args.get("expressions")
                or (len(values) != 1 and not is_count)
            ):
                self.refuse("DISTINCT of anything but values of COUNT, or one of SUM, AVG, MIN or MAX", self._at(node))
            if not isinstance(node, (exp.Min, exp.Max)):
                name = f"{name}_DISTINCT"
            return tree.Call(self._function_name(node, name), values, False, self._at(node))
        if isinstance(node, exp.Count) and node.args.get("expressions"):
            values = (*self._several(node.this), *self._several(node.args["expressions"]))
            return tree.Call(
                self._function_name(node, name), (counted_rows(values, self._at(node)),), False,
                self._at(node),
            )  # fmt: skip
        of_date = isinstance(node, OF_DATE)
        values = tuple(v for a in arguments for v in self._several(self._plain(node.args.get(a), of_date)))
        return tree.Call(self._function_name(node, name), values, False, self._at(node))

    def _plain(self, value: Any, of_date: bool) -> Any:
        """Return an argument without the conversion to a date that the parser adds."""
        if not of_date or not isinstance(value, exp.TsOrDsToDate) or value._meta:
            return value
        self.only(value, "this")
        return value.this

    def _trim(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "position", "expression")
        name = _TRIMS.get(str(node.args.get("position")))
        if name is None:
            self.unknown(node)
        call_arguments = (*self._several(node.this), *self._several(node.args.get("expression")))
        return tree.Call(self._function_name(node, name), call_arguments, False, self._at(node))

    def _pad(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "expression", "fill_pattern", "is_left")
        name = "LPAD" if node.args.get("is_left") else "RPAD"
        call_arguments = tuple(
            v for a in ("this", "expression", "fill_pattern") for v in self._several(node.args.get(a))
        )
        return tree.Call(self._function_name(node, name), call_arguments, False, self._at(node))

    def _located(self, node: exp.Expr) -> tree.Expression:
        """Convert `INSTR(text, target)`, `POSITION(target IN text)` and `LOCATE(target, text, position)`."""
        self.only(node, "this", "substr", "position")
        text, target, position = (self._several(node.args.get(a)) for a in ("this", "substr", "position"))
        name, call_arguments = ("LOCATE", target + text + position) if position else ("INSTR", text + target)
        return tree.Call(self._function_name(node, name), call_arguments, False, self._at(node))

    def _extract(self, node: exp.Expr) -> tree.Expression:
        """Convert `EXTRACT(part FROM time)` and `EXTRACT('part', time)`."""
        self.only(node, "this", "expression")
        part, at = node.this, self._at(node)
        if not isinstance(part, exp.Var) and not (isinstance(part, exp.Literal) and part.args["is_string"]):
            self.unknown(part)
        call_arguments = (tree.Literal(str(part.this), at), self.expression(node.expression))
        return tree.Call(self._function_name(node, "DATE_PART"), call_arguments, False, at)

    def _anonymous(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "this", "expressions")
        if not isinstance(node.this, str):
            self.unknown(node)
        name = tree.Name(node.this.strip().upper(), self._name_at(node))
        type = CONVERSIONS.get(name.text)
        match node.args.get("expressions"):
            case [exp.Star() as star] if type is None and name.text != "STRUCT":
                self.only(star)
                self.refuse_internal(name)
                return tree.Call(name, (), True, self._at(node))
        if type is not None and len(node.expressions) == 1:
            return tree.Cast(self.expression(node.expressions[0]), type, self._at(node))
        if name.text == "STRUCT":
            return self._struct(name, node)
        self.refuse_internal(name)
        name, call_arguments = self.of_group(name, node.args.get("expressions"), self._at(node))
        other = self._written_out(name, call_arguments, self._at(node))
        if other is not None:
            return other
        with_unit = name.text in _UNIT_FIRST or (name.text in _WITH_UNIT and len(call_arguments) == 3)
        if with_unit and call_arguments and isinstance(call_arguments[0], tree.Reference):
            # The unit is a word of Spark's SQL, and not a name.
            call_arguments = (
                tree.Literal(".".join(call_arguments[0].parts), call_arguments[0].at),
                *call_arguments[1:],
            )
        if with_unit:
            name = tree.Name(_WITH_UNIT.get(name.text, name.text), name.at)
        return tree.Call(name, call_arguments, False, self._at(node))

    def _struct(self, name: tree.Name, node: exp.Expr) -> tree.Expression:
        """Convert `STRUCT(a, b + 1 AS c, d + 2)` and `(a, b)`: fields have the names of columns, their aliases, or
        `col3`.
        """
        call_arguments: list[tree.Expression] = []
        for number, item in enumerate(self.listed(node.args.get("expressions")), 1):
            if isinstance(item, exp.Alias):
                self.only(item, "this", "alias")
                label, value = self.name(item.args["alias"]).text, self.expression(item.this)
            else:
                value = self.expression(item)
                label = _own_name(value) or f"col{number}"
            call_arguments += [tree.Literal(label, value.at), value]
        return tree.Call(tree.Name("NAMED_STRUCT", name.at), tuple(call_arguments), False, self._at(node))

    def _tuple(self, node: exp.Expr) -> tree.Expression:
        self.only(node, "expressions")
        return self._struct(tree.Name("STRUCT", self._at(node)), node)

    def _overlay(self, node: exp.Expr) -> tree.Expression:
        """Convert `OVERLAY(text PLACING other FROM position FOR size)`, also with commas."""
        parts = ("this", "expression", "from_", "for_")
        self.only(node, *parts)
        call_arguments = tuple(v for a in parts for v in self._several(node.args.get(a)))
        return tree.Call(self._function_name(node, "OVERLAY"), call_arguments, False, self._at(node))

    def _written_out(
        self, name: tree.Name, call_arguments: tuple[tree.Expression, ...], at: Extent
    ) -> tree.Expression | None:
        """Return the expression that replaces a call of a function; None for most functions."""
        if name.text == "TRY_MOD" and len(call_arguments) == 2:
            return tree.Binary("%", call_arguments[0], call_arguments[1], at)
        if name.text in (*_AS_DATE, *_AS_TIME) and len(call_arguments) == 1:
            return tree.Cast(call_arguments[0], DATE if name.text in _AS_DATE else TIMESTAMP, at)
        if name.text in _AS_TEXT and len(call_arguments) == 1:
            return tree.Cast(call_arguments[0], STRING, at)
        if name.text == "CONVERT_TIMEZONE" and len(call_arguments) in (2, 3):
            time = call_arguments[-1]
            if len(call_arguments) == 3:
                time = tree.Call(tree.Name("TO_UTC_TIMESTAMP", name.at), (time, call_arguments[0]), False, at)
            return tree.Call(tree.Name("FROM_UTC_TIMESTAMP", name.at), (time, call_arguments[-2]), False, at)
        if name.text in _EPOCHS and len(call_arguments) == 2:
            time = tree.Call(tree.Name("TO_TIMESTAMP", name.at), call_arguments, False, at)
            return tree.Call(tree.Name("UNIX_SECONDS", name.at), (time,), False, at)
        if name.text in _MADE and len(call_arguments) == 7:
            time = tree.Call(name, call_arguments[:6], False, at)
            return tree.Call(tree.Name("TO_UTC_TIMESTAMP", name.at), (time, call_arguments[6]), False, at)
        if name.text != "DECODE" or len(call_arguments) < 3:
            return None
        pairs = zip(call_arguments[1:-1:2], call_arguments[2::2], strict=False)
        branches = tuple((tree.Distinct(call_arguments[0], value, True, at), result) for value, result in pairs)
        return tree.Case(None, branches, call_arguments[-1] if len(call_arguments) % 2 == 0 else None, at)

    def _lambda(self, node: exp.Expr) -> tree.Expression:
        """Convert `x -> x + 1` and `(k, v) -> v`."""
        self.only(node, "this", "expressions")
        parameters = tuple(self.name(p) for p in self.listed(node.args.get("expressions")))
        return tree.Lambda(parameters, self.expression(node.this), self._at(node))

    def _variable(self, node: exp.Expr) -> tree.Expression:
        """Convert the parser's node of a lambda's parameter in its body."""
        name = self.name(node)
        return tree.Reference((name.text,), name.at)

    def _interval(self, node: exp.Expr) -> tree.Expression:
        """Convert a length of time, which only some clauses accept."""
        self.only(node, "this", "unit")
        length, unit, at = node.this, node.args.get("unit"), self._at(node)
        sign = ""
        while isinstance(length, exp.Neg):
            self.only(length, "this")
            length, sign = length.this, "" if sign else "-"
        if not isinstance(length, exp.Literal):
            self.fault("LSQ450", "INTERVAL requires a number or a text in models of the dialect sql", at,
                       "write INTERVAL 36 HOURS or INTERVAL '1 day 12 hours', or n * INTERVAL 1 DAY")  # fmt: skip
        self.only(length, "this", "is_string")
        parts = (tree.Literal(sign + str(length.this), at), tree.Literal(self._unit(unit), at))
        return tree.Call(tree.Name("INTERVAL", at), parts, False, at)

    def _unit(self, unit: Any) -> str:
        """Return the unit of an INTERVAL, or the first and the last one; empty for none."""
        if unit is None:
            return ""
        if isinstance(unit, exp.IntervalSpan):
            self.only(unit, "this", "expression")
            return f"{self._unit(unit.this)} TO {self._unit(unit.expression)}"
        if not isinstance(unit, exp.Var):
            self.unknown(unit)
        self.only(unit, "this")
        return str(unit.this)

    def _word(self, node: exp.Expr) -> str:
        """Return the name of a function in the text, in upper case."""
        start, end = self._name_at(node)
        return self.source.text[start:end].upper()

    def _name_at(self, node: exp.Expr) -> Extent:
        meta = node.meta if node._meta else {}
        if "start" in meta:
            return meta["start"], meta["end"] + 1
        start, end = self._at(node)
        words = self.source.text[start:end].split("(")[0].split(maxsplit=1)
        # An operator that is a function, such as RLIKE, may begin with a bracket.
        return start, start + len(words[0]) if words else end

    def _function_name(self, node: exp.Expr, name: str) -> tree.Name:
        return tree.Name(name, self._name_at(node))


def _own_name(value: tree.Expression) -> str | None:
    """Return the name of a column or a field."""
    match value:
        case tree.Reference(parts):
            return parts[-1]
        case tree.Member(_, field):
            return field.text
    return None


_CONVERSIONS: Mapping[type[exp.Expr], Callable[[Expressions, Any], tree.Expression]] = {
    exp.Paren: Expressions._paren,
    exp.Column: Expressions._column,
    exp.Dot: Expressions._dot,
    exp.Literal: Expressions._literal,
    exp.Null: Expressions._null,
    exp.Boolean: Expressions._boolean,
    exp.And: Expressions._logic,
    exp.Or: Expressions._logic,
    **dict.fromkeys(CHAINS, Expressions.chain_of),
    exp.BitwiseNot: Expressions.bits,
    exp.HexString: Expressions.hexadecimal,
    exp.Collate: Expressions.collated,
    exp.Not: Expressions._not,
    exp.Neg: Expressions._negative,
    exp.Is: Expressions._is,
    exp.NullSafeEQ: Expressions._same,
    exp.NullSafeNEQ: Expressions._same,
    exp.Between: Expressions._between,
    exp.In: Expressions._in,
    exp.Like: Expressions.like,
    exp.ILike: Expressions.like,
    exp.Escape: Expressions.escape,
    exp.Cast: Expressions._cast,
    exp.TryCast: Expressions._cast,
    exp.Case: Expressions._case,
    exp.If: Expressions._if,
    exp.Array: Expressions._array,
    exp.Bracket: Expressions._bracket,
    exp.Filter: Expressions._filter,
    exp.Trim: Expressions._trim,
    exp.Pad: Expressions._pad,
    exp.StrPosition: Expressions._located,
    exp.Extract: Expressions._extract,
    exp.Overlay: Expressions._overlay,
    exp.Anonymous: Expressions._anonymous,
    exp.Lambda: Expressions._lambda,
    exp.Tuple: Expressions._tuple,
    exp.Identifier: Expressions._variable,
    exp.WithinGroup: Expressions.within_group,
    exp.IgnoreNulls: Expressions.ignoring_nulls,
    exp.RespectNulls: Expressions.ignoring_nulls,
    exp.Interval: Expressions._interval,
}
# The nodes that an expression may have.
READ = frozenset((*_CONVERSIONS, *_BINARY, *CALLS))
