"""Assertions of a case about the resulting rows, besides its golden file.

An assertion is about one topic:

- `no_rows`: no row at all, or no row for which a condition holds.
- `unique`: no two rows share the values of these columns. A row with a null among them is skipped.
- `not_null`: each of these columns has a value in every row.
- `condition`: true for each row that has a value; null is not enough.

A column is a field of the value, or `_key`, `_value` and their fields, as in the language. The rows may come from
DuckDB or Spark; conditions are evaluated on DuckDB.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from lsqlc.diagnostics import Diagnostic, Span, did_you_mean, listing
from lsqlc.golden.canonical import canonical_text
from lsqlc.golden.conditions import HOLDS, condition_plan
from lsqlc.plan import Plan
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Case, Outcome, Record, Topic
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import described, reference
from lsqlc.yaml.nodes import KeyPath

Kind = Literal["no_rows", "unique", "not_null", "condition"]
Judge = Callable[[Plan, Sequence[Case]], Sequence[Outcome]]

# Rows that the diagnostic of a failed assertion prints.
_SHOWN = 5
_WIDTH = 120


class ExpectFile(msgspec.Struct, frozen=True, kw_only=True):
    """The entry of a topic in `expect`, if it is a mapping."""

    rows: Annotated[object, described("All rows of the topic.", reference("rows"))] = None
    no_rows: Annotated[bool | str, described("True: the topic has none; a condition: none for which it holds.")] = False
    unique: Annotated[str | list[str], described("Columns whose values together no two rows share.")] = []
    not_null: Annotated[str | list[str], described("Columns that have a value in every row.")] = []
    condition: Annotated[str | list[str], described("Conditions that hold for every row that has a value.")] = []


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a record: a facet, and the path of fields in it."""

    text: str
    facet: Literal["key", "value"]
    type: DataType
    fields: tuple[str, ...]

    def of(self, record: Record) -> Any:
        """Return the value of the column in a record, None if a struct on the path is null."""
        value = record.key if self.facet == "key" else record.value
        for name in self.fields:
            value = None if value is None else value[name]
        return value


@dataclass(frozen=True, slots=True)
class Assertion:
    """One assertion about a topic.

    `plan`: the plan of a condition, see `conditions`. `text`: the condition, or the columns.
    """

    kind: Kind
    topic: Topic
    span: Span
    text: str = ""
    columns: tuple[Column, ...] = ()
    plan: Plan | None = None


def read_assertions(decoder: Decoder, key_path: KeyPath, file: ExpectFile, topic: Topic) -> list[Assertion]:
    """Return the assertions of a topic. Invalid ones are reported."""
    assertions: list[Assertion] = []
    spans = decoder.document
    if file.no_rows is True:
        assertions.append(Assertion("no_rows", topic, spans.key_span((*key_path, "no_rows"))))
    elif isinstance(file.no_rows, str):
        assertions += _condition(decoder, (*key_path, "no_rows"), "no_rows", file.no_rows, topic)
    unique = _columns(decoder, (*key_path, "unique"), file.unique, topic)
    if unique:
        text = ", ".join(f"'{column.text}'" for column in unique)
        assertions.append(Assertion("unique", topic, spans.span((*key_path, "unique")), text, tuple(unique)))
    for number, column in enumerate(_columns(decoder, (*key_path, "not_null"), file.not_null, topic)):
        where = (*key_path, "not_null") if isinstance(file.not_null, str) else (*key_path, "not_null", number)
        assertions.append(Assertion("not_null", topic, spans.span(where), f"'{column.text}'", (column,)))
    conditions = [file.condition] if isinstance(file.condition, str) else file.condition
    for number, text in enumerate(conditions):
        where = (*key_path, "condition") if isinstance(file.condition, str) else (*key_path, "condition", number)
        assertions += _condition(decoder, where, "condition", text, topic)
    return assertions


def _condition(decoder: Decoder, key_path: KeyPath, kind: Kind, text: str, topic: Topic) -> Iterator[Assertion]:
    plan, problems = condition_plan(text, topic)
    for problem in problems:
        diagnostic = problem.diagnostic
        where = decoder.document.locate(key_path, problem.offset, problem.length)
        decoder.diagnostics.append(
            Diagnostic(diagnostic.code, diagnostic.message, where, diagnostic.notes, diagnostic.help)
        )
    if plan is not None:
        yield Assertion(kind, topic, decoder.document.span(key_path), " ".join(text.split()), plan=plan)


def _columns(decoder: Decoder, key_path: KeyPath, names: str | list[str], topic: Topic) -> list[Column]:
    columns = []
    for number, text in enumerate([names] if isinstance(names, str) else names):
        where = key_path if isinstance(names, str) else (*key_path, number)
        column = column_of(text, topic)
        if isinstance(column, Column):
            columns.append(column)
            continue
        decoder.report(
            "LSQ523", f"'{topic.name}' has no column '{text}'", decoder.document.span(where),
            help=did_you_mean(text, column) or (f"known are {listing(column)}" if column else None),
        )  # fmt: skip
    return columns


