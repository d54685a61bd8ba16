"""What can be written at a place: topics, columns of the scope, functions, settings, and keywords that fit there."""

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
from lsqlc.editor.view import View, view
from lsqlc.editor.yaml_keys import yaml_completion
from lsqlc.formats.names import FORMATS
from lsqlc.functions import catalogue
from lsqlc.project.declared.config import MACRO_FOLDER
from lsqlc.syntax import keywords

_ARGUMENT = re.compile(r"\b(ref|source|var|env_var)\(\s*(?:['\"]([^'\"\n]*)['\"]\s*,\s*)?(['\"])([^'\"\n]*)\Z")
_IN_TAG = re.compile(r"\{[{%](?:(?![%}]\}).)*\Z", re.DOTALL)
_WORD = re.compile(r"\w*\Z")
_MACRO = re.compile(r"\{%-?\s*macro\s+([A-Za-z_]\w*)\s*(\([^)]*\))")
_TEMPLATE_CALLS = ("ref", "source", "var", "env_var", "config")
# A template's tag is not longer than this; what is longer is looked at from there.
_REACH = 2_000


def completion(snapshot: Snapshot, path: str, offset: int) -> Completion | None:
    """What can be written at an offset of a file; None where nothing is known to fit."""
    text = snapshot.texts.get(path)
    kind = snapshot.kind(path)
    if text is None or kind is None:
        return None
    if kind not in ("model", "macro"):
        return yaml_completion(snapshot, path, offset)
    before = text[max(0, offset - _REACH) : offset]
    if _IN_TAG.search(before):
        return _in_tag(snapshot, before, offset)
    seen = view(snapshot, path)
    place = seen.inward(offset) if seen else None
    if seen is None or place is None:
        return None
    statement = statement_at(seen.text, place, seen.dialect.keywords())
    found = _in_statement(snapshot, seen, statement)
    if found is None or not found.items:
        return None
    # What is being typed stands in the file as it stands in the program.
    return Completion(found.items, (max(0, offset - (place - found.at[0])), offset))


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
        named = [d for d in (project.topics if project else ()) if call[2] in (None, d.source)]
        items = [Item(group, "value", "source") for group in groups]
        items += [Item(d.topic.name, "topic", "topic", d.topic.description or "") for d in named]
    elif call[1] == "var":
        known = {**(snapshot.config.vars if snapshot.config else {}), **snapshot.surroundings.vars}
        items = [Item(name, "value", "variable") for name in sorted(known)]
    else:
        return None
    return Completion(tuple(items), at)


def _in_statement(snapshot: Snapshot, seen: View, statement: Statement) -> Completion | None:
    previous, dialect = statement.previous, seen.dialect
    words = dialect.keywords()
    if statement.inside is not None:
        return _in_string(snapshot, statement)
    if previous is None:
        return Completion(tuple(_keywords(words.statements)), statement.typed)
    if statement.before[0].upper == "SET":
        return _setting(statement, dialect)
    if statement.is_after("INTO"):
        return Completion(tuple(_sources(snapshot, seen, own=dialect.declares_sources)), statement.typed)
    if previous.upper in ("FROM", "JOIN"):
        return Completion(tuple(_sources(snapshot, seen, own=True)), statement.typed)
    after = next((f for before, f in _longest(words) if statement.is_after(*before)), None)
    if after is not None:
        return Completion(tuple(_keywords(after)), statement.typed)
    if statement.is_after("AS"):
        return _behind_as(statement)
    if dialect.declares_sources and statement.clause in ("WITH", "CREATE"):
        return _properties(statement, dialect)
    if statement.clause in keywords.EXPRESSIONS and (statement.path or _wants_operand(statement)):
        return Completion((*_columns(snapshot, seen, statement), *_operands(seen, statement)), statement.partial)
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
    """Return whether an operand is to come: behind an operator, a comma, an opening parenthesis, or a word that wants
    one.
    """
    previous = statement.previous
    assert previous is not None
    if previous.kind != "mark":
        return previous.upper in keywords.BEFORE_OPERAND
    if previous.text != "*":
        return previous.text not in (")", "]")
    # A factor, or all fields.
    other = statement.before[-2] if len(statement.before) > 1 else None
    return other is not None and other.text not in (",", "(", ".") and other.upper not in keywords.BEFORE_OPERAND


