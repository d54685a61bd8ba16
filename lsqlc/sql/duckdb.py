"""Names and values as DuckDB reads them. A quote within quotes is doubled; only a literal `E'...'` has escapes."""

from __future__ import annotations

from collections.abc import Iterable
from json import dumps

from lsqlc.sql.writer import marked


def quoted(name: str) -> str:
    """A name."""
    return marked('"' + name.replace('"', '""') + '"')


def text(value: str) -> str:
    """The literal of a text, without line breaks."""
    if "\x00" in value and ("\n" in value or "\r" in value):
        # A literal with escapes cannot have the character NUL.
        return f"({' || chr(0) || '.join(map(text, value.split(chr(0))))})"
    if "\n" not in value and "\r" not in value:
        return "'" + value.replace("'", "''") + "'"
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"E'{escaped}'"


def label(name: str) -> str:
    """The name of a struct's field where DuckDB reads it as a literal; it takes no escapes there."""
    return marked("'" + name.replace("'", "''") + "'")


def struct(parts: Iterable[tuple[str, str]]) -> str:
    """A struct of named values, which are SQL."""
    return "{" + ", ".join(f"{label(name)}: {value}" for name, value in parts) + "}"


def json_text(value: str) -> str:
    """A text within the JSON that `from_json` takes for a type."""
    return dumps(value, ensure_ascii=False)
