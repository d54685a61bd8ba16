"""Functions of ksqlDB that search in a text, and functions that mask it."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms import regexes
from lsqlc.functions.forms.sizes import fits
from lsqlc.functions.ksql.forms import of_group
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render, ValueForm
from lsqlc.sql import engines
from lsqlc.sql.engines import Engine
from lsqlc.types.data import INT, STRING, Array, DataType

_TEXT = Parameter("text", "string")
_SIZE = Parameter("size", "index")
_MARKS = tuple(
    Parameter(name, "string", literal=True, null=True, optional=True) for name in ("upper", "lower", "digit", "other")
)
_DEFAULTS = ("X", "x", "n", "-")


def instr(text: str, target: str) -> int:
    return text.find(target) + 1


def instr_from(text: str, target: str, place: int, occurrence: int) -> int:
    """Return the position of an occurrence of `target` by its number, from a position on.

    A negative position counts from the end, and the search goes backwards.
    """
    positions = [i + 1 for i in range(len(text)) if text.startswith(target, i)]
    last = len(text) + place + 1
    positions = [i for i in positions if i >= place] if place > 0 else [i for i in reversed(positions) if i <= last]
    return positions[occurrence - 1] if 0 < occurrence <= len(positions) and place else 0


def mask(text: str, upper: str, lower: str, digit: str, other: str) -> str:
    """Replace each letter, digit and other character by the mark of its kind; an empty mark keeps them."""

    def of(letter: str) -> str:
        kind = upper if letter.isupper() else lower if letter.islower() else digit if letter.isdecimal() else other
        return kind[:1] or letter

    return "".join(map(of, text))


def regexp_extract_all(pattern: str, text: str, group: int) -> list[str] | None:
    return regexes.parts(text, pattern, group) if 0 <= group <= regexes.groups(pattern) else None


_INSTR = PythonForm("lsqlc_ksql_instr", instr, ("VARCHAR", "VARCHAR"), "INTEGER")
_INSTR_FROM = PythonForm("lsqlc_ksql_instr_from", instr_from, ("VARCHAR", "VARCHAR", "INTEGER", "INTEGER"), "INTEGER")
_MASK = PythonForm("lsqlc_ksql_mask", mask, ("VARCHAR",) * 5, "VARCHAR")
_ALL = PythonForm("lsqlc_ksql_regexp_extract_all", regexp_extract_all, ("VARCHAR", "VARCHAR", "INTEGER"), "VARCHAR[]")


def _masked(engine: Engine, text: str, marks: Sequence[object]) -> str:
    """Return the SQL of a masked text. A mark is the first character of its text; a null or empty one keeps its
    kind.
    """
    first = [str(mark)[:1] if mark is not None else "" for mark in (*marks, *_DEFAULTS[len(marks) :])]
    if engine == "duckdb":
        return _MASK.call([text, *(engines.text(engine, mark) for mark in first)])
    return f"mask({text}, {', '.join(engines.text(engine, m) if m else 'CAST(NULL AS STRING)' for m in first)})"


def _mask(engine: Engine) -> ValueForm:
    return ValueForm(lambda texts, types, values: _masked(engine, texts[0], values[1:]))


def _mask_part(engine: Engine, left: bool, keeps: bool) -> ValueForm:
    """Return the form that masks one part. `left`: the size counts from the left. `keeps`: this part stays as it is."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        text, size, marks = texts[0], texts[1], values[2:]
        cut = size if fits(size) else f"least({size}, length({text}))"
        end = cut if left else f"cast(greatest(length({text}) - {size}, 0) as int)"
        parts = [f"substring({text}, 1, {end})", f"substring({text}, {end} + 1)"]
        masked = int(left == keeps)
        parts[masked] = _masked(engine, parts[masked], marks)
        return f"case when {size} >= 0 then {parts[0]} || {parts[1]} end"

    return ValueForm(render)


def _instr(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        if len(texts) == 2:
            return _INSTR.call(texts) if engine == "duckdb" else f"instr({texts[0]}, {texts[1]})"
        text, target, place, *occurrence = texts
        nth = occurrence[0] if occurrence else "1"
        if engine == "duckdb":
            return _INSTR_FROM.call([text, target, place, nth])
        every = f"sequence(1, greatest(length({text}), 1))"
        places = f"filter({every}, i -> substring({text}, i, length({target})) = {target} and i <= length({text}))"
        ahead = f"filter({places}, i -> i >= {place})"
        back = f"reverse(filter({places}, i -> i <= length({text}) + {place} + 1))"
        index = f"{nth} - 1" if fits(nth) else f"try_subtract({nth}, 1)"
        position = f"get(case when {place} > 0 then {ahead} when {place} < 0 then {back} end, {index})"
        condition = " and ".join(f"{t} is not null" for t in (text, target, place, nth))
        return f"case when {condition} then coalesce({position}, 0) end"

    return render


def _part(name: str, left: bool, keeps: bool) -> Function:
    doc = f"the text, masked {'but for' if keeps else 'in'} so many characters on the {'left' if left else 'right'}"
    return Function(
        name, (_TEXT, _SIZE, *_MARKS), always(STRING), _mask_part("duckdb", left, keeps),
        _mask_part("spark", left, keeps), doc, nulls=Nulls.MAY, uses=(_MASK,),
    )  # fmt: skip


MASK_FUNCTIONS: tuple[Function, ...] = (
    Function("INSTR", (_TEXT, Parameter("sought", "string"), Parameter("place", "index", optional=True),
                       Parameter("occurrence", "index", optional=True)), always(INT), _instr("duckdb"),
             _instr("spark"), "where `sought` occurs, counted from 1, or 0; a negative place looks from the end back",
             uses=(_INSTR, _INSTR_FROM)),
    Function("REGEXP_EXTRACT_ALL",
             (Parameter("pattern", "regex", literal=True), _TEXT,
              Parameter("group", "index", optional=True, default=0)),
             always(Array(STRING)), _ALL,
             of_group("regexp_extract_all({1}, {0}, {2})"),
             "all matches of the pattern, or one of their groups", nulls=Nulls.MAY),
    Function("MASK", (_TEXT, *_MARKS), always(STRING), _mask("duckdb"), _mask("spark"),
             "the text with X for capitals, x for small letters, n for digits and - for the rest, unless said",
             nulls=Nulls.MAY, uses=(_MASK,)),
    _part("MASK_LEFT", True, False),
    _part("MASK_RIGHT", False, False),
    _part("MASK_KEEP_LEFT", True, True),
    _part("MASK_KEEP_RIGHT", False, True),
)  # fmt: skip
