"""What the tests of ksqlDB's dialect share: sources, and a program compiled and run."""

from __future__ import annotations

import lsqlc
from lsqlc import CompileError, Record

ORDERS = """CREATE STREAM orders (id INT KEY, item STRING, amount INT, tags ARRAY<STRING>)
  WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON');
"""
PAYMENTS = """CREATE STREAM payments (id INT KEY, paid INT) WITH (KAFKA_TOPIC = 'payments', VALUE_FORMAT = 'JSON');
"""
USERS = """CREATE TABLE users (id INT PRIMARY KEY, city STRING, boss INT)
  WITH (KAFKA_TOPIC = 'users', VALUE_FORMAT = 'JSON');
"""
CITIES = """CREATE TABLE cities (name STRING PRIMARY KEY, size INT)
  WITH (KAFKA_TOPIC = 'cities', VALUE_FORMAT = 'JSON');
"""
SOURCES = ORDERS + PAYMENTS + USERS + CITIES


def rows(statements: str, *records: Record, topic: str = "O") -> list[tuple[object, object]]:
    """Key and value of what a program over the sources writes to a topic."""
    out = lsqlc.evaluate(lsqlc.compile(SOURCES + statements, dialect="ksql"), records)
    return [(r.key, r.value) for r in out[topic]]


def codes(statements: str) -> list[str]:
    """The codes of the errors in a program over the sources."""
    try:
        lsqlc.compile(SOURCES + statements, dialect="ksql")
    except CompileError as refused:
        return [d.code for d in refused.diagnostics if d.is_error]
    return []


def order(id: int | None, item: str | None = None, amount: int | None = None, at: int = 0) -> Record:
    return Record("orders", id, {"ITEM": item, "AMOUNT": amount, "TAGS": None}, at)


def payment(id: int, paid: int, at: int = 0) -> Record:
    return Record("payments", id, {"PAID": paid}, at)


def user(id: int, city: str | None, boss: int | None = None, at: int = 0) -> Record:
    return Record("users", id, {"CITY": city, "BOSS": boss}, at)
