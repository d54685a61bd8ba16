"""What of a Spark query its checkpoint depends on, in parts that a run writes beside it (evolution.py compares them).

The parts say what is computed and how the state is laid out, and not how the SQL is written: the nodes of the plan
below and at the operator that keeps the state, its key and columns, the version of its layout (layouts.py), the
watermarks and the output mode. Comments, settings of speed and counters are not parts. The version of Spark and the
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
# Says no more than the other changes do, if there are any.
ORDER = "the order of its steps"
# How names of parts say of which of several inputs they are.
INPUT = re.compile(r" of input \d+")


@dataclass(frozen=True, slots=True)
class Parts:
    """A query. `sources`: what it reads, in the order in which a checkpoint counts them; `state`: what its state
    depends on, by a name that a user understands, empty if it keeps none; `output`: the rest, likewise; `topic`: what
    it writes, `written` None if no more than the name is known; `runtime`: of the server, where it is known.
    `used`: what the state depends on of `output`; None: not known. `model`: whose query it is, where that is known.
    `stage`: what they are parts of, where that is at hand. `named`: the checkpoint keeps the places of the sources by
    their names; `retired`: sources that it has read before, and no longer does; `folders`: its topics are in folders,
    None where nobody knows.
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
    """The parts of a stage."""
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
    named = not any(isinstance(step, FileSource) for step in stage.steps)
    return Parts(
        sources,
        state,
        output,
        write.topic,
        write.written,
        write.semantics,
        runtime,
        used,
        named=named,
        folders=not any(source.lines or source.columns for source in stage.sources),
        stage=stage,
    )


def part_changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Which parts differ, in words."""
    changes = [f"{name} has changed{_why(name, new)}" for name in new if name in old and old[name] != new[name]]
    changes += [f"{name} is new" for name in new if name not in old]
    changes += [f"{name} is gone" for name in old if name not in new]
    return [change for change in changes if not change.startswith(ORDER)] or changes


def sources_of(stage: Stage) -> tuple[Source | FileSource, ...]:
    """The sources of a stage, in the order in which its checkpoint counts them."""
    return tuple(step for step in stage.steps if isinstance(step, Source | FileSource))


def source_texts(stage: Stage) -> tuple[str, ...]:
    """What a stage reads, as `Parts.sources` has it."""
    return tuple(map(source_text, sources_of(stage)))


def source_text(step: Source | FileSource) -> str:
    """What a step reads, as `Parts.sources` has it."""
    if isinstance(step, Source):
        return ", ".join(step.topics)
    return f"{step.topic}: {step.files.format} in {step.files.path}"


def _divided(stage: Stage) -> tuple[list[_Input], list[_Input]]:
    """The nodes that the state depends on and those behind it: what is written of each input, with how names of its
    nodes end.
    """
    fed = stage.origin.fed
    ends = [f" of input {number}" if len(fed) > 1 else "" for number, _ in enumerate(fed, 1)]
    inputs = [_Input(tuple(node_digests(node, end)), shape(node)) for node, end in zip(fed, ends, strict=True)]
    if stage.held == "":
        return [], inputs
    if stage.held is None:
        return inputs, []
    # Inputs up to the last one with state are one query with it: what is above the state of an earlier one feeds it.
    last = max((number for number, node in enumerate(fed) if has_state(node)), default=-1)
    below, above = inputs[:last], inputs[last + 1 :]
    if last >= 0:
        node, head = fed[last], []
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
    """Each node under a name of its own, and the order of all."""
    count: Counter[str] = Counter()
    found = {}
    inputs = tuple(inputs)
    for name, digest in (part for each in inputs for part in each.parts):
        count[name] += 1
        found[name if count[name] == 1 else f"{name} ({count[name]})"] = digest
    if found:
        found[ORDER] = "; ".join(each.shape for each in inputs)
    return found


def _of_steps(stage: Stage) -> Iterator[tuple[str, str]]:
    """What no node says: checks of records before they are parsed, and watermarks."""
    yield from ((f"what is checked of '{topic.name}'", read_digest(topic)) for topic in stage.origin.checked)
    for step in stage.steps:
        if isinstance(step, FileSource):
            # Which query counts them or writes them elsewhere makes no difference to this one.
            kept = "stops the query" if step.unreadable == "fail" else "is left out"
            yield f"what cannot be read of '{step.topic}'", kept
    marks = [step for step in stage.steps if isinstance(step, Watermark)]
    for number, mark in enumerate(marks, 1):
        which = "" if len(marks) == 1 else f" {number}"
        yield f"the watermark{which}", f"{mark.column}, {mark.delay} ms"


def _stored(stage: Stage) -> Iterator[tuple[str, str]]:
    """What the operators of a stage store, in order."""
    found = [each for node in stage.origin.fed for each in operators(node)]
    for number, (node, taken) in enumerate(zip(found, stage.origin.kinds, strict=True), 1):
        which = "" if len(found) == 1 else f" {number}"
        yield f"the key of the state{which}", state_key(node)
        yield f"the columns of the state{which}", state_columns(node)
        yield from ((f"{_LAYOUT}{kind}{which}", version) for kind, version in versioned(node, taken))
    if any(isinstance(step, FileSource) for step in stage.steps):
        kind: Kind = "ordinals of files"
        yield f"{_LAYOUT}{kind}", f"{kind} {LAYOUTS[kind]}"


def _why(name: str, new: Mapping[str, str]) -> str:
    """Why a release stores something in another form."""
    said = HISTORY.get(new[name]) if name.startswith(_LAYOUT) else None
    return f": {said}" if said else ""
