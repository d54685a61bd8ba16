"""Names of data tests and of their queries. No model, topic or test of a project can have such a name."""

from __future__ import annotations

import json
from dataclasses import dataclass

# Names of topics and models contain no colon.
_PREFIX = "tests:"


@dataclass(frozen=True, slots=True)
class NamedTest:
    """A data test of a topic. `test`: a short text. `severity`: `error` or `warn`."""

    topic: str
    test: str
    severity: str

    @property
    def text(self) -> str:
        """The test as one text, by which failures are counted (see `nodes.Sink`)."""
        return json.dumps([self.topic, self.test, self.severity], ensure_ascii=False)


def named_test(text: str) -> NamedTest:
    """Parse the text of a test.

    >>> named_test(NamedTest("rides", "not_null id", "warn").text)
    NamedTest(topic='rides', test='not_null id', severity='warn')
    """
    return NamedTest(*json.loads(text))


def name_of_tests(topic: str) -> str:
    """Return the name of the query that runs a topic's tests. A run uses it like the name of a model.

    >>> name_of_tests("rides")
    'tests:rides'
    """
    return f"{_PREFIX}{topic}"


def tested_topic(model: str) -> str | None:
    """Return the topic of a query of tests; None for the name of a model.

    >>> tested_topic("tests:rides"), tested_topic("rides")
    ('rides', None)
    """
    return model.removeprefix(_PREFIX) if model.startswith(_PREFIX) else None
