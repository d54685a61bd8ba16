"""The topics of data tests."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.data_tests import DataTest
from lsqlc.project.model import Model


def results_of(compilation: Compilation, model: Model) -> tuple[str, ...] | None:
    """Return the topics that a model writes, without the dead-letter topic; None for a model with errors."""
    build = compilation.models.get(model.name)
    if build is None or build.summary is None:
        return None
    letters = {topic.name for topic in build.outputs} - {topic for topic, _ in compilation.written(model.name)}
    return tuple(topic.name for topic in build.outputs if topic.name not in letters)


def declared_tests(compilation: Compilation) -> Iterator[tuple[str, DataTest]]:
    """Yield the tests of the project with their topics. Models with errors or with several outputs are skipped."""
    for declared in compilation.project.topics:
        yield from ((declared.topic.name, test) for test in declared.tests)
    for model in compilation.project.models:
        topics = results_of(compilation, model) if model.tests else None
        if topics is not None and len(topics) == 1:
            yield from ((topics[0], test) for test in model.tests)
