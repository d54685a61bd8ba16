"""What the type of a file says of its members beside their types: for the JSON Schemas that are generated from it.

Constraints are not those of the decoder: the readers check them with their own messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

# Constraints that several members have.
DURATION: Mapping[str, Any] = {"pattern": "^[0-9]{1,9}(ms|s|m|h|d)$"}
NAME: Mapping[str, Any] = {"pattern": "^[A-Za-z0-9_][A-Za-z0-9_.-]*$"}
TOPIC: Mapping[str, Any] = {**NAME, "maxLength": 249}
CASE_NAME: Mapping[str, Any] = {"pattern": "^[A-Za-z0-9_](?:[A-Za-z0-9_. -]{0,98}[A-Za-z0-9_-])?$"}
CODES: Mapping[str, Any] = {"items": {"type": "string", "pattern": "^LSQ[0-9]{3}$"}}
POSITIVE: Mapping[str, Any] = {"minimum": 1}
NOT_NEGATIVE: Mapping[str, Any] = {"minimum": 0}
# A limit of alerts: so much, or no alert.
DURATION_OR_OFF: Mapping[str, Any] = {"anyOf": [{"type": "string", **DURATION}, {"const": False}, {"type": "null"}]}
COUNT_OR_OFF: Mapping[str, Any] = {"anyOf": [{"type": "integer", "minimum": 0}, {"const": False}, {"type": "null"}]}


def described(text: str, schema: Mapping[str, Any] | None = None) -> msgspec.Meta:
    """Return what a member is, as `Annotated` takes it. `schema`: keys of its JSON Schema that take the place of those
    of its type.
    """
    return msgspec.Meta(description=text, extra_json_schema=dict(schema or {}))


def reference(name: str) -> dict[str, str]:
    """Return the schema of a definition."""
    return {"$ref": f"#/definitions/{name}"}
