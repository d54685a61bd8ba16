"""A project of any size in standard SQL: families of ten models over three topics, half of which read another model."""

from __future__ import annotations

from pathlib import Path

FAMILY = 10

_TOPICS = """\
topics:
  - name: orders_{n}
    description: Orders of shop {n} as they are now, by number.
    key: BIGINT
    value: >-
      id BIGINT NOT NULL, customer STRING NOT NULL, amount DOUBLE, status STRING, placed TIMESTAMP, tags STRING
  - name: customers_{n}
    description: The customers of shop {n}, by name.
    key: STRING
    value: name STRING NOT NULL, tier STRING, country STRING, credit DOUBLE
  - name: returns_{n}
    description: Orders of shop {n} that came back.
    key: BIGINT
    value: id BIGINT NOT NULL, amount DOUBLE, reason STRING
"""

_MODELS = {
    "large_orders": """SELECT id, customer, UPPER(status) AS status, amount, amount * 1.2e0 AS gross, placed
FROM STREAM(orders_{n})
WHERE amount > {limit} AND status <> 'void' AND customer IS NOT NULL
""",
    "classed_orders": """-- The classes are those of the price list.
CREATE STREAMING TABLE classed_orders_{n} AS
SELECT id, CONCAT(customer, '-', CAST(id AS STRING)) AS label,
  CASE WHEN gross >= 1000 THEN 'large' WHEN gross >= {limit} THEN 'medium' ELSE 'small' END AS class,
  gross - amount AS tax, DATE_FORMAT(placed, 'yyyy-MM-dd') AS day
FROM STREAM({{{{ ref('large_orders_{n}') }}}})
""",
    "orders_by_hour": """SELECT status, window.start AS hour,
  COUNT(*) AS orders, SUM(amount) AS total, AVG(amount) AS mean
FROM STREAM({{{{ ref('large_orders_{n}') }}}})
WHERE status IS NOT NULL
GROUP BY status, window(placed, '1 hour')
""",
    "orders_with_customers": """SELECT o.id, o.amount, o.status,
  c.name, c.tier, COALESCE(c.country, 'unknown') AS country
FROM orders_{n} AS o LEFT JOIN customers_{n} AS c ON o.customer = c.name
WHERE o.amount > 0 OR o.status IN ('paid', 'sent')
""",
    "totals": """CREATE MATERIALIZED VIEW totals_{n} AS
SELECT customer, COUNT(*) AS orders, SUM(amount) AS amount, MAX(placed) AS last_placed
FROM orders_{n}
WHERE status = 'paid'
GROUP BY customer
HAVING COUNT(*) > 0
""",
    "customers_and_totals": """SELECT c.name, c.tier, t.orders, t.amount / t.orders AS mean
FROM customers_{n} AS c JOIN {{{{ ref('totals_{n}') }}}} AS t ON c._key = t._key
""",
    "best_customers": """SELECT customer, amount
FROM {{{{ ref('totals_{n}') }}}}
WHERE amount > (SELECT AVG(amount) FROM {{{{ ref('totals_{n}') }}}})
""",
    "last_orders": """SELECT id, customer, amount, placed
FROM orders_{n}
QUALIFY ROW_NUMBER() OVER (PARTITION BY customer ORDER BY placed DESC, id) <= 3
""",
    "balance": """WITH changes AS (
  SELECT status AS what, amount FROM orders_{n}
  UNION ALL
  SELECT reason, -amount FROM returns_{n}
)
SELECT what, SUM(amount) AS amount FROM changes WHERE what IS NOT NULL GROUP BY what
""",
    "tags": """SELECT tag, COUNT(*) AS orders
FROM orders_{n}
LATERAL VIEW explode(SPLIT(tags, ',')) AS tag
WHERE tag IS NOT NULL AND id NOT IN (SELECT id FROM returns_{n})
GROUP BY tag
""",
}


def write_sql_project(root: Path, models: int) -> None:
    """Write a project into a folder that is empty or absent."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "lsqlc.yml").write_text("name: generated\ndialect: sql\n", "utf-8")
    for n in range(-(-models // FAMILY)):
        folder = root / "models" / f"shop_{n:04d}"
        folder.mkdir(parents=True)
        (folder / "shop.yml").write_text(_TOPICS.format(n=n), "utf-8")
        for name, text in list(_MODELS.items())[: models - n * FAMILY]:
            (folder / f"{name}_{n}.sql").write_text(text.format(n=n, limit=10 + n % 90), "utf-8")
