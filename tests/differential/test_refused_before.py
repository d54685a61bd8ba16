"""A record without a time is refused before any condition above it is asked, on both engines: neither moves a filter
below the check, nor leaves the check out where nobody reads the time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb import default_session
from lsqlc.remote.cases import outcomes
from lsqlc.types.record import LATEST, Case, Raw, Record
from tests.differential.test_times import plan_of

# Conditions that the record does not satisfy; programs that do not read the time; each with the field of the topic that
# gives the time, if one does.
PROGRAMS = {
    "a condition": ("SELECT STREAM g FROM t EVENTTIME BY at WHERE g = 1", None),
    "a condition of the field": ("SELECT STREAM g FROM t EVENTTIME BY at WHERE at < 100", None),
    "a condition of the key": ("SELECT STREAM g FROM t EVENTTIME BY at WHERE _key = 1", None),
    "rows": ("SELECT TABLE g FROM t EVENTTIME BY at WHERE g = 1", None),
    "groups": ("SELECT STREAM COUNT(*) AS n FROM t EVENTTIME BY at WHERE g = 1 GROUP BY g", None),
    "groups of rows": ("SELECT TABLE COUNT(*) AS n FROM t EVENTTIME BY at WHERE g = 1 GROUP BY g", None),
    "groups of all rows": ("SELECT TABLE COUNT(*) AS n FROM t EVENTTIME BY at GROUP BY g", None),
    "elements": (
        "WITH e AS (SELECT STREAM g, x FROM t LATERAL [at] AS x); SELECT STREAM g FROM e EVENTTIME BY x WHERE x > 0",
        None,
    ),
    "no element": ("SELECT STREAM g FROM t EVENTTIME BY at LATERAL [g] AS x WHERE x = 1", None),
    "no match": (
        """
        WITH x AS (SELECT TABLE g FROM u);
        WITH d AS (SELECT STREAM g FROM t EVENTTIME BY at);
        SELECT STREAM d.g AS g FROM d JOIN x
        """,
        None,
    ),
    "no row": (
        """
        WITH x AS (SELECT TABLE g FROM t EVENTTIME BY at WHERE g = 1);
        SELECT STREAM u.g AS g FROM u JOIN x
        """,
        None,
    ),
    "a field of the topic": ("SELECT STREAM g FROM t WHERE g = 1", "at"),
    "the field itself": ("SELECT STREAM g FROM t WHERE at < 100", "at"),
    "the field itself, of rows": ("SELECT TABLE g FROM t WHERE at < 100", "at"),
    "the key": ("SELECT STREAM g FROM t WHERE _key = 1", "at"),
    "an element": ("SELECT STREAM g FROM t LATERAL [g] AS x WHERE x = 1", "at"),
    "groups of the topic": ("SELECT STREAM COUNT(*) AS n FROM t WHERE g = 1 GROUP BY g", "at"),
    "no match of the topic": ("WITH x AS (SELECT TABLE g FROM u); SELECT STREAM t.g AS g FROM t JOIN x", "at"),
}


def _case(reads: set[str]) -> Case:
    """A record that satisfies the conditions, and one without a time that does not."""
    good = [Record(name, 1, {"g": 1, "at": 5}, 5) for name in ("t", "u")]
    bad = Record("t", 2, {"g": 2, "at": None}, 5), Record("t", 2, {"g": 2, "at": LATEST + 1}, 5)
    return Case("", tuple((r,) for r in (*good, *bad) if r.topic in reads))


def _of(name: str) -> tuple[Any, Case]:
    plan = plan_of(*PROGRAMS[name])
    return plan, _case({topic.name for topic in plan.inputs})


@pytest.mark.parametrize("condition", ["_key = 1", "other = 1", "id > 0", "id IS NOT NULL"])
def test_a_null_in_a_field_that_has_none_is_refused_before(condition: str, spark: Any, tmp_path: Path) -> None:
    """On both engines, whatever the condition looks at."""
    topic = lsqlc.Topic("t", key="INT", value="id INT NOT NULL, other INT")
    plan = lsqlc.compile(f"SELECT STREAM id, other FROM t WHERE {condition}", topics=[topic], name="out")
    case = Case("", ((Record("t", 1, {"id": 1, "other": 1}), Record("t", 2, Raw('{"id":null,"other":2}'))),))
    with pytest.raises(LsqlcError, match="LSQ432"):
        default_session().evaluate(plan, [case])
    with pytest.raises(LsqlcError, match="LSQ667"):
        outcomes.evaluate(spark, tmp_path, plan, [case])


@pytest.mark.parametrize("name", PROGRAMS)
def test_duckdb_refuses_it(name: str) -> None:
    plan, case = _of(name)
    with pytest.raises(LsqlcError, match="from 1970 to 9999"):
        default_session().evaluate(plan, [case])


@pytest.mark.parametrize("name", PROGRAMS)
def test_spark_refuses_it(name: str, spark: Any, tmp_path: Path) -> None:
    plan, case = _of(name)
    with pytest.raises(LsqlcError) as refused:
        outcomes.evaluate(spark, tmp_path, plan, [case])
    (found,) = refused.value.diagnostics
    assert any("from 1970 to 9999" in text for text in (found.message, *found.notes))
