"""A declared key of a table must tell its rows apart."""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc import Record, Topic

TOPICS = (
    Topic("t", key="INT", value="g STRING, x INT, l ARRAY<INT>"),
    Topic("u", key="a INT, b STRING", value="g STRING, w INT"),
    Topic("r", value="g STRING, x INT"),
)
UNIQUE = (
    ("SELECT _key AS k, g FROM t", ("k",)),
    ("SELECT _key AS k, g FROM t WHERE x > 1", ("g", "k")),
    ("SELECT k, g FROM (SELECT _key AS k, g FROM t WHERE x > 1) AS q", ("k",)),
    ("SELECT _key AS k, g FROM u", ("k",)),
    ("SELECT _key.a AS a, _key.b AS b, g FROM u", ("a", "b")),
    ("SELECT g, x, COUNT(*) AS n FROM t GROUP BY g, x", ("x", "g")),
    ("SELECT g, COUNT(*) AS n FROM t GROUP BY g", ("g", "n")),
    ("SELECT DISTINCT g, x FROM t", ("x", "g")),
    ("SELECT COUNT(*) AS n FROM t", ("n",)),
    ("SELECT t._key AS k, u._key AS l FROM t JOIN u ON t.g = u.g", ("k", "l")),
    ("SELECT g, x FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY g ORDER BY x) = 1", ("g",)),
    ("SELECT _key AS k, pos, e FROM t LATERAL VIEW posexplode(l) AS pos, e", ("k", "pos")),
    ("SELECT g, x FROM r", ("g",)),
    ("SELECT g, x FROM STREAM(t)", ("g",)),
)
SHARED = (
    ("SELECT g, x FROM t", ("g",)),
    ("SELECT _key.a AS a, g FROM u", ("a",)),
    ("SELECT _key + 1 AS k FROM t", ("k",)),
    ("SELECT g, x, COUNT(*) AS n FROM t GROUP BY g, x", ("g",)),
    ("SELECT t._key AS k, u._key AS l FROM t JOIN u ON t.g = u.g", ("k",)),
    ("SELECT g, x FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY g ORDER BY x) <= 2", ("g",)),
    ("SELECT g, x FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY x ORDER BY g) = 1", ("g",)),
    ("SELECT _key AS k, e FROM t LATERAL VIEW explode(l) AS e", ("k", "e")),
)


def _compiled(text: str, key: tuple[str, ...]) -> lsqlc.Plan:
    return lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o", key=key)


@pytest.mark.parametrize(("text", "key"), UNIQUE)
def test_a_key_that_tells_rows_apart(text: str, key: tuple[str, ...]) -> None:
    """By the groups, the keys of the sources, or the first rows of groups."""
    assert _compiled(text, key)


@pytest.mark.parametrize(("text", "key"), SHARED)
def test_a_key_that_rows_may_share_is_refused(text: str, key: tuple[str, ...]) -> None:
    """With the way to keep one row of each."""
    with pytest.raises(lsqlc.CompileError, match="LSQ467") as caught:
        _compiled(text, key)
    assert f"PARTITION BY {', '.join(key)} ORDER BY" in (caught.value.diagnostics[0].help or "")


def test_the_row_below_takes_the_place_of_the_first() -> None:
    """What the help says: a row of a key is there as long as one of its rows is."""
    plan = _compiled("SELECT g, x FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY g ORDER BY x DESC) = 1", ("g",))
    rows = [Record("t", key, {"g": "a", "x": key, "l": None}, key) for key in (1, 2)]
    assert [r.value for r in lsqlc.evaluate(plan, rows)["o"]] == [{"g": "a", "x": 2}]
    assert [r.value for r in lsqlc.evaluate(plan, [*rows, Record("t", 2, None, 3)])["o"]] == [{"g": "a", "x": 1}]


