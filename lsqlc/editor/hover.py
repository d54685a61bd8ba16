"""What is known of the words at a place, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.diagnostics import catalogue
from lsqlc.editor.answers import Hover
from lsqlc.editor.file_words import FileWord, file_word
from lsqlc.editor.signatures import function_named, function_text, own_function_text, setting_text
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.spots import Origin, Spot, found_at, origin, query_at, source_called
from lsqlc.editor.view import View, view
from lsqlc.editor.yaml_keys import key_hover
from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, Field
from lsqlc.plan.lineage import Column, origins
from lsqlc.plan.printing import expression_text
from lsqlc.project.model import Model
from lsqlc.types.data import Struct, quote
from lsqlc.types.record import Facet

# More columns than these are counted.
_MOST = 12


def hover(snapshot: Snapshot, path: str, offset: int) -> Hover | None:
    """What to show at an offset of a file; None where there is nothing to show."""
    kind = snapshot.kind(path)
    if kind is None or path not in snapshot.texts:
        return None
    word = file_word(snapshot, path, offset)
    said = _word(snapshot, word) if word else None
    if word and said:
        return Hover(said, word.at)
    if kind not in ("model", "macro"):
        return key_hover(snapshot, path, offset)
    found = found_at(snapshot, path, offset)
    answer = _spot(snapshot, *found) if found else None
    return Hover(answer, found[0].outward(found[1].at)) if found and answer else None


def topic_text(snapshot: Snapshot, name: str) -> str | None:
    """Return a topic with its schema and its writer; None for an unknown one."""
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
    said = topic.description or (model.description if model else None)
    lines += [said, ""] if said else []
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
    """Return a model and its plan, as `lsqlc compile` prints it."""
    seen = view(snapshot, path)
    if seen is None:
        return None
    if seen.plan is None:
        return f"The model `{seen.name}` has errors and no plan."
    model = next((m for m in snapshot.compilation.project.models if m.path == path), None) if (
        snapshot.compilation) else None  # fmt: skip
    about = [*_about(model), "```", seen.plan.tree().rstrip("\n"), "```"]
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


def _spot(snapshot: Snapshot, seen: View, spot: Spot) -> str | None:
    match spot.kind:
        case "topic":
            return topic_text(snapshot, spot.name)
        case "query":
            return _query(snapshot, seen, spot)
        case "alias":
            source = source_called(seen, spot.at[0], spot.name)
            if source is None:
                return None
            named = "query" if source.name.text in seen.trace.sources else "topic"
            spot = Spot("query" if named == "query" else "topic", seen.topic_of(source.name.text), spot.at)
            return _spot(snapshot, seen, spot)
        case "function":
            typed = f"\n\nHere: `{spot.expression.type}`" if spot.expression else ""
            own = seen.functions.get(spot.name.upper())
            if own is not None:
                return own_function_text(own) + typed
            function = function_named(spot.name, seen.dialect.name)
            return function_text(function) + typed if function else None
        case "setting":
            return setting_text(spot.name, seen.dialect.settings) if seen.dialect.settings else None
        case "column":
            return _column(seen, spot)
        case "statement":
            return model_text(snapshot, seen.path)
    return None


def _query(snapshot: Snapshot, seen: View, spot: Spot) -> str | None:
    source = seen.trace.sources.get(spot.name)
    if source is None:
        return topic_text(snapshot, spot.name)
    relation = source.node.relations[0]
    lines = ["```sql", f"{source.node.semantics} {quote(spot.name)}", *_facets(relation.key, relation.value), "```"]
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


def _column(seen: View, spot: Spot) -> str | None:
    expression = spot.expression
    assert expression is not None
    name = " ".join(spot.name.split())
    lines = ["```sql", f"{name}: {expression.type}", "```", "may be null" if expression.nullable else "never null"]
    if spot.grouped:
        return "\n".join(lines)
    query = query_at(seen, spot.at[0])
    if query is None:
        return "\n".join(lines)
    if isinstance(expression, Field):
        place = origin(seen, spot.at, expression)
        if place is not None:
            lines.append(f"\n{_place(place)}")
    else:
        printed = _printed(expression, query.relations)
        lines += [f"\n{_code(printed)}"] if printed != name else []
    found = origins(expression, query.node)
    if found:
        lines.append(f"\nfrom {_listed(found)}")
    return "\n".join(lines)


def _printed(expression: Expression, relations: tuple[nodes.Relation, ...]) -> str:
    text = expression_text(expression, relations)
    return text if len(text) <= 300 else f"{text[:297]}..."


def _place(place: Origin) -> str:
    what = ".".join((f"_{place.facet}", *map(quote, place.path)))
    whose = "the topic" if place.kind == "topic" else "the query"
    return f"{_code(what)} of {whose} {_code(place.name)}"


def _listed(columns: tuple[Column, ...]) -> str:
    shown = ", ".join(_code(f"{c.topic}.{c.name}") for c in columns[:_MOST])
    return shown + (f" and {len(columns) - _MOST} more" if len(columns) > _MOST else "")


def _code(text: str) -> str:
    """Return text as code in Markdown, whatever quotes it has."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"
