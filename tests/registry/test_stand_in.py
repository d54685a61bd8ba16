"""The stand-in answers as a real registry did: `compare.py` ran one exchange against it, and wrote its answers down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lsqlc.formats.json_schema.write import json_schema
from lsqlc.types.ddl import parse_columns
from tests.registry.compare import of_stand_in
from tests.registry.json_rules import json_conflicts

RECORDED = Path(__file__).with_name("exchange.json")


def test_the_stand_in_answers_as_a_registry_did() -> None:
    recorded = json.loads(RECORDED.read_text("utf-8"))
    assert of_stand_in() == recorded


OLD = "id BIGINT NOT NULL, note STRING, at STRUCT<x: DOUBLE>"


@pytest.mark.parametrize(("columns", "closed", "opened"), [
    (OLD, True, True),
    (f"{OLD}, more STRING", True, False),
    (f"{OLD}, more STRING NOT NULL", False, False),
    ("id BIGINT NOT NULL, note STRING", False, True),
    ("id STRING NOT NULL, note STRING, at STRUCT<x: DOUBLE>", False, False),
    ("id BIGINT NOT NULL, note STRING, at STRUCT<x: DOUBLE, y: STRING>", True, False),
    ("id BIGINT, note STRING, at STRUCT<x: DOUBLE>", True, True),
    ("id BIGINT NOT NULL, note STRING NOT NULL, at STRUCT<x: DOUBLE>", False, False),
])  # fmt: skip
def test_json_schemas_are_compatible_as_in_karapace(columns: str, closed: bool, opened: bool) -> None:
    """What its rules answered in the mode BACKWARD to schemas of the columns, after those of OLD."""
    for is_closed, expected in ((True, closed), (False, opened)):
        old, new = (json.dumps(json_schema(parse_columns(text), closed=is_closed)) for text in (OLD, columns))
        assert (json_conflicts(new, [old], "BACKWARD") == ()) == expected
