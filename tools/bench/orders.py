"""Orders and their customers, of any number: the topics that the queries are measured over, the same for the same
numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from lsqlc.connectors.folders.log import FileLog
from lsqlc.types.data import STRING
from lsqlc.types.ddl import parse_type
from lsqlc.types.record import Facet, Record, Topic

_KEY = Facet(STRING, "string")
ORDERS = Topic("orders", _KEY, Facet(parse_type("STRUCT<country: STRING, item: STRING, amount: INT>"), "json"))
CUSTOMERS = Topic("customers", _KEY, Facet(parse_type("STRUCT<name: STRING, tier: STRING>"), "json"))
ACCOUNTS = Topic("accounts", _KEY, Facet(parse_type("STRUCT<points: INT, country: STRING>"), "json"))
TOPICS = {topic.name: topic for topic in (ORDERS, CUSTOMERS, ACCOUNTS)}

TIERS = ("gold", "silver", "bronze")
_COUNTRIES = 105
# Between two orders, in milliseconds: 2,000,000 of them are an hour and a half.
_STEP = 3


@dataclass(frozen=True, slots=True)
class Size:
    """Orders, updates of customers and of accounts each, customers; files of each topic."""

    orders: int
    updates: int
    customers: int
    segments: int


def written(folder: Path, size: Size) -> FileLog:
    """The topics in that folder, made if they are not there: orders by customer, and the tables as they change.

    A file of updates of each table comes before each file of orders.
    """
    log = FileLog(folder)
    if log.names():
        return log
    random = Random(1)
    for part in range(size.segments):
        updates, ordered = size.updates // size.segments, size.orders // size.segments
        first = part * ordered
        log.append(CUSTOMERS, _customers(random, updates, size.customers, first))
        log.append(ACCOUNTS, _accounts(random, updates, size.customers, first))
        log.append(ORDERS, orders(random, ordered, size.customers, first))
    return log


def _customers(random: Random, count: int, customers: int, first: int) -> Iterator[Record]:
    for number in range(count):
        customer = random.randrange(customers)
        # One in fifty leaves.
        value = None if random.random() < 0.02 else {"name": f"customer {customer}", "tier": random.choice(TIERS)}
        yield Record("customers", f"c{customer}", value, (first + number) * _STEP)


def _accounts(random: Random, count: int, customers: int, first: int) -> Iterator[Record]:
    for number in range(count):
        value = {"points": random.randrange(1_000), "country": f"country {random.randrange(_COUNTRIES)}"}
        yield Record("accounts", f"c{random.randrange(customers)}", value, (first + number) * _STEP)


def orders(random: Random, count: int, customers: int, first: int) -> Iterator[Record]:
    """So many orders, the first of them with that number."""
    for number in range(count):
        value = {
            "country": f"country {random.randrange(_COUNTRIES)}",
            "item": f"item {random.randrange(5_000)}",
            "amount": random.randrange(1_000),
        }
        yield Record("orders", f"c{random.randrange(customers)}", value, (first + number) * _STEP)
