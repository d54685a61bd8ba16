"""Random expressions over columns of given kinds."""

from __future__ import annotations

import random
from typing import Any

TEXTS = ("a", "b", "c", "Ab", " a ", "", "50%", "a_c")


class Expressions:
    """Draws expressions."""

    def __init__(self, source: random.Random) -> None:
        self.random = source

    def _condition(self, columns: dict[str, str], depth: int) -> str:
        return self._expression(columns, "bool", depth)

    def _expression(self, columns: dict[str, str], kind: str, depth: int) -> str:
        own = [c for c, k in columns.items() if k == kind]
        if own and (depth <= 0 or self.random.random() < 0.35):
            return self.random.choice(own)
        if depth <= 0:
            return self._literal(kind)

        def a(of: str = kind) -> str:
            return self._expression(columns, of, depth - 1)

        def c() -> str:
            return self._expression(columns, "bool", depth - 1)

        common = (
            lambda: f"CASE WHEN {c()} THEN {a()} ELSE {a()} END",
            lambda: f"CASE WHEN {c()} THEN {a()} END",
            lambda: f"COALESCE({a()}, {a()})",
            lambda: f"NULLIF({a()}, {a()})",
            lambda: f"IF({c()}, {a()}, {a()})",
        )
        forms: dict[str, tuple[Any, ...]] = {
            "int": (
                lambda: f"{a()} + {self._literal('int')}", lambda: f"({a()} - {a()})", lambda: f"ABS({a()})",
                lambda: f"LENGTH({a('text')})", lambda: f"-{self._atom(columns, 'int')}",
                lambda: f"({a()}) % {self.random.randint(2, 5)}", lambda: f"GREATEST({a()}, {a()})",
                lambda: f"CAST({a('bool')} AS INT)", lambda: f"INSTR({a('text')}, 'a')",
                lambda: f"TRY_CAST({a('text')} AS INT)", lambda: f"({self._atom(columns, 'int')} & {a()})",
                lambda: f"(({a()}) | {self._literal('int')})", lambda: f"(~{self._atom(columns, 'int')})",
                lambda: f"COALESCE({a()}, '{self.random.randint(0, 4)}')::INT", *common,
            ),
            "double": (
                lambda: f"{a()} * 2", lambda: f"({a()} + {a('int')})", lambda: f"{self._atom(columns, 'int')} / 4",
                lambda: f"LEAST({a()}, {a()})", lambda: f"CAST({a('int')} AS DOUBLE)", *common,
            ),
            "decimal": (
                lambda: f"({a()} + {a()})", lambda: f"{self._atom(columns, 'decimal')} * 2", lambda: f"ABS({a()})",
                *common[:1],
            ),
            "text": (
                lambda: f"UPPER({a()})", lambda: f"LOWER({a()})", lambda: f"TRIM({a()})", lambda: f"{a()} || {a()}",
                lambda: f"CONCAT({a()}, '-', {a()})", lambda: f"SUBSTRING({a()}, 1, 2)",
                lambda: f"REPLACE({a()}, 'a', 'z')",
                lambda: f"CAST({a('int')} AS STRING)", lambda: f"LEFT({a()}, 1)",
                lambda: f"({a()} || {self._atom(columns, 'int')})", *common,
            ),
            "interval": (
                lambda: f"(({a('int')}) * INTERVAL 1 HOUR)", lambda: f"({a()} + {a()})", lambda: f"({a()} - {a()})",
                *common,
            ),
            "bool": (
                lambda: f"{a('int')} {self._mark()} {a('int')}", lambda: f"{a('text')} {self._mark()} {a('text')}",
                lambda: f"{a('double')} {self._mark()} {a('int')}", lambda: f"({c()} AND {c()})",
                lambda: f"({c()} OR {c()})", lambda: f"NOT ({c()})", lambda: f"{a('text')} IS NULL",
                lambda: f"{a('int')} IS NOT NULL", lambda: f"{a('int')} IN (1, 2, {self._literal('int')})",
                lambda: f"{a('int')} NOT IN (1, {a('int')})", lambda: f"{a('int')} BETWEEN 0 AND {a('int')}",
                lambda: f"{a('text')} LIKE '{self.random.choice(('a%', '%b', '_', '%', 'A_'))}'",
                lambda: f"{a('int')} {self._mark()} '{self.random.randint(0, 4)}'",
                lambda: f"{a('int')} IN ('1', {a('int')})",
                lambda: f"{a('text')} ILIKE '{self.random.choice(('a%', '_B'))}'",
                lambda: f"{a('int')} <=> {a('int')}", lambda: f"{a('text')} IS DISTINCT FROM {a('text')}",
                lambda: f"{a('interval')} {self._mark()} {a('interval')}",
                lambda: f"CASE {a('text')} WHEN 'a' THEN {c()} ELSE {c()} END", lambda: f"({c()}) IS TRUE",
            ),
        }  # fmt: skip
        return str(self.random.choice(forms[kind])())

    def _atom(self, columns: dict[str, str], kind: str) -> str:
        return f"({self._expression(columns, kind, 0)})"

    def _mark(self) -> str:
        return self.random.choice(("=", "<>", "<", "<=", ">", ">=", "!="))

    def _literal(self, kind: str) -> str:
        match kind:
            case "int" | "long":
                return str(self.random.randint(0, 4))
            case "double":
                return f"{self.random.choice((0.5, 1.25, 2.0))}D"
            case "decimal":
                return "1.25"
            case "interval":
                return f"(INTERVAL {self.random.randint(0, 4)} HOURS)"
            case "bool":
                return self.random.choice(("TRUE", "FALSE"))
        return f"'{self.random.choice(TEXTS)}'"
