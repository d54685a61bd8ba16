"""Every beginning of a program, and every program with a hole, is a text that somebody types: nothing may raise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsqlc.editor.actions import fixes
from lsqlc.editor.calls import call_at
from lsqlc.editor.completion import completion
from lsqlc.editor.definition import definition
from lsqlc.editor.hover import hover
from lsqlc.editor.references import references
from lsqlc.editor.snapshot import Snapshot, take
from lsqlc.editor.symbols import symbols
from tests.lanes import only

from .project import FILES, OUTSIDE
from .test_places import KSQL

JOIN = """\
SET error.policy = 'continue';
WITH `a b` AS (SELECT STREAM o.item, c.age + 1 AS `😀`, line.n FROM orders AS o LATERAL lines AS line);
INSERT INTO j STORE VALUE AS AVRO
SELECT STREAM CASE WHEN a.item LIKE 'x''y%' THEN a.lines[0].sku ELSE "z" END AS s -- a comment
FROM orders AS a LEFT JOIN customer-events AS b WITHIN 5m ON a._key = b._key.id AND a.ship.city <> ''
WHERE a.price BETWEEN 1 AND 2;
"""
PROGRAMS = {
    "models/join.sql": JOIN,
    "models/k.sql": KSQL,
    "models/templated.sql": FILES["models/templated.sql"],
    "models/topics.yml": FILES["models/topics.yml"],
    "tests/large.yml": FILES["tests/large.yml"],
    "lsqlc.yml": FILES["lsqlc.yml"],
}
PIECES = ("", "'", "`", "{{", "{%", "}}", "(", ")", ".", ";", "\r", "\U0001f600", "-- ", "- ")


def ask(snapshot: Snapshot, path: str, offset: int) -> None:
    """All questions about a place; places that answers name lie in their texts."""
    length = len(snapshot.texts[path])
    found = hover(snapshot, path, offset)
    assert found is None or 0 <= found.at[0] <= found.at[1] <= length
    offered = completion(snapshot, path, offset)
    assert offered is None or 0 <= offered.at[0] <= offered.at[1] == offset
    for place in (*definition(snapshot, path, offset), *references(snapshot, path, offset)):
        assert place.at[0] <= place.at[1] <= len(snapshot.texts.get(place.path, ""))
    call_at(snapshot, path, offset)
    symbols(snapshot, path)
    fixes(snapshot, path, (offset, offset))


def beginnings(text: str) -> Iterator[int]:
    """Ends of beginnings: each word's, and each mark's."""
    for end in range(1, len(text) + 1):
        if end == len(text) or not (text[end - 1].isalnum() and text[end].isalnum()):
            yield end


@pytest.mark.parametrize(
    "path", only(PROGRAMS, ("models/k.sql", "models/templated.sql", "tests/large.yml", "lsqlc.yml"))
)
def test_every_beginning(shop: Path, path: str) -> None:
    """At the end of what is there so far, with nothing behind it."""
    before = None
    for end in beginnings(PROGRAMS[path]):
        before = take(shop, {path: PROGRAMS[path][:end]}, OUTSIDE, before)
        ask(before, path, end)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_every_hole(shop: Path, data: st.DataObject) -> None:
    """With a piece taken out, another one put in, and the cursor anywhere; between compilations too."""
    path = data.draw(st.sampled_from(sorted(PROGRAMS)))
    text = PROGRAMS[path]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    put = data.draw(
        st.sampled_from(["", "'", "`", "{{", "{%", "}}", "(", ")", ".", ";", "\r", "\U0001f600", "-- ", "- "])
    )
    holed = text[:start] + put + text[end:]
    offset = data.draw(st.integers(0, len(holed)))
    snapshot = take(shop, {path: holed}, OUTSIDE)
    ask(snapshot, path, offset)
    ask(take(shop, {}, OUTSIDE).typed({path: holed}), path, offset)
