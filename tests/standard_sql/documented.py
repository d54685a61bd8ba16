"""The documented examples of Spark's functions: each as a model over a topic with one row, and Spark's rows for it.

The examples are data that is not part of the project: `spark_functions.json` in $LSQLC_CORPORA or ../shared/corpora.
"""

from __future__ import annotations

import ast
import datetime
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any

from sqlglot import TokenType
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token

import lsqlc
from lsqlc import Record, Topic
from lsqlc.types.data import INT, NULL, STRING, Array, DataType, Map, Struct, unify

FILE = "spark_functions.json"
# Of these Spark gives any of several values.
ANY_VALUE = ("SELECT mode(col, false) FROM VALUES (-10), (0), (10) AS tab(col)",)
# Generators of several columns, which one name cannot be given to.
_SEVERAL = ("inline", "posexplode", "stack")
ONE_ROW = Topic("one_row", key="INT", value="x INT")


@dataclass(frozen=True, slots=True)
class Example:
    """`rows`: Spark's, as text in canonical form."""

    function: str
    sql: str
    rows: str


def place() -> Path:
    """Where the file is, if it is there."""
    folder = os.environ.get("LSQLC_CORPORA")
    return (Path(folder) if folder else Path(__file__).parents[3] / "shared" / "corpora") / FILE


def examples(path: Path) -> list[Example]:
    functions = json.loads(path.read_text())
    return [Example(name, each["sql"], each["rows"]) for name, entry in functions.items() for each in entry["examples"]]


def outcome(example: Example) -> str:
    """`equal`, `wrong: ...` with what came, or the code and the message of the refusal."""
    try:
        rows = list(_rows(example.sql))
    except lsqlc.CompileError as error:
        return f"{error.diagnostics[0].code} {error.diagnostics[0].message}"
    except SqlglotError:
        return "LSQ102 its text has no tokens"
    except ValueError as error:
        return f"no model: {error}"
    return "equal" if example.sql in ANY_VALUE or _same(example, rows) else f"wrong: {rows!r}"


def _same(example: Example, rows: Sequence[list[Any]]) -> bool:
    found = Counter(map(repr, rows))
    try:
        wanted = [list(row) for row in ast.literal_eval(example.rows)]
    except (ValueError, SyntaxError):
        return False
    return found == Counter(repr(_spark(row)) for row in wanted)


def canonical(value: Any, type: DataType) -> Any:
    """A value that equals another one of the same meaning: numbers by nine digits, whatever their type is; structs by
    position.
    """
    match value, type:
        case None, _:
            return None
        case str(), _:
            return value
        case bool(), _:
            return "T" if value else "F"
        case int() | float() | Decimal(), _:
            return ("n", _number(value))
        case bytes(), _:
            return ("b", value.hex())
        case datetime.datetime(), _:
            return ("ts", value.replace(tzinfo=datetime.UTC).isoformat())
        case datetime.date(), _:
            return ("d", value.isoformat())
        case list(), Array(element):
            return [canonical(each, element) for each in value]
        case dict(), Map():
            pairs = ((canonical(k, type.key), canonical(v, type.value)) for k, v in value.items())
            return {repr(key): each for key, each in pairs}
        case dict(), Struct(fields):
            return {str(i): canonical(value[f.name], f.type) for i, f in enumerate(fields)}
    return repr(value)


def _number(value: float | Decimal | str) -> object:
    """Whole numbers that a float may not hold are in the file as texts."""
    if isinstance(value, int | str) and abs(int(value)) > 2**53:
        return str(value)
    number = float(value)
    return float(f"{number:.9g}") + 0.0 if math.isfinite(number) else str(number)


def _spark(value: Any) -> Any:
    """The canonical form of the file as that of `canonical`."""
    match value:
        case ("[", items):
            return [_spark(each) for each in items]
        case ("s", items):
            return {str(i): _spark(each) for i, each in enumerate(items)}
        case ("{", items):
            return {key: _spark(each) for key, each in items}
        case ("n", number):
            return ("n", _number(number))
        case "NaN":
            return ("n", "nan")
        case list():
            return [_spark(each) for each in value]
    return value


