"""GROUP BY and WINDOW BY: the key of an aggregation, and the windows of its records."""

from __future__ import annotations

from lsqlc.bind.field_names import Taken
from lsqlc.bind.findings import Findings
from lsqlc.bind.lenses.aggregates import calls_aggregate
from lsqlc.bind.lenses.expressions import LensesBinder
from lsqlc.bind.lenses.projections import default_name
from lsqlc.bind.lenses.scope import visible_names
from lsqlc.bind.limits import Limits
from lsqlc.bind.windows import lengths, planned, report_delay
from lsqlc.plan.expression import Expression, Literal
from lsqlc.plan.nodes import Node
from lsqlc.plan.windows import Window
from lsqlc.syntax import tree
from lsqlc.syntax.lenses.printer import text_of

# A record is kept once for each of its windows.
MAX_OVERLAP = 10_000


def group_keys(select: tree.Select, binder: LensesBinder) -> tuple[tuple[Expression, ...] | None, tuple[str, ...]]:
    """Return the group expressions and their names in the key.

    The expressions are None after an error. A single expression without alias has no name.
    """
    keys = [binder.bind(item.expression) for item in select.group_by]
    if any(key is None for key in keys):
        return None, ()
    for item, key in zip(select.group_by, keys, strict=True):
        _warn_constant(item, key, select, binder)
        if item.alias and item.alias.text in ("_key", "_value"):
            binder.findings.error(
                "LSQ316",
                f"'{item.alias.text}' cannot be the name of a field of the group",
                item.alias.at,
                notes=("the key of an aggregation is its group",),
                help="omit the alias, or choose another one",
            )
            return None, ()
    bound = tuple(key for key in keys if key is not None)
    if len(bound) == 1 and select.group_by[0].alias is None:
        return bound, ()
    names: list[str] = []
    used_names = Taken()
    for item, key in zip(select.group_by, bound, strict=True):
        name = item.alias.text if item.alias else default_name(binder.read(item.expression), key)
        if message := used_names.add(name, "parts of the key"):
            binder.findings.error("LSQ305", message, item.at, help="add AS name")
            return None, ()
        names.append(name)
    return bound, tuple(names)


def _warn_constant(item: tree.GroupItem, key: Expression | None, select: tree.Select, binder: LensesBinder) -> None:
    """Warn of a constant, which puts all records into one group. Numbers are not positions in the SELECT list."""
    if not isinstance(key, Literal) or key.value is None or isinstance(key.value, bool):
        return
    suggestion = None
    if isinstance(key.value, str):
        suggestion = key.value if any(key.value in visible_names(r) for r in binder.scope.sources) else None
        if suggestion is None:
            return
    elif isinstance(key.value, int) and 1 <= key.value <= len(select.projections):
        source = select.projections[key.value - 1].source
        plain = not isinstance(source, tree.Wildcard) and not calls_aggregate(source)
        suggestion = text_of(source) if plain and not isinstance(source, tree.Wildcard | tree.Literal) else None
    what = "string" if isinstance(key.value, str) else "number"
    binder.findings.warn(
        "LSQ809",
        f"this {what} is a constant: every record is in one group",
        item.at,
        notes=("GROUP BY takes expressions, not positions in the SELECT list",) if what == "number" else (),
        help=(f"to group by the expression, write GROUP BY {suggestion}; " if suggestion else "")
        + "for one group of all records, write GROUP BY 'all'",
    )


def window_of(select: tree.Select, node: Node, findings: Findings, limits: Limits) -> Window | None:
    """Return the window of WINDOW BY over records of `node`; None without one, and after an error."""
    if select.window is None:
        return None
    if node.semantics == "TABLE":
        findings.error(
            "LSQ324",
            "a TABLE cannot be aggregated in windows",
            select.window.at,
            notes=("a table is the latest state of its keys, not events in time",),
            help="read the source as a STREAM: SELECT STREAM ...",
        )
        return None
    window = select.window
    zero = next((length for length in lengths(window) if length.milliseconds == 0), None)
    if zero is not None:
        findings.error("LSQ325", "the length of a window must not be zero", zero.at)
        return None
    if isinstance(window, tree.Hop) and not _overlaps(window, findings):
        return None
    result = planned(window, window.grace.milliseconds if window.grace else limits.grace)
    report_delay(result, window.at, "write a shorter grace: WINDOW BY SESSION 5m GRACE BY 1m", findings)
    return result


def _overlaps(window: tree.Hop, findings: Findings) -> bool:
    """Report windows with gaps between them, or too many over one time; return whether there is no error."""
    size, advance = window.size.milliseconds, window.advance.milliseconds
    if advance > size:
        findings.error(
            "LSQ325",
            "the advance of a window must not be longer than its size",
            window.advance.at,
            help="write the size first, then the advance: HOP 10s, 5s",
        )
        return False
    if size // advance > MAX_OVERLAP:
        findings.error(
            "LSQ325",
            f"each record would be in {size // advance} windows, more than {MAX_OVERLAP}",
            window.advance.at,
            help="use a longer advance or a shorter size",
        )
        return False
    return True
