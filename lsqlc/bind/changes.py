"""Diagnostics of results that depend on how many changes of a TABLE are in a batch."""

from __future__ import annotations

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.changes import Use, use_of_changes
from lsqlc.plan.nodes import Node, inputs

_MISSING: dict[Use, str] = {
    "filtered": "a change that satisfies the condition",
    "expanded": "a change that has elements",
    "rekeyed": "a change that has another new key",
}
# The help by dialect: the replacement of the stream of changes.
LENSES = "read the TABLE itself: SELECT TABLE ..."
KSQL = "read the TABLE itself: CREATE TABLE ... AS SELECT"
SQL = "read the rows of the TABLE: FROM without STREAM"


def check_changes(node: Node, name: str, at: Extent, help: str, findings: Findings) -> bool:
    """Return whether a node may use the changes of a TABLE in its input.

    An aggregate and a join have an error, other nodes a warning. `name`: of the input. `help`: one of the texts above.
    """
    use = use_of_changes(node)
    if use is None:
        return True
    if use in ("aggregated", "joined"):
        refuse_changes(use, name, at, help, findings)
        return False
    if use_of_changes(inputs(node)[0]) is not None:
        # The condition or the array below has the diagnostic.
        return True
    findings.warn(
        "LSQ397", f"the result depends on the batches: '{name}' is the STREAM of changes of a derived TABLE", at,
        notes=(f"{_MISSING[use]} is missing where a batch has a later change of the row",), help=help,
    )  # fmt: skip
    return True


def refuse_changes(use: Use, name: str, at: Extent, help: str, findings: Findings) -> None:
    """Report the source `name`, whose records are changes of a TABLE, in an aggregate or a join."""
    findings.error(
        "LSQ344", f"'{name}' cannot be {use}: it is the STREAM of changes of a derived TABLE", at,
        notes=("of several changes of a row in a batch, some may be missing: the result would depend on the batches",),
        help=help,
    )  # fmt: skip
