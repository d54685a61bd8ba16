"""Patterns of LIKE that are not literals."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, ValueForm
from lsqlc.sql import engines
from lsqlc.sql.engines import Engine
from lsqlc.types.data import STRING, DataType

_PATTERN, _ESCAPE = Parameter("pattern", "string"), Parameter("escape", "string", literal=True)


def _checked(engine: Engine) -> ValueForm:
    """Return the pattern, null if its escape character precedes anything but wildcards and itself."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        mark = re.escape(str(values[1]))
        legal = engines.text(engine, rf"(?s)\A(?:[^{mark}]|{mark}[%_{mark}])*\z")
        test = f"regexp_matches({texts[0]}, {legal})" if engine == "duckdb" else f"{texts[0]} rlike {legal}"
        return f"case when {test} then {texts[0]} end"

    return ValueForm(render)


PATTERNS: tuple[Function, ...] = (
    Function("LIKE_PATTERN", (_PATTERN, _ESCAPE), always(STRING), _checked("duckdb"), _checked("spark"),
             "the pattern of LIKE; null if its escape character precedes anything but '%', '_' and itself",
             nulls=Nulls.MAY),
)  # fmt: skip
