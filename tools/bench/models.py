"""A project of any size to compile and to test: the same bytes for the same numbers.

Models come in families of ten over three topics of their own: filters, projections with nested names, a rekey,
aggregations of STREAM and TABLE, joins, WITH statements; half of them read another model through `ref()`. Each family
has a YAML file with the topics and a description of each model, and each model can have golden cases.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FAMILY = 10

_PROJECT = """\
name: generated
case-paths: [tests]
vars:
  long_visit: 30
"""

_TOPICS = """\
topics:
  - name: orders_{n}
    description: Orders of shop {n} as they are placed, by number.
    key: STRING
    value: >-
      id BIGINT, customer STRING, amount DOUBLE, status STRING, placed TIMESTAMP,
      address STRUCT<city: STRING, country: STRING>
  - name: customers_{n}
    description: The customers of shop {n}, by number; a customer who leaves is deleted.
    key: STRING
    value: name STRING, tier STRING, country STRING, credit DOUBLE
  - name: clicks_{n}
    description: Pages seen in shop {n}, by visitor.
    key: STRING
    value: page STRING, seconds INT, country STRING

models:
"""

_MODEL = """\
  - name: {name}
    description: {description}
    tags: [shop, generated]
"""


@dataclass(frozen=True, slots=True)
class _Kind:
    """One model of a family. `reads`: its topics, with the fields of a sample value each."""

    name: str
    description: str
    sql: str
    reads: Mapping[str, Mapping[str, Any]]


_ORDER = {"id": 1, "customer": "c1", "amount": 120.5, "status": "paid", "address": {"city": "Rome", "country": "it"}}
_CUSTOMER = {"name": "Ada", "tier": "gold", "country": "it", "credit": 20.0}
_CLICK = {"page": "/home", "seconds": 45, "country": "it"}
_LARGE = {"id": 1, "customer": "c1", "status": "PAID", "city": "Rome", "amount": 120.5, "gross": 144.6}

_KINDS = (
    _Kind(
        "large_orders_{n}",
        "Orders above a limit, with their gross amount.",
        """SELECT STREAM id, customer, UPPER(status) AS status, address.city, amount, amount * 1.2 AS gross
FROM orders_{n}
WHERE amount > {limit} AND status <> 'void' AND address.country IS NOT NULL
""",
        {"orders_{n}": _ORDER},
    ),
    _Kind(
        "priced_orders_{n}",
        "Large orders with their price class and a label.",
        """-- The classes are those of the price list.
SELECT STREAM
    id
  , CONCAT(customer, '-', CAST(id AS STRING)) AS label.text
  , CASE
        WHEN gross >= 1000 THEN 'large'
        WHEN gross >= {limit} THEN 'medium'
        ELSE 'small'
    END AS label.class
  , COALESCE(city, 'unknown') AS city
  , gross - amount AS tax
  , status
FROM {{{{ ref('large_orders_{n}') }}}}
WHERE LENGTH(city) > 1 OR status = 'PAID'
""",
        {"large_orders_{n}": _LARGE},
    ),
    _Kind(
        "orders_by_status_{n}",
        "Orders and their tax by status and city.",
        """SELECT STREAM COUNT(*) AS orders, SUM(tax) AS tax, AVG(tax) AS mean_tax
FROM {{{{ ref('priced_orders_{n}') }}}}
WHERE tax > 0
GROUP BY status, city
""",
        {"priced_orders_{n}": {"id": 1, "label": {"text": "c1-1", "class": "small"}, "city": "Rome", "tax": 24.1,
                               "status": "PAID"}},
    ),
    _Kind(
        "orders_by_customer_{n}",
        "Large orders under the key of their customer.",
        """SELECT STREAM customer AS _key, id, gross, LOWER(status) AS status, _key AS number
FROM {{{{ ref('large_orders_{n}') }}}}
""",
        {"large_orders_{n}": _LARGE},
    ),
    _Kind(
        "orders_with_customers_{n}",
        "Orders with what is known of the customer.",
        """WITH known AS (
    SELECT TABLE name, tier, credit FROM customers_{n} WHERE tier <> 'closed'
);

SELECT STREAM o.id, o.gross, known.name AS customer.name, known.tier AS customer.tier, known.credit - o.gross AS rest
FROM {{{{ ref('orders_by_customer_{n}') }}}} AS o
    LEFT JOIN known ON o._key = known._key
