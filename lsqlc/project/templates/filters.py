"""Replacements of Jinja's filters, with the same arguments and results, which count their work and have limits.

`sandbox` is the instance of `Sandbox` that has these filters.
"""

from __future__ import annotations

from typing import Any

from jinja2 import Undefined, pass_environment
from jinja2.filters import do_int, do_round, ignore_case, make_attrgetter

from lsqlc.project.templates.meter import LimitError, Meter

_MAX_PLACES = 300
"""The maximal number of decimal places to round to: no float has more."""
# Python's default limit. Parsing a number takes time quadratic in its digits.
_MAX_DIGITS = 4_000


@pass_environment
def whole(sandbox: Any, value: Any, default: int = 0, base: int = 10) -> int:
    if isinstance(value, str) and len(value) > _MAX_DIGITS:
        raise LimitError("a number in the template is too large")
    number = do_int(value, default, base)
    sandbox.meter.weigh(number)
    return number


@pass_environment
def text(sandbox: Any, value: Any) -> str:
    meter: Meter = sandbox.meter
    return meter.text(value)


@pass_environment
def join(sandbox: Any, value: Any, d: Any = "", attribute: str | int | None = None) -> str:
    meter: Meter = sandbox.meter
    items = meter.items(value)
    if attribute is not None:
        items = [make_attrgetter(sandbox, attribute)(item) for item in items]
    parts, glue = [meter.text(item) for item in items], meter.text(d)
    meter.spend_text(sum(map(len, parts)) + len(glue) * len(parts))
    return glue.join(parts)


@pass_environment
def replace(sandbox: Any, s: Any, old: Any, new: Any, count: int | None = None) -> str:
    meter: Meter = sandbox.meter
    whole, before, after = meter.text(s), meter.text(old), meter.text(new)
    meter.spend_text(replaced_length(meter, whole, before, after))
    return whole.replace(before, after, -1 if count is None else count)


def replaced_length(meter: Meter, text: str, old: str, new: str) -> int:
    """Return the length of a text after all of `old` is replaced by `new`."""
    meter.spend_text(len(text))
    return len(text) + text.count(old) * max(len(new) - len(old), 0)


def rounded(value: Any, precision: int = 0, method: str = "common") -> Any:
    if isinstance(precision, int) and abs(precision) > _MAX_PLACES:
        raise LimitError(f"a number in the template is rounded to more than {_MAX_PLACES} places")
    return do_round(value, precision, method)  # type: ignore[arg-type]


@pass_environment
def total(sandbox: Any, iterable: Any, attribute: str | int | None = None, start: Any = 0) -> Any:
    sum = start
    get = None if attribute is None else make_attrgetter(sandbox, attribute)
    for item in sandbox.meter.items(iterable):
        sum = sandbox.binary("+", sum, item if get is None else get(item))
    return sum


@pass_environment
def unique(sandbox: Any, value: Any, case_sensitive: bool = False, attribute: str | int | None = None) -> list[Any]:
    """Return the distinct items. Items that cannot be keys of a mapping, such as lists, are compared by their texts."""
    meter: Meter = sandbox.meter
    get = make_attrgetter(sandbox, attribute, postprocess=None if case_sensitive else ignore_case)
    first: dict[Any, Any] = {}
    for item in meter.items(value):
        key = get(item)
        is_key = isinstance(key, (str, int, float, Undefined)) or key is None
        first.setdefault(meter.key(key) if is_key else (meter.text(key),), item)
    return list(first.values())
