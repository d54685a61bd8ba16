"""The parts of a Spark query on which its checkpoint depends; a run writes them beside it (evolution.py compares them).

The parts describe the computation and the layout of the state, and not the text of the SQL. They are the nodes of the
plan below and at the stateful operator, and its key and columns. The version of its layout (layouts.py), the watermarks
and the output mode are parts, too. Comments, settings of speed and counters are not parts. The version of Spark and the
number of shuffle partitions belong to a checkpoint as well: a run knows them, a comparison of programs does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lsqlc.lower.spark.bounds import bounds, has_state, keeps_state
from lsqlc.lower.spark.layouts import HISTORY, LAYOUTS, Kind, versioned
from lsqlc.lower.spark.steps import FileSource, Source, Stage, Watermark
from lsqlc.lower.spark.structure import (
    expression_digest,
    node_digests,
    operators,
    read_digest,
    shape,
    state_columns,
    state_key,
)
from lsqlc.plan import nodes
from lsqlc.plan.nodes import Semantics
from lsqlc.types.record import Topic

_LAYOUT = "the stored form of the "
# Has no more information than the other changes, if there are any.
ORDER = "the order of its steps"
# The suffix of names of parts for one of several inputs.
INPUT = re.compile(r" of input \d+")


@dataclass(frozen=True, slots=True)
class Parts:
    """A query. `sources`: its sources, in the order in which a checkpoint counts them.

    `state`: the parts on which its state depends, by a name for users, empty without a state; `output`: the other
    parts, likewise; `topic`: its output topic, `written` None if only the name is known; `runtime`: of the server, if
    it is known. `used`: the parts of `output` on which the state depends; None: unknown. `model`: the model of the
    query, if it is known. `stage`: the stage of the parts, if it is available. `named`: the checkpoint stores the
    offsets of the sources by their names; `retired`: sources that it has read before, and no longer reads; `folders`:
    its topics are in folders, None if unknown.
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
    named: bool = True
    retired: tuple[str, ...] = ()
    folders: bool | None = field(default=None, compare=False)
    stage: Stage | None = field(default=None, compare=False, repr=False)


def stage_parts(stage: Stage, runtime: Mapping[str, str] | None = None) -> Parts:
    """Return the parts of a stage."""
    sources = source_texts(stage)
    origin, write = stage.origin, stage.write
    below, above = _divided(stage)
    state = _named(below)
    output = _named(above)
    (output if stage.held == "" else state).update(_of_steps(stage))
    output.update((f"which files of '{t.name}' are read", expression_digest(c)) for t, c in origin.files if c)
    output.update((f"which records of '{name}' get no time", expression_digest(c)) for name, c in origin.timeless)
    if stage.held != "":
        state["the way it is written"] = write.mode
        state.update(_stored(stage))
    used = bounds(origin.fed, expression_digest)
    has_names = not any(isinstance(step, FileSource) for step in stage.steps)
    return Parts(
        sources,
        state,
        output,
        write.topic,
        write.written,
        write.semantics,
        runtime,
        used,
        named=has_names,
        folders=not any(source.lines or source.columns for source in stage.sources),
        stage=stage,
    )


