"""A small project and twenty edits of it, one after the other, each with what `lsqlc diff` is to say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

FILES: Mapping[str, str] = {
    "lsqlc.yml": "name: shop\nvars: {least: 10}\n",
    "macros/prices.sql": "{% macro gross(x) %}{{ x }} * 2{% endmacro %}\n",
    "models/shop.yml": """
topics:
  - {name: orders, key: STRING, value: "item STRING, price INT, note STRING"}
  - {name: items, key: STRING, value: "label STRING, weight INT"}
models:
  - {name: dear, description: What is worth a look.}
""",
    "models/dear.sql": """SELECT STREAM item, price, {{ gross('price') }} AS gross
FROM orders
WHERE price > {{ var('least') }}
""",
    "models/sums.sql": "SELECT STREAM COUNT(*) AS n, SUM(gross) AS total\nFROM dear\nGROUP BY item\n",
    "models/latest.sql": "SELECT TABLE COUNT(*) AS n, SUM(price) AS spent\nFROM orders\nGROUP BY item\n",
    "models/labelled.sql": """WITH names AS (SELECT TABLE label FROM items);
SELECT STREAM d.item, d.gross, names.label AS label
FROM dear AS d INNER JOIN names ON d._key = names._key
""",
    "tests/cases.yml": """
cases:
  - name: three orders
    model: dear
    inputs:
      orders:
        - {key: a, value: {item: pen, price: 5}, timestamp: 1}
        - {key: b, value: {item: pen, price: 15}, timestamp: 2}
        - {key: a, value: {item: ink, price: 30}, timestamp: 3}
  - name: another order
    model: latest
    inputs:
      orders:
        - {key: a, value: {item: pen, price: 5}, timestamp: 1}
        - {key: b, value: {item: pen, price: 15}, timestamp: 2}
        - {key: a, value: {item: ink, price: 30}, timestamp: 3}
  - name: two sums
    model: sums
    inputs:
      dear:
        - {key: a, value: {item: pen, price: 20, gross: 40}, timestamp: 1}
        - {key: b, value: {item: pen, price: 30, gross: 60}, timestamp: 2}
        - {key: a, value: {item: ink, price: 40, gross: 90}, timestamp: 3}
  - name: two names
    model: labelled
    arrivals:
      - {topic: items, key: a, value: {label: first, weight: 1}, timestamp: 1}
      - {topic: dear, key: a, value: {item: pen, price: 20, gross: 40}, timestamp: 2}
      - {topic: dear, key: b, value: {item: pen, price: 30, gross: 60}, timestamp: 3}
