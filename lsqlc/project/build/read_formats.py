"""Topics that a model declares in another format than their writer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.plan.nodes import scans
from lsqlc.plan.plan import Plan
from lsqlc.types.record import Topic


def other_formats(plan: Plan, reads: Iterable[tuple[str, Span]], outputs: Mapping[str, Topic]) -> list[Diagnostic]:
    """Return LSQ354 for each topic whose values a plan reads in another format.

    `reads`: the positions of topics in the program. `outputs`: the topics as the models write them.
    """
    places = dict(reads)
    topics = {scan.topic.name: scan.topic for sink in plan.sinks for node in sink.inputs for scan in scans(node)}
    problems = []
    for name, read in sorted(topics.items()):
        other = outputs.get(name)
        if other is None or read.files or other.value.is_absent or read.value.format == other.value.format:
            continue
        declared, stored = read.value.format.upper(), other.value.format.upper()
        problems.append(
            Diagnostic(
                "LSQ354",
                f"the topic '{name}' is read as {declared}, and a model writes it as {stored}",
                places.get(name),
                ("its records cannot be read",),
                f"declare it with VALUE_FORMAT = '{stored}'",
            )
        )
    return problems
