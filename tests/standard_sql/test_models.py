"""What a model makes: its kind, its key, and how configuration, the editor and fmt take it."""

from __future__ import annotations

from pathlib import Path

import pytest

import lsqlc
from lsqlc import Record, Topic
from lsqlc.dialects import dialect
from lsqlc.editor.snapshot import Surroundings, take
from lsqlc.editor.symbols import symbols
from lsqlc.project.build.formatting import format_model
from tests.standard_sql.programs import TOPICS

SQL = dialect("sql")
# A query, STREAM or TABLE, and the type of its key.
KEYS = (
    ("SELECT x FROM STREAM(t)", "STREAM", "INT"),
    ("SELECT x FROM t", "TABLE", "INT"),
    ("SELECT z FROM STREAM(r)", "STREAM", "NULL"),
    ("SELECT g, COUNT(*) AS n FROM t WHERE g IS NOT NULL GROUP BY g", "TABLE", "STRING"),
    ("SELECT COUNT(*) AS n FROM t WHERE g IS NOT NULL GROUP BY g", "TABLE", "STRING"),
    ("SELECT g, COUNT(*) AS n FROM t GROUP BY g", "TABLE", "STRUCT<g: STRING>"),
    ("SELECT UPPER(g) AS a, COUNT(*) AS n FROM t GROUP BY UPPER(g)", "TABLE", "STRUCT<a: STRING>"),
    ("SELECT COUNT(*) AS n FROM t GROUP BY COALESCE(g, '')", "TABLE", "STRING"),
    ("SELECT DISTINCT g FROM t", "TABLE", "STRUCT<g: STRING>"),
    ("SELECT DISTINCT g FROM t WHERE g IS NOT NULL", "TABLE", "STRING"),
    ("SELECT g FROM t INTERSECT SELECT g FROM u", "TABLE", "STRUCT<g: STRING>"),
    ("SELECT g FROM t INTERSECT SELECT g FROM u WHERE g IS NOT NULL", "TABLE", "STRING"),
    ("SELECT g FROM t EXCEPT SELECT g FROM u WHERE g IS NOT NULL", "TABLE", "STRUCT<g: STRING>"),
    ("SELECT g AS a, h, COUNT(*) AS n FROM t GROUP BY g, h", "TABLE", "STRUCT<a: STRING, h: STRING>"),
    ("SELECT g, COUNT(*) AS n FROM t GROUP BY g, UPPER(h), LOWER(h)", "TABLE",
     "STRUCT<g: STRING, part: STRING, part_1: STRING>"),
    ("SELECT DISTINCT g, h FROM STREAM(t)", "TABLE", "STRUCT<g: STRING, h: STRING>"),
    ("SELECT t.x, u.w FROM t JOIN u ON t._key = u._key", "TABLE", "INT"),
    ("SELECT t.x, u.w FROM t FULL JOIN u ON t._key = u._key", "TABLE", "INT"),
    ("SELECT t.x, u.w FROM t JOIN u ON t.id = u.id", "TABLE", "STRUCT<t: INT, u: INT>"),
    ("SELECT p.x, u.w FROM STREAM(t) p JOIN u ON p.id = u._key", "STREAM", "INT"),
    ("SELECT g, COUNT(*) AS n FROM STREAM(t) WHERE g IS NOT NULL GROUP BY g, window(_timestamp, '1 hour')", "TABLE",
     "STRUCT<key: STRING, start: BIGINT NOT NULL, end: BIGINT NOT NULL>"),
    ("SELECT g, COUNT(*) AS n FROM STREAM(t) GROUP BY g, window(_timestamp, '1 hour')", "TABLE",
     "STRUCT<key: STRUCT<g: STRING>, start: BIGINT NOT NULL, end: BIGINT NOT NULL>"),
)  # fmt: skip


def compiled(text: str, *key: str) -> lsqlc.Plan:
    return lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o", key=key)


@pytest.mark.parametrize(("text", "kind", "key"), KEYS, ids=[text for text, *_ in KEYS])
def test_a_query_has_a_kind_and_a_key(text: str, kind: str, key: str) -> None:
    """That follow from it."""
    plan = compiled(text)
    assert plan.semantics == {"o": kind}
    assert str(plan.outputs[0].key.type) == key