def _rows(sql: str) -> Iterator[list[Any]]:
    """What the example gives on DuckDB. Raises CompileError; ValueError for a text that no model can have."""
    tokens = Dialect.get_or_raise("spark").tokenize(sql)
    if not tokens or tokens[0].token_type != TokenType.SELECT:
        raise ValueError("it is no SELECT")
    start = next((i for i, t in enumerate(tokens) if t.token_type == TokenType.VALUES and _depth(tokens, i) == 0), None)
    end = next((i for i, t in enumerate(tokens) if t.token_type == TokenType.FROM and _depth(tokens, i) == 0), None)
    items = _named(sql, tokens[: end or len(tokens)])
    if start is None:
        text = f"{items} {sql[tokens[end].start :] if end is not None else 'FROM one_row'}"
        yield from _run(text, ONE_ROW, [Record("one_row", 1, {"x": 1})])
        return
    rows, rest = _values(tokens, start, sql)
    name, columns, rest = _alias(tokens, rest, len(rows[0]))
    topic, records = _topic(name, columns, rows)
    behind = sql[tokens[rest].start :] if rest < len(tokens) else ""
    yield from _run(f"{items} FROM {name} {behind}", topic, records)


def _run(text: str, topic: Topic, records: Sequence[Record]) -> list[list[Any]]:
    try:
        plan = lsqlc.compile(text, dialect="sql", topics=[topic], name="o")
    except lsqlc.CompileError as error:
        if error.diagnostics[0].code != "LSQ322":
            raise
        plan = lsqlc.compile(f"{text} GROUP BY 'all'", dialect="sql", topics=[topic], name="o")
    outer = plan.outputs[0].value.type
    assert isinstance(outer, Struct)
    rows = lsqlc.evaluate(plan, records)["o"]
    return [[canonical(row.value[f.name], f.type) for f in outer.fields] for row in rows]


def _depth(tokens: Sequence[Token], index: int) -> int:
    opened = sum(t.token_type == TokenType.L_PAREN for t in tokens[:index])
    return opened - sum(t.token_type == TokenType.R_PAREN for t in tokens[:index])


def _pieces(tokens: Sequence[Token]) -> list[list[Token]]:
    """What stands between the commas."""
    pieces: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.token_type == TokenType.COMMA and depth == 0:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return pieces


def _named(sql: str, tokens: Sequence[Token]) -> str:
    """The SELECT list with a name for each column."""
    first = 2 if len(tokens) > 1 and tokens[1].token_type == TokenType.DISTINCT else 1
    texts = []
    for number, piece in enumerate(_pieces(tokens[first:])):
        if not piece:
            raise ValueError("an item of the SELECT list is empty")
        text = sql[piece[0].start : piece[-1].end + 1]
        named = piece[-1].text == "*" or (len(piece) > 1 and piece[-2].token_type == TokenType.ALIAS)
        named = named or piece[0].text.lower().removesuffix("_outer") in _SEVERAL
        texts.append(text if named else f"{text} AS c{number}")
    return f"SELECT {'DISTINCT ' if first == 2 else ''}{', '.join(texts)}"


def _values(tokens: Sequence[Token], start: int, sql: str) -> tuple[list[list[str]], int]:
    """The texts of the rows behind VALUES, and which token stands behind them."""
    depth, end = 0, start + 1
    while end < len(tokens):
        token = tokens[end]
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if depth < 0 or (depth == 0 and token.token_type in (TokenType.ALIAS, TokenType.GROUP_BY, TokenType.WHERE)):
            break
        if depth == 0 and token.token_type == TokenType.VAR and tokens[end - 1].text == ")":
            break
        end += 1
    rows = []
    for piece in _pieces(tokens[start + 1 : end]):
        inner = _pieces(piece[1:-1]) if piece[0].text == "(" else [piece]
        rows.append([sql[p[0].start : p[-1].end + 1] for p in inner])
    return rows, end


def _alias(tokens: Sequence[Token], at: int, count: int) -> tuple[str, list[str], int]:
    """The name and the columns of what VALUES makes, and which token stands behind them."""
    if at < len(tokens) and tokens[at].token_type == TokenType.ALIAS:
        at += 1
    name = tokens[at].text if at < len(tokens) else "tab"
    columns = [f"col{i + 1}" for i in range(count)]
    at += 1
    if at < len(tokens) and tokens[at].text == "(":
        columns = [t.text for t in tokens[at + 1 : at + 2 * count : 2]]
        at += 2 * count + 1
    return name, columns, at


