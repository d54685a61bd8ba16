"""What of a Spark query its checkpoint depends on, in parts that a run writes beside it (evolution.py compares them).

Comments and settings of speed are no parts, and views are called by their kind, so that one more of them leaves those
behind it what they were. The version of Spark and the number of shuffle partitions belong to a checkpoint as well: a
run knows them, a comparison of programs does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lsqlc.lower.spark.steps import FileSource, Observe, Source, Stage, Step, View, Watermark
from lsqlc.plan.nodes import Semantics
from lsqlc.types.record import Topic

_NUMBER = re.compile(r"_\d+$")
# What is quoted is the program's, and may look like a name of ours.
_NAMES = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|\b[a-z]+_\d+\b")


@dataclass(frozen=True, slots=True)
class Parts:
    """A query. `sources`: what it reads, in the order in which a checkpoint counts them; `state`: what its state
    depends on, by a name that a user understands, empty if it keeps none; `output`: the rest, likewise; `topic`: what
    it writes, `written` None if nobody knows more than the name; `runtime`: of the server, where it is known.
    `used`: what the state depends on of `output`; None: nobody knows. `model`: whose query it is, where that is known.
    """

    sources: tuple[str, ...]
    state: Mapping[str, str]
    output: Mapping[str, str]
    topic: str
    written: Topic | None = None
    semantics: Semantics = "STREAM"
    runtime: Mapping[str, str] | None = None
    used: tuple[str, ...] | None = ()
    model: str = ""


def stage_parts(stage: Stage, runtime: Mapping[str, str] | None = None) -> Parts:
    """The parts of a stage."""
    sources = tuple(_source_text(step) for step in stage.steps if isinstance(step, Source | FileSource))
    state: dict[str, str] = {}
    output: dict[str, str] = {}
    found = state if stage.held != "" else output
    parts = [part for step in stage.steps for part in _parts(step)]
    called = _called([name for name, _, _ in parts])
    for name, what, text in parts:
        found[f"the {what} '{called[name]}'"] = _NAMES.sub(lambda m: called.get(m[0], m[0]), text)
        if name == stage.held:
            found = output
    if stage.held != "":
        state["the way it is written"] = stage.write.mode
        state["the state"] = "; ".join(stage.state)
    write = stage.write
    return Parts(sources, state, output, write.topic, write.written, write.semantics, runtime, stage.bounds)


def _called(names: list[str]) -> dict[str, str]:
    """Each name without its number, with one of its own where there are several of the kind."""
    count: Counter[str] = Counter()
    found = {}
    for name in names:
        kind = _NUMBER.sub("", name)
        count[kind] += 1
        found[name] = kind if count[kind] == 1 else f"{kind} {count[kind]}"
    return found


def part_changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Which parts differ, in words."""
    changes = [f"{name} has changed" for name in new if name in old and old[name] != new[name]]
    changes += [f"{name} is new" for name in new if name not in old]
    return changes + [f"{name} is gone" for name in old if name not in new]


def _source_text(step: Source | FileSource) -> str:
    if isinstance(step, Source):
        return ", ".join(step.topics)
    return f"{step.topic}: {step.files.format} in {step.files.path}"


def _parts(step: Step) -> Iterator[tuple[str, str, str]]:
    """The name of each part, what kind of step it is, and what it says."""
    match step:
        case Source(view=name, places=places):
            yield name, "source", _source_text(step) + (", with the place of each record" if places else "")
        case FileSource(view=name, files=files, columns=columns, unreadable=unreadable, wanted=wanted):
            asked = ", ".join(f"{f.name} {f.type}" for f in columns)
            yield name, "source", "\n".join((str(files), asked, unreadable, wanted))
        case View(name=name, pieces=pieces) if pieces:
            for name, sql in pieces:
                yield name, "view", sql
        case View(name=name, sql=sql):
            yield name, "view", sql
        case Watermark(name=name, view=view, column=column, delay=delay):
            yield name, "watermark", f"{view}.{column}, {delay} ms"
        case Observe(name=name, view=view, metrics=metrics):
            told = ", ".join(f"{metric} = {sql}" for metric, sql in metrics)
            yield name, "counter", f"{view}: {told}"
