"""The schemas of a program's topics as text: one for each facet that is present.

The Avro record of a facet is called `<topic>_<facet>`, with `_` for characters that are invalid there. The program can
set `key.avro.record`, `key.avro.namespace` and the like for the topic or for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lsqlc.bind.topic_settings import setting_of
from lsqlc.diagnostics import Diagnostic
from lsqlc.formats.avro.write import avro_name
from lsqlc.formats.schemas import Language, schema_text
from lsqlc.plan.expression import FacetName
from lsqlc.types.record import Topic

_FACETS: tuple[FacetName, ...] = ("key", "value")
_LANGUAGES: Mapping[Language, str] = {"avro": "Avro", "json": "JSON Schema", "ddl": "DDL"}


@dataclass(frozen=True, slots=True)
class FacetSchema:
    """The schema of one facet. `format`: its storage format in a declaration. `text` ends with a line feed."""

    topic: str
    facet: FacetName
    format: str
    text: str


def topic_schemas(
    topic: Topic, language: Language, settings: Mapping[str, str]
) -> tuple[tuple[FacetSchema, ...], tuple[Diagnostic, ...]]:
    """Return the schemas of a topic's facets in one language, and diagnostics of facets that it cannot express.

    `settings`: those of the program that writes the topic.
    """
    schemas: list[FacetSchema] = []
    problems: list[Diagnostic] = []
    for which in _FACETS:
        facet = topic.key if which == "key" else topic.value
        if facet.is_absent:
            continue
        name, namespace = f"{topic.name}-{which}", None
        if language == "avro":
            name, namespace = record_names(topic.name, which, settings)
        try:
            schemas.append(FacetSchema(topic.name, which, facet.format, schema_text(facet, language, name, namespace)))
        except ValueError as error:
            message = f"the {which} of '{topic.name}' has no schema in {_LANGUAGES[language]}"
            help = "give the field another name or a type: expression AS name, CAST(NULL AS type)"
            problems.append(Diagnostic("LSQ036", message, notes=(str(error),), help=help))
    return tuple(schemas), tuple(problems)


def record_names(topic: str, which: FacetName, settings: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the name of a facet's Avro record, and its namespace."""
    record = setting_of(settings, topic, f"{which}.avro.record") or f"{avro_name(topic)}_{which}"
    # A record's name may be qualified, which overrides the namespace.
    around, _, name = record.rpartition(".")
    return name, around or setting_of(settings, topic, f"{which}.avro.namespace")
