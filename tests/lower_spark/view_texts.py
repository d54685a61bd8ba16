"""The parts of a stage by the SQL of its views: what the parts by structure are compared with in tests.

An edit of a program that changes the SQL of a stage has to change its structure, and the other way round.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from lsqlc.lower.spark.bounds import bounds
from lsqlc.lower.spark.checkpoint_parts import Parts, source_text
from lsqlc.lower.spark.expressions import sql
from lsqlc.lower.spark.steps import FileSource, Observe, Source, Stage, Step, View, Watermark

_NUMBER = re.compile(r"_\d+$")
# What is quoted is the program's, and may look like a name of ours.
_NAMES = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|\b[a-z]+_\d+\b")


def text_parts(stage: Stage, runtime: Mapping[str, str] | None = None) -> Parts:
    """The parts of a stage by the texts of its views, which are called by their kind."""
    sources = tuple(source_text(step) for step in stage.steps if isinstance(step, Source | FileSource))
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
    used = bounds(stage.origin.fed, sql)
    return Parts(sources, state, output, write.topic, write.written, write.semantics, runtime, used)


def _called(names: list[str]) -> dict[str, str]:
    """Each name without its number, with one of its own where there are several of the kind."""
    count: Counter[str] = Counter()
    found = {}
    for name in names:
        kind = _NUMBER.sub("", name)
        count[kind] += 1
        found[name] = kind if count[kind] == 1 else f"{kind} {count[kind]}"
    return found


def _parts(step: Step) -> Iterator[tuple[str, str, str]]:
    """The name of each part, what kind of step it is, and what it says."""
    match step:
        case Source(view=name, places=places):
            yield name, "source", source_text(step) + (", with the place of each record" if places else "")
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
            counts = ", ".join(f"{metric} = {sql}" for metric, sql in metrics)
            yield name, "counter", f"{view}: {counts}"
