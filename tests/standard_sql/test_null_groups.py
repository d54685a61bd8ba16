"""A group whose key is NULL is a row of a view, under updates and deletes, and for what reads the view."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc import Record, Topic
from lsqlc.bind.materialized import Materialized
from lsqlc.diagnostics import Diagnostic
from lsqlc.dialects.sql import DIALECT
from lsqlc.types.record import Case
from tests.standard_sql.programs import TOPICS

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

GIVEN = (
    Record("t", 1, {"id": 1, "g": None, "h": None, "x": 1, "y": None, "d": None, "b": None}, 1),
    Record("t", 2, {"id": 2, "g": None, "h": None, "x": 2, "y": None, "d": None, "b": None}, 2),
    Record("t", 3, {"id": 3, "g": "a", "h": None, "x": 4, "y": None, "d": None, "b": None}, 3),
)
# The row 1 enters the group 'a', the row 2 is deleted: no row is left without a value.
LATER = (Record("t", 1, {**GIVEN[0].value, "g": "a"}, 4), Record("t", 2, None, 5))


def _compiled(text: str, key_format: str | None = None, topics: tuple[Topic, ...] = TOPICS) -> lsqlc.Plan:
    return lsqlc.compile(text, dialect="sql", topics=topics, name="o", key_format=key_format)  # type: ignore[arg-type]


def _findings(text: str, key: tuple[str, ...] = ()) -> list[Diagnostic]:
    """What is found in a model with `key_format='bare'`."""
    program = DIALECT.parse(text, "m.sql").program
    assert program is not None
    topics = {t.name: t for text in ("t", "STREAM(r)") for t in _compiled(f"SELECT g FROM {text}").inputs}
    wanted = Materialized(key=key, key_format="bare")
    return list(DIALECT.bind(program, topics, name="o", materialized=wanted).diagnostics)


def _rows(plan: lsqlc.Plan, given: tuple[Record, ...]) -> list[tuple[Any, Any]]:
    rows = [(r.key, r.value) for r in lsqlc.evaluate(plan, given)["o"]]
    return sorted(rows, key=lambda row: repr(row[0]))


def test_the_group_of_null_is_a_row() -> None:
    """Its key is a struct, and it goes with its last row."""
    plan = _compiled("SELECT g, SUM(x) AS n FROM t GROUP BY g")
    assert _rows(plan, GIVEN) == [({"g": "a"}, {"g": "a", "n": 4}), ({"g": None}, {"g": None, "n": 3})]
    assert _rows(plan, GIVEN + LATER) == [({"g": "a"}, {"g": "a", "n": 5})]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT DISTINCT g FROM t",
        "SELECT g FROM t EXCEPT SELECT name FROM u",
        "SELECT g FROM t INTERSECT SELECT h FROM t",
        "SELECT g FROM t UNION SELECT g FROM t",
    ],
)
def test_different_rows_have_null(text: str) -> None:
    """DISTINCT and set operations."""
    wanted = {None} if "INTERSECT" in text else {None, "a"}
    assert {value["g"] for _, value in _rows(_compiled(text), GIVEN)} == wanted


def test_a_column_that_is_never_null_is_the_key() -> None:
    """By its declaration."""
    topics = (Topic("c", key="INT", value="g STRING NOT NULL"),)
    assert str(_compiled("SELECT g, COUNT(*) AS n FROM c GROUP BY g", topics=topics).outputs[0].key.type) == "STRING"


def test_a_bare_key_leaves_null_out() -> None:
    """By `key_format`, with a finding; a key of several columns and a column that is never null are no matter of it."""
    plan = _compiled("SELECT g, SUM(x) AS n FROM t GROUP BY g", "bare")
    assert _rows(plan, GIVEN) == [("a", {"g": "a", "n": 4})]
    (found,) = _findings("SELECT g, SUM(x) AS n FROM t GROUP BY g")
    assert (found.code, found.help) == ("LSQ831", "remove key_format='bare', or add WHERE g IS NOT NULL")
    assert not _findings("SELECT g, h, SUM(x) AS n FROM t GROUP BY g, h")
    assert not _findings("SELECT DISTINCT g FROM t WHERE g IS NOT NULL")
    assert [d.code for d in _findings("SELECT g, a FROM r", ("g",))] == ["LSQ831"]


def test_a_pivot_has_the_key_of_its_groups() -> None:
    plan = _compiled("SELECT * FROM (SELECT g, x, h FROM t) PIVOT (SUM(x) FOR h IN ('x'))", "bare")
    assert str(plan.outputs[0].key.type) == "STRING"


VIEW = (Topic("s", value="id INT, g STRING"), Topic("v", key="g STRING", value="g STRING, n BIGINT"))
READ = (
    *(Record("v", {"g": g}, {"g": g, "n": n}, n) for g, n in (("a", 1), (None, 2))),
    *(Record("s", None, {"id": i, "g": g}, 2 + i) for i, g in enumerate(("a", None, "b"), 1)),
)
JOIN = "SELECT s.id, v.n FROM STREAM(s) AS s LEFT JOIN v ON s.g = v._key.g"


def test_a_stream_meets_a_row_by_the_column_of_its_key() -> None:
    """A null meets none, as in any SQL."""
    plan = _compiled(JOIN, topics=VIEW)
    assert [value for _, value in _rows(plan, READ)] == [{"id": 1, "n": 1}, {"id": 2, "n": None}, {"id": 3, "n": None}]
    inner = _compiled(JOIN.replace("LEFT ", ""), topics=VIEW)
    assert [value for _, value in _rows(inner, READ)] == [{"id": 1, "n": 1}]
    with pytest.raises(lsqlc.CompileError, match=r"the key of the table is v\._key\.g"):
        _compiled("SELECT s.id, v.n FROM STREAM(s) AS s JOIN v ON s.g = v.g", topics=VIEW)


@pytest.mark.spark
@pytest.mark.parametrize("kind", ["", "LEFT "])
def test_a_stream_meets_it_on_spark(kind: str, spark: SparkSession, tmp_path: Path) -> None:
    """As on DuckDB."""
    from lsqlc.remote.cases import outcomes

    plan = _compiled(JOIN.replace("LEFT ", kind), topics=VIEW)
    (found,) = outcomes.evaluate(spark, tmp_path, plan, [Case("it", (READ[:2], READ[2:]))])
    ours = sorted(repr(r.value) for r in lsqlc.evaluate(plan, READ)["o"])
    assert sorted(repr(r.value) for r in found.topics["o"]) == ours


def test_a_format_of_keys_is_one_that_exists() -> None:
    """And is for standard SQL."""
    with pytest.raises(ValueError, match="unknown format of keys 'wide'"):
        _compiled("SELECT g FROM t", "wide")
    with pytest.raises(ValueError, match="'key_format' are not for the dialect 'lenses'"):
        lsqlc.compile("SELECT STREAM * FROM t", key_format="bare")


def test_a_model_says_it_in_its_configuration(tmp_path: Path) -> None:
    """As it says `key`."""
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: p\ndialect: sql\n")
    (tmp_path / "models/topics.yml").write_text("topics:\n  - {name: c, key: INT, value: 'g STRING'}\n")
    (tmp_path / "models/m.sql").write_text(
        "{{ config(key_format='bare') }}\nSELECT g, COUNT(*) AS n FROM c GROUP BY g\n"
    )
    (tmp_path / "models/s.sql").write_text("SELECT _key.g AS g, n FROM {{ ref('w') }}\n")
    (tmp_path / "models/w.sql").write_text("SELECT g, COUNT(*) AS n FROM c GROUP BY g\n")
    project = lsqlc.Project.load(tmp_path)
    keys = {name: str(project.plan(name).outputs[0].key.type) for name in ("m", "w", "s")}
    assert keys == {"m": "STRING", "w": "STRUCT<g: STRING>", "s": "STRUCT<g: STRING>"}
