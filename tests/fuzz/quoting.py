"""Texts of programs that would be SQL of an engine outside of quotes, and where they stand in the SQL of a plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lsqlc.lower import spark
from lsqlc.plan import Plan
from lsqlc.sql.engines import Engine
from tests.snapshots import statements_of

# A word that no statement has. A text ends a literal, a name, an escape or a parenthesis before it.
WORD = "zqcanary"
TEXTS = (
    f"') {WORD} ('", f"\\') {WORD} (\\'", f'") {WORD} ("', f"`) {WORD} (`", f"{WORD}", f"ASC) {WORD}",
    f"{{0}} {WORD} {{now}} {{x}}", f"$1 {WORD}", f"\n-- {WORD}\n", f"*/ {WORD} /*", f"$$ {WORD} $$",
)  # fmt: skip
NAMES = (
    f"') {WORD} ('", f'") {WORD} ("', f"``) {WORD} (``", f"\\{WORD}", f"{{0}}{WORD}{{now}}",
    f"\n-- {WORD}\n", f"*/{WORD}", f"\r{WORD}", f"\u2028{WORD}", f"{WORD}\\", f"\n{WORD}\n",
)  # fmt: skip

# A literal, a name or a comment of each engine. In a text of Spark, and in one of DuckDB with an E before it, a
# backslash escapes; behind a backslash, a comment of Spark goes on in the next line.
_QUOTED: Mapping[Engine, re.Pattern[str]] = {
    "duckdb": re.compile(r"""\bE'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\r\n]*""", re.DOTALL),
    "spark": re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`|--(?:\\\n|[^\r\n])*""", re.DOTALL),
}


def unquoted(engine: Engine, sql: str) -> str:
    """The text of a statement without what stands in quotes.

    >>> unquoted("duckdb", "SELECT 'it''s' AS \\"a\\", E'\\\\'' || b")
    'SELECT  AS ,  || b'
    >>> unquoted("spark", "SELECT 'it\\\\'s' AS `a`")
    'SELECT  AS '
    """
    return _QUOTED[engine].sub("", sql)


def escaped(plan: Plan, *, everywhere: bool = False) -> Iterator[str]:
    """Each statement of a plan, on either engine, in which the word stands outside of quotes. `everywhere`: also in
    runs of cases, on servers of all versions, and over Kafka.
    """
    for engine in ("duckdb", "spark"):
        if engine == "spark" and spark.unsupported(plan):
            continue
        for sql in statements_of(engine, plan, everywhere):
            if WORD in unquoted(engine, sql):
                yield f"{engine}: {sql}"