def part_changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Return the parts that differ, as text."""
    changes = [f"{name} has changed{_why(name, new)}" for name in new if name in old and old[name] != new[name]]
    changes += [f"{name} is new" for name in new if name not in old]
    changes += [f"{name} is gone" for name in old if name not in new]
    return [change for change in changes if not change.startswith(ORDER)] or changes


def sources_of(stage: Stage) -> tuple[Source | FileSource, ...]:
    """Return the sources of a stage, in the order in which its checkpoint counts them."""
    return tuple(step for step in stage.steps if isinstance(step, Source | FileSource))


def source_texts(stage: Stage) -> tuple[str, ...]:
    """Return the sources of a stage as texts for `Parts.sources`."""
    return tuple(map(source_text, sources_of(stage)))


def source_text(step: Source | FileSource) -> str:
    """Return the source of a step as text for `Parts.sources`."""
    if isinstance(step, Source):
        return ", ".join(step.topics)
    return f"{step.topic}: {step.files.format} in {step.files.path}"


def _divided(stage: Stage) -> tuple[list[_Input], list[_Input]]:
    """Return the nodes on which the state depends and those after it: the output nodes of each input.

    The names of an input's nodes have a suffix for it.
    """
    roots = stage.origin.fed
    ends = [f" of input {number}" if len(roots) > 1 else "" for number, _ in enumerate(roots, 1)]
    inputs = [_Input(tuple(node_digests(node, end)), shape(node)) for node, end in zip(roots, ends, strict=True)]
    if stage.held == "":
        return [], inputs
    if stage.held is None:
        return inputs, []
    # Inputs up to the last one with state are one query with it: the nodes above the state of an earlier one are its
    # input.
    last = max((number for number, node in enumerate(roots) if has_state(node)), default=-1)
    below, above = inputs[:last], inputs[last + 1 :]
    if last >= 0:
        node, head = roots[last], []
        while not keeps_state(node):
            head.append(node)
            node = nodes.inputs(node)[0]
        all = inputs[last].parts
        size = len(tuple(node_digests(node)))
        below.append(_Input(all[len(all) - size :], shape(node)))
        if head:
            kinds = ", ".join(type(n).__name__ for n in head if not isinstance(n, nodes.Repartition))
            above.insert(0, _Input(tuple((f"{name} above the state", d) for name, d in all[: len(all) - size]), kinds))
    return below, above


@dataclass(frozen=True, slots=True)
class _Input:
    """Nodes with their digests, from the top down, and their kinds in order."""

    parts: tuple[tuple[str, str], ...]
    shape: str


def _named(inputs: Iterable[_Input]) -> dict[str, str]:
    """Return each node under a unique name, and the order of all."""
    count: Counter[str] = Counter()
    digests = {}
    inputs = tuple(inputs)
    for name, digest in (part for each in inputs for part in each.parts):
        count[name] += 1
        digests[name if count[name] == 1 else f"{name} ({count[name]})"] = digest
    if digests:
        digests[ORDER] = "; ".join(each.shape for each in inputs)
    return digests


def _of_steps(stage: Stage) -> Iterator[tuple[str, str]]:
    """Yield the parts that are in no node: validation of records before they are parsed, and watermarks."""
    yield from ((f"what is checked of '{topic.name}'", read_digest(topic)) for topic in stage.origin.checked)
    for step in stage.steps:
        if isinstance(step, FileSource):
            # The query that counts them or writes them elsewhere makes no difference to this one.
            effect = "stops the query" if step.unreadable == "fail" else "is left out"
            yield f"what cannot be read of '{step.topic}'", effect
    marks = [step for step in stage.steps if isinstance(step, Watermark)]
    for number, mark in enumerate(marks, 1):
        which = "" if len(marks) == 1 else f" {number}"
        yield f"the watermark{which}", f"{mark.column}, {mark.delay} ms"


def _stored(stage: Stage) -> Iterator[tuple[str, str]]:
    """Yield the state of the operators of a stage, in order."""
    stateful_nodes = [each for node in stage.origin.fed for each in operators(node)]
    for number, (node, state_kind) in enumerate(zip(stateful_nodes, stage.origin.kinds, strict=True), 1):
        which = "" if len(stateful_nodes) == 1 else f" {number}"
        yield f"the key of the state{which}", state_key(node)
        yield f"the columns of the state{which}", state_columns(node)
        yield from ((f"{_LAYOUT}{kind}{which}", version) for kind, version in versioned(node, state_kind))
    if any(isinstance(step, FileSource) for step in stage.steps):
        kind: Kind = "ordinals of files"
        yield f"{_LAYOUT}{kind}", f"{kind} {LAYOUTS[kind]}"


def _why(name: str, new: Mapping[str, str]) -> str:
    """Return the reason that a release stores something in another form."""
    reason = HISTORY.get(new[name]) if name.startswith(_LAYOUT) else None
    return f": {reason}" if reason else ""
