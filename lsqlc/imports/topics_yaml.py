"""Declarations of topics in the form of `models/topics.yml`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lsqlc.formats.catalogue import declared
from lsqlc.formats.windows import inside, windowed
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct
from lsqlc.types.ddl import columns_text
from lsqlc.types.record import Facet, Topic, natural_format

_HEAD = "# yaml-language-server: $schema=../.schemas/models.json\n"


@dataclass(frozen=True, slots=True)
class DeclaredTopic:
    """A topic and its description."""

    topic: Topic
    description: str = ""


def can_declare(topic: Topic) -> bool:
    """Return whether YAML can declare the formats of the topic."""
    return all(f.type == data.NULL or inside(f.format) in declared() for f in (topic.key, topic.value))


def topics_yaml(declared: Iterable[DeclaredTopic]) -> str:
    """Return the text of the file, with a line per facet."""
    return _HEAD + "topics:\n" + "".join(line + "\n" for each in declared for line in _lines(each))


def _lines(declared: DeclaredTopic) -> Iterator[str]:
    topic = declared.topic
    yield f"  - name: {quoted_text(topic.name)}"
    if declared.description:
        yield f"    description: {quoted_text(declared.description)}"
    for name, facet in (("key", topic.key), ("value", topic.value)):
        if facet.type != data.NULL:
            yield f"    {name}: {_facet(facet)}"
    if topic.partitions is not None:
        yield f"    partitions: {topic.partitions}"


def _facet(facet: Facet) -> str:
    window = windowed(facet.format)
    type = facet.type.fields[0].type if window and isinstance(facet.type, Struct) else facet.type
    if window is None and facet.format == natural_format(type):
        return quoted_text(_schema(type))
    format = f"{window[0].upper()}[{window[1]}]" if window else facet.format
    return f"{{format: {quoted_text(format)}, schema: {quoted_text(_schema(type))}}}"


def _schema(type: DataType) -> str:
    return columns_text(type) if isinstance(type, Struct) else str(type)


def quoted_text(text: str) -> str:
    """Return YAML text on one line. JSON's quotes are valid in YAML."""
    plain = text.replace("_", "").replace("-", "").replace(".", "")
    words = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
    bare = plain.isascii() and plain.isalnum() and not text[0].isdigit() and text[0] not in "-."
    return text if bare and text.lower() not in words else json.dumps(text, ensure_ascii=False)
