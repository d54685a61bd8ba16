"""Assertions about the state that a model keeps after the last record: the number of rows per operator.

They require an engine that keeps state, which is Spark. DuckDB computes the result from all records, so that a run on
it reports that the assertion was not checked.
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
from lsqlc.yaml.nodes import KeyPath


class StateFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of an assertion about state."""

    rows: Annotated[int | None, described("It keeps so many rows.", NOT_NEGATIVE)] = None
    at_most: Annotated[int | None, described("It keeps no more rows.", NOT_NEGATIVE)] = None
    operator: Annotated[int | None, described("Its number, as `lsqlc state show` has it.", NOT_NEGATIVE)] = None
    query: Annotated[str | None, described("The query, of a model that has several.")] = None


@dataclass(frozen=True, slots=True)
class StateAssertion:
    """An assertion about the rows in the state of an operator.

    Either `rows` (exact) or `at_most` is set. `operator` and `query`: None if there is only one.
    """

    span: Span
    rows: int | None = None
    at_most: int | None = None
    operator: int | None = None
    query: str | None = None

    @property
    def text(self) -> str:
        """The assertion as text."""
        text = (
            f"at most {self.at_most} rows" if self.rows is None else "1 row" if self.rows == 1 else f"{self.rows} rows"
        )
        return text if self.operator is None else f"{text} in operator {self.operator}"


def read_states(decoder: Decoder, key_path: KeyPath, node: Any) -> tuple[StateAssertion, ...]:
    """Return the assertions of a case. Invalid ones are reported.

    `node`: a number of rows, a mapping, or a list of these.
    """
    items = node if isinstance(node, list) else [node]
    assertions = []
    for number, item in enumerate(items):
        where = (*key_path, number) if isinstance(node, list) else key_path
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
        assertions.append(StateAssertion(span, file.rows, file.at_most, file.operator, file.query))
    return tuple(assertions)


def unmet_states(
    case: str, assertions: Sequence[StateAssertion], state: Sequence[KeptRows] | None
) -> tuple[Diagnostic, ...]:  # fmt: skip
    """Return a diagnostic for each failed assertion. `state` None: the engine keeps no state."""
    return tuple(diagnostic for each in assertions if state is not None and (diagnostic := _unmet(case, each, state)))


def not_checked(assertions: Sequence[StateAssertion], engine: str) -> Diagnostic | None:
    """Return a note that an engine does not check the assertions; None if there are none."""
    if not assertions:
        return None
    one = len(assertions) == 1
    message = f"{len(assertions)} assertion{'' if one else 's'} about state {'was' if one else 'were'} not checked"
    return Diagnostic(
        "LSQ878", message, assertions[0].span, (f"the state is not looked at on {engine}",),
        help="`lsqlc test --engine spark` checks them", severity=Severity.NOTE,
    )  # fmt: skip


def _unmet(case: str, assertion: StateAssertion, state: Sequence[KeptRows]) -> Diagnostic | None:
    matches = [
        operator
        for operator in state
        if assertion.query in (None, operator.query) and assertion.operator in (None, operator.operator)
    ]
    if len(matches) != 1:
        there = "; ".join(f"query: {operator.query}, operator: {operator.operator}" for operator in state)
        message = (
            "the model keeps no state"
            if not state
            else f"{len(matches)} operators with state are meant, and the assertion must be about one"
        )
        help = f"the operators are {there}" if state else f"remove `state` from the case '{case}'"
        return Diagnostic("LSQ879", message, assertion.span, help=help)
    operator = matches[0]
    if operator.rows == assertion.rows or (assertion.at_most is not None and operator.rows <= assertion.at_most):
        return None
    expected = f"at most {assertion.at_most}" if assertion.rows is None else str(assertion.rows)
    rows = "1 row" if operator.rows == 1 else f"{operator.rows} rows"
    message = f"the operator {operator.operator} of '{operator.query}' keeps {rows} instead of {expected}"
    more = (f"and {operator.rows - len(operator.shown)} more",) if operator.rows > len(operator.shown) else ()
    help = f"correct the model, or `state` of the case '{case}'"
    return Diagnostic("LSQ879", message, assertion.span, (*operator.shown, *more), help)
