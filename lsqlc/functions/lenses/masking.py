"""Functions that mask a text with one `*` for each code point."""

from __future__ import annotations

from lsqlc.functions.lenses import text_forms as forms
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Parameter, PythonForm, Render
from lsqlc.types.data import STRING

_TEXT = (Parameter("text", "string"),)
_SPACE = r"\p{{javaWhitespace}}"
_OTHER = r"\P{{javaWhitespace}}"
_NAME = "substring_index({0}, '@', 1)"


def _sized(form: PythonForm, size: int) -> Render:
    return lambda texts, types: form.call([*texts, str(size)])


def _keep_first(size: int) -> Function:
    spark = f"concat(left({{0}}, {size}), repeat('*', length({{0}}) - {size}))"
    doc = f"only the first {size} of the text's code points"
    duckdb = _sized(forms.MASK_FIRST, size)
    return Function(f"FIRST{size}", _TEXT, always(STRING), duckdb, spark, doc, uses=(forms.MASK_FIRST,))


def _keep_last(size: int) -> Function:
    spark = f"concat(repeat('*', length({{0}}) - {size}), right({{0}}, {size}))"
    doc = f"only the last {size} of the text's code points"
    duckdb = _sized(forms.MASK_LAST, size)
    return Function(f"LAST{size}", _TEXT, always(STRING), duckdb, spark, doc, uses=(forms.MASK_LAST,))


MASKING: tuple[Function, ...] = (
    Function(
        "ANONYMIZE", _TEXT, always(STRING), "repeat('*', length({0}))", "repeat('*', length({0}))",
        "nothing of the text but its length", aliases=("MASK",),
    ),
    Function(
        "INITIALS", _TEXT, always(STRING), forms.INITIALS,
        f"regexp_replace({{0}}, r'(?<={_OTHER}){_OTHER}|{_SPACE}', '')", "the first code point of each word",
    ),
    Function(
        "EMAIL", _TEXT, always(STRING), forms.MASK_EMAIL,
        f"concat(left({_NAME}, 1), repeat('*', length({_NAME}) - 1), substring({{0}}, length({_NAME}) + 1))",
        "only the first code point and the domain of an e-mail address",
    ),
    *(_keep_first(size) for size in (1, 2, 3, 4)),
    *(_keep_last(size) for size in (1, 2, 3, 4)),
)  # fmt: skip
