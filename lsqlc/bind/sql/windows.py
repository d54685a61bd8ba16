"""`window(time, ...)` and `session_window(time, gap)` of GROUP BY."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.intervals import milliseconds
from lsqlc.plan.expression import Cast, Expression, Field, Literal, Operation
from lsqlc.plan.windows import Hop, Session, Tumble, Window
from lsqlc.syntax import tree
from lsqlc.syntax.numbers import LONGEST_DURATION
from lsqlc.types import data

FUNCTIONS = ("WINDOW", "SESSION_WINDOW")
# A record is kept once for each of its windows.
_MAX_OVERLAP = 10_000
_FORMS = {
    "WINDOW": "window(time, '10 minutes') or window(time, '10 minutes', '5 minutes')",
    "SESSION_WINDOW": "session_window(time, '10 minutes')",
}


@dataclass(frozen=True, slots=True)
class GroupWindow:
    """The window of a GROUP BY. `names`: its names in the SELECT list in addition to the name of its function."""

    call: tree.Call
    window: Window
    names: tuple[str, ...]

    @property
    def start(self) -> Expression:
        return _bound("start")

    @property
    def end(self) -> Expression:
        """The end of a session: its last record's time plus the gap."""
        if isinstance(self.window, Session):
            gap = Literal(self.window.gap + 1, data.BIGINT)
            last = Field(0, "key", ("end",), data.BIGINT, False)
            return Cast(Operation("+", (last, gap), data.BIGINT, False), data.TIMESTAMP, False)
        return _bound("end")

    def bound(self, parts: tuple[str, ...]) -> Expression | None:
        """Return the field of `window.start` or `window.end`; None for any other name."""
        first, *rest = (part.casefold() for part in parts)
        if first not in self.names or len(rest) != 1 or rest[0] not in ("start", "end"):
            return None
        return self.start if rest == ["start"] else self.end

    def is_same(self, call: tree.Call) -> bool:
        """Return whether a call is that of GROUP BY, except for extents."""
        return _shape(call) == _shape(self.call)


def _bound(name: str) -> Expression:
    return Cast(Field(0, "key", (name,), data.BIGINT, False), data.TIMESTAMP, False)


def _shape(call: tree.Call) -> object:
    parts: list[object] = [call.name.text]
    for argument in call.arguments:
        is_plain = isinstance(argument, tree.Literal)
        parts.append(argument.value if is_plain else _words(argument))  # type: ignore[union-attr]
    return parts


def _words(argument: tree.Expression) -> object:
    return tuple(p.casefold() for p in argument.parts) if isinstance(argument, tree.Reference) else argument


def is_window(expression: tree.Expression) -> bool:
    return isinstance(expression, tree.Call) and expression.name.text in FUNCTIONS


def bound_window(call: tree.Call, names: Sequence[str], grace: int, findings: Findings) -> GroupWindow | None:
    """Return the window of a call; None after an error. `grace` is in milliseconds."""
    name, at = call.name.text, call.at
    most = 3 if name == "WINDOW" else 2
    if not 2 <= len(call.arguments) <= most:
        findings.error("LSQ208", f"{name.lower()}() takes 2{' or 3' if most == 3 else ''} arguments, not "
                       f"{len(call.arguments)}", at, help=f"its form is {_FORMS[name]}")  # fmt: skip
        return None
    lengths = [_milliseconds(argument, findings) for argument in call.arguments[1:]]
    if any(length is None for length in lengths):
        return None
    size, *rest = (length for length in lengths if length is not None)
    window: Window
    if name == "SESSION_WINDOW" and size == 1:
        findings.error("LSQ325", "the gap of a session must be at least 2 milliseconds", call.arguments[1].at)
        return None
    if name == "SESSION_WINDOW":
        # Two records at the distance of the gap are in different sessions in Spark, and in one session in a plan.
        window = Session(size - 1, grace)
    elif not rest or rest[0] == size:
        window = Tumble(size, grace)
    else:
        (slide,) = rest
        if slide > size or size // slide > _MAX_OVERLAP:
            message = "the slide of a window must not be longer than its duration"
            if slide <= size:
                message = f"each record would be in {size // slide} windows, more than {_MAX_OVERLAP}"
            findings.error("LSQ325", message, call.arguments[2].at)
            return None
        window = Hop(size, slide, grace)
    return GroupWindow(call, window, (name.casefold(), *(n.casefold() for n in names)))


def _milliseconds(argument: tree.Expression, findings: Findings) -> int | None:
    """Return the length in an argument, in milliseconds; None after an error."""
    text = argument.value if isinstance(argument, tree.Literal) else None
    total = milliseconds(text) if isinstance(text, str) else None
    if total is None:
        findings.error("LSQ325", "the length of a window must be a text such as '10 minutes'", argument.at,
                       help="the units are milliseconds, seconds, minutes, hours, days and weeks")  # fmt: skip
        return None
    if total == 0 or total > LONGEST_DURATION:
        limit = "not be zero" if total == 0 else "be at most ten thousand years"
        findings.error("LSQ325", f"the length of a window must {limit}", argument.at)
        return None
    return total
