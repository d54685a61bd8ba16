"""The generated parts of the documentation: `python -m tests.docs.generate` writes them again.

In docs/reference: lenses-functions.md comes from the catalogue of functions, json.md from the table of JSON texts that
the tests read; commands.md from what the command line declares; the table of lenses.md from the programs below, each
compiled and lowered: what Spark does with it is what the lowering says.
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from lsqlc.functions.catalogue import refusals
from lsqlc.functions.matrix import matrix
from lsqlc.lower.spark import lower, unsupported
from tests.docs.blocks import DOCS, compiled, page
from tests.docs.commands import commands_page
from tests.functions.test_engines import counts

REFERENCE = DOCS / "reference"
FUNCTIONS, LANGUAGE, JSON = REFERENCE / "lenses-functions.md", REFERENCE / "lenses.md", REFERENCE / "json.md"
COMMANDS = REFERENCE / "commands.md"
TEXTS = DOCS.parent / "tests" / "bytes" / "json.yml"

_MARKS = re.compile(r"(<!-- generated: [^>]*-->\n).*?(<!-- end -->)", re.DOTALL)

_HEAD = """\
# Functions of the Lenses language

Generated from the catalogue by `python -m tests.docs.generate`. Names are matched in any letter case; `also` has other
names of the same function, brackets what may be left out. Both engines compute every function: Spark by operators of
its own, DuckDB by SQL or by a Python function that is registered in it. `rows` says on how many rows of arguments the
tests compare the two. An operation that fails on a value gives null.

The pattern of a date is a literal over Java's letters `G y u M d H h m s S a X Z`, and `Q D E` to write one, with text
in single quotes; `[.SSS]` need not be in a text that is read. A regular
expression is a literal that Java and Python read alike (LSQ217). Dates and times are in UTC and in English. What cannot
be the same on both engines is refused by name (LSQ207).

