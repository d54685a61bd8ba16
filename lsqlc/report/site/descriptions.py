"""Descriptions of the project's columns, and their coverage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, did_you_mean, listing
from lsqlc.golden.assertions import Column, column_of
from lsqlc.plan.lineage import places
from lsqlc.types.record import Topic

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.declared.column_notes import ColumnNote
    from lsqlc.project.model import Model


@dataclass(frozen=True, slots=True)
class Coverage:
    """Pairs of the number described and the number of all. `topics`: those that no model writes."""

    models: tuple[int, int] = (0, 0)
    topics: tuple[int, int] = (0, 0)
    columns: tuple[int, int] = (0, 0)

    @property
    def percent(self) -> int:
        """The percentage of described columns, rounded down; 100 without columns."""
        with_text, all = self.columns
        return with_text * 100 // all if all else 100


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Descriptions. `columns`: by topic, and by name of the column in lineages."""

    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    coverage: Coverage = Coverage()
    diagnostics: tuple[Diagnostic, ...] = ()


def describe(compilation: Compilation) -> Descriptions:
    """Return the descriptions of the columns of all topics.

    The description of a struct applies to all its columns without their own. Reports LSQ550 for unknown columns.
    """
    project, topics = compilation.project, compilation.topics
    descriptions: dict[str, dict[str, str]] = {}
    problems: list[Diagnostic] = []
    for declaration in project.topics:
        topic = topics[declaration.topic.name]
        descriptions[topic.name] = _of_topics((topic,), declaration.columns, problems)[topic.name]
    outputs_of_models: set[str] = set()
    for model in project.models:
        outputs = _written(compilation, model)
        outputs_of_models |= {topic.name for topic in outputs}
        for name, texts in _of_topics(outputs, model.columns, problems).items():
            descriptions[name] = {**descriptions.get(name, {}), **texts}
    sources = [d.topic for d in project.topics if d.topic.name not in outputs_of_models]
    columns = [(topic.name, name) for topic in topics.values() for name, _, _ in places(topic)]
    coverage = Coverage(
        _counted(model.description for model in project.models),
        _counted(topic.description for topic in sources),
        _counted(descriptions.get(topic, {}).get(name) for topic, name in columns),
    )
    return Descriptions({name: texts for name, texts in descriptions.items() if texts}, coverage, tuple(problems))


def _written(compilation: Compilation, model: Model) -> tuple[Topic, ...]:
    """Return the topics that a model writes, without the dead-letter topic."""
    build = compilation.models.get(model.name)
    if build is None:
        return ()
    letters = build.plan.dead_letters if build.plan else None
    return tuple(topic for topic in build.outputs if letters is None or topic.name != letters.name)


def _of_topics(
    topics: Sequence[Topic], notes: Sequence[ColumnNote], problems: list[Diagnostic]
) -> dict[str, dict[str, str]]:
    """Return the notes by topic and column. A note applies to every topic that has the column."""
    descriptions: dict[str, dict[str, str]] = {topic.name: {} for topic in topics}
    # Notes on nested columns come later, so that they override those on structs.
    for note in sorted(notes, key=lambda note: note.name.count(".")):
        columns = [(topic, column_of(note.name, topic)) for topic in topics]
        hits = [(topic, column) for topic, column in columns if isinstance(column, Column)]
        for topic, column in hits:
            depth = len(column.fields)
            for name, facet, path in places(topic):
                if facet.lstrip("_") == column.facet and path[:depth] == column.fields:
                    descriptions[topic.name][name] = note.description
        if topics and not hits:
            column_names = sorted({name for _, names in columns if isinstance(names, list) for name in names})
            help = did_you_mean(note.name, column_names) or (
                f"known are {listing(column_names)}" if column_names else None
            )
            names = listing([topic.name for topic in topics])
            message = f"'{note.name}' is described, and is not a column of {names}"
            problems.append(Diagnostic("LSQ550", message, note.span, help=help))
    return descriptions


def _counted(texts: Iterable[str | None]) -> tuple[int, int]:
    all = list(texts)
    return sum(1 for text in all if text), len(all)
