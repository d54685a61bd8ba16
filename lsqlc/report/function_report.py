"""The project's own functions as a table and as JSON."""

from __future__ import annotations

from typing import Any

from lsqlc.bind.own_function import OwnFunctions
from lsqlc.report.tables import Column, table_lines


def function_data(functions: OwnFunctions) -> list[dict[str, Any]]:
    """Return an object per function, sorted by name."""
    return [
        {
            "name": f.name,
            "signature": f.signature,
            "kind": f.kind,
            "dialect": f.dialect,
            "path": f.path,
            "description": f.comment,
        }
        for _, f in sorted(functions.items())
    ]


def function_text(functions: OwnFunctions, width: int) -> str:
    """Return a line per function. `width`: cells of a line."""
    own = [f for _, f in sorted(functions.items())]
    columns = [
        Column("function", tuple(f.signature for f in own)),
        Column("kind", tuple(f.kind for f in own)),
        Column("path", tuple(f.path for f in own)),
    ]
    return "\n".join(table_lines(columns, width))
