"""What a case asserts of the state that its model keeps behind the last record: how many rows each operator has.

Only an engine that keeps a state can be asked: Spark. DuckDB computes the answer from all records, so that its run says
that the assertion was not checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from lsqlc.diagnostics import Diagnostic, Severity, Span
from lsqlc.types.record import KeptRows
from lsqlc.yaml.decode import Decoder, kind
from lsqlc.yaml.described import NOT_NEGATIVE, described
from lsqlc.yaml.nodes import Place


class StateFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a case says of an operator."""

    rows: Annotated[int | None, described("It keeps so many rows.", NOT_NEGATIVE)] = None
    at_most: Annotated[int | None, described("It keeps no more rows.", NOT_NEGATIVE)] = None
    operator: Annotated[int | None, described("Its number, as `lsqlc state show` has it.", NOT_NEGATIVE)] = None
    query: Annotated[str | None, described("The query, of a model that has several.")] = None


@dataclass(frozen=True, slots=True)
class StateAssertion:
    """An operator keeps so many rows: `rows` exactly, or `at_most`. `operator` and `query`: None where there is one."""

    span: Span
    rows: int | None = None
    at_most: int | None = None
    operator: int | None = None
    query: str | None = None

    @property
    def text(self) -> str:
        """The assertion in a few words."""
        wanted = (
            f"at most {self.at_most} rows" if self.rows is None else "1 row" if self.rows == 1 else f"{self.rows} rows"
        )
        return wanted if self.operator is None else f"{wanted} in operator {self.operator}"


def read_states(decoder: Decoder, place: Place, given: Any) -> tuple[StateAssertion, ...]:
    """Return the assertions of a case; what is wrong with them is reported at its words.

    `given`: a number of rows, a mapping, or a list of these.
    """
    items = given if isinstance(given, list) else [given]
    found = []
    for number, item in enumerate(items):
        where = (*place, number) if isinstance(given, list) else place
        span = decoder.document.span(where)
        if type(item) is int:
            item = {"rows": item}
        if not isinstance(item, dict):
            decoder.wrong(where, f"expected a number of rows, or a mapping with `rows`, got {kind(item)}")
            continue
        file = decoder.struct(where, StateFile, item)
        if file is None:
            continue
        if (file.rows is None) == (file.at_most is None) or min(file.rows or 0, file.at_most or 0) < 0:
            decoder.wrong(where, "expected either `rows` or `at_most`, a number from 0 on")
            continue
        found.append(StateAssertion(span, file.rows, file.at_most, file.operator, file.query))
    return tuple(found)


def unmet_states(
    case: str, asserted: Sequence[StateAssertion], state: Sequence[KeptRows] | None
) -> tuple[Diagnostic, ...]:  # fmt: skip
    """What a case asserts of its state and does not get. `state` None: the engine keeps none."""
    return tuple(found for each in asserted if state is not None and (found := _unmet(case, each, state)))


def not_checked(asserted: Sequence[StateAssertion], engine: str) -> Diagnostic | None:
    """Return a note that an engine has not checked assertions; None if there are none."""
    if not asserted:
        return None
    one = len(asserted) == 1
    message = f"{len(asserted)} assertion{'' if one else 's'} about state {'was' if one else 'were'} not checked"
    return Diagnostic(
        "LSQ878", message, asserted[0].span, (f"the state is not looked at on {engine}",),
        help="`lsqlc test --engine spark` checks them", severity=Severity.NOTE,
    )  # fmt: skip


def _unmet(case: str, asserted: StateAssertion, state: Sequence[KeptRows]) -> Diagnostic | None:
    found = [
        kept for kept in state if asserted.query in (None, kept.query) and asserted.operator in (None, kept.operator)
    ]
    if len(found) != 1:
        there = "; ".join(f"query: {kept.query}, operator: {kept.operator}" for kept in state)
        message = (
            "the model keeps no state"
            if not state
            else f"{len(found)} operators with state are meant, and the assertion must be about one"
        )
        help = f"the operators are {there}" if state else f"remove `state` from the case '{case}'"
        return Diagnostic("LSQ879", message, asserted.span, help=help)
    kept = found[0]
    if kept.rows == asserted.rows or (asserted.at_most is not None and kept.rows <= asserted.at_most):
        return None
    wanted = f"at most {asserted.at_most}" if asserted.rows is None else str(asserted.rows)
    rows = "1 row" if kept.rows == 1 else f"{kept.rows} rows"
    message = f"the operator {kept.operator} of '{kept.query}' keeps {rows} instead of {wanted}"
    more = (f"and {kept.rows - len(kept.shown)} more",) if kept.rows > len(kept.shown) else ()
    help = f"correct the model, or `state` of the case '{case}'"
    return Diagnostic("LSQ879", message, asserted.span, (*kept.shown, *more), help)
