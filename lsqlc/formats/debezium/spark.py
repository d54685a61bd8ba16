"""Rows in envelopes of Debezium by Spark's own functions: the patterns of `envelope` on the JSON text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lsqlc.formats.debezium import envelope
from lsqlc.formats.debezium.settings import Settings
from lsqlc.formats.debezium.spark_columns import once, rewritten
from lsqlc.formats.encoding import Decoding, outcome
from lsqlc.sql.spark import struct, text
from lsqlc.types.data import DataType, Struct

_ROWS = ", ".join(map(text, envelope.ROWS))
_BLANKS = r"' \t\n\r'"


@dataclass(frozen=True, slots=True)
class Enveloped(Decoding):
    """A row in an envelope, or the whole change. `type`: of the row; `inner`: how envelopes are stored; `settings`: how
    columns are; `change`: the whole change is read, with `source` or without; None: the row is.
    """

    type: DataType
    inner: Decoding
    settings: Settings
    change: Literal["with source", "without source"] | None = None

    def read(self, column: str) -> str:
        """Return the SQL of `Decoding.read`."""
        bad = outcome("CAST(NULL AS STRING)", "_d.wrong")
        # Spark's readers pass over broken characters, and take more than JSON.
        no_text = outcome("CAST(NULL AS STRING)", "'expected JSON'")
        is_strict = f"is_valid_utf8(_d.json) AND _d.json RLIKE {text(envelope.STRICT)}"
        cases = f"CASE WHEN _d.wrong IS NOT NULL THEN {bad} WHEN NOT ({is_strict}) THEN {no_text}"
        if self.change is None:
            whole = rewritten(row("_d.json"), self.type, self.settings)
        else:
            whole = changed("_d.json", self.type, self.settings, has_source=self.change == "with source")
        return once(self.inner.read(column), "_d", f"{cases} ELSE {whole} END")


def changed(json: str, type: DataType, settings: Settings, *, has_source: bool) -> str:
    """SQL of the same struct of a whole change, as `envelope.changed` makes it. `type`: of rows."""
    whole = f"trim(BOTH {_BLANKS} FROM coalesce({_member('payload', json)}, {json}))"
    names = ("op", "ts_ms", "before", "after", "source")
    parts = struct(tuple((name, _member(name, "_e")) for name in names))
    rows = {
        name: rewritten(outcome(f"coalesce(_m.{name}, 'null')", "CAST(NULL AS STRING)"), type, settings)
        for name in ("before", "after")
    }
    mark = "{" if isinstance(type, Struct) else '"'
    cases = [
        ("NOT startswith(_e, '{')", envelope.NO_ENVELOPE),
        (f"NOT _e RLIKE {text(envelope.WHOLE)}", envelope.TOO_DEEP),
        ("_m.op IS NULL", envelope.NO_OP),
        (f"_m.op NOT IN ({', '.join(map(text, envelope.OPS))})", envelope.UNKNOWN_CHANGE),
        *(
            (f"_m.{name} != 'null' AND NOT startswith(_m.{name}, {text(mark)})", envelope.NOT_A_ROW[name, mark])
            for name in rows
        ),
    ]
    of_envelope = " ".join(f"WHEN {condition} THEN {text(why)}" for condition, why in cases)
    wrong = f"CASE {of_envelope} ELSE coalesce(_x.before.wrong, _x.after.wrong) END"
    members = ["'{\"op\":', _m.op, ',\"ts\":', coalesce(_m.ts_ms, 'null')"]
    members += [f"',\"{name}\":', _x.{name}.json" for name in rows]
    members += ["',\"source\":', coalesce(_m.source, 'null')"] if has_source else []
    change = once(wrong, "_w", outcome(f"if(_w IS NULL, concat({', '.join(members)}, '}}'), NULL)", "_w"))
    null = outcome("'null'", "CAST(NULL AS STRING)")
    opened = once(struct(tuple(rows.items())), "_x", change)
    return once(whole, "_e", f"if(_e = 'null', {null}, {once(parts, '_m', opened)})")


def row(json: str) -> str:
    """SQL of STRUCT<json: STRING, wrong: STRING> of the JSON text of an envelope: the row's, or why it has none."""
    whole = f"trim(BOTH {_BLANKS} FROM coalesce({_member('payload', json)}, {json}))"
    parts = struct((("op", _member("op", "_e")), ("after", _member("after", "_e"))))
    return once(whole, "_e", once(parts, "_m", _outcome()))


def _outcome() -> str:
    """Return the outcome of the envelope `_e` with the members `_m`."""
    missing = f"if(_m.op IS NULL, {text(envelope.NO_OP)}, {text(envelope.NO_AFTER)})"
    wrong = (
        "CASE WHEN _e = 'null' THEN NULL"
        f" WHEN NOT startswith(_e, '{{') THEN {text(envelope.NO_ENVELOPE)}"
        f" WHEN _m.op IS NULL OR (_m.op IN ({_ROWS}) AND _m.after IS NULL)"
        f" THEN if(_e RLIKE {text(envelope.WHOLE)}, {missing}, {text(envelope.TOO_DEEP)})"
        f" WHEN _m.op IN ({_ROWS}) AND _m.after = 'null' THEN {text(envelope.NO_AFTER)}"
        f" WHEN _m.op IN ({_ROWS}) AND NOT startswith(_m.after, '{{') THEN {text(envelope.NO_ROW)}"
        f" WHEN _m.op IN ({_ROWS}, {text(envelope.DELETION)}) THEN NULL"
        f" WHEN _m.op = {text(envelope.TRUNCATION)} THEN {text(envelope.TRUNCATED)}"
        f" WHEN _m.op = {text(envelope.MESSAGE)} THEN {text(envelope.MESSAGED)}"
        f" ELSE {text(envelope.UNKNOWN_OP)} END"
    )
    row_text = f"if(_e != 'null' AND _m.op IN ({_ROWS}), _m.after, 'null')"
    return once(wrong, "_w", outcome(f"if(_w IS NULL, {row_text}, NULL)", "_w"))


def _member(name: str, json: str) -> str:
    """SQL of the text of a member; null without it."""
    return f"nullif(regexp_extract({json}, {text(envelope.member(name))}, 1), '')"
