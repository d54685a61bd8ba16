"""The routes of the service as data, from which the router and the OpenAPI document are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lsqlc.dialects import NAMES

JSON = "application/json"
_REF = "#/components/schemas/"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a route. `schema`: of OpenAPI; `is_list`: it may be there several times."""

    name: str
    where: Literal["path", "query", "header"]
    description: str
    schema: Mapping[str, Any]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Route:
    """A route. `handler`: the name of the function that answers; `path`: as of OpenAPI; `answer`: the schema of what it
    answers with 200, or None for text; `media`: its media type. `body`: the schema of the request's JSON.
    `is_open`: it needs no token; `is_stream`: the answer has no end; `may_miss`: 404 for what is not there;
    `may_wait`: 503 for tables that are not read yet.
    """

    method: Literal["GET", "POST"]
    path: str
    handler: str
    summary: str
    answer: Mapping[str, Any] | None
    parameters: tuple[Parameter, ...] = ()
    body: Mapping[str, Any] | None = None
    media: str = JSON
    is_open: bool = False
    is_stream: bool = False
    may_miss: bool = False
    may_wait: bool = False


def _ref(name: str) -> Mapping[str, Any]:
    return {"$ref": _REF + name}


def _object(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


_TEXT: Mapping[str, Any] = {"type": "string"}
_NUMBER: Mapping[str, Any] = {"type": "integer", "format": "int64", "minimum": 0}
_FLAG: Mapping[str, Any] = {"type": "boolean"}
_ROW: Mapping[str, Any] = {"type": "object", "description": "The values by the names of the columns."}

_TABLE = Parameter("table", "path", "The name of a table, which is that of its topic.", _TEXT)
_KEY = Parameter("key", "path", "The key: a text as it is, other types as JSON; several columns are an object.", _TEXT)
_WHERE = Parameter("where", "query", "A condition, as of `lsqlc show --where`.", _TEXT)
_LIMIT = Parameter("limit", "query", "The most rows of the answer.", _NUMBER)
_ROW_KEY = Parameter("key", "query", "Only the row of this key, in the form of the path.", _TEXT)
_AFTER = Parameter(
    "after",
    "query",
    "A record, TOPIC:PARTITION:OFFSET, which the answer must include; it waits for that.",
    {"type": "string", "pattern": "^.+:[0-9]+:[0-9]+$"},
    is_list=True,
)
_LAST = Parameter("Last-Event-ID", "header", "The id of the last event that the client has seen.", _TEXT)

ROUTES: tuple[Route, ...] = (
    Route(
        "GET", "/tables", "tables", "List the tables",
        _object({"tables": {"type": "array", "items": _ref("Table")}}),
    ),
    Route(
        "GET", "/tables/{table}", "rows", "Return rows of a table, by key", _ref("Rows"),
        (_TABLE, _WHERE, _LIMIT, _ROW_KEY, _AFTER), may_miss=True, may_wait=True,
    ),
    Route(
        "GET", "/tables/{table}/changes", "changes", "Follow the changes of a table as Server-Sent Events", None,
        (_TABLE, _LAST), media="text/event-stream", is_stream=True, may_miss=True, may_wait=True,
    ),
    Route(
        "GET", "/tables/{table}/{key}", "row", "Return the row of a key", _ref("Row"),
        (_TABLE, _KEY, _AFTER), may_miss=True, may_wait=True,
    ),
    Route(
        "POST", "/query", "query", "Answer a query over the tables", _ref("Rows"), (_AFTER,),
        body=_object(
            {"sql": {"type": "string", "description": "A SELECT in the dialect."}},
            {"dialect": {"enum": [*NAMES]}, "limit": _NUMBER},
        ),
        may_wait=True,
    ),
    Route("GET", "/health", "health", "Tell whether the process answers", _object({"status": _TEXT}), is_open=True),
    Route(
        "GET", "/ready", "ready", "Tell whether all tables have been read, and can be followed",
        _object({"ready": _FLAG, "tables": {"type": "object", "additionalProperties": _ref("Freshness")}}),
        is_open=True, may_wait=True,
    ),
    Route("GET", "/metrics", "metrics", "Return metrics in the text format of Prometheus", None, media="text/plain"),
    Route("GET", "/openapi.json", "openapi", "Return this document", {"type": "object"}),
)  # fmt: skip

_COLUMN = _object({"name": _TEXT, "type": _TEXT, "key": _FLAG})
_COLUMNS: Mapping[str, Any] = {"type": "array", "items": _COLUMN}
_FRESHNESS_OF: Mapping[str, Any] = {"type": "object", "additionalProperties": _ref("Freshness")}

SCHEMAS: Mapping[str, Any] = {
    "Table": _object(
        {"name": _TEXT, "columns": _COLUMNS, "key": {"type": "array", "items": _TEXT}, "rows": _NUMBER},
        {"model": {"type": ["string", "null"]}, "freshness": _ref("Freshness")},
    ),
    "Rows": _object(
        {
            "columns": _COLUMNS,
            "rows": {"type": "array", "items": _ROW},
            "has_more": {"type": "boolean", "description": "Whether the limit has cut the rows."},
            "freshness": _FRESHNESS_OF,
        }
    ),
    "Row": _object({"row": {"oneOf": [_ROW, {"type": "null"}]}, "freshness": _FRESHNESS_OF}),
    "Freshness": _object(
        {
            "offsets": {
                "type": "object",
                "additionalProperties": _NUMBER,
                "description": "By partition, the offset after the newest record that the answer includes, at least.",
            },
            "lag_records": _NUMBER,
            "lag_seconds": {"type": ["number", "null"]},
            "loaded": _FLAG,
            "skipped_records": _NUMBER,
            "problem": {"oneOf": [_ref("Diagnostic"), {"type": "null"}]},
        }
    ),
    "Diagnostic": _object({"code": _TEXT, "message": _TEXT}, {"help": {"type": ["string", "null"]}}),
    "Error": _object({"error": _ref("Diagnostic"), "diagnostics": {"type": "array", "items": _ref("Diagnostic")}}),
}


def openapi(version: str, *, has_token: bool) -> dict[str, Any]:
    """Return the OpenAPI document of the routes. `version`: of lsqlc; `has_token`: whether requests need a token."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, has_token=has_token)
    components: dict[str, Any] = {"schemas": SCHEMAS}
    if has_token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "lsqlc serve", "version": version},
        "paths": paths,
        "components": components,
    }


def _operation(route: Route, *, has_token: bool) -> dict[str, Any]:
    error = {"content": {JSON: {"schema": _ref("Error")}}}
    schema = _TEXT if route.answer is None else route.answer
    responses: dict[str, Any] = {"200": {"description": route.summary, "content": {route.media: {"schema": schema}}}}
    if route.parameters or route.body:
        responses["400"] = {"description": "A parameter, a condition or a query with errors", **error}
    if has_token and not route.is_open:
        responses["401"] = {"description": "The token is missing or wrong", **error}
    if route.may_miss:
        responses["404"] = {"description": "No such table or row", **error}
    if route.may_wait:
        responses["503"] = {"description": "A table is not read yet, or a limit is reached", **error}
    operation: dict[str, Any] = {"operationId": route.handler, "summary": route.summary, "responses": responses}
    if route.parameters:
        operation["parameters"] = [_parameter(each) for each in route.parameters]
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": route.body}}}
    if has_token and not route.is_open:
        operation["security"] = [{"token": []}]
    return operation


def _parameter(each: Parameter) -> dict[str, Any]:
    schema = {"type": "array", "items": each.schema} if each.is_list else each.schema
    return {
        "name": each.name,
        "in": each.where,
        "description": each.description,
        "required": each.where == "path",
        "schema": schema,
    }
