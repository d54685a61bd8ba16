"""Hovers, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.diagnostics import catalogue
from lsqlc.editor.answers import Hover
from lsqlc.editor.cursor_target import CursorTarget, Origin, origin, query_at, source_called, target_in_file
from lsqlc.editor.file_words import FileWord, file_word
from lsqlc.editor.signatures import function_named, function_text, own_function_text, setting_text
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.view import View, view_of
from lsqlc.editor.yaml_keys import key_hover
from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, Field
from lsqlc.plan.lineage import Column, origins
from lsqlc.plan.printing import expression_text
from lsqlc.project.model import Model
from lsqlc.types.data import Struct, quote
from lsqlc.types.record import Facet

# The number of columns that are listed; further ones are counted.
_MOST = 12


def hover(snapshot: Snapshot, path: str, offset: int) -> Hover | None:
    """Return the hover at an offset of a file; None if there is none."""
    kind = snapshot.kind(path)
    if kind is None or path not in snapshot.texts:
        return None
    word = file_word(snapshot, path, offset)
    text = _word(snapshot, word) if word else None
    if word and text:
        return Hover(text, word.at)
    if kind not in ("model", "macro"):
        return key_hover(snapshot, path, offset)
    target = target_in_file(snapshot, path, offset)
    answer = _of_target(snapshot, *target) if target else None
    return Hover(answer, target[0].outward(target[1].at)) if target and answer else None


def topic_text(snapshot: Snapshot, name: str) -> str | None:
    """Return a topic with its schema and its writer as Markdown; None if unknown."""
    topic = snapshot.topics.get(name)
    if topic is None:
        return None
    compilation = snapshot.compilation
    writer = compilation.graph.writers.get(name) if compilation else None
    build = compilation.models.get(writer) if compilation and writer else None
    semantics = (build.summary or {}).get("semantics", {}).get(name) if build else None
    model = compilation.project.model(writer) if compilation and writer else None
    head = f"{semantics or 'topic'} {quote(name)}"
    lines = ["```sql", head, *_facets(topic.key, topic.value), "```"]
    description = topic.description or (model.description if model else None)
    lines += [description, ""] if description else []
    facts = [
        f"written by the model `{writer}`" if writer else None,
        f"owner: {model.owner}" if model and model.owner else None,
        f"event time: `{topic.event_time}`" if topic.event_time else None,
        f"partitions: {topic.partitions}" if topic.partitions else None,
        f"tags: {', '.join(topic.tags)}" if topic.tags else None,
        f"connector: {topic.connector}" if topic.connector != "embedded" else None,
        f"files: `{topic.files.path}`, {topic.files.format}" if topic.files else None,
    ]
    return "\n".join([*lines, *(f"- {fact}" for fact in facts if fact)])


def model_text(snapshot: Snapshot, path: str) -> str | None:
    """Return a model and its plan as Markdown."""
    view = view_of(snapshot, path)
    if view is None:
        return None
    if view.plan is None:
        return f"The model `{view.name}` has errors and no plan."
    model = next((m for m in snapshot.compilation.project.models if m.path == path), None) if (
        snapshot.compilation) else None  # fmt: skip
    about = [*_about(model), "```", view.plan.tree().rstrip("\n"), "```"]
    return "\n".join(about)


def _about(model: Model | None) -> Iterable[str]:
    if model is None:
        return
    if model.description:
        yield f"{model.description}\n"
    if model.owner:
        yield f"Owner: {model.owner}\n"


def _word(snapshot: Snapshot, word: FileWord) -> str | None:
    models = snapshot.compilation.project.models if snapshot.compilation else ()
    model = next((m for m in models if m.name == word.name), None)
    match word.kind:
        case "code":
            return catalogue.page(word.name)
        case "ref" | "word" if model is not None:
            return model_text(snapshot, model.path)
        case "source" | "word":
            return topic_text(snapshot, word.name)
    return None


def _of_target(snapshot: Snapshot, view: View, target: CursorTarget) -> str | None:
    match target.kind:
        case "topic":
            return topic_text(snapshot, target.name)
        case "query":
            return _query(snapshot, view, target)
        case "alias":
            source = source_called(view, target.at[0], target.name)
            if source is None:
                return None
            source_kind = "query" if source.name.text in view.trace.sources else "topic"
            target = CursorTarget(
                "query" if source_kind == "query" else "topic", view.topic_of(source.name.text), target.at
            )
            return _of_target(snapshot, view, target)
        case "function":
            typed = f"\n\nHere: `{target.expression.type}`" if target.expression else ""
            own = view.functions.get(target.name.upper())
            if own is not None:
                return own_function_text(own) + typed
            function = function_named(target.name, view.dialect.name)
            return function_text(function) + typed if function else None
        case "setting":
            return setting_text(target.name, view.dialect.settings) if view.dialect.settings else None
        case "column":
            return _column(view, target)
        case "statement":
            return model_text(snapshot, view.path)
    return None


def _query(snapshot: Snapshot, view: View, target: CursorTarget) -> str | None:
    source = view.trace.sources.get(target.name)
    if source is None:
        return topic_text(snapshot, target.name)
    relation = source.node.relations[0]
    lines = ["```sql", f"{source.node.semantics} {quote(target.name)}", *_facets(relation.key, relation.value), "```"]
    return "\n".join(lines)


def _facets(key: Facet, value: Facet) -> Iterable[str]:
    for name, facet in (("key", key), ("value", value)):
        if facet.is_absent:
            continue
        if isinstance(facet.type, Struct):
            yield f"{name} ({facet.format})"
            yield from (f"  {field}" for field in facet.type.fields)
        else:
            yield f"{name} {facet}"


def _column(view: View, target: CursorTarget) -> str | None:
    expression = target.expression
    assert expression is not None
    name = " ".join(target.name.split())
    lines = ["```sql", f"{name}: {expression.type}", "```", "may be null" if expression.nullable else "never null"]
    if target.grouped:
        return "\n".join(lines)
    query = query_at(view, target.at[0])
    if query is None:
        return "\n".join(lines)
    if isinstance(expression, Field):
        place = origin(view, target.at, expression)
        if place is not None:
            lines.append(f"\n{_place(place)}")
    else:
        printed = _printed(expression, query.relations)
        lines += [f"\n{_code(printed)}"] if printed != name else []
    sources = origins(expression, query.node)
    if sources:
        lines.append(f"\nfrom {_listed(sources)}")
    return "\n".join(lines)


def _printed(expression: Expression, relations: tuple[nodes.Relation, ...]) -> str:
    text = expression_text(expression, relations)
    return text if len(text) <= 300 else f"{text[:297]}..."


def _place(place: Origin) -> str:
    what = ".".join((f"_{place.facet}", *map(quote, place.path)))
    whose = "the topic" if place.kind == "topic" else "the query"
    return f"{_code(what)} of {whose} {_code(place.name)}"


def _listed(columns: tuple[Column, ...]) -> str:
    text = ", ".join(_code(f"{c.topic}.{c.name}") for c in columns[:_MOST])
    return text + (f" and {len(columns) - _MOST} more" if len(columns) > _MOST else "")


def _code(text: str) -> str:
    """Return text as inline code in Markdown, even if it contains backticks."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"
