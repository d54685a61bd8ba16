"""Random models in standard SQL over three topics, and random records for them.

`t` and `u` have keys, `r` has none. Numbers are small and doubles are quarters, so that sums are exact in any order.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import lsqlc
from lsqlc import Record, Topic
from tests.standard_sql.expressions import TEXTS, Expressions

TOPICS = (
    Topic("t", key="INT", value="id INT, g STRING, h STRING, x INT, y DOUBLE, d DECIMAL(10,2), b BOOLEAN"),
    Topic("u", key="INT", value="id INT, g STRING, name STRING, w INT"),
    Topic("r", value="a INT, g STRING, z DOUBLE"),
)
COLUMNS: dict[str, dict[str, str]] = {
    "t": {"id": "int", "g": "text", "h": "text", "x": "int", "y": "double", "d": "decimal", "b": "bool"},
    "u": {"id": "int", "g": "text", "name": "text", "w": "int"},
    "r": {"a": "int", "g": "text", "z": "double"},
}


@dataclass(frozen=True)
class Drawn:
    """A model and what the oracle needs: `batch` is the query over the current rows of `t`, `u`, `r` and over all
    records `t_stream`, ...; `bare`: the column that is the whole key, by `key_format`, so that it has no row where
    that is null; `each`: it is asked of every record of the stream by itself, with the tables as they were then.
    """

    text: str
    batch: str
    bare: str | None = None
    each: bool = False
    key: tuple[str, ...] = ()


@dataclass
class Relation:
    """Something in FROM: its text for the model and for the oracle, and its columns with their kinds."""

    text: str
    batch: str
    columns: dict[str, str]
    stream: bool
    parts: set[str] = field(default_factory=set)
    table: bool = False
    where: str = ""


# The ends of an expression in ORDER BY.
ENDS = ("", " DESC", " ASC NULLS LAST", " DESC NULLS FIRST")


class Programs(Expressions):
    """Draws programs, and counts in `made` what they were made of."""

    # Whether conditions of EXISTS and IN on the outer query are equalities.
    only_equates = False

    def __init__(self, seed: int) -> None:
        super().__init__(random.Random(seed))
        self.made: set[str] = set()
        # The columns of the query that was drawn last, and whether its rows never change.
        self._last: dict[str, str] = {}
        self._groups = 0
        self._last_stream = False

    def _note(self, *words: str) -> None:
        self.made.update(words)

    def draw(self) -> Drawn:
        drawn = self._any()
        if drawn.bare is None or self.random.random() < 0.8:
            return replace(drawn, bare=None)
        self._note("key_format=")
        return drawn

    def _any(self) -> Drawn:
        """A model, with the column that its key has alone, if there is one."""
        pick = self.random.random()
        if pick < 0.08:
            return self._union()
        if pick < 0.16:
            return self._stream_join()
        if pick < 0.24:
            return self._windowed()
        if pick < 0.28:
            return self._declared()
        if pick < 0.34:
            return self._streams()
        if pick < 0.4:
            return self._ranked()
        if pick < 0.46:
            return self._united()
        if pick < 0.51:
            return self._expanded()
        if pick < 0.55:
            return self._total()
        if pick < 0.58:
            return self._constants()
        if pick < 0.6:
            return self._turned()
        return self._query()

    # Relations

    def _topic(self, *, tables: bool = False) -> Relation:
        name = self.random.choice(("t", "t", "u") if tables else ("t", "t", "u", "r"))
        stream = not tables and self.random.random() < 0.35
        if name == "r" and not stream:
            self._note("records")
            return Relation("r", "r_stream", COLUMNS["r"], True)
        if stream:
            self._note("STREAM")
            return Relation(f"STREAM({name})", f"{name}_stream", COLUMNS[name], True)
        return Relation(name, name, COLUMNS[name], False, table=True)

    def _joined(self) -> Relation:
        """Two tables, or three, as one text; the columns are qualified."""
        kind = self.random.choice(
            ("JOIN", "INNER JOIN", "LEFT JOIN", "RIGHT OUTER JOIN", "FULL OUTER JOIN", "LEFT JOIN")
        )
        self._note(kind.replace("OUTER ", "").replace("INNER ", ""))
        left, right = self.random.choice((("t", "u"), ("u", "t"), ("t", "t"), ("u", "u")))
        columns = {f"p.{c}": k for c, k in COLUMNS[left].items()} | {f"q.{c}": k for c, k in COLUMNS[right].items()}
        on = self.random.choice(("p.id = q.id", "p.g = q.g", "p.id = q.id AND p.g = q.g", "p._key = q._key"))
        if self.random.random() < 0.15:
            return self._using(left, right, kind, columns)
        if self.random.random() < 0.3:
            on = "p.id + 1 = q.id" if self.random.random() < 0.5 else "UPPER(p.g) = q.g"
            self._note("expressions in ON")
        if self.random.random() < 0.25:
            side = self.random.choice("pq")
            of = {c.partition(".")[2]: k for c, k in columns.items() if c.startswith(side)}
            on += f" AND {self._condition({f'{side}.{c}': k for c, k in of.items()}, 1)}"
            self._note("conditions in ON")
        if self.random.random() < 0.2:
            comparison = f"p.id {self.random.choice(('<', '<=', '<>', '>'))} q.id"
            on = comparison if self.random.random() < 0.3 else f"{on} AND {comparison}"
            self._note("a comparison in ON")
        text = f"{left} AS p {kind} {right} q ON {on}"
        if self.random.random() < 0.2 and "FULL" not in kind:
            third = self.random.choice(("LEFT JOIN", "JOIN"))
            text += f" {third} u AS s ON {self.random.choice(('s.id = q.id', 's.g = p.g'))}"
            columns |= {f"s.{c}": k for c, k in COLUMNS["u"].items()}
            self._note("two joins")
        return Relation(text, text, columns, False, table=True)

    def _using(self, left: str, right: str, kind: str, columns: dict[str, str]) -> Relation:
        """A join on the columns that both tables have, which are columns without the name of a source too."""
        names = self.random.choice((("id",), ("g",), ("g", "id")))
        self._note("USING")
        text = f"{left} AS p {kind} {right} AS q USING ({', '.join(names)})"
        if self.random.random() < 0.3:
            return self._natural(left, right, kind, columns)
        return Relation(text, text, {name: COLUMNS[left][name] for name in names} | columns, False, table=True)

    def _natural(self, left: str, right: str, kind: str, columns: dict[str, str]) -> Relation:
        """A join on all columns that two queries have."""
        self._note("NATURAL JOIN")
        names = {"t": ("id", "g", "x"), "u": ("id", "g", "w")}
        sides = ((left, "p"), (right, "q"))
        tables = [f"(SELECT {', '.join(names[of])} FROM {of}) AS {name}" for of, name in sides]
        text = f"{tables[0]} NATURAL {kind} {tables[1]}"
        shared = {c for c in names[left] if c in names[right]}
        kept = {f"{name}.{c}": columns[f"{name}.{c}"] for of, name in sides for c in names[of]}
        return Relation(text, text, {c: COLUMNS[left][c] for c in sorted(shared)} | kept, False, table=True)

    def _listed(self) -> Relation:
        """Tables behind commas, which WHERE equates, perhaps not one with the next; or one with a single row."""
        if self.random.random() < 0.25:
            self._note("CROSS JOIN of one row")
            one = "(SELECT MAX(w) AS w, COUNT(*) AS n FROM u GROUP BY 'all') AS q"
            text = f"t AS p CROSS JOIN {one}" if self.random.random() < 0.7 else f"{one}, t AS p"
            columns = {f"p.{c}": k for c, k in COLUMNS["t"].items()} | {"q.w": "int", "q.n": "long"}
            return Relation(text, text, columns, False, table=True)
        self._note("a comma in FROM")
        topics = {"p": self.random.choice("tu"), "q": self.random.choice("tu")}
        sign = self.random.choice((", ", " CROSS JOIN "))
        where = self.random.choice(("p.id = q.id", "p.g = q.g", "q.id = p.id AND p.g = q.g", "q.id + 1 = p.id"))
        if self.random.random() < 0.4:
            topics["s"] = "u"
            where = self.random.choice((f"s.id = q.id AND {where}", "s.g = p.g AND s.id = q.id"))
        text = sign.join(f"{topic} AS {name}" for name, topic in topics.items())
        columns = {f"{name}.{c}": k for name, topic in topics.items() for c, k in COLUMNS[topic].items()}
        if self.random.random() < 0.2:
            where = f"(({where} AND p.id > 1) OR ({self._condition(columns, 1)} AND {where}))"
            self._note("equalities of each side of OR")
        elif self.random.random() < 0.3:
            text += " LEFT JOIN t AS l ON l.id = q.id"
        return Relation(text, text, columns, False, table=True, where=where)

    def _half(self) -> Relation:
        """The rows that meet one of another table, or that meet none."""
        topic = self.random.choice("tu")
        columns = {f"p.{c}": k for c, k in COLUMNS[topic].items()}
        source = Relation(f"{topic} AS p", "", columns, False, table=True)
        source = source if self.random.random() < 0.6 else self._joined()
        word = self.random.choice(("LEFT SEMI", "LEFT ANTI", "SEMI", "ANTI"))
        self._note(f"{word.removeprefix('LEFT ')} JOIN")
        outer = self._named(source)
        topic = self.random.choice("tu")
        inner = {f"y.{c}": k for c, k in COLUMNS[topic].items()}
        kind = self.random.choice(("int", "text"))
        on = f"{self._column(inner, kind)} = {self._column(outer, kind)}"
        if self.random.random() < 0.3:
            on += f" AND {self._condition(self.random.choice((inner, outer)), 1)}"
        if self.random.random() < 0.3:
            on += f" AND {self._column(outer, 'int')} {self.random.choice(('<>', '<', '>='))} y.id"
        text = f"{source.text} {word} JOIN {topic} AS y ON {on}"
        return replace(source, text=text, batch=text)

    def _nested(self, depth: int) -> Relation:
        """A query in FROM."""
        inner = self._query(depth=depth + 1, alone=False)
        columns, alias = self._last, "n"
        self._note("a query in FROM")
        if self.random.random() < 0.2:
            self._note("a list of column names")
            columns = {f"p{i}": kind for i, kind in enumerate(columns.values())}
            alias = f"n({', '.join(columns)})"
        return Relation(f"({inner.text}) AS {alias}", f"({inner.batch}) AS {alias}", columns, self._last_stream)

    def _from(self, depth: int) -> Relation:
        pick = self.random.random()
        if depth < 2 and pick < 0.22:
            return self._nested(depth)
        if pick < 0.3:
            return self._listed()
        if pick < 0.36:
            return self._half()
        if pick < 0.56:
            return self._joined()
        return self._topic()

    # Queries

    def _query(self, depth: int = 0, *, alone: bool = True) -> Drawn:
        source = self._from(depth)
        with_text = with_batch = ""
        if alone and self.random.random() < 0.2:
            made = self._query(depth=1, alone=False)
            with_text, with_batch = f"WITH c AS ({made.text}) ", f"WITH c AS ({made.batch}) "
            source = Relation("c", "c", self._last, self._last_stream)
            self._note("WITH")
        conditions = [self._condition(source.columns, 2)] if self.random.random() < 0.4 else []
        conditions += [source.where] if source.where else []
        while source.table and self.random.random() < (0.25 if depth < 2 else 0.1):
            pick = self.random.random()
            if pick < 0.2:
                conditions.append(f"{self._decided(source)} OR {self._condition(source.columns, 1)}")
            else:
                conditions.append(self._test(source) if pick < 0.7 else self._compared(source))
            self.random.shuffle(conditions)
        where = f" WHERE {' AND '.join(f'({c})' for c in conditions)}" if conditions else ""
        pick = self.random.random()
        bare = None
        is_records = source.text == "r" or (source.stream and not source.text.startswith("STREAM"))
        if pick < 0.45:
            body, columns, bare, tail = self._grouped(source)
            stream = False
        elif pick < 0.6:
            body, columns = self._items(source.columns, inner=not alone)
            names = list(columns)
            bare = names[0] if len(names) == 1 else None
            body, tail, stream = f"DISTINCT {body}", "", False
            self._note("DISTINCT")
        else:
            body, columns = self._items(source.columns, inner=not alone)
            tail, stream = "", source.stream
            if source.table and depth < 2 and self.random.random() < 0.2:
                body += f", {self._decided(source)} AS e0"
                columns["e0"] = "bool"
            if is_records and alone and "STREAM" not in source.text:
                if self.random.random() < 0.5:
                    body, columns, bare, tail = self._grouped(source)
                    stream = False
                else:
                    self._note("records as they are")
        self._last, self._last_stream = columns, stream
        text = f"{with_text}SELECT {body} FROM {source.text}{where}{tail}"
        batch = f"{with_batch}SELECT {body} FROM {source.batch}{where}{tail}"
        return Drawn(text, batch, bare)

    def _items(self, columns: dict[str, str], *, inner: bool = False) -> tuple[str, dict[str, str]]:
        """Columns of a SELECT list. `inner`: of one in another query, where one may be an interval."""
        made: dict[str, str] = {}
        items = []
        for number in range(self.random.randint(1, 4)):
            kind = self.random.choice(("int", "text", "double", "bool", "int", "text", "decimal"))
            kind = kind if kind in columns.values() or self.random.random() < 0.7 else "int"
            if inner and self.random.random() < 0.15:
                kind = "interval"
                self._note("a column of intervals")
            items.append(f"{self._expression(columns, kind, 2)} AS c{number}")
            made[f"c{number}"] = kind
        of = [name for name, kind in made.items() if kind == "int" and name not in columns]
        if of and self.random.random() < 0.15:
            self._note("a lateral column alias")
            items.append(f"{self.random.choice(of)} + 1 AS c{len(made)}")
            made[f"c{len(made)}"] = "int"
        return ", ".join(items), made

    def _grouped(self, source: Relation) -> tuple[str, dict[str, str], str | None, str]:
        self._note("GROUP BY")
        columns = source.columns
        # Names of their own: one that a column of the source has would mean that column.
        self._groups += 1
        key_name, value_name = f"k{self._groups}_", f"a{self._groups}_"
        keys: dict[str, str] = {}
        for _ in range(self.random.choice((1, 1, 2, 3))):
            kind = self.random.choice(("int", "text", "bool"))
            key = self._expression(columns, kind, 1)
            if not any(c in key for c in columns):
                # A constant in GROUP BY may be a position.
                key, kind = next(iter(columns.items()))
            keys.setdefault(key, kind)
        items = {f"{key_name}{i}": (key, kind) for i, (key, kind) in enumerate(keys.items())}
        how = self.random.random()
        # The oracle's engine reads names of the SELECT list and positions alike.
        by = [str(i + 1) if how < 0.15 else f"{key_name}{i}" if how < 0.3 else key for i, key in enumerate(keys)]
        for number in range(self.random.randint(1, 3)):
            items[f"{value_name}{number}"] = self._aggregate(columns, source.stream)
        tail = f" GROUP BY {', '.join(by)}"
        if how > 0.9:
            tail = " GROUP BY ALL"
            self._note("GROUP BY ALL")
        sets = self._sets(list(keys), items) if how > 0.3 and how < 0.9 and self.random.random() < 0.25 else ""
        if sets:
            # A set without an expression has no group of no rows in Spark; in the oracle's engine it has.
            tail = f" GROUP BY {sets} HAVING COUNT(*) > 0"
        elif self.random.random() < 0.3:
            call, _ = self._aggregate(columns, source.stream)
            conditions = (f"{call} IS NOT NULL", "COUNT(*) > 1", "COUNT(*) <> 2", "COUNT(*) - 1")
            condition = self.random.choice(conditions)
            tail += f" HAVING {condition}"
            self._note("HAVING")
            # A number is a condition only by itself.
            if condition != "COUNT(*) - 1" and self.random.random() < 0.4:
                value = f"(SELECT {self.random.choice(('COUNT(*)', 'MAX(z.id)', 'SUM(z.w)'))} FROM u AS z)"
                word, sign = self.random.choice(("AND", "OR")), self.random.choice(("<", ">=", "<>"))
                tail += f" {word} {self.random.choice(('COUNT(*)', f'COUNT({key})'))} {sign} {value}"
                self._note("a query as a value in HAVING")
        if 0.3 <= how <= 0.9 and len(keys) > 1 and self.random.random() < 0.2:
            # A part of the key is not in the SELECT list.
            del items[f"{key_name}0"]
        listed = ", ".join(f"{text} AS {name}" for name, (text, _) in items.items())
        bare = f"{key_name}0" if len(keys) == 1 and not sets else None
        return listed, {name: kind for name, (_, kind) in items.items()}, bare, tail

    def _sets(self, keys: list[str], items: dict[str, tuple[str, str]]) -> str:
        """The grouping sets of some expressions, which the SELECT list may ask for."""
        for number, key in enumerate(keys):
            if self.random.random() < 0.4:
                items[f"s{self._groups}_{number}"] = (f"GROUPING({key})", "int")
        # The parser reads no comparison there, but for one in parentheses.
        keys = [f"({key})" for key in keys]
        listed = ", ".join(keys)
        forms = [f"ROLLUP({listed})", f"CUBE({listed})", f"GROUPING SETS(({listed}), {keys[0]}, ())"]
        forms += [f"{keys[0]}, ROLLUP({', '.join(keys[1:])})"] if len(keys) > 1 else []
        form = self.random.choice(forms)
        self._note(next(word for word in ("ROLLUP", "CUBE", "GROUPING SETS") if word in form))
        return form

    def _aggregate(self, columns: dict[str, str], stream: bool) -> tuple[str, str]:
        filtered = ""
        if self.random.random() < 0.15:
            filtered = f" FILTER (WHERE {self._condition(columns, 1)})"
            self._note("FILTER")
        if self.random.random() < 0.12:
            name = self.random.choice(("STDDEV_POP", "VAR_SAMP", "MEDIAN", "BIT_OR"))
            self._note(name)
            value = self._expression(columns, "int", 1)
            return f"{name}({value}){filtered}", "int" if name == "BIT_OR" else "double"
        names = ("COUNT(*)", "COUNT", "SUM", "AVG", "MIN", "MAX", "COUNT(DISTINCT", "SUM(DISTINCT", "AVG(DISTINCT")
        name = self.random.choice(names)
        self._note(name)
        if name == "COUNT(*)":
            return f"COUNT(*){filtered}", "long"
        kind = self.random.choice(("int", "double") if name == "AVG" else ("int", "double", "decimal"))
        kind = kind if name in ("SUM", "AVG") else self.random.choice(("int", "text", "double", "decimal", "bool"))
        kind = {"SUM(DISTINCT": self.random.choice(("int", "decimal")), "AVG(DISTINCT": "int"}.get(name, kind)
        kind = kind if kind in columns.values() or kind != "decimal" else "int"
        value = self._expression(columns, kind, 1)
        if name == "COUNT(DISTINCT" and self.random.random() < 0.2:
            self._note("COUNT(DISTINCT of several")
            several = ", ".join(self._expression(columns, self.random.choice(("int", "text")), 1) for _ in range(2))
            return f"COUNT(DISTINCT {several}){filtered}", "long"
        if name.endswith("(DISTINCT"):
            total = "long" if kind == "int" else "other"
            gives = {"COUNT(DISTINCT": "long", "AVG(DISTINCT": "double"}.get(name, total)
            return f"{name} {value}){filtered}", gives
        result = {"COUNT": "long", "AVG": "double", "SUM": {"int": "long", "double": "double"}.get(kind, "other")}
        return f"{name}({value}){filtered}", result.get(name, kind)

    def _union(self) -> Drawn:
        self._note("UNION ALL")
        parts = []
        for _ in range(self.random.randint(2, 3)):
            name = self.random.choice("tu")
            where = f" WHERE {self._condition(COLUMNS[name], 1)}" if self.random.random() < 0.4 else ""
            kinds = ("int", "text")
            body = ", ".join(f"{self._expression(COLUMNS[name], k, 1)} AS c{i}" for i, k in enumerate(kinds))
            parts.append((f"SELECT {body} FROM STREAM({name}){where}", f"SELECT {body} FROM {name}_stream{where}"))
        return Drawn(" UNION ALL ".join(p for p, _ in parts), " UNION ALL ".join(p for _, p in parts))

    def _united(self) -> Drawn:
        """The rows of several queries over tables, as they are, or in groups."""
        word = self.random.choice(("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL"))
        self._note(f"{word} of tables")
        few = word in ("INTERSECT", "EXCEPT", "EXCEPT ALL")
        kinds = {"c0": "int", "c1": "text"}
        parts = []
        for _ in range(self.random.randint(2, 3)):
            source = self._joined() if self.random.random() < 0.2 else self._topic(tables=True)
            where = f" WHERE {self._condition(source.columns, 1)}" if self.random.random() < 0.4 else ""
            if self.random.random() < 0.25 and not few:
                key = self._column(source.columns, "text")
                parts.append(f"SELECT COUNT(*) AS c0, {key} AS c1 FROM {source.text}{where} GROUP BY {key}")
                kinds["c0"] = "long"
                continue
            # Of few values, some are the same in both.
            deep = 0 if few else 1
            each = (self._expression(source.columns, k, deep) for k in ("int", "text"))
            body = ", ".join(f"{value} AS c{i}" for i, value in enumerate(each))
            parts.append(f"SELECT {body} FROM {source.text}{where}")
        text = f" {word} ".join(parts)
        if self.random.random() < 0.5:
            self._note("UNION in FROM")
            body, _, bare, tail = self._grouped(Relation("", "", kinds, False))
            text = f"SELECT {body} FROM ({text}) AS n{tail}"
            return Drawn(text, text, bare)
        return Drawn(text, text)

    def _expanded(self) -> Drawn:
        """A row for each element of an array: as it is, in groups, or the different rows."""
        source = self._joined() if self.random.random() < 0.3 else self._topic()
        kind = self.random.choice(("int", "text"))
        items = ", ".join(self._expression(source.columns, kind, 1) for _ in range(self.random.randint(1, 3)))
        array = f"array({items})"
        if kind == "text" and self.random.random() < 0.4:
            array = f"split({self._expression(source.columns, 'text', 1)}, '_')"
        elif self.random.random() < 0.3:
            array = f"CASE WHEN {self._condition(source.columns, 1)} THEN {array} END"
        self._note("LATERAL VIEW" if source.table else "LATERAL VIEW of records")
        columns = source.columns | {"e.v": kind}
        lateral = f" LATERAL VIEW explode({array}) e AS v"
        where = f" WHERE {self._condition(columns, 1)}" if self.random.random() < 0.3 else ""
        if source.stream and source.text != "r" and self.random.random() < 0.6:
            body, _ = self._items(columns)
            return Drawn(f"SELECT {body} FROM {source.text}{lateral}{where}",
                         f"SELECT {body} FROM {source.batch}{lateral}{where}")  # fmt: skip
        if source.table and self.random.random() < 0.4:
            self._note("LATERAL VIEW as it is")
            body, _ = self._items(columns)
            text = f"SELECT {body} FROM {source.text}{lateral}{where}"
            return Drawn(text, text)
        if self.random.random() < 0.3:
            body, names = self._items(columns)
            body, tail, bare = f"DISTINCT {body}", "", next(iter(names)) if len(names) == 1 else None
        else:
            body, _, bare, tail = self._grouped(replace(source, columns=columns))
        text = f"SELECT {body} FROM {source.text}{lateral}{where}{tail}"
        return Drawn(text, f"SELECT {body} FROM {source.batch}{lateral}{where}{tail}", bare)

    def _stream_join(self) -> Drawn:
        self._note("a stream with a table")
        kind = self.random.choice(("JOIN", "LEFT JOIN"))
        left, right = self.random.choice((("t", "u"), ("u", "t")))
        columns = {f"p.{c}": k for c, k in COLUMNS[left].items()} | {f"q.{c}": k for c, k in COLUMNS[right].items()}
        on = self.random.choice(("p.id = q._key", "q._key = p._key", "p.id + 1 = q._key"))
        if self.random.random() < 0.2:
            side = self.random.choice("pq")
            on += f" AND {self._condition({c: k for c, k in columns.items() if c.startswith(side)}, 1)}"
        body, _ = self._items(columns)
        where = f" WHERE {self._condition(columns, 1)}" if self.random.random() < 0.3 else ""
        rest = f"p {kind} {right} AS q ON {on}{where}"
        return Drawn(f"SELECT {body} FROM STREAM({left}) {rest}", f"SELECT {body} FROM {left}_stream {rest}", each=True)

    def _windowed(self) -> Drawn:
        """Windows of a stream's own time; the oracle has it in milliseconds."""
        self._note("window")
        name = self.random.choice("tu")
        size = self.random.choice((5, 10, 1000))
        key = self._expression(COLUMNS[name], self.random.choice(("int", "text")), 0)
        call, _ = self._aggregate(COLUMNS[name], True)
        where = f" WHERE {self._condition(COLUMNS[name], 1)}" if self.random.random() < 0.3 else ""
        window = f"window(_timestamp, '{size} milliseconds')"
        start = f"(_ms DIV {size}) * {size}"
        text = (
            f"SELECT {key} AS k0, window.start AS ws, {call} AS a0 FROM STREAM({name}){where} GROUP BY {key}, {window}"
        )
        batch = f"SELECT {key} AS k0, {start} AS ws, {call} AS a0 FROM {name}_stream{where} GROUP BY {key}, {start}"
        return Drawn(text, batch, "k0")

    def _streams(self) -> Drawn:
        """Two streams, whose records match within some time; the oracle has it in milliseconds."""
        self._note("two streams")
        left, right = self.random.choice((("t", "u"), ("u", "t"), ("t", "t")))
        columns = {f"p.{c}": k for c, k in COLUMNS[left].items()} | {f"q.{c}": k for c, k in COLUMNS[right].items()}
        body, _ = self._items(columns)
        on = self.random.choice(("p.id = q.id", "p.g = q.g", "p._key = q._key AND p.g = q.g"))
        before, after = self.random.choice((0, 3, 10)), self.random.choice((0, 3, 10))
        low, high = f"p._timestamp - INTERVAL {before} MILLISECONDS", f"p._timestamp + INTERVAL {after} MILLISECONDS"
        bound = self.random.choice((
            f"q._timestamp BETWEEN {low} AND {high}", f"q._timestamp >= {low} AND q._timestamp <= {high}",
            f"p._timestamp - INTERVAL {before} MILLISECONDS <= q._timestamp AND {high} >= q._timestamp",
        ))  # fmt: skip
        ms = f"q._ms BETWEEN p._ms - {before} AND p._ms + {after}"
        where = f" WHERE {self._condition(columns, 1)}" if self.random.random() < 0.3 else ""
        kind = self.random.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        self._note(*(("an outer join of two streams",) if kind != "JOIN" else ()))
        if self.random.random() < 0.2:
            side = self.random.choice("pq")
            on += f" AND {self._condition({c: k for c, k in columns.items() if c.startswith(side)}, 1)}"
        text = f"SELECT {body} FROM STREAM({left}) AS p {kind} STREAM({right}) AS q ON {on} AND {bound}{where}"
        batch = f"SELECT {body} FROM {left}_stream AS p {kind} {right}_stream AS q ON {on} AND {ms}{where}"
        return Drawn(text, batch)

    def _declared(self) -> Drawn:
        """A table under a key that is declared: another column of a query whose rows it tells apart."""
        self._note("key=")
        by = self.random.choice(("g", "h"))
        text = f"SELECT {by} AS k0, id AS k1, COUNT(*) AS n FROM t GROUP BY {by}, id"
        return Drawn(text, text, key=("k1", "k0"))

    def _turned(self) -> Drawn:
        """PIVOT or UNPIVOT of a table; the oracle has it as aggregates with FILTER, or as UNION ALL."""
        by = self._column(COLUMNS["t"], "text")
        values = self.random.sample(TEXTS, 2)
        where = f" WHERE {self._condition(COLUMNS['t'], 1)}" if self.random.random() < 0.3 else ""
        if self.random.random() < 0.5:
            self._note("PIVOT")
            call = self.random.choice(("SUM", "COUNT", "MAX", "AVG"))
            listed = ", ".join(f"{value!r} AS p{i}" for i, value in enumerate(values))
            of = [f"({by} = {value!r})" for value in values]
            calls = [f"CASE WHEN COUNT(*) FILTER (WHERE {w}) > 0 THEN {call}(x) FILTER (WHERE {w}) END" for w in of]
            items = ", ".join(f"{each} AS p{i}" for i, each in enumerate(calls))
            inner = f"(SELECT id, x, {by} FROM t{where})"
            text = f"SELECT * FROM {inner} PIVOT ({call}(x) FOR {by} IN ({listed}))"
            return Drawn(text, f"SELECT id, {items} FROM t{where} GROUP BY id", "id")
        self._note("UNPIVOT")
        nulls = self.random.random() < 0.5
        inner = f"(SELECT {by} AS k, id, x FROM t{where})"
        text = f"SELECT * FROM {inner} UNPIVOT {'INCLUDE NULLS ' * nulls}(v FOR n IN (id, x AS z))"
        parts = [
            f"SELECT k, '{name}' AS n, {column} AS v FROM {inner} AS q{'' if nulls else f' WHERE {column} IS NOT NULL'}"
            for column, name in (("id", "id"), ("x", "z"))
        ]
        return Drawn(text, " UNION ALL ".join(parts))

    def _constants(self) -> Drawn:
        """Rows of constants beside a table: joined, or behind its own. They are there without records too."""
        self._note("VALUES")
        topic = self.random.choice("tu")
        numbers = self.random.sample(range(-1, 6), self.random.randint(1, 3))
        rows = [f"({n}, {self.random.choice((*(repr(t) for t in TEXTS), 'NULL'))})" for n in numbers]
        # Without a text, a column has no type.
        listed = ", ".join((*rows[1:], f"({numbers[0]}, 'b')"))
        columns = {f"p.{c}": k for c, k in COLUMNS[topic].items()} | {"v.a": "int", "v.c": "text"}
        if self.random.random() < 0.3:
            body = ", ".join(
                self._expression(COLUMNS[topic], kind, 1) + f" AS c{i}" for i, kind in enumerate(("int", "text"))
            )
            text = f"SELECT {body} FROM {topic} UNION ALL VALUES {listed}"
            return Drawn(text, text)
        kind = self.random.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT JOIN"))
        on = self.random.choice(("p.id = v.a", "p.g = v.c", "p.id >= v.a", "p.id = v.a AND p.g <> v.c"))
        sides = [f"{topic} AS p", f"(VALUES {listed}) AS v(a, c)"]
        self.random.shuffle(sides)
        body, bare, tail = self._items(columns)[0], None, ""
        if self.random.random() < 0.3:
            body, _, bare, tail = self._grouped(Relation("", "", columns, False, table=True))
        text = f"SELECT {body} FROM {sides[0]} {kind} {sides[1]} ON {on}{tail}"
        return Drawn(text, text, bare)

    def _total(self) -> Drawn:
        """An aggregate without GROUP BY, of a topic or a join, as it is or in FROM."""
        self._note("an aggregate without GROUP BY")
        source = self._joined() if self.random.random() < 0.3 else self._topic()
        calls = [self._aggregate(source.columns, source.stream)[0] for _ in range(self.random.randint(1, 3))]
        items = ", ".join(f"{call} AS a{i}" for i, call in enumerate(calls))
        where = f" WHERE {self._condition(source.columns, 1)}" if self.random.random() < 0.5 else ""
        having = " HAVING COUNT(*) <> 2" if self.random.random() < 0.2 else ""
        text, batch = (f"SELECT {items} FROM {of}{where}{having}" for of in (source.text, source.batch))
        if self.random.random() < 0.3:
            text, batch = (f"SELECT a0 FROM ({each}) AS n" for each in (text, batch))
        return Drawn(text, batch)

    def _test(self, source: Relation) -> str:
        """A condition on the rows of another table, which is called `z`; columns of both have the names of theirs."""
        columns = self._named(source)
        topic = self.random.choice("tu")
        inner = {f"z.{c}": k for c, k in COLUMNS[topic].items()}
        kind = self.random.choice(("int", "text"))
        outer = self._column(columns, kind)
        value = self._expression(inner, kind, 1)
        where = [self._condition(inner, 1)] if self.random.random() < 0.4 else []
        word = self.random.choice(("IN", "NOT IN", "EXISTS", "NOT EXISTS", "GROUP BY"))
        self._note(f"{word} (SELECT")
        if word == "GROUP BY":
            body = f"SELECT {value} AS v FROM {topic} AS z{self._where(where)} GROUP BY {value} HAVING COUNT(*) > 1"
            return f"{outer} IN ({body})"
        if word == "NOT IN":
            column = self._column(inner, kind)
            known = self.random.random() < 0.5
            where += [f"{column} IS NOT NULL"] if known else []
            body = f"SELECT {column} FROM {topic} z{self._where(where)}"
            return f"{outer} IS NOT NULL AND {outer} NOT IN ({body})" if known else f"{outer} NOT IN ({body})"
        if self.random.random() < 0.3:
            where.append(f"{self._column(columns, 'text')} = z.g")
        if self.random.random() < 0.3 and not self.only_equates:
            where.append(f"z.id {self.random.choice(('<>', '<', '>', '>=', '<='))} {self._column(columns, 'int')}")
            self._note("a comparison in EXISTS")
        if self.random.random() < 0.2 and not self.only_equates:
            where.append(self._condition(columns, 0))
        if word == "IN":
            return f"{outer} IN (SELECT {value} FROM {topic} AS z{self._where(where)})"
        where.insert(
            0, f"{value} = {outer}" if "z." in value else f"z.id = {outer}" if kind == "int" else f"z.g = {outer}"
        )
        return f"{word} (SELECT * FROM {topic} AS z{self._where(where)})"

    def _decided(self, source: Relation) -> str:
        """A condition on the rows of another table, which may be null, as a value."""
        columns = self._named(source)
        topic = self.random.choice("tu")
        inner = {f"z.{c}": k for c, k in COLUMNS[topic].items()}
        kind = self.random.choice(("int", "text"))
        outer, value = self._column(columns, kind), self._column(inner, kind)
        where = [self._condition(inner, 1)] if self.random.random() < 0.4 else []
        if self.random.random() < 0.3:
            where.append(f"{self._column(columns, 'text')} = z.g")
        word = self.random.choice(("IN", "NOT IN", "EXISTS", "NOT EXISTS"))
        self._note(f"{word} (SELECT as a value")
        if word in ("IN", "NOT IN"):
            return f"({outer} {word} (SELECT {value} FROM {topic} AS z{self._where(where)}))"
        return f"({word} (SELECT 1 FROM {topic} AS z{self._where([f'{value} = {outer}', *where])}))"

    def _compared(self, source: Relation) -> str:
        """A condition on an aggregate over another table, or on a value of its first row: of the whole table, which is
        called `z`, or of what equals something of the row.
        """
        columns = self._named(source)
        topic = self.random.choice("tu")
        inner = {f"z.{c}": k for c, k in COLUMNS[topic].items()}
        where = [self._condition(inner, 1)] if self.random.random() < 0.3 else []
        if self.random.random() < 0.5:
            kind = self.random.choice(("int", "text"))
            where.append(f"{self._column(inner, kind)} = {self._column(columns, kind)}")
            self._note("an aggregate of what equals")
            if self.random.random() < 0.2:
                where.append(self._condition(columns, 0))
        value = self._expression(inner, "int", 1)
        value = value if "z." in value else "z.id"
        aggregate = self.random.choice((
            "COUNT(*)", "COUNT({})", "MAX({})", "SUM({})", "MIN({}) + COUNT(*)", "COALESCE(SUM({}), 2)",
            "COUNT(DISTINCT {})",
        ))  # fmt: skip
        outer = self._column(columns, "int")
        if self.random.random() < 0.25:
            self._note("a first row as a value")
            order = f"{self._column(inner, 'text')}{self.random.choice(ENDS)}, z._key DESC"
            query = f"(SELECT {value} FROM {topic} AS z{self._where(where)} ORDER BY {order} LIMIT 1)"
            return f"{outer} {self.random.choice(('>', '<=', '=', '<>'))} {query}"
        self._note("an aggregate as a value")
        query = f"(SELECT {aggregate.format(value)} FROM {topic} AS z{self._where(where)})"
        return f"{outer} {self.random.choice(('>', '<=', '=', '<>'))} {query}"

    def _named(self, source: Relation) -> dict[str, str]:
        """The columns of a table or a join, each with the name of its source."""
        if " " in source.text:
            return {c: k for c, k in source.columns.items() if "." in c}
        return {f"{source.text}.{c}": k for c, k in source.columns.items()}

    def _column(self, columns: dict[str, str], kind: str) -> str:
        return self.random.choice([c for c, k in columns.items() if k == kind])

    def _where(self, conditions: list[str]) -> str:
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def _ranked(self) -> Drawn:
        """The first rows of each group, in an order that keys end, so that it is one."""
        source = self._topic(tables=True) if self.random.random() < 0.7 else self._joined()
        if "NATURAL" in source.text:
            # Its sides are queries, which have no key to end the order with.
            source = self._topic(tables=True)
        keys = ["_key"] if " " not in source.text else [f"{c}._key" for c in "pqs" if f"{c}.id" in source.columns]
        where = f" WHERE {self._condition(source.columns, 1)}" if self.random.random() < 0.4 else ""
        kinds = [self.random.choice(("int", "text", "double", "bool")) for _ in range(self.random.randint(0, 2))]
        usable = [k for k in kinds if k in source.columns.values()]
        order = ", ".join(f"{e}{self.random.choice(ENDS)}" for e in (*self._each(source, usable), *keys))
        partition = ", ".join(self._each(source, [self.random.choice(("int", "text"))] * self.random.randint(0, 2)))
        over = f"ROW_NUMBER() OVER ({f'PARTITION BY {partition} ' if partition else ''}ORDER BY {order})"
        body, columns = self._items(source.columns)
        bound = self.random.choice(("<= 2", "= 1", "< 3", "<= 1"))
        if self.random.random() < 0.25:
            self._note("ORDER BY with LIMIT")
            text = f"SELECT {body} FROM {source.text}{where} ORDER BY {order} LIMIT {self.random.randint(1, 3)}"
            return Drawn(text, text)
        form = self.random.choice(("QUALIFY", "QUALIFY a name", "a ranked query in FROM", "a ranked query in WITH"))
        self._note(form)
        if form == "QUALIFY":
            text = f"SELECT {body} FROM {source.text}{where} QUALIFY {over} {bound}"
            return Drawn(text, text)
        if form == "QUALIFY a name":
            text = f"SELECT {body}, {over} AS rn FROM {source.text}{where} QUALIFY rn {bound}"
            return Drawn(text, text)
        ranked = f"SELECT {body}, {over} AS rn FROM {source.text}{where}"
        listed = ", ".join((*columns, "rn"))
        bound = self.random.choice((bound, "= 2", "BETWEEN 2 AND 3"))
        if form == "a ranked query in FROM":
            text = f"SELECT {listed} FROM ({ranked}) AS n WHERE n.rn {bound}"
        else:
            text = f"WITH n AS ({ranked}) SELECT {listed} FROM n WHERE {self._condition(columns, 1)} AND rn {bound}"
        return Drawn(text, text)

    def _each(self, source: Relation, kinds: list[str]) -> list[str]:
        """A column of each kind."""
        return [self._column(source.columns, kind) for kind in kinds]


