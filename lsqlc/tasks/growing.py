"""Which models keep a state that grows with updates, and how many changes their topics have by now."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.diagnostics import Diagnostic, Severity, listing
from lsqlc.lower.spark import lower, unsupported
from lsqlc.lower.spark.builder import GROWING
from lsqlc.lower.spark.steps import Stage
from lsqlc.plan import Plan
from lsqlc.project.build.compile import Compilation
from lsqlc.tasks.run_target import RunTarget


def growing_states(plan: Plan) -> tuple[str, ...]:
    """Return the parts of a plan's state that grow with updates, as the lowered plan describes them.

    Empty for a plan that Spark does not support.
    """
    stages = () if unsupported(plan) else lower(plan).stages
    return tuple(text for stage in stages for text in stage.state if text.endswith(GROWING))


def growing(compilation: Compilation, place: RunTarget) -> tuple[Diagnostic, ...]:
    """LSQ815 for each model with such a state, in order of dependency. Raises LsqlcError as the topics do."""
    return tuple(_growing(compilation, place))


def _growing(compilation: Compilation, place: RunTarget) -> Iterator[Diagnostic]:
    for name, plan in compilation.plans.items():
        stages = () if unsupported(plan) else lower(plan, wires=place.wires).stages
        parts = {stage.name: tuple(text for text in stage.state if text.endswith(GROWING)) for stage in stages}
        if not any(parts.values()):
            continue
        read = {topic for stage in stages if parts[stage.name] for topic in _read(stage)}
        counts = {topic: place.log.count(topic) for topic in sorted(read) if topic not in _between(stages)}
        changes = f"{sum(counts.values()):,} records of {listing(counts)} by now" if counts else "its records"
        yield Diagnostic(
            "LSQ815",
            f"the state of '{name}' grows with updates, not with rows",
            notes=(
                *(text for of in parts.values() for text in of),
                f"each change of a row stays in it, of {changes}",
            ),
            help=f"`lsqlc deploy stage --select {name}` builds a new one beside it of what the topics have, which is"
            " less where they are compacted",
            severity=Severity.NOTE,
        )


def _read(stage: Stage) -> Iterator[str]:
    return (topic for source in stage.sources for topic in source.topics)


def _between(stages: tuple[Stage, ...]) -> frozenset[str]:
    """Return the topics that one stage writes for another one."""
    output_topics = {stage.write.topic for stage in stages}
    return frozenset(topic for stage in stages for topic in _read(stage) if topic in output_topics)
