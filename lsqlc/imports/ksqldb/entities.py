"""Parser of the JSON of ksqlDB's REST API, and of its command line with `--output JSON`.

A file may hold several answers to LIST ... EXTENDED one after the other. Other answers are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lsqlc.imports.ksqldb.exported import Described, Exported, merged
from lsqlc.syntax.ksql.text import name_text

_PLAIN = {"INTEGER", "BIGINT", "BOOLEAN", "DOUBLE", "STRING", "BYTES", "DATE", "TIME", "TIMESTAMP"}


def looks_like_json(text: str) -> bool:
    return text.lstrip()[:1] in ("[", "{")


def documents(text: str) -> list[Any]:
    """Return the JSON values that follow each other in a text. Raises ValueError for invalid JSON."""
    decoder = json.JSONDecoder()
    values, position = [], 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        try:
            value, position = decoder.raw_decode(text, position)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        values.append(value)
    return values


def exported(values: list[Any]) -> Exported:
    """Parse answers. Answers of another form are ignored."""
    return merged(_of(answer) for value in values for answer in _answers(value))


def errors(values: list[Any]) -> tuple[str, ...]:
    """Return the messages of answers that are errors."""
    return tuple(
        str(answer.get("message"))
        for value in values
        for answer in _answers(value)
        if answer.get("@type") in ("statement_error", "generic_error") or "error_code" in answer
    )


def _answers(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _answers(each)


def _of(answer: Mapping[str, Any]) -> Exported:
    sources = [*_list(answer, "sourceDescriptions"), answer.get("sourceDescription")]
    queries = [*_list(answer, "queryDescriptions"), *_list(answer, "queries"), answer.get("queryDescription")]
    persistent: dict[str, str] = {}
    for source in filter(_is_mapping, sources):
        for query in (*_list(source, "writeQueries"), *_list(source, "readQueries")):
            _add_query(query, persistent)
    for query in queries:
        _add_query(query, persistent)
    return Exported(tuple(_described(s) for s in sources if _is_mapping(s) and _name(s)), persistent)


def _add_query(query: Any, persistent: dict[str, str]) -> None:
    """Add a persistent query. Other queries end with their client."""
    if not _is_mapping(query) or query.get("queryType", "PERSISTENT") != "PERSISTENT":
        return
    text, id = query.get("statementText") or query.get("queryString"), query.get("id")
    if isinstance(text, str) and isinstance(id, str):
        persistent[id] = text


def _described(source: Mapping[str, Any]) -> Described:
    kind = "TABLE" if str(source.get("type")).upper() == "TABLE" else "STREAM"
    fields = [_column(f, kind) for f in _list(source, "fields")]
    columns = tuple(f for f in fields if f is not None)
    return Described(
        _name(source),
        kind,
        str(source.get("topic") or _name(source)),
        str(source.get("statement") or ""),
        columns if len(columns) == len(fields) else (),
        str(source.get("keyFormat") or "").upper(),
        str(source.get("valueFormat") or "").upper(),
        _count(source.get("partitions")),
        _count(source.get("replication")),
        str(source.get("windowType") or ""),
    )


def _column(field: Any, kind: str) -> str | None:
    """Return a column in the form of CREATE; None if its form is unknown."""
    if not _is_mapping(field) or not isinstance(field.get("name"), str):
        return None
    type = _type(field.get("schema"))
    if type is None:
        return None
    role = {"KEY": " KEY" if kind == "STREAM" else " PRIMARY KEY", "HEADER": ""}.get(str(field.get("type")), "")
    if field.get("type") == "HEADER":
        key = field.get("headerKey")
        role = " HEADERS" if not isinstance(key, str) else " HEADER('{}')".format(key.replace("'", "''"))
    return f"{name_text(field['name'])} {type}{role}"


def _type(schema: Any) -> str | None:
    if not _is_mapping(schema):
        return None
    type = str(schema.get("type")).upper()
    if type in _PLAIN:
        return type
    member = _type(schema.get("memberSchema")) if schema.get("memberSchema") is not None else None
    if type in ("ARRAY", "MAP") and member is not None:
        return f"ARRAY<{member}>" if type == "ARRAY" else f"MAP<STRING, {member}>"
    if type == "DECIMAL" and _is_mapping(schema.get("parameters")):
        parameters = schema["parameters"]
        return f"DECIMAL({parameters.get('precision')}, {parameters.get('scale')})"
    if type == "STRUCT":
        fields = [(f.get("name"), _type(f.get("schema"))) for f in _list(schema, "fields") if _is_mapping(f)]
        if fields and all(isinstance(n, str) and t is not None for n, t in fields):
            return "STRUCT<" + ", ".join(f"{name_text(str(n))} {t}" for n, t in fields) + ">"
    return None


def _list(value: Mapping[str, Any], key: str) -> list[Any]:
    items = value.get(key)
    return items if isinstance(items, list) else []


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _name(source: Mapping[str, Any]) -> str:
    return str(source.get("name") or "")


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
