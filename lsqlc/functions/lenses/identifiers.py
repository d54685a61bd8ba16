"""UUID: an identifier that is derived from the record, so that a replay writes the same one.

It is the MD5 of the record's ordinal, which is unique, and of a number that distinguishes the identifiers of one
record. Its form is a UUID of version 3 (RFC 9562).
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, ValueForm
from lsqlc.types.data import STRING, DataType

_PARTS = "([0-9a-f]{8})([0-9a-f]{4}).([0-9a-f]{3}).([0-9a-f]{3})([0-9a-f]{12})"


def _form(group: str) -> ValueForm:
    """Return a form over (record, number). `group` is the prefix of a group's number in a replacement."""
    # The digits 3 and 8 are the version and the variant.
    whole = f"{group}1-{group}2-3{group}3-8{group}4-{group}5"

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        return f"regexp_replace(md5({texts[0]} || '#{values[1]}'), '{_PARTS}', '{whole}')"

    return ValueForm(render)


IDENTIFIERS: tuple[Function, ...] = (
    Function(
        "UUID", (Parameter("number", "size", literal=True, optional=True, default=0),), always(STRING),
        _form("\\"), _form("$"),
        "an identifier of the record, the same in every run; a record's further ones need a number, and get one where"
        " none is written", nulls=Nulls.NEVER, of_record=True,
    ),
)  # fmt: skip
