"""The columns of a row in the form of the language, by Spark's own functions: what `columns` does for the client."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.formats.debezium import columns
from lsqlc.formats.debezium.columns import Step, form_steps, unavailable_steps
from lsqlc.formats.debezium.settings import Settings
from lsqlc.functions.forms.json_values import json_of
from lsqlc.sql.spark import struct, text
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal

_HALF = "18446744073709551616BD"


def rewritten(row: str, type: DataType, settings: Settings) -> str:
    """SQL of STRUCT<json: STRING, wrong: STRING> of a row in the form of the language. `row`: SQL of the same of the
    row as the connector writes it.
    """
    of_unavailable, of_forms = unavailable_steps(type, settings), form_steps(type, settings)
    if of_unavailable:
        signs = " OR ".join(f"contains(_s.json, {text(sign)})" for sign in columns.SIGNS)
        row = once(row, "_s", f"if({signs}, {_chain(_without_escapes('_s'), of_unavailable)}, _s)")
    return _chain(once(row, "_s", _without_escapes("_s")), of_forms) if of_forms else row


def _without_escapes(row_struct: str) -> str:
    """Return the same struct, or the fault of names with an escape."""
    is_bad = f"contains({row_struct}.json, '\\\\') AND {row_struct}.json RLIKE {text(columns.ESCAPED_NAME)}"
    return f"if({is_bad}, {_fault(columns.HAS_ESCAPE)}, {row_struct})"


def _chain(row: str, steps: Iterable[Step]) -> str:
    for step in steps:
        row = once(row, "_s", _done(step))
    return row


def _done(step: Step) -> str:
    """Return the struct `_s` after a step."""
    parts = struct(
        (
            ("before", f"regexp_extract(_s.json, {text(step.pattern)}, 1)"),
            ("value", f"regexp_extract(_s.json, {text(step.pattern)}, 2)"),
        )
    )
    rest = "substring(_s.json, length(_c.before) + length(_c.value) + 1)"
    twice = f"instr({rest}, {text(step.sign)}) > 0 AND concat('{{\"\":0', {rest}) RLIKE {text(step.again)}"
    value, faults = _converted(step)
    cases = "".join(f" WHEN {condition} THEN {_fault(why)}" for condition, why in faults)
    result = struct((("json", f"concat(_c.before, {value}, {rest})"), ("wrong", "CAST(NULL AS STRING)")))
    cases = f"WHEN _c.value IS NULL OR _c.value = '' THEN _s WHEN {twice} THEN {_fault(step.twice)}{cases}"
    return once(parts, "_c", f"CASE {cases} ELSE {result} END")


def _fault(why: str) -> str:
    return struct((("json", "CAST(NULL AS STRING)"), ("wrong", text(why))))


def _converted(step: Step) -> tuple[str, list[tuple[str, str]]]:
    """Return the text of the value `_c.value` in the form of the language, and its possible faults."""
    value = "_c.value"
    if step.form in ("null", "fail"):
        is_unavailable = f"{value} RLIKE {text(columns.UNAVAILABLE)}"
        if step.form == "null":
            return f"if({is_unavailable}, 'null', {value})", []
        return value, [(is_unavailable, step.not_sent)]
    if isinstance(step.type, Decimal):
        return _decimal(value, step.form, step.type.scale), []
    faults = [(f"{value} RLIKE {text(columns.NUMERAL)}", step.is_number)] if step.form == "text" else []
    return (_time if step.type == data.TIME else _timestamp)(value, step.form), faults


def _timestamp(value: str, form: str) -> str:
    shorter = f"concat('\"', {_group(value, columns.ISO, 1)}, {_group(value, columns.ISO, 2)}, '\"')"
    number = value
    if form in ("micros", "nanos"):
        whole = f"try_cast({value} AS BIGINT)"
        micros = whole if form == "micros" else f"CAST(floor({whole} / 1000BD) AS BIGINT)"
        low, high = columns.MICROS_RANGE
        iso = json_of("timestamp_micros(_u)", data.TIMESTAMP)
        converted = once(micros, "_u", f"if(_u BETWEEN {low}L AND {high}L, {iso}, {value})")
        number = f"if({value} RLIKE {text(columns.INTEGER)}, {converted}, {value})"
    iso = f"WHEN {value} RLIKE {text(columns.ISO)} THEN {shorter}"
    quoted = f"WHEN {value} RLIKE {text(columns.QUOTED_INTEGER)} THEN {text(columns.NO_TIME)}"
    return f"CASE {iso} {quoted} ELSE {number} END"


def _time(value: str, form: str) -> str:
    hour, minute, second, fraction = (_group(value, columns.CLOCK, n) for n in (1, 2, 3, 4))
    seconds = f"(CAST({hour} AS BIGINT) * 60 + CAST({minute} AS BIGINT)) * 60 + CAST({second} AS BIGINT)"
    micros = f"CAST(({seconds}) * 1000000 + CAST(rpad({fraction}, 6, '0') AS BIGINT) AS STRING)"
    number = value
    if form in ("millis", "nanos"):
        whole = f"try_cast({value} AS BIGINT)"
        scaled = f"{whole} * 1000" if form == "millis" else f"{whole} DIV 1000"
        most = 86_400 * columns.UNITS[form] - 1
        converted = f"if({whole} BETWEEN 0L AND {most}L, CAST({scaled} AS STRING), '-1')"
        number = f"if({value} RLIKE {text(columns.INTEGER)}, {converted}, {value})"
    return f"if({value} RLIKE {text(columns.CLOCK)}, {micros}, {number})"


def _decimal(value: str, form: str, scale: int) -> str:
    if form == "text":
        return f"if({value} RLIKE {text(columns.QUOTED_NUMBER)}, {_group(value, columns.QUOTED_NUMBER, 1)}, {value})"
    # Two halves of 64 bits, of which the first one has the sign.
    hex = f"hex(unbase64({_group(value, columns.BASE64, 1)}))"
    padded = "lpad(_h, 32, if(_h >= '8', 'F', '0'))"
    high, low = (
        "CAST(conv(substring(_h, 1, 16), 16, -10) AS DECIMAL(20,0))",
        "CAST(conv(substring(_h, 17), 16, 10) AS DECIMAL(20,0))",
    )
    # The product of a negative number may have a digit more than the sum.
    shifted = "if(_h >= '8', 1BD, 0BD)"
    first = f"try_multiply({high} + {shifted}, {_HALF})"
    unscaled = f"CAST(try_add({first}, {low} - {shifted} * {_HALF}) AS DECIMAL(38,0))"
    # Not abs(): it rounds to 34 digits.
    whole = "replace(CAST(_u AS STRING), '-', '')"
    digits = f"lpad({whole}, greatest(length({whole}), {scale + 1}), '0')"
    point = "_g"
    if scale:
        point = f"concat(substring(_g, 1, length(_g) - {scale}), '.', right(_g, {scale}))"
    signed = once(digits, "_g", f"if(_u IS NULL, {value}, concat(if(_u < 0, '-', ''), {point}))")
    decimal_text = once(padded, "_h", once(unscaled, "_u", signed))
    fits = once(hex, "_h", f"if(length(_h) BETWEEN 2 AND 32, {decimal_text}, {value})")
    return f"if({value} RLIKE {text(columns.BASE64)}, {fits}, {value})"


def _group(value: str, pattern: str, group: int) -> str:
    return f"regexp_extract({value}, {text(pattern)}, {group})"


def once(value: str, name: str, body: str) -> str:
    """SQL of what `body` makes of a value, which has a name in it and is computed once."""
    return f"get(transform(array({value}), {name} -> {body}), 0)"