def test_a_key_may_be_declared() -> None:
    """Of one column that is never null it is bare, else a struct; the value has them too."""
    records = [Record("r", None, {"a": 1, "g": "x", "z": 0.5}, 1), Record("r", None, {"a": 1, "g": "y", "z": 1.5}, 2)]
    assert lsqlc.evaluate(compiled("SELECT a, g FROM r", "a"), records)["o"] == [
        Record("o", {"a": 1}, {"a": 1, "g": "y"}, 2),
    ]
    assert lsqlc.evaluate(compiled("SELECT a, g FROM r WHERE a IS NOT NULL", "a"), records)["o"] == [
        Record("o", 1, {"a": 1, "g": "y"}, 2),
    ]
    assert lsqlc.evaluate(compiled("SELECT a, g FROM STREAM(r)", "g", "a"), records)["o"] == [
        Record("o", {"g": "x", "a": 1}, {"a": 1, "g": "x"}, 1), Record("o", {"g": "y", "a": 1}, {"a": 1, "g": "y"}, 2),
    ]  # fmt: skip
    with pytest.raises(lsqlc.CompileError, match="LSQ453"):
        compiled("SELECT a FROM r", "g")


def test_sessions_are_those_of_spark() -> None:
    """A record that comes a gap after another one begins a new session; a session ends a gap after its last record."""
    text = """SELECT g, session_window.start AS s, session_window.end AS e, COUNT(*) AS n
      FROM STREAM(r) WHERE g IS NOT NULL GROUP BY g, session_window(_timestamp, '5 seconds')"""
    records = [Record("r", None, {"a": 1, "g": "x", "z": None}, time) for time in (0, 4999, 9999, 20000)]
    found = [record.value for record in lsqlc.evaluate(compiled(text), records)["o"]]
    assert [(v["s"].timestamp(), v["e"].timestamp(), v["n"]) for v in found] == [
        (0.0, 9.999, 2), (9.999, 14.999, 1), (20.0, 25.0, 1),
    ]  # fmt: skip


def test_a_time_of_the_record_makes_windows() -> None:
    """A column of type TIMESTAMP is the time; a record without it is left out."""
    topics = [Topic("t", key="INT", value="g STRING NOT NULL, at TIMESTAMP")]
    text = "SELECT g, window.end AS e, COUNT(*) AS n FROM STREAM(t) GROUP BY g, window(at, '10 seconds', '5 seconds')"
    plan = lsqlc.compile(text, dialect="sql", topics=topics, name="o")
    assert "EventTime" in plan.tree() and "HOP" in plan.tree()


def test_both_kinds_are_checked() -> None:
    """What the API is told must be true, and is for this dialect only."""
    with pytest.raises(lsqlc.CompileError, match="LSQ452"):
        lsqlc.compile("SELECT x FROM t", dialect="sql", topics=TOPICS, materialized="streaming_table")
    with pytest.raises(ValueError, match="not for the dialect 'lenses'"):
        lsqlc.compile("SELECT STREAM * FROM t", topics=TOPICS, key=["x"])
    with pytest.raises(ValueError, match="unknown kind of result 'table'"):
        lsqlc.compile("SELECT x FROM t", dialect="sql", topics=TOPICS, materialized="table")  # type: ignore[arg-type]


def _project(root: Path, **models: str) -> Path:
    (root / "models").mkdir()
    (root / "lsqlc.yml").write_text("name: shop\ndialect: sql\n")
    topics = "topics:\n  - {name: clicks, value: 'page STRING NOT NULL, user_id INT'}\n"
    (root / "models" / "topics.yml").write_text(topics)
    for name, text in models.items():
        (root / "models" / f"{name}.sql").write_text(text)
    return root


def test_a_model_is_configured(tmp_path: Path) -> None:
    """Its key, its kind; a model reads another by its key."""
    root = _project(
        tmp_path,
        latest="{{ config(materialized='materialized_view', key=['user_id']) }}\nSELECT page, user_id FROM clicks",
        pages="SELECT page, COUNT(*) AS users FROM {{ ref('latest') }} WHERE page IS NOT NULL GROUP BY page",
    )
    project = lsqlc.Project.load(root)
    assert list(project.plans) == ["latest", "pages"] and not project.diagnostics
    assert str(project.plan("latest").outputs[0].key.type) == "STRUCT<user_id: INT>"
    (symbol,) = symbols(take(root, {}, Surroundings("test")), "models/pages.sql")
    assert (symbol.name, [c.name for c in symbol.children]) == ("pages", ["page", "users"])


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("materialized='table'", "'table' is not a valid materialized"),
        ("key=1", "'key' must be a text or a list of texts"),
        ("dialect='lenses', key='page'", "are not for the dialect 'lenses'"),
    ],
)
def test_a_bad_configuration_is_an_error(tmp_path: Path, config: str, message: str) -> None:
    """LSQ027, as for any setting."""
    root = _project(tmp_path, m=f"{{{{ config({config}) }}}}\nSELECT page FROM STREAM(clicks)")
    with pytest.raises(lsqlc.CompileError) as caught:
        lsqlc.Project.load(root)
    assert any(d.code == "LSQ027" and message in d.message for d in caught.value.diagnostics)