def _topic(name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[Topic, list[Record]]:
    """A topic whose records have the values that the compiler gives for the texts."""
    types: list[list[DataType]] = []
    values: list[list[Any]] = []
    for row in rows:
        items = ", ".join(f"{text} AS c{i}" for i, text in enumerate(row) if text.upper() != "NULL")
        by_name: Mapping[str, Any] = {}
        found: Mapping[str, DataType] = {}
        if items:
            plan = lsqlc.compile(f"SELECT {items} FROM one_row", dialect="sql", topics=[ONE_ROW], name="o")
            (record,) = lsqlc.evaluate(plan, [Record("one_row", 1, {"x": 1})])["o"]
            by_name = record.value
            outer = plan.outputs[0].value.type
            assert isinstance(outer, Struct)
            found = {f.name: f.type for f in outer.fields}
        values.append([by_name.get(f"c{i}") for i in range(len(row))])
        types.append([found.get(f"c{i}", NULL) for i in range(len(row))])
    met: list[DataType] = []
    for column in zip(*types, strict=True):
        type = reduce(lambda a, b: unify(a, b) or STRING, column)
        met.append(INT if type == NULL else type)
    topic = Topic(name, key="INT", value=", ".join(f"{c} {t}" for c, t in zip(columns, met, strict=True)))
    return topic, [Record(name, i, dict(zip(columns, row, strict=True))) for i, row in enumerate(values)]


# Why a function is not supported, by what its name matches, the first that does.
KINDS: tuple[tuple[str, str], ...] = (
    (r"rand|randn|random|randstr|uuid|uniform|shuffle|monotonically_increasing_id|spark_partition_id|input_file_.*",
     "not deterministic"),
    (r"now|curdate|localtime|localtimestamp|current_(date|time|timestamp)|unix_timestamp|rand.*", "the clock"),
    (r"current_.*|session_user|user|version|java_method|reflect|try_reflect|sql_keywords|collations|"
     r"python_worker_logs|assert_true|raise_error", "the session"),
    (r".*variant.*|(try_)?parse_json", "variant"),
    (r"xpath.*|.*_xml|xml.*|schema_of_xml", "xml"),
    (r"st_.*", "geography"),
    (r"hll_.*|kll_.*|theta_.*|tuple_.*|.*sketch.*|bitmap_.*|approx_top_k.*|histogram_numeric", "sketches"),
    (r"vector_.*", "vectors"),
    (r"(try_)?aes_.*", "ciphers"),
    (r".*_(csv|avro|protobuf)", "formats"),
    (r"time|time_.*|.*_time|make_time.*|(try_)?to_time|.*interval.*|.*_nanos|collat.*|.*_ntz|.*_ltz", "types"),
    (r"cume_dist|dense_rank|lag|lead|nth_value|ntile|percent_rank|rank|row_number|counter_diff", "windows of rows"),
    (r"cube|grouping|grouping_id|rollup|range|stack|inline.*|explode.*|posexplode.*|window.*|session_window|json_tuple",
     "forms of queries"),
)  # fmt: skip


def kind(function: str) -> str:
    return next((what for pattern, what in KINDS if re.fullmatch(pattern, function)), "not yet")


def summary(outcomes: Sequence[tuple[Example, str]]) -> list[str]:
    """A line for each function with an example that is not equal: how many are, of how many, and why others are not."""
    counts: dict[str, list[bool]] = {}
    for example, found in outcomes:
        counts.setdefault(example.function, []).append(found == "equal")
    return [
        f"{name}: {sum(equal)} of {len(equal)}, {kind(name)}"
        for name, equal in sorted(counts.items())
        if not all(equal)
    ]


LIST = Path(__file__).with_name("documented.txt")


def main() -> None:
    """Write the list again."""
    outcomes = [(each, outcome(each)) for each in examples(place())]
    LIST.write_text("\n".join(summary(outcomes)) + "\n")
    functions = {each.function for each, _ in outcomes}
    partly = len(LIST.read_text().splitlines())
    print(f"{sum(found == 'equal' for _, found in outcomes)} of {len(outcomes)} examples,", end=" ")
    print(f"{len(functions) - partly} of {len(functions)} functions")


if __name__ == "__main__":
    main()
