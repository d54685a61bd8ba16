"""What the project says of its columns, and how much of it is described."""

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
    """How many there are, and how many of them have a description. `topics`: those that no model writes."""

    models: tuple[int, int] = (0, 0)
    topics: tuple[int, int] = (0, 0)
    columns: tuple[int, int] = (0, 0)

    @property
    def percent(self) -> int:
        """Of the columns, rounded down; 100 where there are none."""
        described, all = self.columns
        return described * 100 // all if all else 100


@dataclass(frozen=True, slots=True)
class Described:
    """`columns`: by topic and the column's name in lineages, its description."""

    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    coverage: Coverage = Coverage()
    diagnostics: tuple[Diagnostic, ...] = ()


def described(compilation: Compilation) -> Described:
    """Return the descriptions of the columns of all topics. A note on a struct is of all columns in it that have none.

    A note on a column that does not exist is LSQ550.
    """
    project, topics = compilation.project, compilation.topics
    found: dict[str, dict[str, str]] = {}
    problems: list[Diagnostic] = []
    for declaration in project.topics:
        topic = topics[declaration.topic.name]
        found[topic.name] = _of_topics((topic,), declaration.columns, problems)[topic.name]
    written: set[str] = set()
    for model in project.models:
        outputs = _written(compilation, model)
        written |= {topic.name for topic in outputs}
        for name, texts in _of_topics(outputs, model.columns, problems).items():
            found[name] = {**found.get(name, {}), **texts}
    sources = [d.topic for d in project.topics if d.topic.name not in written]
    columns = [(topic.name, name) for topic in topics.values() for name, _, _ in places(topic)]
    coverage = Coverage(
        _counted(model.description for model in project.models),
        _counted(topic.description for topic in sources),
        _counted(found.get(topic, {}).get(name) for topic, name in columns),
    )
    return Described({name: texts for name, texts in found.items() if texts}, coverage, tuple(problems))


def _written(compilation: Compilation, model: Model) -> tuple[Topic, ...]:
    """Return the topics that a model writes, without that for bad records."""
    build = compilation.models.get(model.name)
    if build is None:
        return ()
    letters = build.plan.dead_letters if build.plan else None
    return tuple(topic for topic in build.outputs if letters is None or topic.name != letters.name)


def _of_topics(
    topics: Sequence[Topic], notes: Sequence[ColumnNote], problems: list[Diagnostic]
) -> dict[str, dict[str, str]]:
    """Return the notes by topic and column: each is of every one of the topics that has the column."""
    found: dict[str, dict[str, str]] = {topic.name: {} for topic in topics}
    # The notes on columns follow those on structs, so that they win.
    for note in sorted(notes, key=lambda note: note.name.count(".")):
        columns = [(topic, column_of(note.name, topic)) for topic in topics]
        hits = [(topic, column) for topic, column in columns if isinstance(column, Column)]
        for topic, column in hits:
            depth = len(column.fields)
            for name, facet, path in places(topic):
                if facet.lstrip("_") == column.facet and path[:depth] == column.fields:
                    found[topic.name][name] = note.description
        if topics and not hits:
            known = sorted({name for _, names in columns if isinstance(names, list) for name in names})
            help = did_you_mean(note.name, known) or (f"known are {listing(known)}" if known else None)
            names = listing([topic.name for topic in topics])
            message = f"'{note.name}' is described, and is not a column of {names}"
            problems.append(Diagnostic("LSQ550", message, note.span, help=help))
    return found


def _counted(texts: Iterable[str | None]) -> tuple[int, int]:
    all = list(texts)
    return sum(1 for text in all if text), len(all)
