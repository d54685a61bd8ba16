"""Fingerprints, the tree and the JSON: equal for what means the same, different for every edit that matters.

Always the same bytes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lsqlc.plan import Plan
from tests.fixture_files import compiled

ROOT = Path(__file__).parents[2]


def plan(text: str) -> Plan:
    found, diagnostics = compiled(text)
    assert found.plan, diagnostics
    return found.plan


BASE = """SET defaults.topic.partitions = 2;
WITH c AS (SELECT TABLE * FROM customers WHERE country = 'uk');
INSERT INTO totals
SELECT STREAM SUM(orders.amount) AS total, COUNT(*) AS n
FROM orders LEFT JOIN c ON orders.customer_id = c.id AND orders.amount > 0
WHERE orders.item <> 'tea'
GROUP BY c.name
HAVING n > 1"""

SAME: dict[str, Callable[[str], str]] = {
    "white space": lambda t: " ".join(t.split()),
    "comments": lambda t: t.replace("\n", " -- why\n").replace("FROM", "/* from */ FROM"),
    "the case of keywords": lambda t: (
        t.replace("SELECT", "select").replace("LEFT JOIN", "Left Join").replace("COUNT", "count")
    ),
    "another name of a WITH": lambda t: (
        t.replace("WITH c", "WITH people").replace("JOIN c", "JOIN people").replace(" c.", " people.")
    ),
    "an alias of a source": lambda t: t.replace("FROM orders", "FROM orders AS o").replace("orders.", "o."),
    "parentheses": lambda t: t.replace("orders.item <> 'tea'", "(orders.item) <> ('tea')"),
    "double quotes": lambda t: t.replace("'tea'", '"tea"'),
    "a final semicolon": lambda t: t + " ;",
    "another spelling of <>": lambda t: t.replace("<>", "!="),
}

DIFFERENT = {
    "a condition": ("'tea'", "'milk'"),
    "an operator": ("n > 1", "n >= 1"),
    "a literal": ("n > 1", "n > 2"),
    "the kind of join": ("LEFT JOIN", "JOIN"),
    "the condition of the join": ("orders.amount > 0", "orders.amount > 1"),
    "the key of the join": ("orders.customer_id = c.id", "orders.id = c.id"),
    "the group": ("GROUP BY c.name", "GROUP BY c.country"),
    "the shape of the key": ("GROUP BY c.name", "GROUP BY c.name AS name"),
    "an aggregate": ("SUM(", "AVG("),
    "its argument": ("SUM(orders.amount)", "SUM(orders.id)"),
    "the name of a field": ("AS total", "AS sum"),
    "the order of the fields": (
        "SUM(orders.amount) AS total, COUNT(*) AS n",
        "COUNT(*) AS n, SUM(orders.amount) AS total",
    ),
    "the target": ("INTO totals", "INTO sums"),
    "the format of the value": ("INTO totals", "INTO totals STORE VALUE AS AVRO"),
    "the filter of a WITH": ("country = 'uk'", "country = 'usa'"),
    "a setting": ("partitions = 2", "partitions = 3"),
    "a field that is gone": (", COUNT(*) AS n", ", COUNT(orders.id) AS n"),
}


@pytest.mark.parametrize("edit", SAME)
def test_an_edit_without_meaning_changes_nothing(edit: str) -> None:
    """The fingerprint stays, so caches and checkpoints survive."""
    edited = SAME[edit](BASE)
    assert edited != BASE
    assert plan(edited).fingerprint == plan(BASE).fingerprint


@pytest.mark.parametrize("edit", DIFFERENT)
def test_an_edit_with_a_meaning_changes_the_fingerprint(edit: str) -> None:
    """Whatever can change a row."""
    before, after = DIFFERENT[edit]
    assert before in BASE
    assert plan(BASE.replace(before, after)).fingerprint != plan(BASE).fingerprint


def test_the_default_of_on_and_the_same_written_out_are_one() -> None:
    """ON may be left out for a join on both keys."""
    written = [
        plan("SELECT TABLE item, name FROM orders JOIN customers" + on)
        for on in ("", " ON orders._key = customers._key")
    ]
    assert written[0].fingerprint == written[1].fingerprint


def test_a_change_shows_in_the_nodes_above_it_alone() -> None:
    """What lies below, and beside, keeps its fingerprint: state of theirs can be kept."""
    nodes = []
    for text in (BASE, BASE.replace("'uk'", "'usa'")):
        (sink,) = plan(text).to_json()["sinks"]
        pending = [sink["inputs"][0]]
        prints: dict[str, list[str]] = {}
        while pending:
            node = pending.pop()
            topic = node["topic"]["name"] if node["node"] == "Scan" else ""
            prints.setdefault(node["node"] + topic, []).append(node["fingerprint"])
            pending += node["inputs"]
        nodes.append(prints)
    before, after = nodes
    assert before["Scanorders"] == after["Scanorders"] and before["Scancustomers"] == after["Scancustomers"]
    assert before["Join"] != after["Join"] and before["Aggregate"] != after["Aggregate"]


_SCRIPT = """
import json, sys
sys.path.insert(0, {root!r})
from tests.fixture_files import compiled
from tests.plan.test_fingerprints import BASE
plan = compiled(BASE)[0].plan
sys.stdout.write(plan.tree() + json.dumps(plan.to_json()) + plan.fingerprint)
"""


def test_a_plan_is_the_same_bytes_in_every_process() -> None:
    """Whatever the seed of Python's hashes: the tree, the JSON and the fingerprint."""
    here = plan(BASE)
    expected = here.tree() + json.dumps(here.to_json()) + here.fingerprint
    for seed in ("0", "1", "4711"):
        environment = {"PYTHONHASHSEED": seed, "PATH": ""}
        run = subprocess.run(
            [sys.executable, "-c", _SCRIPT.format(root=str(ROOT))],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == expected


def test_the_json_of_a_plan_is_json() -> None:
    """With a version, and no value that only Python knows."""
    found = plan(BASE).to_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["version"] == 1 and found["fingerprint"] == plan(BASE).fingerprint