def records(seed: int, count: int) -> list[Record]:
    """Inserts, updates and deletes of few keys, in order of arrival, with times that rise."""
    rand = random.Random(f"records {seed}")

    def maybe(value: Any, nulls: float = 0.2) -> Any:
        return None if rand.random() < nulls else value

    found: list[Record] = []
    for number in range(count):
        topic = rand.choice(("t", "t", "t", "u", "u", "r"))
        time = number * rand.choice((1, 3))
        time = max(time, found[-1].timestamp if found else 0)
        key: Any = rand.randint(1, 5)
        if topic == "r":
            value = {
                "a": maybe(rand.randint(-2, 4)),
                "g": maybe(rand.choice(TEXTS)),
                "z": maybe(rand.randint(-4, 9) / 4),
            }
            found.append(Record("r", None, value, time))
            continue
        if rand.random() < 0.15:
            found.append(Record(topic, key, None, time))
            continue
        if rand.random() < 0.04:
            key = None
        common = {"id": maybe(rand.randint(0, 4)), "g": maybe(rand.choice(TEXTS))}
        if topic == "t":
            cents = Decimal(rand.randint(-300, 300)).scaleb(-2)
            value = common | {
                "h": maybe(rand.choice(TEXTS)), "x": maybe(rand.randint(-3, 6)), "y": maybe(rand.randint(-9, 9) / 4),
                "d": maybe(cents), "b": maybe(rand.random() < 0.5),
            }  # fmt: skip
        else:
            value = common | {"name": maybe(rand.choice(TEXTS)), "w": maybe(rand.randint(-3, 6))}
        found.append(Record(topic, key, value, time))
    return found


def compiled(drawn: Drawn) -> lsqlc.Plan:
    return lsqlc.compile(
        drawn.text, dialect="sql", topics=TOPICS, name="out", key=drawn.key, key_format="bare" if drawn.bare else None
    )