# The key of the rows, by the names of its fields.
KEYS = (
    ("SELECT t.x FROM t JOIN t AS s ON t.x = s.x", {"t": "INT", "s": "INT"}),
    ("SELECT t.x FROM t JOIN t AS s ON t.x = s.x JOIN t AS v ON v.x = s.x", {"t": "INT", "s": "INT", "v": "INT"}),
    ("SELECT t.x FROM t JOIN u ON t.x = u.w", {"t": "INT", "u_a": "INT", "u_b": "STRING"}),
    ("SELECT t.x FROM t LEFT JOIN u ON t.x = u.w", {"t": "INT", "u": "STRUCT<a: INT, b: STRING>"}),
    ("SELECT t.x FROM t LEFT JOIN u ON t.x = u._key.a", {"t": "INT", "u_a": "INT", "u_b": "STRING"}),
    ("SELECT t.x FROM t FULL JOIN u ON t.x = u._key.a", {"t": "INT", "u": "STRUCT<a: INT, b: STRING>"}),
    ("SELECT t.x FROM t LEFT JOIN (SELECT g, 1 FROM t GROUP BY g) AS q ON q.g = t.g", {"t": "INT", "q_g": "STRING"}),
    ("SELECT t.x FROM t JOIN (SELECT s.x FROM t AS s JOIN u ON s.x = u.w) AS q ON q.x = t.x",
     {"t": "INT", "q_s": "INT", "q_u_a": "INT", "q_u_b": "STRING"}),
)  # fmt: skip


@pytest.mark.parametrize(("text", "fields"), KEYS)
def test_the_key_of_a_join_names_the_parts_of_both_keys(text: str, fields: dict[str, str]) -> None:
    """A key whose parts may all be null is one part where its side may be missing."""
    plan = _compiled(text, ())
    key = plan.outputs[0].key.type
    assert {field.name: str(field.type) for field in key.fields} == fields  # type: ignore[union-attr]
    assert "Rekey" not in str(plan.sinks[0].inputs[0])


# The keys and the first column of the rows over one record with two elements, and one without any.
ELEMENTS = (
    ("SELECT e FROM t LATERAL VIEW explode(l) v AS e", [({"t": 1, "v_pos": 0}, 7), ({"t": 1, "v_pos": 1}, 7)]),
    ("SELECT explode(l) AS e FROM t", [({"t": 1, "pos": 0}, 7), ({"t": 1, "pos": 1}, 7)]),
    ("SELECT e FROM t LATERAL VIEW OUTER explode(l) v AS e",
     [({"t": 1, "v_pos": 0}, 7), ({"t": 1, "v_pos": 1}, 7), ({"t": 2, "v_pos": None}, None)]),
    ("SELECT a FROM t LATERAL VIEW inline(transform(l, x -> struct(x AS a, 1 AS b))) v AS a, b",
     [({"t": 1, "v_pos": 0}, 7), ({"t": 1, "v_pos": 1}, 7)]),
    ("SELECT k FROM t LATERAL VIEW explode(map('a', x)) v AS k, w",
     [({"t": 1, "v_pos": 0}, "a"), ({"t": 2, "v_pos": 0}, "a")]),
    ("SELECT explode(l) AS e FROM t UNION ALL SELECT x FROM t",
     [({"part": 0, "key0": {"t": 1, "pos": 0}, "key1": None}, 7),
      ({"part": 0, "key0": {"t": 1, "pos": 1}, "key1": None}, 7),
      ({"part": 1, "key0": None, "key1": 1}, 3), ({"part": 1, "key0": None, "key1": 2}, 4)]),
    ("SELECT e FROM t LATERAL VIEW explode(l) v AS e ORDER BY e LIMIT 1", [({"t": 1, "v_pos": 0}, 7)]),
)  # fmt: skip


@pytest.mark.parametrize(("text", "rows"), ELEMENTS)
def test_elements_have_the_key_of_their_row_and_their_place(text: str, rows: list[tuple[object, object]]) -> None:
    """Those of an older version of a row are gone."""
    given = [
        Record("t", key, {"g": "a", "x": x, "l": array})
        for key, x, array in ((1, 3, [1, 2, 3]), (2, 4, [5]), (2, 4, []), (1, 3, [7, 7]))
    ]
    found = lsqlc.evaluate(_compiled(text, ()), given)["o"]
    assert sorted(((r.key, next(iter(r.value.values()))) for r in found), key=str) == sorted(rows, key=str)
