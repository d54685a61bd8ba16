"""Names and values as Spark reads them. A backslash in a literal is an escape."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.sql.writer import marked


def ticked(name: str) -> str:
    """A name."""
    return marked("`" + name.replace("`", "``") + "`")


def text(value: str) -> str:
    """The literal of a text, without line breaks."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


def struct(parts: Iterable[tuple[str, str]]) -> str:
    """A struct of named values, which are SQL."""
    return f"named_struct({', '.join(f'{text(name)}, {value}' for name, value in parts)})"


def member(*names: str, of: str = "$") -> str:
    """The path of a member of a VARIANT, below the path `of`, as the text that `variant_get` takes.

    >>> member("a b", "c", of="$.value")
    "$.value['a b']['c']"
    """
    escaped = (name.replace("\\", "\\\\").replace("'", "\\'") for name in names)
    return of + "".join(f"['{name}']" for name in escaped)
