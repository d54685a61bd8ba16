"""TRY of DuckDB: null where an expression fails."""

from __future__ import annotations

_QUERY = "(SELECT "


def attempt(form: str, *operands: str) -> str:
    """Return a DuckDB expression that is null if it fails. `form` has `{0}`, `{1}`, ... for the operands.

    DuckDB refuses TRY around a query, as which the time of evaluation is written. There the operands are computed
    before.
    """
    if not any(_QUERY in operand for operand in operands):
        return f"try({form.format(*operands)})"
    fields = ", ".join(f"'a{i}': {operand}" for i, operand in enumerate(operands))
    inner = form.format(*(f"o.a{i}" for i in range(len(operands))))
    return f"(list_transform([{{{fields}}}], lambda o: try({inner}))[1])"
