"""Completion: topics, columns in scope, functions, settings, and keywords."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsqlc.dialects.record import Dialect
from lsqlc.editor.answers import Completion, Item, ItemKind
from lsqlc.editor.columns import members
from lsqlc.editor.signatures import (
    call_snippet,
    function_named,
    function_text,
    own_call_snippet,
    own_function_text,
    setting_text,
    signature,
)
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.statements import Statement, statement_at
from lsqlc.editor.view import View, view_of
from lsqlc.editor.yaml_keys import yaml_completion
from lsqlc.formats.catalogue import storable
from lsqlc.functions import catalogue
from lsqlc.project.declared.config import MACRO_FOLDER
from lsqlc.syntax import keywords

_ARGUMENT = re.compile(r"\b(ref|source|var|env_var)\(\s*(?:['\"]([^'\"\n]*)['\"]\s*,\s*)?(['\"])([^'\"\n]*)\Z")
_IN_TAG = re.compile(r"\{[{%](?:(?![%}]\}).)*\Z", re.DOTALL)
_WORD = re.compile(r"\w*\Z")
_MACRO = re.compile(r"\{%-?\s*macro\s+([A-Za-z_]\w*)\s*(\([^)]*\))")
_TEMPLATE_CALLS = ("ref", "source", "var", "env_var", "config")
# The longest supported template tag, in characters.
_REACH = 2_000


def completion(snapshot: Snapshot, path: str, offset: int) -> Completion | None:
    """Return the completion at an offset of a file; None if there is none."""
    text = snapshot.texts.get(path)
    kind = snapshot.kind(path)
    if text is None or kind is None:
        return None
    if kind not in ("model", "macro"):
        return yaml_completion(snapshot, path, offset)
    before = text[max(0, offset - _REACH) : offset]
    if _IN_TAG.search(before):
        return _in_tag(snapshot, before, offset)
    view = view_of(snapshot, path)
    place = view.inward(offset) if view else None
    if view is None or place is None:
        return None
    statement = statement_at(view.text, place, view.dialect.keywords())
    answer = _in_statement(snapshot, view, statement)
    if answer is None or not answer.items:
        return None
    # The partial name is the same text in the file and in the program.
    return Completion(answer.items, (max(0, offset - (place - answer.at[0])), offset))


def _in_tag(snapshot: Snapshot, before: str, offset: int) -> Completion | None:
    project = snapshot.compilation.project if snapshot.compilation else None
    call = _ARGUMENT.search(before)
    if call is None:
        if project is None:
            return None
        word = _WORD.search(before)
        items = [Item(name, "function", "template", insert=f"{name}(", rank=3) for name in _TEMPLATE_CALLS]
        for path, text in snapshot.texts.items():
            if path.startswith(f"{MACRO_FOLDER}/"):
                calls = _MACRO.finditer(text)
                items += [Item(m[1], "function", f"macro {m[1]}{m[2]}", path, f"{m[1]}(") for m in calls]
        return Completion(tuple(items), (offset - len(word[0]) if word else offset, offset))
    at = (offset - len(call[4]), offset)
    if call[1] == "ref":
        items = [Item(m.name, "model", "model", m.description or "") for m in project.models] if project else []
    elif call[1] == "source":
        groups = sorted({d.source for d in project.topics if d.source}) if project and call[2] is None else []
        topics = [d for d in (project.topics if project else ()) if call[2] in (None, d.source)]
        items = [Item(group, "value", "source") for group in groups]
        items += [Item(d.topic.name, "topic", "topic", d.topic.description or "") for d in topics]
    elif call[1] == "var":
        variables = {**(snapshot.config.vars if snapshot.config else {}), **snapshot.surroundings.vars}
        items = [Item(name, "value", "variable") for name in sorted(variables)]
    else:
        return None
    return Completion(tuple(items), at)


def _in_statement(snapshot: Snapshot, view: View, statement: Statement) -> Completion | None:
    previous, dialect = statement.previous, view.dialect
    words = dialect.keywords()
    if statement.inside is not None:
        return _in_string(snapshot, statement)
    if previous is None:
        return Completion(tuple(_keywords(words.statements)), statement.typed)
    if statement.before[0].upper == "SET":
        return _setting(statement, dialect)
    if statement.is_after("INTO"):
        return Completion(tuple(_sources(snapshot, view, own=dialect.declares_sources)), statement.typed)
    if previous.upper in ("FROM", "JOIN"):
        return Completion(tuple(_sources(snapshot, view, own=True)), statement.typed)
    return _in_clause(snapshot, view, statement, words)


def _in_clause(snapshot: Snapshot, view: View, statement: Statement, words: keywords.Keywords) -> Completion | None:
    after = next((f for before, f in _longest(words) if statement.is_after(*before)), None)
    if after is not None:
        return Completion(tuple(_keywords(after)), statement.typed)
    if statement.is_after("AS"):
        return _behind_as(statement)
    if view.dialect.declares_sources and statement.clause in ("WITH", "CREATE"):
        return _properties(statement, view.dialect)
    if statement.clause in keywords.EXPRESSIONS and (statement.path or _wants_operand(statement)):
        return Completion((*_columns(snapshot, view, statement), *_operands(view, statement)), statement.partial)
    behind = words.behind.get(statement.clause, ())
    if statement.clause in keywords.EXPRESSIONS:
        behind = (*behind, *keywords.BEHIND_OPERAND, *(keywords.IN_CASE if _in_case(statement) else ()))
    return Completion(tuple(_keywords(behind)), statement.typed)


def _longest(words: keywords.Keywords) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return sorted(words.follows.items(), key=lambda each: -len(each[0]))


def _in_case(statement: Statement) -> bool:
    words = [word.upper for word in statement.before]
    return words.count("CASE") > words.count("END")


def _wants_operand(statement: Statement) -> bool:
    """Return whether an operand is expected: after an operator, a comma, an opening parenthesis, or some keywords."""
    previous = statement.previous
    assert previous is not None
    if previous.kind != "mark":
        return previous.upper in keywords.BEFORE_OPERAND
    if previous.text != "*":
        return previous.text not in (")", "]")
    # `*` is either a multiplication or all fields.
    other = statement.before[-2] if len(statement.before) > 1 else None
    return other is not None and other.text not in (",", "(", ".") and other.upper not in keywords.BEFORE_OPERAND


def _keywords(words: Iterable[str]) -> Iterator[Item]:
    return (Item(word.rstrip(" ("), "keyword", insert=word if word.endswith("(") else f"{word} ") for word in words)


def _in_string(snapshot: Snapshot, statement: Statement) -> Completion | None:
    """Complete the topic of a stream or table of ksqlDB, the only name in quotes."""
    if not statement.is_after("KAFKA_TOPIC", "="):
        words = [word.upper or word.text for word in statement.before[-2:]]
        if words != ["KAFKA_TOPIC", "="]:
            return None
    return Completion(tuple(Item(name, "topic", "topic") for name in sorted(snapshot.topics)), statement.typed)


def _setting(statement: Statement, dialect: Dialect) -> Completion | None:
    settings = dialect.settings
    if settings is None:
        return None
    words = [word.text for word in statement.before[1:]]
    if "=" not in words:
        at = statement.before[1].at[0] if words else statement.typed[0]
        items = [Item(n, "setting", text=setting_text(n, settings), insert=f"{n} = ") for n in settings.names()]
        return Completion(tuple(items), (at, statement.typed[1]))
    if words[-1] != "=":
        return None
    values = settings.values_of("".join(words[: words.index("=")]))
    return Completion(tuple(Item(value, "value", insert=f"{value};") for value in values), statement.typed)


def _sources(snapshot: Snapshot, view: View, *, own: bool) -> Iterator[Item]:
    """Yield topics, and with `own` the queries of the program."""
    keyword_table = view.dialect.keywords()
    for name, source in view.trace.sources.items() if own else ():
        detail = f"{source.node.semantics}, {source.node.relations[0].value.type}"
        yield Item(name, "query", detail, insert=keyword_table.topic_text(name), rank=1)
    if view.dialect.declares_sources:
        return
    writers = snapshot.compilation.graph.writers if snapshot.compilation else {}
    for name, topic in sorted(snapshot.topics.items()):
        by = f"written by {writers[name]}" if name in writers else "topic"
        text = f"{topic.description or ''}\n\n```\nkey {topic.key}\nvalue {topic.value}\n```".strip()
        yield Item(name, "topic", by, text, keyword_table.topic_text(name), rank=2)


def _behind_as(statement: Statement) -> Completion | None:
    words = [word.upper for word in statement.before]
    if statement.clause == "STORE" and words[-2:-1] in (["KEY"], ["VALUE"]):
        return Completion(tuple(_keywords(f.upper() for f in storable())), statement.typed)
    opened = [n for n, word in enumerate(statement.before) if word.text == "(" and words[n - 1 : n] == ["CAST"]]
    if opened and ")" not in [w.text for w in statement.before[opened[-1] :]]:
        return Completion(tuple(Item(name, "type") for name in keywords.TYPES), statement.typed)
    if statement.clause == "SELECT":
        items = [Item(name, "column", "facet", text="the whole facet") for name in ("_key", "_value")]
        return Completion(tuple(items), statement.typed)
    return Completion(tuple(_keywords(("SELECT",))), statement.typed) if statement.clause == "CREATE" else None


def _properties(statement: Statement, dialect: Dialect) -> Completion | None:
    """Complete the WITH clause of ksqlDB, and clauses before it."""
    words = [word.text.upper() for word in statement.before]
    if "WITH" in words and words[-1] in ("(", ","):
        return Completion(tuple(Item(n, "setting", insert=f"{n} = ") for n in dialect.properties()), statement.typed)
    if words[-1] == ")" and "WITH" in words:
        return Completion(tuple(_keywords(("AS SELECT",))), statement.typed)
    if "WITH" not in words and "(" in words and words[-1] not in (",", "(", ")"):
        return Completion(tuple(Item(name, "type") for name in keywords.TYPES), statement.typed)
    return Completion(tuple(_keywords(dialect.keywords().behind["CREATE"])), statement.typed)


def _columns(snapshot: Snapshot, view: View, statement: Statement) -> Iterator[Item]:
    keyword_table = view.dialect.keywords()
    for column in members(snapshot, view, statement):
        kind: ItemKind = "query" if column.type == "source" else "column"
        detail = f"{column.type}, of {column.of}" if column.of else column.type
        # `_key` is offered beside fields, and a source before a dot keeps its own form.
        plain = column.name if "." in column.name else keyword_table.column_text(column.name)
        yield Item(column.name, kind, detail, insert=plain, rank=1)


def _operands(view: View, statement: Statement) -> Iterator[Item]:
    """Yield functions and keywords, unless a source or facet with a dot precedes."""
    if statement.path:
        return
    for name in catalogue.names(view.dialect.name):
        function = function_named(name, view.dialect.name)
        if function is not None:
            form = signature(function)
            yield Item(name, "function", form, function_text(function), call_snippet(function, name), True, rank=4)
    for own in view.functions.values():
        yield Item(own.name, "function", own.signature, own_function_text(own), own_call_snippet(own), True, rank=2)
    words = keywords.IN_CASE if _in_case(statement) else ()
    yield from _keywords((*keywords.OPERAND, *words))
