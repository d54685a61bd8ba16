"""The tables of TPC-H as topics, and a stream of changes of them.

`tpchgen-cli` generates the rows, of which a part is taken: all of the small tables, and some orders with their items.
Columns have the types of the benchmark, in as many digits as the values need.
"""

from __future__ import annotations

import csv
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lsqlc import Record, Topic

_INT, _TEXT, _DATE = "INT NOT NULL", "STRING NOT NULL", "DATE NOT NULL"
_MONEY, _PART, _COUNT = "DECIMAL(12,2) NOT NULL", "DECIMAL(4,2) NOT NULL", "DECIMAL(5,0) NOT NULL"
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "region": {"r_regionkey": _INT, "r_name": _TEXT},
    "nation": {"n_nationkey": _INT, "n_name": _TEXT, "n_regionkey": _INT},
    "supplier": {
        "s_suppkey": _INT, "s_name": _TEXT, "s_address": _TEXT, "s_nationkey": _INT, "s_phone": _TEXT,
        "s_acctbal": _MONEY, "s_comment": _TEXT,
    },
    "customer": {
        "c_custkey": _INT, "c_name": _TEXT, "c_address": _TEXT, "c_nationkey": _INT, "c_phone": _TEXT,
        "c_acctbal": _MONEY, "c_mktsegment": _TEXT, "c_comment": _TEXT,
    },
    "part": {
        "p_partkey": _INT, "p_name": _TEXT, "p_mfgr": _TEXT, "p_brand": _TEXT, "p_type": _TEXT, "p_size": _INT,
        "p_container": _TEXT,
    },
    "partsupp": {"ps_partkey": _INT, "ps_suppkey": _INT, "ps_availqty": _INT, "ps_supplycost": _MONEY},
    "orders": {
        "o_orderkey": _INT, "o_custkey": _INT, "o_orderstatus": _TEXT, "o_totalprice": _MONEY, "o_orderdate": _DATE,
        "o_orderpriority": _TEXT, "o_shippriority": _INT, "o_comment": _TEXT,
    },
    "lineitem": {
        "l_orderkey": _INT, "l_partkey": _INT, "l_suppkey": _INT, "l_linenumber": _INT, "l_quantity": _COUNT,
        "l_extendedprice": _MONEY, "l_discount": _PART, "l_tax": _PART, "l_returnflag": _TEXT, "l_linestatus": _TEXT,
        "l_shipdate": _DATE, "l_commitdate": _DATE, "l_receiptdate": _DATE, "l_shipmode": _TEXT,
    },
}  # fmt: skip
KEYS: Mapping[str, tuple[str, ...]] = {
    "partsupp": ("ps_partkey", "ps_suppkey"),
    "lineitem": ("l_orderkey", "l_linenumber"),
}
# What an update changes: a column that other tables are joined by, or that conditions are about, and its values.
_CHANGES: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "supplier": {"s_nationkey": range(25), "s_comment": ("slyly bold", "even deposits")},
    "customer": {"c_nationkey": range(25), "c_acctbal": ("-10.50", "7000.25"), "c_mktsegment": ("BUILDING",)},
    "part": {"p_brand": ("Brand#11", "Brand#53"), "p_size": range(1, 50), "p_name": ("green lace", "blue snow")},
    "partsupp": {"ps_supplycost": ("1.00", "999.99"), "ps_availqty": (10, 9000)},
    "orders": {
        "o_custkey": range(1, 151), "o_orderpriority": ("1-URGENT", "5-LOW"), "o_comment": ("special requests",),
    },
    "lineitem": {
        "l_suppkey": range(1, 11), "l_quantity": ("1", "50"), "l_returnflag": ("R", "N"), "l_shipmode": ("MAIL", "AIR"),
        "l_extendedprice": ("100.00", "90000.01"), "l_receiptdate": ("1995-01-05",),
    },
}  # fmt: skip


def topics() -> tuple[Topic, ...]:
    return tuple(Topic(name, key=_key(name), value=_ddl(columns)) for name, columns in COLUMNS.items())


def key_columns(table: str) -> tuple[str, ...]:
    return KEYS.get(table) or tuple(COLUMNS[table])[:1]


def _key(table: str) -> str:
    names = key_columns(table)
    return _ddl(dict.fromkeys(names, _INT)) if len(names) > 1 else "INT"


def _value(type: str, text: Any) -> Any:
    """A value of a column."""
    if type == _DATE:
        return date.fromisoformat(text)
    return int(text) if type == _INT else Decimal(text) if type in (_MONEY, _PART, _COUNT) else text


def _ddl(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {type}" for name, type in columns.items())


@cache
def rows(every: int) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The rows of each table; of the orders, and their items, one of `every` so many."""
    found = {}
    with TemporaryDirectory() as folder:
        command = str(Path(sys.executable).with_name("tpchgen-cli"))
        subprocess.run(
            [command, "csv", "--scale-factor", "0.001", "--output-dir", folder], check=True, capture_output=True
        )
        for table, columns in COLUMNS.items():
            with (Path(folder) / f"{table}.csv").open(newline="") as file:
                found[table] = [
                    {name: _value(type, row[name]) for name, type in columns.items()} for row in csv.DictReader(file)
                ]
    kept = {row["o_orderkey"] for row in found["orders"][::every]}
    found["orders"] = [row for row in found["orders"] if row["o_orderkey"] in kept]
    found["lineitem"] = [row for row in found["lineitem"] if row["l_orderkey"] in kept]
    return found


def stream(seed: int, every: int) -> list[Record]:
    """Inserts of rows (see `rows`), in an order by chance, among which some are updated, deleted and inserted again."""
    rand = random.Random(f"tpch {seed}")
    pending = [(table, row) for table, given in rows(every).items() for row in given]
    rand.shuffle(pending)
    made: list[tuple[str, Mapping[str, Any]]] = []
    found: list[Record] = []

    def put(table: str, row: Mapping[str, Any], *, live: bool) -> None:
        names = key_columns(table)
        key = {name: row[name] for name in names} if len(names) > 1 else row[names[0]]
        found.append(Record(table, key, dict(row) if live else None, len(found)))

    for table, row in pending:
        put(table, row, live=True)
        made.append((table, row))
        if rand.random() < 0.25:
            table, row = rand.choice(made)
            if table in _CHANGES and rand.random() < 0.7:
                column = rand.choice(list(_CHANGES[table]))
                row = {**row, column: _value(COLUMNS[table][column], rand.choice(_CHANGES[table][column]))}
            put(table, row, live=rand.random() < 0.7)
    return found
