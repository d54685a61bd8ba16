"""The envelope of a change, as JSON text: `{"before": row, "after": row, "source": {...}, "op": "u", "ts_ms": ...}`.

With the schemas of Kafka Connect the envelope is the member `payload` of an object. The row of a change is its `after`;
of a deletion (`d`) it is null. A truncation (`t`) and a message (`m`) have no row.

Members are located by patterns, which the client and Spark share, so that both take the same text. Spark's functions
of JSON rewrite numbers, and lose digits. A pattern counts brackets to `DEPTH` levels. A name with an escape is another
name, and of a name that stands twice the first member counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

# Levels of objects and arrays that the patterns see.
DEPTH = 24
ROWS = ('"c"', '"u"', '"r"')
DELETION, TRUNCATION, MESSAGE = '"d"', '"t"', '"m"'
OPS = (*ROWS, DELETION, TRUNCATION, MESSAGE)

NO_ENVELOPE = "expected an envelope of Debezium"
TOO_DEEP = f"the envelope has more than {DEPTH} levels"
NO_OP = "the envelope has no 'op'"
UNKNOWN_OP = "the 'op' of the envelope is not one of c, r, u, d"
UNKNOWN_CHANGE = "the 'op' of the envelope is not one of c, r, u, d, t, m"
NO_AFTER = "the envelope has no row in 'after'"
NO_ROW = "the 'after' of the envelope is not an object"
TRUNCATED = "a truncation (op t) has no row"
MESSAGED = "a message (op m) has no row"

# Why a row is none, by the member and whether rows are objects or texts.
NOT_A_ROW = {
    (name, mark): f"the '{name}' of the envelope is not {what}"
    for name in ("before", "after")
    for mark, what in (("{", "an object"), ('"', "a text"))
}

# No part is given back after a match: Java matches such repetitions without recursion.
SPACE = r"[ \t\r\n]*+"
TEXT = r'"(?:[^"\\]++|\\[^\n])*+"'


def _nested(depth: int) -> str:
    """Return the pattern of an object or an array with this number of levels."""
    inner = f"|{_nested(depth - 1)}" if depth > 1 else ""
    return rf'[\[{{](?:[^"\[\]{{}}]++|{TEXT}{inner})*+[\]}}]'


VALUE = rf'(?:{TEXT}|{_nested(DEPTH)}|[^ \t\r\n",\[\]{{}}]++)'
WHOLE = f"^{SPACE}{VALUE}{SPACE}$"

# The texts and the blanks of strict JSON, whatever else the text has. Spark's functions of JSON also take single
# quotes, control characters, and halves of surrogate pairs.
_HEX = "[0-9a-fA-F]"
_UNIT = rf"u(?:(?![dD][89a-fA-F]){_HEX}{{4}}|[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}})"
STRICT = rf'^(?:[^"\\\x00-\x08\x0b\x0c\x0e-\x1f\x27]++|"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|{_UNIT}))*+")*+$'


def before(name: str) -> str:
    """Return the pattern of an object up to the value of a member. `name`: a pattern."""
    name_and_colon = f'"{name}"{SPACE}:{SPACE}'
    others = f"(?:(?!{name_and_colon}){TEXT}{SPACE}:{SPACE}{VALUE}{SPACE},{SPACE})*+"
    return rf"^{SPACE}\{{{SPACE}{others}{name_and_colon}"


def member(name: str) -> str:
    """Return the pattern of an object up to a member, whose value is the group. `name`: a pattern."""
    return f"{before(name)}({VALUE})"


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """The row of an envelope as JSON text, `null` for a deletion; or why it has none, in one clause."""

    row: str
    wrong: str | None = None


def unwrapped(text: str) -> Unwrapped:
    """Return the row of a JSON text.

    >>> unwrapped('{"op": "c", "after": {"id": 1.50}}').row
    '{"id": 1.50}'
    >>> unwrapped('{"op": "t"}').wrong
    'a truncation (op t) has no row'
    """
    text = _member("payload", text) or text
    text = text.strip(" \t\r\n")
    if text == "null":
        return Unwrapped("null")
    op, after = _member("op", text), _member("after", text)
    wrong = _wrong(text, op, after)
    return Unwrapped(after if wrong is None and op in ROWS else "null", wrong)


def changed(text: str, rewrite: Callable[[Unwrapped], Unwrapped], mark: str, *, has_source: bool) -> Unwrapped:
    """Return the whole change of a JSON text, as the JSON text of its type (`kind.change_type`).

    `rewrite`: converts a row to the language's form. `mark`: the first character of rows.
    """
    text = (_member("payload", text) or text).strip(" \t\r\n")
    if text == "null":
        return Unwrapped("null")
    parts = {name: _member(name, text) for name in ("op", "ts_ms", "before", "after", "source")}
    rows = {name: rewrite(Unwrapped(parts[name] or "null")) for name in ("before", "after")}
    wrong = _wrong_change(text, parts, mark) or rows["before"].wrong or rows["after"].wrong
    if wrong is not None:
        return Unwrapped("null", wrong)
    source = f',"source":{parts["source"] or "null"}' if has_source else ""
    whole = f'"op":{parts["op"]},"ts":{parts["ts_ms"] or "null"}'
    return Unwrapped(f'{{{whole},"before":{rows["before"].row},"after":{rows["after"].row}{source}}}')


def _wrong_change(text: str, parts: Mapping[str, str], mark: str) -> str | None:
    if not text.startswith("{"):
        return NO_ENVELOPE
    if not re.match(WHOLE, text):
        return TOO_DEEP
    if parts["op"] not in OPS:
        return UNKNOWN_CHANGE if parts["op"] else NO_OP
    for name in ("before", "after"):
        if parts[name] not in ("", "null") and not parts[name].startswith(mark):
            return NOT_A_ROW[name, mark]
    return None


def _wrong(text: str, op: str, after: str) -> str | None:
    if not text.startswith("{"):
        return NO_ENVELOPE
    if op == "" or (op in ROWS and after == ""):
        missing = NO_OP if op == "" else NO_AFTER
        return missing if re.match(WHOLE, text) else TOO_DEEP
    if op in ROWS:
        if after == "null":
            return NO_AFTER
        return None if after.startswith("{") else NO_ROW
    return {DELETION: None, TRUNCATION: TRUNCATED, MESSAGE: MESSAGED}.get(op, UNKNOWN_OP)


def _member(name: str, text: str) -> str:
    """Return the text of a member; empty for an object without it, and for other JSON."""
    match = _pattern(name).match(text)
    return match[1] if match else ""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(member(name))
