"""What of a Spark query its state depends on, and what an edit means for the state that is there.

A run compares the same parts with those beside the checkpoint and refuses another query (LSQ660). Comments and settings
of speed are no parts. The version of Spark and the number of shuffle partitions belong to a checkpoint as well: a run
knows them, a comparison of programs does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lsqlc.lower.spark.stages import lower
from lsqlc.lower.spark.steps import FileSource, Observe, Source, Stage, Step, View, Watermark
from lsqlc.lower.spark.support import unsupported
from lsqlc.plan.plan import Plan

Standing = Literal["new", "gone", "continues", "needs a new state and a replay", "unknown"]
Queries = Mapping[str, Mapping[str, str]]
# A program can set it; without that a run takes Spark's own number.
PARTITIONS = "spark.sql.shuffle.partitions"
_PARTITIONS_PART = "the number of shuffle partitions that the program sets"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a model's state, and why, one reason a line."""

    standing: Standing
    reasons: tuple[str, ...] = ()


def stage_parts(stage: Stage) -> dict[str, str]:
    """The parts of a stage by a name that a user understands, in order."""
    parts = {_part_name(step): _part_text(step) for step in stage.steps}
    parts["the write"] = f"{stage.write.view} into {stage.write.topic}, {stage.write.mode}"
    parts["the state"] = "; ".join(stage.state)
    return parts


def part_changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Which parts differ, in words."""
    changes = [f"{name} has changed" for name in new if name in old and old[name] != new[name]]
    changes += [f"{name} is new" for name in new if name not in old]
    return changes + [f"{name} is gone" for name in old if name not in new]


def queries(plan: Plan) -> Queries | None:
    """The parts of each query of a model by name; None if Spark cannot run the model."""
    if unsupported(plan):
        return None
    found = {}
    for stage in lower(plan).stages:
        number = dict(stage.settings).get(PARTITIONS)
        found[stage.name] = stage_parts(stage) | ({_PARTITIONS_PART: number} if number else {})
    return found


def verdict(old: Queries | None, new: Queries | None) -> Verdict:
    """What becomes of the state when a model with the `old` queries goes on as one with the `new` ones.

    It continues if all queries are the same, and needs a new state if one of the same name has other parts. There is no
    rule for a query that came, went or was never there.
    """
    if old is None or new is None:
        which = "both versions" if old is new else "the old version" if old is None else "the new version"
        return Verdict("unknown", (f"{which} cannot run on Spark",))
    changes = {name: part_changes(old[name], new[name]) for name in new if name in old}
    told = tuple(f"{query}: {change}" for query, found in changes.items() for change in found)
    # Spark's own number can be the one that is set, or was.
    unsure = {f"{_PARTITIONS_PART} is new", f"{_PARTITIONS_PART} is gone"}
    if any(change not in unsure for found in changes.values() for change in found):
        return Verdict("needs a new state and a replay", told)
    told += tuple(f"the query '{name}' is new" for name in new if name not in old)
    told += tuple(f"the query '{name}' is gone" for name in old if name not in new)
    return Verdict("unknown", told) if told else Verdict("continues")


def _part_name(step: Step) -> str:
    match step:
        case Source(view=name) | FileSource(view=name):
            return f"the source '{name}'"
        case View(name=name):
            return f"the view '{name}'"
        case Watermark(name=name):
            return f"the watermark '{name}'"
        case Observe(name=name):
            return f"the counter '{name}'"


def _part_text(step: Step) -> str:
    match step:
        case Source(topics=topics):
            return ", ".join(topics)
        case FileSource(topic=topic, files=files, columns=columns):
            return f"{topic}: {files.format} in {files.path}, {', '.join(f'{f.name} {f.type}' for f in columns)}"
        case View(sql=sql):
            return "\n".join(line for line in sql.split("\n") if not line.lstrip().startswith("-- "))
        case Watermark(view=view, column=column, delay=delay):
            return f"{view}.{column}, {delay} ms"
        case Observe(view=view, metrics=metrics):
            return f"{view}: " + ", ".join(f"{name} = {sql}" for name, sql in metrics)
