"""How the queries of data tests are called, and what they count: no model, no topic and no test has such a name."""

from __future__ import annotations

import json
from dataclasses import dataclass

# No name of a topic or a model has a colon.
_PREFIX = "tests:"


@dataclass(frozen=True, slots=True)
class NamedTest:
    """One data test of a topic: the topic, the test in a few words, and `error` or `warn`."""

    topic: str
    test: str
    severity: str

    @property
    def text(self) -> str:
        """As one text, by which failures are counted (see `nodes.Sink`)."""
        return json.dumps([self.topic, self.test, self.severity], ensure_ascii=False)


def named_test(text: str) -> NamedTest:
    """Return the test that a text names.

    >>> named_test(NamedTest("rides", "not_null id", "warn").text)
    NamedTest(topic='rides', test='not_null id', severity='warn')
    """
    return NamedTest(*json.loads(text))


def name_of_tests(topic: str) -> str:
    """Return the name of the query of a topic's tests; a run knows it by that name instead of a model's.

    >>> name_of_tests("rides")
    'tests:rides'
    """
    return f"{_PREFIX}{topic}"


def tested_topic(model: str) -> str | None:
    """Return the topic that is tested under this name; None for a model.

    >>> tested_topic("tests:rides"), tested_topic("rides")
    ('rides', None)
    """
    return model.removeprefix(_PREFIX) if model.startswith(_PREFIX) else None