""",
        {"customers_{n}": _CUSTOMER, "orders_by_customer_{n}": {"id": 1, "gross": 144.6, "status": "paid",
                                                                "number": "k1"}},
    ),
    _Kind(
        "customers_by_country_{n}",
        "How many customers there are in each country, and their credit.",
        """SELECT TABLE COUNT(*) AS customers, SUM(credit) AS credit
FROM customers_{n}
WHERE tier = 'gold' OR credit > {limit}
GROUP BY country
""",
        {"customers_{n}": _CUSTOMER},
    ),
    _Kind(
        "tiers_{n}",
        "Name and tier of each customer.",
        """SELECT TABLE TRIM(name) AS name, UPPER(tier) AS tier, credit >= {limit} AS wealthy
FROM customers_{n}
WHERE country IN ('it', 'es', 'fr')
""",
        {"customers_{n}": _CUSTOMER},
    ),
    _Kind(
        "totals_{n}",
        "What each customer has bought so far.",
        """SELECT STREAM COUNT(*) AS orders, SUM(amount) AS amount, AVG(amount) AS mean
FROM orders_{n}
WHERE status = 'paid'
GROUP BY customer
HAVING COUNT(*) > 0
""",
        {"orders_{n}": _ORDER},
    ),
    _Kind(
        "customers_and_totals_{n}",
        "Customers beside what they have bought.",
        """SELECT TABLE t.name, t.tier, o.orders, o.amount / o.orders AS mean
FROM {{{{ ref('tiers_{n}') }}}} AS t
    INNER JOIN {{{{ ref('totals_{n}') }}}} AS o
""",
        {"tiers_{n}": {"name": "Ada", "tier": "GOLD", "wealthy": False},
         "totals_{n}": {"orders": 2, "amount": 200.5, "mean": 100.25}},
    ),
    _Kind(
        "long_visits_{n}",
        "Long visits by country.",
        """WITH long AS (
    SELECT STREAM page, seconds, country FROM clicks_{n} WHERE seconds > {{{{ var('long_visit') }}}}
);

WITH pages AS (
    SELECT STREAM CONCAT(country, page) AS page, seconds % 60 AS seconds, seconds / 60 AS minutes, country FROM long
);

INSERT INTO visits-{n}
SELECT STREAM country AS _key, page, seconds AS time.seconds, minutes AS time.minutes FROM pages WHERE page LIKE '%/%'
""",
        {"clicks_{n}": _CLICK},
    ),
)  # fmt: skip


def write_project(root: Path, models: int, *, cases: int = 0) -> None:
    """Write a project into a folder that is empty or absent. `models`: how many; `cases`: golden cases of each."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "lsqlc.yml").write_text(_PROJECT, "utf-8")
    for n in range(-(-models // FAMILY)):
        kinds = _KINDS[: models - n * FAMILY]
        folder = root / "models" / f"shop_{n:04d}"
        folder.mkdir(parents=True)
        described = [
            f"  - name: {k.name}\n    description: {k.description}\n    tags: [shop, generated]\n" for k in kinds
        ]
        (folder / "shop.yml").write_text((_TOPICS + "".join(described)).format(n=n), "utf-8")
        for kind in kinds:
            (folder / f"{kind.name.format(n=n)}.sql").write_text(kind.sql.format(n=n, limit=10 + n % 90), "utf-8")
        if cases:
            _write_cases(root / "tests" / f"shop_{n:04d}.yml", kinds, n, cases)


def _write_cases(path: Path, kinds: tuple[_Kind, ...], n: int, count: int) -> None:
    path.parent.mkdir(exist_ok=True)
    lines = ["cases:"]
    for kind in kinds:
        for number in range(count):
            lines += [f"  - name: case {number}", f"    model: {kind.name.format(n=n)}", "    inputs:"]
            for topic, value in kind.reads.items():
                lines.append(f"      {topic.format(n=n)}:")
                # Three records over two keys, so that a row of a table is replaced.
                lines += [f"        - {_record(f'k{i % 2}', value, number + i)}" for i in range(3)]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _record(key: str, value: Mapping[str, Any], step: int) -> str:
    """A record as YAML in one line, which is JSON. Numbers that are no identity move with `step`."""
    moved = {name: v + step if isinstance(v, float) else v for name, v in value.items()}
    return json.dumps({"key": key, "value": moved})