def _keywords(words: Iterable[str]) -> Iterator[Item]:
    return (Item(word.rstrip(" ("), "keyword", insert=word if word.endswith("(") else f"{word} ") for word in words)


def _in_string(snapshot: Snapshot, statement: Statement) -> Completion | None:
    """Return the topic of a stream or table of ksqlDB, the only name that stands in quotes."""
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


def _sources(snapshot: Snapshot, seen: View, *, own: bool) -> Iterator[Item]:
    """Yield topics, and with `own` the queries of the program that can be read by name."""
    written = seen.dialect.keywords()
    for name, source in seen.trace.sources.items() if own else ():
        detail = f"{source.node.semantics}, {source.node.relations[0].value.type}"
        yield Item(name, "query", detail, insert=written.topic_text(name), rank=1)
    if seen.dialect.declares_sources:
        return
    writers = snapshot.compilation.graph.writers if snapshot.compilation else {}
    for name, topic in sorted(snapshot.topics.items()):
        by = f"written by {writers[name]}" if name in writers else "topic"
        said = f"{topic.description or ''}\n\n```\nkey {topic.key}\nvalue {topic.value}\n```".strip()
        yield Item(name, "topic", by, said, written.topic_text(name), rank=2)


def _behind_as(statement: Statement) -> Completion | None:
    words = [word.upper for word in statement.before]
    if statement.clause == "STORE" and words[-2:-1] in (["KEY"], ["VALUE"]):
        return Completion(tuple(_keywords(f.upper() for f in FORMATS)), statement.typed)
    opened = [n for n, word in enumerate(statement.before) if word.text == "(" and words[n - 1 : n] == ["CAST"]]
    if opened and ")" not in [w.text for w in statement.before[opened[-1] :]]:
        return Completion(tuple(Item(name, "type") for name in keywords.TYPES), statement.typed)
    if statement.clause == "SELECT":
        items = [Item(name, "column", "facet", text="the whole facet") for name in ("_key", "_value")]
        return Completion(tuple(items), statement.typed)
    return Completion(tuple(_keywords(("SELECT",))), statement.typed) if statement.clause == "CREATE" else None


def _properties(statement: Statement, dialect: Dialect) -> Completion | None:
    """WITH of ksqlDB, and what can come before it."""
    words = [word.text.upper() for word in statement.before]
    if "WITH" in words and words[-1] in ("(", ","):
        return Completion(tuple(Item(n, "setting", insert=f"{n} = ") for n in dialect.properties()), statement.typed)
    if words[-1] == ")" and "WITH" in words:
        return Completion(tuple(_keywords(("AS SELECT",))), statement.typed)
    if "WITH" not in words and "(" in words and words[-1] not in (",", "(", ")"):
        return Completion(tuple(Item(name, "type") for name in keywords.TYPES), statement.typed)
    return Completion(tuple(_keywords(dialect.keywords().behind["CREATE"])), statement.typed)


def _columns(snapshot: Snapshot, seen: View, statement: Statement) -> Iterator[Item]:
    written = seen.dialect.keywords()
    for named in members(snapshot, seen, statement):
        kind: ItemKind = "query" if named.type == "source" else "column"
        detail = f"{named.type}, of {named.of}" if named.of else named.type
        # `_key` is offered beside fields, and a source before a dot keeps its own form.
        plain = named.name if "." in named.name else written.column_text(named.name)
        yield Item(named.name, kind, detail, insert=plain, rank=1)


def _operands(seen: View, statement: Statement) -> Iterator[Item]:
    """Yield functions and keywords, where no source or facet is before a dot."""
    if statement.path:
        return
    for name in catalogue.names(seen.dialect.name):
        function = function_named(name, seen.dialect.name)
        if function is not None:
            shown = signature(function)
            yield Item(name, "function", shown, function_text(function), call_snippet(function, name), True, rank=4)
    for own in seen.functions.values():
        yield Item(own.name, "function", own.signature, own_function_text(own), own_call_snippet(own), True, rank=2)
    words = keywords.IN_CASE if _in_case(statement) else ()
    yield from _keywords((*keywords.OPERAND, *words))