def test_fmt_keeps_the_query_and_its_comments() -> None:
    """What sqlglot's generator prints is the same query, and once only."""
    text = (
        "-- of orders\nselect a.x, ifnull(b.w, 0) w /* or none */ from t a left outer join u b on a.id=b.id where x>1"
    )
    formatted = format_model(text, "it.sql", SQL).text
    assert formatted == (
        "-- of orders\nSELECT\n  a.x,\n  COALESCE(b.w, 0) AS w /* or none */\nFROM t AS a\n"
        "LEFT OUTER JOIN u AS b\n  ON a.id = b.id\nWHERE\n  x > 1\n"
    )
    assert format_model(formatted, "it.sql", SQL).text == formatted


@pytest.mark.parametrize(
    ("condition", "printed"),
    [
        ("x is not null -- set", "x IS NOT NULL /* set */"),
        ("not x is null", "x IS NOT NULL"),
        ("b is not true", "b IS NOT TRUE"),
        ("x is not distinct from y", "x IS NOT DISTINCT FROM y"),
        ("not b", "NOT b"),
    ],
)
def test_fmt_keeps_is_not(condition: str, printed: str) -> None:
    """As people write it, and the same the second time."""
    formatted = format_model(f"select x from t where {condition}\n", "it.sql", SQL).text
    assert formatted == f"SELECT\n  x\nFROM t\nWHERE\n  {printed}\n".replace("/* set */\n", "-- set\n")
    assert format_model(formatted, "it.sql", SQL).text == formatted


def test_a_file_that_fmt_would_change_is_left_alone() -> None:
    """`STREAM t` is printed as a table with an alias, which it is not."""
    found = format_model("SELECT x FROM STREAM t", "it.sql", SQL)
    assert found.text is None and [d.code for d in found.diagnostics] == ["LSQ042"]


def test_names_have_no_case() -> None:
    """Columns, labels, and names of WITH; a column of the result is called as it is written."""
    plan = compiled("WITH Q AS (SELECT X, Id FROM T2) SELECT q.ID, x AS Y FROM q".replace("T2", "t"))
    assert str(plan.outputs[0].value.type) == "STRUCT<ID: INT, Y: INT>"


def test_having_knows_the_select_list() -> None:
    """By alias, where no column has the name."""
    text = "SELECT g, COUNT(*) AS n FROM t WHERE g IS NOT NULL GROUP BY g HAVING n > 1 AND SUM(x) > 0"
    given = [Record("t", k, {"id": k, "g": "a", "h": None, "x": 1, "y": None, "d": None, "b": None}, k) for k in (1, 2)]
    assert [r.value for r in lsqlc.evaluate(compiled(text), given)["o"]] == [{"g": "a", "n": 2}]


def test_a_time_bound_in_where_is_that_of_the_join() -> None:
    """Of an INNER JOIN, WHERE and ON are the same conditions."""
    query = "SELECT p.x FROM STREAM(t) p JOIN STREAM(u) q ON p.id = q.id {} q._timestamp BETWEEN {} AND p._timestamp"
    bound = "p._timestamp - INTERVAL 1 HOUR"
    plans = [lsqlc.compile(query.format(word, bound), dialect="sql", topics=TOPICS) for word in ("AND", "WHERE")]
    assert plans[0].fingerprint == plans[1].fingerprint
    using = query.replace("ON p.id = q.id", "USING (id)").format("WHERE", bound)
    found = lsqlc.compile(using, dialect="sql", topics=TOPICS)
    given = [
        Record("t", 1, {"id": 1, "x": 7}, 7_200_000),
        *(Record("u", 1, {"id": 1}, time) for time in (3_700_000, 3_500_000)),
    ]
    assert [r.value for r in lsqlc.evaluate(found, given)["result"]] == [{"x": 7}]
    with pytest.raises(lsqlc.CompileError):
        lsqlc.compile(query.replace("JOIN", "LEFT JOIN").format("WHERE", bound), dialect="sql", topics=TOPICS)
