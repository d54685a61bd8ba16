"""Descriptions of the members of file types, for the generated JSON Schemas.

The decoder does not check their constraints: the readers do, with their own messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

# Constraints of several members.
DURATION: Mapping[str, Any] = {"pattern": "^[0-9]{1,9}(ms|s|m|h|d)$"}
NAME: Mapping[str, Any] = {"pattern": "^[A-Za-z0-9_][A-Za-z0-9_.-]*$"}
TOPIC: Mapping[str, Any] = {**NAME, "maxLength": 249}
CASE_NAME: Mapping[str, Any] = {"pattern": "^[A-Za-z0-9_](?:[A-Za-z0-9_. -]{0,98}[A-Za-z0-9_-])?$"}
CODES: Mapping[str, Any] = {"items": {"type": "string", "pattern": "^LSQ[0-9]{3}$"}}
POSITIVE: Mapping[str, Any] = {"minimum": 1}
NOT_NEGATIVE: Mapping[str, Any] = {"minimum": 0}
# A limit of alerts: a value, or `false` for no alert.
DURATION_OR_OFF: Mapping[str, Any] = {"anyOf": [{"type": "string", **DURATION}, {"const": False}, {"type": "null"}]}
COUNT_OR_OFF: Mapping[str, Any] = {"anyOf": [{"type": "integer", "minimum": 0}, {"const": False}, {"type": "null"}]}


def described(text: str, schema: Mapping[str, Any] | None = None) -> msgspec.Meta:
    """Return the description of a member, for `Annotated`.

    `schema`: keys that override those of its type's JSON Schema.
    """
    return msgspec.Meta(description=text, extra_json_schema=dict(schema or {}))


def reference(name: str) -> dict[str, str]:
    """Return the schema of a definition."""
    return {"$ref": f"#/definitions/{name}"}
