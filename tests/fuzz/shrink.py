"""A difference made small: fewer records, fewer batches, fewer clauses, as long as the engines still differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from lsqlc.bind.limits import Limits
from lsqlc.plan import Plan
from lsqlc.types.record import Case
from tests.fuzz.ksql_programs import without_unread
from tests.fuzz.ksql_syntax import Create, CreateAs, KsqlProgram, KsqlQuery
from tests.fuzz.limits import order_is_open
from tests.fuzz.programs import compiled, pruned
from tests.fuzz.syntax import Program, Projection, Query, Term

T = TypeVar("T")
# The first of some cases over which a plan's engines differ.
Finds = Callable[[Plan, Sequence[Case]], Case | None]
_PROGRAMS = 150


def shrunk(
    program: Program | KsqlProgram, limits: Limits, case: Case, finds: Finds
) -> tuple[Program | KsqlProgram, Case]:  # fmt: skip
    """The smallest program and case that were found to differ; all cases of a step run at once."""
    plan = compiled(program, limits)
    assert isinstance(plan, Plan)
    case = _fewer_records(plan, case, finds)
    left = _PROGRAMS
    found = True
    while found and left > 0:
        found = False
        for smaller in ksql_programs(program) if isinstance(program, KsqlProgram) else programs(program):
            plan = compiled(smaller, limits)
            if not isinstance(plan, Plan) or order_is_open(plan) or not _reads(plan, case):
                continue
            left -= 1
            kept = finds(plan, [case])
            if kept is not None or left <= 0:
                program, found = (smaller, True) if kept is not None else (program, False)
                break
    plan = compiled(program, limits)
    assert isinstance(plan, Plan)
    return program, _fewer_records(plan, case, finds)


def _reads(plan: Plan, case: Case) -> bool:
    return {r.topic for r in case.records} <= {t.name for t in plan.inputs}


def _fewer_records(plan: Plan, case: Case, finds: Finds) -> Case:
    while True:
        smaller = list(_cases(case))
        found = finds(plan, smaller) if smaller else None
        if found is None:
            return case
        case = found


def _cases(case: Case) -> Iterator[Case]:
    """Without one batch, without one record, with two batches in one."""
    batches = case.batches
    for place, batch in enumerate(batches):
        yield replace(case, name=f"b{place}", batches=(*batches[:place], *batches[place + 1 :]))
        for i in range(len(batch) if len(batch) > 1 else 0):
            smaller = (*batch[:i], *batch[i + 1 :])
            yield replace(case, name=f"r{place}.{i}", batches=(*batches[:place], smaller, *batches[place + 1 :]))
    if any(len(batch) > 1 for batch in batches):
        for place in range(len(batches) - 1):
            joined = (*batches[place], *batches[place + 1])
            yield replace(case, name=f"j{place}", batches=(*batches[:place], joined, *batches[place + 2 :]))


def programs(program: Program) -> Iterator[Program]:
    """Programs with one part less."""
    if program.settings:
        yield replace(program, settings=())
    if len(program.inserts) > 1:
        for kept in program.inserts:
            yield pruned(replace(program, inserts=(kept,)))
    for place, (name, query) in enumerate(program.withs):
        yield pruned(replace(program, withs=program.withs[:place], inserts=((None, query),)))
        for smaller in _queries(query):
            yield pruned(replace(program, withs=_with(program.withs, place, (name, smaller))))
    for number, (target, query) in enumerate(program.inserts):
        for smaller in _queries(query):
            yield pruned(replace(program, inserts=_with(program.inserts, number, (target, smaller))))


def ksql_programs(program: KsqlProgram) -> Iterator[KsqlProgram]:
    """Programs of ksqlDB with one part less. What can no longer be named does not compile."""
    statements = program.statements
    for fewer in _without(statements):
        yield without_unread(KsqlProgram(fewer))
    for place, statement in enumerate(statements):
        match statement:
            case Create():
                for properties in _without(statement.properties):
                    yield KsqlProgram(_with(statements, place, replace(statement, properties=properties)))
            case CreateAs():
                for properties in _without(statement.properties):
                    yield KsqlProgram(_with(statements, place, replace(statement, properties=properties)))
                for smaller in _ksql_queries(statement.query):
                    yield without_unread(KsqlProgram(_with(statements, place, replace(statement, query=smaller))))


def _ksql_queries(query: KsqlQuery) -> Iterator[KsqlQuery]:
    for joins in _without(query.joins):
        yield replace(query, joins=joins)
    for place, join in enumerate(query.joins):
        smaller_ends = [(a, join.on[1]) for a in _smaller(join.on[0])] + [(join.on[0], b) for b in _smaller(join.on[1])]
        for on in smaller_ends:
            yield replace(query, joins=_with(query.joins, place, replace(join, on=on)))
        if join.grace:
            yield replace(query, joins=_with(query.joins, place, replace(join, grace=None)))
    if query.window:
        yield replace(query, window=None)
    if query.emit:
        yield replace(query, emit="")
    for field in ("where", "having", "partition", "group"):
        own = getattr(query, field)
        for fewer in (*_without(own), *_terms(own)):
            smaller: dict[str, Any] = {field: fewer}
            yield replace(query, **smaller)
    for items in (*_without(query.items), *_projections(query.items)):
        if items:
            yield replace(query, items=items)


def _with(items: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    return (*items[:place], item, *items[place + 1 :])


def _without(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    for place in range(len(items)):
        yield (*items[:place], *items[place + 1 :])


def _queries(query: Query) -> Iterator[Query]:
    if query.join:
        yield replace(query, join=None)
        if query.join.on:
            yield replace(query, join=replace(query.join, on=()))
            for terms in _without(query.join.on):
                yield replace(query, join=replace(query.join, on=terms))
            for terms in _terms(query.join.on):
                yield replace(query, join=replace(query.join, on=terms))
    for field in ("event_time", "window", "grace"):
        if getattr(query, field) is not None:
            absent: dict[str, Any] = {field: None}
            yield replace(query, **absent)
    for field in ("where", "having", "laterals"):
        for fewer in _without(getattr(query, field)):
            smaller: dict[str, Any] = {field: fewer}
            yield replace(query, **smaller)
    for projections in (*_without(query.projections), *_projections(query.projections)):
        if projections:
            yield replace(query, projections=projections)
    for group in (*_without(query.group), *_projections(query.group)):
        if group:
            yield replace(query, group=group)
    if query.event_time:
        for term in _smaller(query.event_time):
            yield replace(query, event_time=term)
    for terms in _terms(query.where):
        yield replace(query, where=terms)
    for terms in _terms(query.having):
        yield replace(query, having=terms)
    for place, (array, alias) in enumerate(query.laterals):
        for term in _smaller(array):
            yield replace(query, laterals=_with(query.laterals, place, (term, alias)))


def _terms(terms: tuple[Term, ...]) -> Iterator[tuple[Term, ...]]:
    for place, term in enumerate(terms):
        for smaller in _smaller(term):
            yield _with(terms, place, smaller)


def _projections(projections: tuple[Projection, ...]) -> Iterator[tuple[Projection, ...]]:
    for place, projection in enumerate(projections):
        for smaller in _smaller(projection.term):
            yield _with(projections, place, replace(projection, term=smaller))


def _smaller(term: Term) -> Iterator[Term]:
    """One of the parts in place of the whole, or the whole with a smaller part."""
    yield from term.parts
    for place, part in enumerate(term.parts):
        for smaller in _smaller(part):
            yield replace(term, parts=_with(term.parts, place, smaller))