""",
}


@dataclass(frozen=True, slots=True)
class Edit:
    """One commit. `edits`: in the file at a path, a text and what stands for it then; None: the whole file, or none.

    `expected`: of each model that `lsqlc diff` names a line with the status where it is no edit, the category, the
    state, the columns and topics that changed, the columns downstream and the rows that differ.
    """

    name: str
    edits: tuple[tuple[str, str | None, str | None], ...]
    expected: Mapping[str, str] = field(default_factory=dict)

    def apply(self, root: Path) -> None:
        for path, old, new in self.edits:
            file = root / path
            if new is None:
                file.unlink()
            elif old is None:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(new, "utf-8")
            else:
                text = file.read_text("utf-8")
                assert old in text, (self.name, path, old)
                file.write_text(text.replace(old, new), "utf-8")


HISTORY: tuple[Edit, ...] = (
    Edit(
        "indent",
        (("models/dear.sql", "FROM orders", "    -- all of them\n    FROM orders"),),
        {
            "dear": "cosmetic; continues",
        },
    ),
    Edit(
        "describe",
        (("models/shop.yml", "What is worth a look.", "What costs more than a little."),),
        {
            "dear": "cosmetic; continues",
        },
    ),
    Edit(
        "alias",
        (("models/labelled.sql", "names", "known"),),
        {
            "labelled": "cosmetic; continues",
        },
    ),
    Edit(
        "limit",
        (("lsqlc.yml", "least: 10", "least: 20"),),
        {
            "dear": "compatible; keeps; columns -; records dear; "
            "below labelled._key,gross,item,label sums._key,n,total; rows dear -1, sums -1",
        },
    ),
    Edit(
        "macro",
        (("macros/prices.sql", "* 2", "* 3"),),
        {
            "dear": "compatible; keeps; columns dear.gross; below labelled.gross sums.total; rows dear ~1, sums ~1",
        },
    ),
    Edit(
        "add a column",
        (("models/dear.sql", "item, price,", "item, price, note,"),),
        {
            "dear": "compatible; keeps; columns dear.note; rows dear ~1",
            "labelled": "cosmetic; continues; columns -; 1 cases alike",
            "sums": "cosmetic; continues; columns -; 1 cases alike",
        },
    ),
    Edit(
        "another aggregate",
        (("models/sums.sql", "SUM(gross)", "AVG(gross)"),),
        {
            "sums": "breaking; unreadable; columns sums.total; rows sums ~1",
        },
    ),
    Edit(
        "add a model",
        (("models/pens.sql", None, "SELECT STREAM price FROM dear WHERE item = 'pen'\n"),),
        {
            "pens": "added; additive; new",
        },
    ),
    Edit(
        "a filter that changes no case",
        (("models/latest.sql", "GROUP BY", "WHERE price < 1000\nGROUP BY"),),
        {
            "latest": "compatible; replay; columns -; records latest; 1 cases alike",
        },
    ),
    Edit(
        "a column that nobody reads",
        (("models/shop.yml", "weight INT", "weight INT, size INT"),),
        {
            "labelled": "cosmetic; continues; columns -; 1 cases alike",
        },
    ),
    Edit(
        "another group",
        (("models/latest.sql", "GROUP BY item", "GROUP BY note"),),
        {
            "latest": "compatible; replay; columns latest._key; records latest; rows latest -2",
        },
    ),
    Edit(
        "a left join",
        (("models/labelled.sql", "INNER JOIN", "LEFT JOIN"),),
        {
            "labelled": "compatible; replay; columns -; records labelled; rows labelled +1",
        },
    ),
    Edit(
        "rename a column",
        (
            ("models/dear.sql", "AS gross", "AS amount"),
            ("models/sums.sql", "gross", "amount"),
            ("models/labelled.sql", "d.gross", "d.amount AS gross"),
            ("tests/cases.yml", "gross:", "amount:"),
        ),
        {
            "dear": "breaking; unreadable; columns dear.gross dear.amount; "
            "below labelled.gross sums.total; rows dear ~1",
            "labelled": "compatible; replay; columns labelled.gross; 1 cases alike",
            "pens": "cosmetic; unknown; columns -; 0 cases alike",
            "sums": "compatible; replay; columns sums.total; 1 cases alike",
        },
    ),
    Edit(
        "a tag",
        (("models/shop.yml", "models:\n", "models:\n  - {name: sums, tags: [hourly]}\n"),),
        {
            "sums": "cosmetic; continues",
        },
    ),
    Edit(
        "another order of columns",
        (("models/dear.sql", "item, price, note,", "price, item, note,"),),
        {
            "dear": "compatible; keeps; columns -; 1 cases alike",
            "labelled": "cosmetic; continues; columns -; 1 cases alike",
            "pens": "compatible; keeps; columns -; 0 cases alike",
            "sums": "cosmetic; continues; columns -; 1 cases alike",
        },
    ),
    Edit(
        "a wider type",
        (("models/sums.sql", "COUNT(*) AS n", "CAST(COUNT(*) AS DOUBLE) AS n"),),
        {
            "sums": "breaking; unreadable; columns sums.n; 1 cases alike",
        },
    ),
    Edit(
        "another key",
        (("models/dear.sql", "SELECT STREAM", "SELECT STREAM item AS _key,"),),
        {
            "dear": "compatible; keeps; columns dear._key; "
            "below labelled._key,gross,item,label pens._key; rows dear ~1",
        },
    ),
    Edit(
        "a table for a stream",
        (("models/sums.sql", "STREAM", "TABLE"),),
        {
            "sums": "compatible; replay; columns -; records sums; rows sums ~1",
        },
    ),
    Edit(
        "partitions",
        (("models/sums.sql", "SELECT", "SET defaults.topic.partitions = 3;\nSELECT"),),
        {
            "sums": "compatible; continues; columns -; 1 cases alike",
        },
    ),
    Edit(
        "remove a model",
        (("models/pens.sql", None, None),),
        {
            "pens": "removed; breaking; gone; columns pens._key pens.price",
        },
    ),
)
