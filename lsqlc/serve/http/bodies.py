"""The bodies of answers as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from lsqlc.diagnostics import Diagnostic
from lsqlc.report.answers import Answer, AnswerColumn, answer_json
from lsqlc.report.json_report import diagnostic_data
from lsqlc.serve.follower import Freshness
from lsqlc.serve.service import Service, TableAnswer

_encode = msgspec.json.encode


def freshness_data(service: Service, freshness: Freshness) -> dict[str, Any]:
    """Return the freshness of a table. A topic in a folder has partition 0 alone."""
    offsets = freshness.positions if service.has_partitions else {"0": freshness.highest + 1}
    lag = freshness.lag_seconds
    return {
        "offsets": dict(offsets),
        "lag_records": freshness.lag_records,
        "lag_seconds": None if lag is None else round(lag, 3),
        "loaded": freshness.is_loaded,
        "skipped_records": freshness.skipped,
        "problem": None if freshness.problem is None else diagnostic_data(freshness.problem),
    }


def rows_body(service: Service, answer: TableAnswer) -> bytes:
    """Return the rows of an answer, with its columns and freshness."""
    return _encode(
        {
            "columns": columns_data(answer.answer.columns),
            "rows": raw_rows(answer.answer),
            "has_more": answer.has_more,
            "freshness": _freshness(service, answer),
        }
    )


def row_body(service: Service, answer: TableAnswer) -> bytes:
    """Return the first row of an answer, or null."""
    rows = raw_rows(answer.answer)
    return _encode({"row": rows[0] if rows else None, "freshness": _freshness(service, answer)})


def tables_body(service: Service) -> bytes:
    """Return the tables of a service."""
    tables = [
        {
            "name": table.name,
            "model": table.model,
            "columns": columns_data(table.columns),
            "key": [column.name for column in table.columns if column.facet == "key"],
            "rows": service.count(table.name),
            "freshness": freshness_data(service, service.follower.freshness(table.name)),
        }
        for table in service.tables.values()
    ]
    return _encode({"tables": tables})


def ready_data(service: Service) -> dict[str, Any]:
    """Return whether each table has been read, and can be followed."""
    freshness = {name: service.follower.freshness(name) for name in service.tables}
    is_ready = all(each.is_loaded and each.problem is None for each in freshness.values())
    return {"ready": is_ready, "tables": {name: freshness_data(service, each) for name, each in freshness.items()}}


def error_body(diagnostics: Iterable[Diagnostic]) -> bytes:
    """Return errors: the first one, and all."""
    data = [diagnostic_data(diagnostic) for diagnostic in diagnostics]
    return _encode({"error": data[0], "diagnostics": data})


def columns_data(columns: Iterable[AnswerColumn]) -> list[Mapping[str, Any]]:
    """Return columns with their types, and whether they belong to the key."""
    return [{"name": c.name, "type": str(c.type), "key": c.facet == "key"} for c in columns]


def raw_rows(answer: Answer) -> list[msgspec.Raw]:
    """Return the rows as JSON objects."""
    return [msgspec.Raw(line.encode("utf-8", "surrogatepass")) for line in answer_json(answer)]


def _freshness(service: Service, answer: TableAnswer) -> dict[str, Any]:
    return {name: freshness_data(service, each) for name, each in answer.freshness.items()}
