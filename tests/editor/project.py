"""A small shop as files, and a place in one of them: the text around `¦` is what is typed, the mark is the cursor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lsqlc.editor.snapshot import Snapshot, Surroundings, take

MARK = "¦"
OUTSIDE = Surroundings("test")

FILES: Mapping[str, str] = {
    "lsqlc.yml": "name: shop\nvars:\n  least: 10\n",
    "models/topics.yml": """\
topics:
  - name: orders
    key: INT
    value: >-
      id INT NOT NULL, item STRING, price DOUBLE, lines ARRAY<STRUCT<sku: STRING, n: INT>>, ship STRUCT<city: STRING>
    partitions: 6
    description: What was ordered.
    tags: [sales]
  - name: customer-events
    key: "id INT, region STRING"
    value: "name STRING, age INT"
sources:
  - name: crm
    topics:
      - {name: tickets, key: STRING, value: "customer INT, text STRING"}
models:
  - name: large
    description: Orders that cost a lot.
    owner: the sales team
""",
    "models/large.sql": """\
WITH priced AS (
    SELECT STREAM item, price * 2 AS doubled, _key AS _key
    FROM orders
    WHERE price > 100
);

INSERT INTO large-orders
SELECT STREAM item, doubled
FROM priced;
""",
    "models/per_item.sql": """\
INSERT INTO per-item
SELECT STREAM COUNT(*) AS n, MAXK(doubled, 1) AS most
FROM large-orders
GROUP BY item;
""",
    "models/templated.sql": """\
{% set least = var('least') %}
INSERT INTO templated
SELECT STREAM item AS thing
FROM {{ ref('large') }}
WHERE doubled > {{ least }};
""",
    "macros/money.sql": "{% macro twice(column) %}{{ column }} * 2{% endmacro %}\n",
    "tests/large.yml": """\
cases:
  - name: one
    model: large
    inputs:
      orders:
        - {key: 1, value: {id: 1, item: desk, price: 200}}
""",
}


def write(root: Path, files: Mapping[str, str] = FILES) -> Path:
    """The files below a folder, which is given back."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", newline="")
    return root


def typed(root: Path, path: str, marked: str) -> tuple[Snapshot, str, int]:
    """The project with a text typed into a file, the file, and where the mark is."""
    assert marked.count(MARK) == 1
    return take(root, {path: marked.replace(MARK, "")}, OUTSIDE), path, marked.index(MARK)


def in_file(root: Path, path: str, before: str, after: str) -> tuple[Snapshot, str, int]:
    """The same for a file as it is: the place between two neighbouring words."""
    text = (root / path).read_text("utf-8")
    assert text.count(before + after) == 1, (path, before + after)
    return typed(root, path, text.replace(before + after, before + MARK + after))