def column_of(text: str, topic: Topic) -> Column | list[str]:
    """Return the column of that name, or the names of all columns if there is none."""
    first, *rest = text.replace("`", "").split(".")
    facet: Literal["key", "value"] = "key" if first == "_key" else "value"
    type = topic.key.type if facet == "key" else topic.value.type
    fields = rest if first in ("_key", "_value") else [first, *rest]
    for name in fields:
        field = type.field(name) if isinstance(type, Struct) else None
        if field is None:
            return _names(topic)
        type = field.type
    absent = (topic.key if facet == "key" else topic.value).is_absent
    return _names(topic) if absent else Column(text, facet, type, tuple(fields))


def _names(topic: Topic) -> list[str]:
    value, key = topic.value.type, topic.key
    names = [f.name for f in value.fields] if isinstance(value, Struct) else ["_value"]
    if isinstance(key.type, Struct):
        return [*names, *(f"_key.{f.name}" for f in key.type.fields)]
    return names if key.is_absent else [*names, "_key"]


def failed_assertions(
    cases: Sequence[tuple[Case, Sequence[Assertion], Outcome]], judge: Judge
) -> list[tuple[Diagnostic, ...]]:
    """Return the failed assertions of each case. `judge` evaluates a condition for all cases in one call.

    Raises the LsqlcError of `judge`.
    """
    holds = _evaluate_conditions(cases, judge)
    failures = []
    for number, (case, assertions, outcome) in enumerate(cases):
        failed = []
        for place, assertion in enumerate(assertions):
            rows = outcome.topics.get(assertion.topic.name, ())
            bad, message = _violations(assertion, rows, holds.get((number, place)))
            if bad:
                failed.append(_finding(case, assertion, message, bad))
        failures.append(tuple(failed))
    return failures


def _evaluate_conditions(
    cases: Sequence[tuple[Case, Sequence[Assertion], Outcome]], judge: Judge
) -> dict[tuple[int, int], list[tuple[Record, Any]]]:
    """Return, by index of case and assertion, the rows that have a value, and whether the condition holds for them."""
    work: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for number, (_, assertions, _) in enumerate(cases):
        for place, assertion in enumerate(assertions):
            if assertion.plan is not None:
                work[assertion.topic.name, assertion.text].append((number, place))
    rows_by_assertion: dict[tuple[int, int], list[tuple[Record, Any]]] = {}
    for places in work.values():
        number, place = places[0]
        assertion = cases[number][1][place]
        assert assertion.plan is not None
        requests = []
        for number, _ in places:
            case, _, outcome = cases[number]
            rows = tuple(r for r in outcome.topics.get(assertion.topic.name, ()) if r.value is not None)
            requests.append((rows, Case(case.name, (rows,), case.now)))
        answers = judge(assertion.plan, [case for _, case in requests])
        output = assertion.plan.outputs[0].name
        for at, (rows, _), answer in zip(places, requests, answers, strict=True):
            verdicts = [r.value[HOLDS] for r in answer.topics[output]]
            rows_by_assertion[at] = list(zip(rows, verdicts, strict=True))
    return rows_by_assertion


def _violations(
    assertion: Assertion, rows: Sequence[Record], holds: Sequence[tuple[Record, Any]] | None
) -> tuple[list[Record], str]:
    """Return the rows that violate an assertion, and the message about them."""
    name, text = assertion.topic.name, assertion.text
    if assertion.kind == "no_rows" and holds is None:
        return list(rows), f"'{name}' has rows"
    if assertion.kind == "no_rows":
        return [r for r, verdict in holds or () if verdict is True], f"'{name}' has rows where {text}"
    if assertion.kind == "condition":
        return [
            r for r, verdict in holds or () if verdict is not True
        ], f"'{name}' has rows for which {text} is not true"
    if assertion.kind == "not_null":
        bad = [r for r in rows if assertion.columns[0].of(r) is None]
        return bad, f"{text} of '{name}' is null"
    return _duplicates(assertion.columns, rows), f"{text} of '{name}' is not unique"


def _duplicates(columns: Sequence[Column], rows: Iterable[Record]) -> list[Record]:
    """Return the rows that share their values with another row, grouped."""
    groups: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    for row in rows:
        values = [column.of(row) for column in columns]
        if all(value is not None for value in values):
            groups[tuple(canonical_text(c.type, v) for c, v in zip(columns, values, strict=True))].append(row)
    return [row for group in groups.values() if len(group) > 1 for row in group]


def _finding(case: Case, assertion: Assertion, message: str, rows: Sequence[Record]) -> Diagnostic:
    notes = [_row(assertion.topic, row) for row in rows[:_SHOWN]]
    if len(rows) > _SHOWN:
        notes.append(f"and {len(rows) - _SHOWN} more")
    help = f"correct the model, or the assertion of the case '{case.name}'"
    return Diagnostic("LSQ525", message, assertion.span, tuple(notes), help)


def _row(topic: Topic, record: Record) -> str:
    key, value = canonical_text(topic.key.type, record.key), canonical_text(topic.value.type, record.value)
    text = value if topic.key.is_absent else f"key {key}, value {value}"
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
