"""A condition of the Lenses language over a topic: fields of the value by name in any case, `_key` for the key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsqlc.bind.condition import RESULT, BoundCondition, condition_of
from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import Span
from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax.lenses.parser import parse
from lsqlc.syntax.tokens import tokenize
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import Topic

_BEFORE = "WHERE "


def bound_condition(text: str, topic: Topic, path: str) -> BoundCondition:
    """Return a condition over the records of a topic; its diagnostics are in the file `path`."""
    names = {name for facet in (topic.key, topic.value) for name in _names(facet.type)}
    program = f"SELECT STREAM * FROM `{topic.name}`\n{_BEFORE}{_in_case(text, names)}"
    parsed = parse(program, path)
    if parsed.program is None:
        return BoundCondition(program, None, parsed.diagnostics)
    compiled = compile_program(parsed.program, {topic.name: topic}, name=RESULT)
    if compiled.plan is None:
        return BoundCondition(program, None, tuple(d for d in compiled.diagnostics if d.is_error))
    return condition_of(program, compiled.plan, Span(path, 2, 1, 2, 1))


def _in_case(text: str, names: Iterable[str]) -> str:
    """Return the text with fields in the case of their declaration, if only one name is equal without regard to
    case.
    """
    by_fold: dict[str, list[str]] = {}
    for name in names:
        by_fold.setdefault(name.casefold(), []).append(name)
    parts, end = [], 0
    for token in tokenize(SourceText("condition", text))[0]:
        candidates = by_fold.get(token.text.casefold(), []) if token.kind == "name" else []
        if len(candidates) == 1 and len(candidates[0]) == token.end - token.start:
            parts += [text[end : token.start], candidates[0]]
            end = token.end
    return "".join([*parts, text[end:]])


def _names(type: DataType) -> Iterator[str]:
    """Yield the names of all fields in a type."""
    if isinstance(type, Struct):
        for field in type.fields:
            yield field.name
            yield from _names(field.type)
    elif isinstance(type, Array):
        yield from _names(type.element)
    elif isinstance(type, Map):
        yield from _names(type.value)
