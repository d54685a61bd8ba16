"""`connector: delta` in YAML: the table of a topic, its key and its columns."""

from __future__ import annotations

from typing import Any

import pytest

from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import Declarations, read_declarations
from lsqlc.project.declared.lock import Lock
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import ABSENT


def _declared(lock: Lock | None = None, **topic: Any) -> Declarations:
    members = "".join(f"    {name}: {value}\n" for name, value in topic.items())
    text = f"topics:\n  - name: orders\n    connector: delta\n{members}"
    return read_declarations(text, "models/t.yml", Defaults(), lock=lock or Lock({}))


def _problems(**topic: Any) -> list[str]:
    return [f"{d.code} {d.message}" for d in _declared(**topic).diagnostics]


def test_a_topic_with_columns() -> None:
    """Without a key it has the appended rows; with a key the changes of rows, unless it says otherwise."""
    (plain,) = _declared(delta="{path: lake/orders/}", value="id BIGINT, name STRING").topics
    assert plain.delta is not None and plain.topic.connector == "delta" and plain.topic.key == ABSENT
    assert (plain.delta.path, plain.delta.rows, plain.delta.key) == ("lake/orders", "appended", ())
    (keyed,) = _declared(delta="{path: orders, store: lake}", key="ID", value="id BIGINT, name STRING").topics
    assert keyed.delta is not None and (keyed.delta.store, keyed.delta.rows) == ("lake", "current")
    assert keyed.delta.key == ("id",) and str(keyed.topic.key) == "BIGINT (long)"
    (both,) = _declared(delta="{path: lake, rows: appended}", key="[name, id]", value="id BIGINT, name STRING").topics
    assert both.delta is not None and both.delta.rows == "appended"
    assert str(both.topic.key) == "STRUCT<name: STRING, id: BIGINT> (json)"


def test_columns_of_the_lock_file() -> None:
    """Without them and without `value` the topic waits for `lsqlc compile`."""
    columns = parse_columns("id BIGINT, name STRING")
    unknown = _declared(delta="{path: lake}", key="id")
    assert not unknown.topics and unknown.broken == {"orders"} and not unknown.diagnostics
    assert unknown.unlocked[0].delta is not None and not unknown.unlocked[0].delta.is_declared
    (topic,) = _declared(Lock({"orders": columns}), delta="{path: lake}", key="id").topics
    assert topic.topic.value.type == columns and str(topic.topic.key) == "BIGINT (long)"


@pytest.mark.parametrize(
    ("topic", "problem"),
    [
        ({}, "LSQ017 the key 'delta' is missing @ $.topics[0]"),
        ({"delta": "{path: ''}"}, "LSQ007 the path is empty @ $.topics[0].delta.path"),
        ({"delta": "{path: /a, store: lake}"}, "LSQ007 '/a' is not a path in a store @ $.topics[0].delta.path"),
        ({"delta": "{path: s3://b/a, store: lake}"}, "LSQ007 's3://b/a' is not a path in a store"),
        (
            {"delta": "{path: a, rows: current}"},
            "LSQ007 the current rows of a table need a key @ $.topics[0].delta.rows",
        ),
        ({"delta": "{path: a, ignore: deletes}", "key": "id"}, "LSQ007 'ignore' is only for rows that are appended"),
        ({"delta": "{path: a, from_version: 2}", "key": "id"}, "LSQ007 'from_version' is only for rows that are"),
        ({"delta": "{path: a, from_version: -1}"}, "LSQ007 -1 is not a version @ $.topics[0].delta.from_version"),
        ({"delta": "{path: a}", "key": "ids"}, "LSQ016 key names 'ids', which is not a column"),
        ({"delta": "{path: a}", "seed": "{path: a.csv}"}, "LSQ007 'seed' is not for a topic of a Delta table"),
        ({"delta": "{path: a}", "value": "INT"}, "LSQ007 the records of a Delta table must be columns"),
    ],
)
def test_what_a_declaration_cannot_say(topic: dict[str, str], problem: str) -> None:
    found = _problems(**{"value": "id BIGINT", **topic})
    assert len(found) == 1 and found[0].startswith(problem)


def test_only_a_topic_of_a_table_has_one() -> None:
    text = "topics:\n  - {name: orders, value: INT, delta: {path: lake}}\n"
    (problem,) = read_declarations(text, "models/t.yml", Defaults()).diagnostics
    assert problem.message.startswith("'delta' is only for a topic of a Delta table")
    assert problem.help == "add `connector: delta`"