"""

_TAIL = """
Aggregates that Spark cannot run yet are in the table at the end of [Engines](lenses.md#engines).
"""

_REFUSED = """
## Refused

"""

_ORDER = "WITH o AS (SELECT STREAM * FROM orders); "
_CUSTOMER = "WITH c AS (SELECT TABLE * FROM customers); "

# What the table shows, in order: words for people, and a program over the topics of docs/reference/lenses.md.
SUPPORT = (
    ("STREAM: filters, projections, new keys", "SELECT STREAM item AS _key, price FROM orders WHERE price > 1"),
    ("STREAM: LATERAL", "SELECT STREAM reading FROM readings LATERAL hourly AS reading"),
    ("TABLE: filters, projections", "SELECT TABLE item FROM orders WHERE price > 1"),
    ("TABLE: a new key", "SELECT TABLE id AS _key, name FROM customers"),
    ("STREAM: aggregation", "SELECT STREAM SUM(price) AS n FROM orders GROUP BY item"),
    ("STREAM: aggregation in TUMBLE and HOP windows",
     "SELECT STREAM COUNT(*) AS n FROM orders WINDOW BY HOP 10s, 5s GROUP BY item"),
    ("STREAM: aggregation in SESSION windows",
     "SELECT STREAM COUNT(*) AS n FROM orders WINDOW BY SESSION 5m GROUP BY item"),
    ("TABLE: aggregation", "SELECT TABLE SUM(price) AS n FROM orders GROUP BY item"),
    ("STREAM with STREAM", "SELECT STREAM item FROM orders JOIN payments ON orders._key = payments.order_id WITHIN 1h"),
    ("STREAM with TABLE on the table's key, INNER",
     _ORDER + _CUSTOMER + "SELECT STREAM item FROM o JOIN c ON o.customer_id = c._key"),
    ("STREAM with TABLE on the table's key, LEFT and RIGHT",
     _ORDER + _CUSTOMER + "SELECT STREAM item FROM o LEFT JOIN c ON o.customer_id = c._key"),
    ("TABLE with TABLE on their keys", "SELECT TABLE item, name FROM orders LEFT JOIN customers"),
    ("STREAM with TABLE on something else, INNER",
     _ORDER + _CUSTOMER + "SELECT STREAM item FROM o JOIN c ON o.customer_id = c.id"),
    ("STREAM with TABLE on something else, LEFT and RIGHT",
     _ORDER + _CUSTOMER + "SELECT STREAM item FROM o LEFT JOIN c ON o.customer_id = c.id"),
    ("TABLE with TABLE on something else",
     "SELECT TABLE item, customers.name FROM orders JOIN customers ON orders.customer_id = customers.id"),
    ("OUTER join of two TABLEs with a condition in ON",
     "SELECT TABLE item, name FROM orders OUTER JOIN customers "
     "ON orders._key = customers._key AND orders.price > 1"),
    ("TABLE: LATERAL", "SELECT TABLE reading AS _key, meter FROM readings LATERAL hourly AS reading"),
    ("COLLECT on a TABLE", "SELECT TABLE COLLECT(item, 3) AS items FROM orders GROUP BY customer_id"),
    ("COLLECT_UNIQUE, MAXK_UNIQUE, MINK_UNIQUE",
     "SELECT STREAM COLLECT_UNIQUE(item, 3) AS items FROM orders GROUP BY customer_id"),
    ("COLLECT and COLLECT_UNIQUE of a MAP", "SELECT STREAM COLLECT_UNIQUE(tags, 3) AS found FROM tagged GROUP BY name"),
)  # fmt: skip


def functions_page() -> str:
    """docs/reference/lenses-functions.md."""
    refused = "".join(f"- `{name}`: {why}\n" for name, why in refusals())
    return _HEAD + matrix(rows=counts()).rstrip("\n") + "\n" + _TAIL + _REFUSED + refused


def support_table(language: str) -> str:
    """The table of engines, from the text of docs/reference/lenses.md, which has the topics."""
    topics = page(language).topics
    rows = ["| construct | DuckDB | Spark |", "| --- | --- | --- |"]
    for words, program in SUPPORT:
        plan, found = compiled(program, topics)
        assert plan is not None, (words, found)
        reasons = unsupported(plan)
        if reasons:
            spark = "not yet: " + "; ".join(dict.fromkeys(note for d in reasons for note in d.notes))
        else:
            spark = "; ".join(s.partition(": ")[2] or s for s in lower(plan).strategy) or "native, without state"
        rows.append(f"| {words} | yes | {spark} |")
    return "\n".join(rows) + "\n"


def language_page(text: str) -> str:
    """docs/reference/lenses.md with its generated part again."""
    table = support_table(text)
    assert len(_MARKS.findall(text)) == 1
    return _MARKS.sub(lambda m: f"{m[1]}\n{table}\n{m[2]}", text)


def json_page(text: str) -> str:
    """docs/reference/json.md with its generated part again."""
    parts = []
    for type, rows in yaml.safe_load(TEXTS.read_text("utf-8")).items():
        parts += [f"## {type}\n", "| JSON | value | in a topic of ksqlDB, if it differs |", "| --- | --- | --- |"]
        for cells in rows:
            words = ["bad record" if cell == "bad" else f"`{cell}`".replace("|", "\\|") for cell in cells]
            parts.append(f"| {' | '.join([*words, ''][:3])} |")
        parts.append("")
    table = "\n".join(parts)
    return _MARKS.sub(lambda m: f"{m[1]}\n{table}\n{m[2]}", text)


def generated(path: Path) -> str:
    """What a page with generated parts should be."""
    if path == COMMANDS:
        return commands_page()
    if path == JSON:
        return json_page(path.read_text("utf-8"))
    return functions_page() if path == FUNCTIONS else language_page(path.read_text("utf-8"))


if __name__ == "__main__":
    for each in (FUNCTIONS, LANGUAGE, JSON, COMMANDS):
        each.write_text(generated(each), "utf-8")
