"""What cases assert of the state on Spark: what is behind the watermark is removed, and what is not stays."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import Diagnostic
from lsqlc.golden.cases import load_cases
from lsqlc.golden.run import GoldenRun, Goldens, Options, run
from lsqlc.lower import duckdb
from lsqlc.plan import Plan
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.remote.cases.outcomes import evaluate
from lsqlc.syntax.lenses.parser import parse

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TOPICS = """
topics:
  - {name: orders, key: STRING, value: "id INT, item STRING"}
  - {name: payments, key: STRING, value: "id INT, amount INT"}
"""
MODELS = {
    "per_minute": "SELECT STREAM item, COUNT(*) AS n FROM orders WINDOW BY TUMBLE 1m GRACE BY 10s GROUP BY item",
    "paid": "SELECT STREAM orders.item, payments.amount FROM orders JOIN payments WITHIN 1m ON orders.id = payments.id",
    "totals": "SELECT TABLE COUNT(*) AS n FROM orders GROUP BY item",
    "plain": "SELECT STREAM id FROM orders",
}
CASES = """
defaults:
  orders: {value: {id: 1, item: pen}}
  payments: {value: {id: 1, amount: 3}}
cases:
  - name: open
    model: per_minute
    arrivals:
      - {topic: orders, timestamp: 2024-05-01 06:20:10, value: {}}
      - {topic: orders, timestamp: 2024-05-01 06:20:20, value: {item: book}}
    state: 2
    golden: false
  - name: closed
    model: per_minute
    arrivals:
      - {topic: orders, timestamp: 2024-05-01 06:20:10, value: {}}
      - {topic: orders, timestamp: 2024-05-01 06:20:20, value: {item: book}}
      - advance_watermark: 2024-05-01 06:21:10
      - {topic: orders, timestamp: 2024-05-01 06:21:40, value: {}}
    state: {at_most: 1}
    golden: false
  - name: not yet closed
    model: per_minute
    arrivals:
      - {topic: orders, timestamp: 2024-05-01 06:20:10, value: {}}
      - advance_watermark: 2024-05-01 06:21:09
    state: 0
    golden: false
  - name: just closed
    model: per_minute
    arrivals:
      - {topic: orders, timestamp: 2024-05-01 06:20:10, value: {}}
      - advance_watermark: 2024-05-01 06:21:10
    state: 0
    golden: false
  - name: waiting
    model: paid
    arrivals:
      - {topic: orders, timestamp: 2024-05-01 06:20:00, value: {}}
      - {topic: payments, timestamp: 2024-05-01 06:20:30, value: {}}
      - {topic: orders, timestamp: 2024-05-01 06:20:40, value: {id: 2}}
    state: 3
    golden: false
  - name: nothing can meet them
    model: paid
    arrivals:
      - {topic: orders, timestamp: 2024-05-01 06:20:00, value: {}}
      - {topic: payments, timestamp: 2024-05-01 06:20:30, value: {}}
      - {topic: orders, timestamp: 2024-05-01 06:20:40, value: {id: 2}}
      - advance_watermark: 2024-05-03 00:00
    state: 0
    golden: false
  - name: rows
    model: totals
    inputs:
      orders: [{key: a, value: {}}, {key: b, value: {item: book}}, {key: a, value: {item: book}}]
    state: [{operator: 0, rows: 2}, {operator: 1, rows: 2}]
    golden: false
  - name: which
    model: totals
    inputs: {orders: []}
    state: 0
    golden: false
  - name: without
    model: totals
    inputs: {orders: [{key: a, value: {}}]}
    expect: {totals: [{key: pen, value: {n: 1}}]}
    golden: false
  - name: none
    model: plain
    inputs: {orders: [{key: a, value: {}}]}
    state: 0
    golden: false
"""


def plans() -> dict[str, Plan]:
    topics = {t.topic.name: t.topic for t in read_declarations(TOPICS, "topics.yml", Defaults()).topics}
    found = {}
    for name, text in MODELS.items():
        program = parse(text, f"models/{name}.sql").program
        assert program is not None
        compiled = compile_program(program, topics, name=name)
        assert compiled.plan is not None, compiled.diagnostics
        found[name] = compiled.plan
    return found


def ran(spark: SparkSession, work: Path) -> GoldenRun:
    cases = load_cases({"c.yml": CASES}, plans())
    assert cases.diagnostics == ()
    options = Options(ci=True, batches=3, ordered=False, orphans=False, judge=duckdb.evaluate)
    return run(plans(), cases, partial(evaluate, spark, work), Goldens({}), options)


def test_what_operators_keep(spark: SparkSession, tmp_path: Path) -> None:
    """Each case that asserts something wrong says so, with the rows that are kept; nothing is left in the folder."""
    results = {result.name: result for result in ran(spark, tmp_path).results if result.kind == "case"}
    failed: dict[str, Diagnostic] = {name: r.diagnostics[0] for name, r in results.items() if r.diagnostics}
    assert failed.keys() == {"not yet closed", "which", "none"}, failed
    open_ = failed["not yet closed"]
    assert open_.code == "LSQ879" and "keeps 1 row instead of 0" in open_.message
    assert len(open_.notes) == 1 and "pen" in open_.notes[0] and "_case" not in open_.notes[0]
    assert "2 operators with state are meant" in failed["which"].message
    assert "operator: 1" in (failed["which"].help or "")
    assert failed["none"].message == "the model keeps no state"
    assert not list(tmp_path.iterdir())
