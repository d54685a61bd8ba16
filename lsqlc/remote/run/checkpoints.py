"""What is stored next to a checkpoint: which stage it belongs to, and the generation of the records written under it.

A store (see `stores`) keeps a description of the stage, and Spark's own part for each generation. A changed stage
continues if the rules of lower/spark/evolution.py allow it; otherwise it is rejected until a full refresh, which starts
a new generation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.checkpoint_parts import Parts, stage_parts
from lsqlc.lower.spark.evolution import Finding, goes_on, judged, standing
from lsqlc.lower.spark.steps import Stage, View
from lsqlc.lower.spark.translation import translated
from lsqlc.project.build.manifest import topic_data, topic_from
from lsqlc.project.declared.starts import Begun
from lsqlc.remote.run.beginnings import WHOLE, Beginning, begun_data, begun_from
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.remote.topics.transport import Transport, generation_name
from lsqlc.topics.naming import folder_name

_FORMAT = 3
# One whose `home`, the folder of Spark's part, is another: its query was made beside the one that ran, and took over.
_ELSEWHERE = 4
# Of releases before 0.1.0: its parts are texts of views.
_TEXTS = 2
# What else there is to say of a query that cannot go on.
_WHY: Mapping[str, str] = {
    "unknown": "there is no rule by which it could continue",
    "cannot be read by the consumers of the topic": "its topic would hold records of two kinds, and readers expect one",
}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a query continues from: Spark's `location`, and the generation that its records carry. `changes`: how the
    query differs from the one that was here before, where it can go on all the same. `noted`: the description beside it
    is this query's; else `take_up` makes it so. `begun`: where it began to read topics, if not at their first record.
    """

    location: str
    generation: str
    resumed: bool
    changes: tuple[str, ...] = ()
    noted: bool = True
    begun: Mapping[str, Begun] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The location in a store of folders."""
        return Path(self.location)


def describe(stage: Stage, *, partitions: int, server: tuple[int, int], model: str = "") -> Parts:
    """The parts of a stage of a model that its checkpoint depends on. Comments and settings of speed are left out: they
    change nothing.
    """
    runtime = {"Spark's version": ".".join(map(str, server))}
    if stage.held != "":
        # What keeps no state is not shuffled.
        runtime["the number of shuffle partitions"] = str(partitions)
        # The ordinals in the state are compared with those to come.
        for source in stage.sources:
            orders = {topic: "by time" if topic in source.by_time else "by offset" for topic, _ in source.lines}
            runtime |= {f"the order of '{topic}'": order for topic, order in sorted(orders.items())}
    return replace(stage_parts(stage, runtime), model=model)


def open_checkpoint(
    store: CheckpointStore,
    query: str,
    topic: str,
    parts: Parts,
    transport: Transport,
    beginning: Beginning = WHOLE,
) -> Checkpoint:
    """The checkpoint of a query, made if it has none. Call `finish_refreshes` before. `beginning`: where a new one
    begins to read.

    Raises LsqlcError: LSQ660 if the stage cannot continue from the checkpoint of another one, LSQ666 if the topic has
    records of this query and their checkpoint is missing, and as topics do.
    """
    name = checkpoint_name(query)
    known = _read(store, name, query)
    number = known["generation"] if known else max(_newest(store, name), transport.last_generation(topic, query))
    home = _home(store, known)
    if known is not None and home.generations(name).get(number):
        found = changed_since(known, parts)
        if not goes_on(found):
            raise LsqlcError([_changed(query, found)])
        changes = tuple(each.text for each in found)
        noted = not changes and known["format"] == _FORMAT
        begun = begun_of(known)
        return Checkpoint(home.location(name, number), generation_name(query, number), True, changes, noted, begun)
    if transport.newest_generation(topic, query):
        raise LsqlcError([_gone(query, topic)])
    # The same stage keeps its place even if nothing has been done there: whoever starts there a second time takes the
    # query over that may still live on a server, instead of running beside it.
    begun = begun_of(known) if known is not None else {}
    is_begun = {topic: each.text for topic, each in begun.items()} == beginning.texts
    if known is None or not _is_noted(known, parts) or (begun and not is_begun):
        begun, number = beginning.begun(), number + 1
        _write(store, name, query, number, parts, begun=begun)
        store.clear(name)
        home = store
    elif known["format"] != _FORMAT or not is_begun:
        begun = begun if is_begun else beginning.begun()
        _write(store, name, query, number, parts, begun=begun)
    return Checkpoint(home.location(name, number), generation_name(query, number), resumed=False, begun=begun)


def take_up(store: CheckpointStore, query: str, parts: Parts) -> None:
    """Note that the checkpoint is this query's from now on. Call it before the query starts."""
    name = checkpoint_name(query)
    known = _read(store, name, query)
    assert known is not None, "an opened checkpoint has its description"
    _write(store, name, query, known["generation"], parts, home=known.get("home"), begun=begun_of(known))


def foreseen(store: CheckpointStore, queries: Mapping[str, Parts]) -> Mapping[str, tuple[Finding, ...]]:
    """What `open_checkpoint` will find of each query that has a checkpoint to go on from, on the server and with the
    partitions that it has run with. Raises LsqlcError (LSQ666) for a description that cannot be read.
    """
    found: dict[str, tuple[Finding, ...]] = {}
    for query, parts in queries.items():
        name = checkpoint_name(query)
        known = _read(store, name, query)
        if known is not None and _home(store, known).generations(name).get(known["generation"]):
            found[query] = changed_since(known, replace(parts, runtime=known["parts"]["runtime"]))
    return found


def deployed(store: CheckpointStore) -> Mapping[str, Parts]:
    """The queries that have a checkpoint to go on from, by name, whether a project has them or not. Raises LsqlcError
    (LSQ666) for a description that cannot be read.
    """
    found: dict[str, Parts] = {}
    for name in store.described():
        known = _read(store, name, name)
        if known is not None and _home(store, known).generations(name).get(known["generation"]):
            found[known["query"]] = _parts_from(known["parts"])
    return found


def begun_of(known: Mapping[str, Any]) -> Mapping[str, Begun]:
    """Where a described query has begun to read topics, if not at their first record."""
    return begun_from(known.get("begun", {}))


def live_queries(store: CheckpointStore, models: Collection[str]) -> Mapping[str, Parts]:
    """Those of `deployed` that are queries of some models."""
    return {query: parts for query, parts in deployed(store).items() if model_of(query, parts.model) in models}


def model_of(query: str, noted: str) -> str:
    """The model of a query. `noted`: what its checkpoint says; one of an early release says nothing, and its query has
    the name of the model.
    """
    return noted or query.partition(".")[0]


def left_behind(store: CheckpointStore, queries: Mapping[str, Parts]) -> Mapping[str, Parts]:
    """Queries that a model of `queries` had under another name, and whose topic one of them writes now: an INSERT more
    in a program renames the query that it had. Their records are still in the topic.
    """
    writers = {(parts.model, parts.topic) for parts in queries.values()}
    found: dict[str, Parts] = {}
    for name in store.described():
        # One that cannot be read is told to whom it belongs.
        with suppress(LsqlcError):
            known = _read(store, name, name) or {}
            parts = _parts_from(known["parts"])
            if parts.model and known["query"] not in queries and (parts.model, parts.topic) in writers:
                found[known["query"]] = parts
    return found


def unfit(query: str, parts: Parts) -> Diagnostic:
    """LSQ660 for a query that `left_behind` found."""
    return Diagnostic(
        "LSQ660",
        f"the topic '{parts.topic}' holds records of the query '{query}', which '{parts.model}' no longer has",
        notes=("another query of the model now writes that topic, and would write the same records again",),
        help="run with `--full-refresh` to rebuild it from the topics, or revert the change",
    )


def drop(store: CheckpointStore, query: str, parts: Parts, transport: Transport) -> None:
    """Remove a query's records, and then its checkpoint, by which it is found until then."""
    transport.discard(parts.topic, query)
    remove_checkpoint(store, query)


def refresh(store: CheckpointStore, queries: Sequence[tuple[str, str, Parts]], transport: Transport) -> None:
    """Drop state and records of queries: name, topic and parts of each, in order of dependency.

    What is to go is noted first, for those that read before those that they read from. So a crash at any moment leaves
    no query that would read again, without being refreshed itself, what another one makes anew.
    """
    for query, topic, parts in reversed(queries):
        name = checkpoint_name(query)
        try:
            known = _read(store, name, query)
        except LsqlcError:
            known = None
        before = known["generation"] if known else 0
        newest = max(transport.last_generation(topic, query), before, _newest(store, name))
        left = {"home": known["home"]} if known and "home" in known else {}
        _write(store, name, query, newest + 1, parts, refreshing={"query": query, "topic": topic} | left)
    finish_refreshes(store, transport)


def finish_refreshes(store: CheckpointStore, transport: Transport) -> None:
    """Drop what `refresh` has noted, in a run that was killed over it as well."""
    for name in store.described():
        known = None
        # One that cannot be read is told to whom it belongs.
        with suppress(LsqlcError):
            known = _read(store, name, name)
        if known is not None:
            _finish_refresh(store, name, known, transport)


def remove_checkpoint(store: CheckpointStore, query: str) -> None:
    """Forget that the query ever ran. Its records are left."""
    name = checkpoint_name(query)
    # One that cannot be read says of no other place.
    with suppress(LsqlcError):
        _home(store, _read(store, name, query)).clear(name)
    store.remove(name)


def has_checkpoint(store: CheckpointStore, query: str) -> bool:
    """Whether the query ever ran."""
    return store.has(checkpoint_name(query))


def described(store: CheckpointStore, query: str) -> Mapping[str, Any] | None:
    """The description of a query's checkpoint, None if it has none to go on from. Raises LsqlcError (LSQ666) for one
    that cannot be read.
    """
    name = checkpoint_name(query)
    known = _read(store, name, query)
    return known if known is not None and _home(store, known).generations(name).get(known["generation"]) else None


def describe_elsewhere(store: CheckpointStore, query: str, known: Mapping[str, Any], home: str) -> None:
    """Have a query continue from the checkpoint that `described` gave of another folder. `home`: that folder, from this
    one; empty: this one.
    """
    content = {key: value for key, value in known.items() if key != "home"} | {"format": _FORMAT}
    if home:
        content |= {"format": _ELSEWHERE, "home": home}
    store.write(checkpoint_name(query), _text(content))


def forget(store: CheckpointStore, query: str) -> None:
    """Remove the description of a query's checkpoint, which stays where it is."""
    store.forget(checkpoint_name(query))


def clear_described(store: CheckpointStore, query: str, known: Mapping[str, Any]) -> None:
    """Remove Spark's part of the checkpoint that `described` gave. The description that the query has now stays."""
    _home(store, known).clear(checkpoint_name(query))


def location_of(store: CheckpointStore, query: str, known: Mapping[str, Any]) -> str:
    """Where Spark's part of the checkpoint is that `described` gave."""
    return _home(store, known).location(checkpoint_name(query), known["generation"])


def generation_of(query: str, known: Mapping[str, Any]) -> str:
    """The generation that the records of a described query carry."""
    return generation_name(query, known["generation"])


def checkpoint_name(query: str) -> str:
    """The folder of a query's checkpoint."""
    name = folder_name(query)
    # Long names keep their head, for people, and get a hash.
    return name or hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()


def _read(store: CheckpointStore, name: str, query: str) -> dict[str, Any] | None:
    try:
        text = store.read(name)
        found: Any = None if text is None else json.loads(text)
    except (OSError, ValueError):
        raise LsqlcError([_unreadable(query, store.label)]) from None
    if text is None:
        return None
    version = found.get("format") if isinstance(found, dict) else None
    if isinstance(version, int) and version > _ELSEWHERE:
        raise LsqlcError([_newer(query, store.label, version)])
    try:
        _parts_from(found["parts"])
        known = (
            found["format"] in (_TEXTS, _FORMAT, _ELSEWHERE)
            and isinstance(found.get("home", ""), str)
            and isinstance(found["generation"], int)
            and isinstance(found["query"], str)
        )
        begun_of(found)
    except (KeyError, TypeError, ValueError, AttributeError):
        known = False
    if not known:
        raise LsqlcError([_unreadable(query, store.label)])
    if found["format"] == _ELSEWHERE:
        found["format"] = _FORMAT
    return cast("dict[str, Any]", found)


def _home(store: CheckpointStore, known: Mapping[str, Any] | None) -> CheckpointStore:
    """Where Spark's part of a described checkpoint is."""
    return store.below(known["home"]) if known and "home" in known else store


def _data(parts: Parts) -> dict[str, Any]:
    """The parts as JSON-ready data."""
    written = topic_data(parts.written) if parts.written else None
    return {
        "sources": list(parts.sources),
        "state": dict(parts.state),
        "output": dict(parts.output),
        "topic": parts.topic,
        "written": written,
        "semantics": parts.semantics,
        "runtime": dict(parts.runtime or {}),
        "used": None if parts.used is None else list(parts.used),
        "model": parts.model,
    }


def _parts_from(data: Mapping[str, Any]) -> Parts:
    """The parts that `_data` wrote. Raises KeyError, TypeError, ValueError or AttributeError for anything else."""
    return Parts(
        tuple(data["sources"]),
        dict(data["state"]),
        dict(data["output"]),
        data["topic"],
        topic_from(data["written"]) if data["written"] else None,
        data["semantics"],
        dict(data["runtime"]),
        None if data["used"] is None else tuple(data["used"]),
        data["model"],
    )


def _is_noted(known: Mapping[str, Any], parts: Parts) -> bool:
    """Whether a description is this query's."""
    return known["parts"] == _data(parts) if known["format"] == _FORMAT else not changed_since(known, parts)


def changed_since(known: Mapping[str, Any], parts: Parts) -> tuple[Finding, ...]:
    """What changed between the query of a description and this one; empty if it is the same. `known` has `format` and
    `parts`, as they stand beside a checkpoint.
    """
    return (judged if known["format"] == _FORMAT else translated)(_parts_from(known["parts"]), parts)


def _write(
    store: CheckpointStore,
    name: str,
    query: str,
    generation: int,
    parts: Parts,
    *,
    refreshing: Mapping[str, str] | None = None,
    home: str | None = None,
    begun: Mapping[str, Begun] = MappingProxyType({}),
) -> None:
    """Describe a query. `sql` is for people: nothing reads it again. `home`: where Spark's part is, if not here."""
    views = [s for s in parts.stage.steps if isinstance(s, View)] if parts.stage else []
    content: dict[str, Any] = {
        "format": _FORMAT,
        "query": query,
        "generation": generation,
        "parts": _data(parts),
        "sql": {view.name: view.sql for view in views},
    }
    if begun:
        content["begun"] = begun_data(begun)
    if refreshing is not None:
        content["refreshing"] = refreshing
    if home is not None:
        content |= {"format": _ELSEWHERE, "home": home}
    store.write(name, _text(content))


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _finish_refresh(store: CheckpointStore, name: str, known: Mapping[str, Any], transport: Transport) -> None:
    if "refreshing" in known:
        _home(store, known["refreshing"]).clear(name)
        store.clear(name)
        transport.discard(known["refreshing"]["topic"], known["refreshing"]["query"])
        store.write(name, _text({key: value for key, value in known.items() if key != "refreshing"}))


def _newest(store: CheckpointStore, name: str) -> int:
    """The newest generation that Spark has a place for; 0 if there is none."""
    return max(store.generations(name), default=0)


def _changed(query: str, found: Sequence[Finding]) -> Diagnostic:
    changes = [each.text for each in found]
    shown = changes[:8] + ([f"and {len(changes) - 8} more"] if len(changes) > 8 else [])
    return Diagnostic(
        "LSQ660",
        f"the query '{query}' is not compatible with its checkpoint",
        notes=(*shown, _WHY.get(standing(found), "continuing from it would give wrong rows")),
        help="run with `--full-refresh` to rebuild it from the topics, or revert the change",
    )


def _gone(query: str, topic: str) -> Diagnostic:
    return Diagnostic(
        "LSQ666",
        f"the topic '{topic}' holds records of the query '{query}', whose checkpoint is missing",
        notes=("reading everything again would write them again",),
        help="run with `--full-refresh`, which removes them first, or restore the checkpoint",
    )


def _newer(query: str, label: str, version: int) -> Diagnostic:
    return Diagnostic(
        "LSQ666",
        f"the checkpoint of the query '{query}' was written by a newer lsqlc",
        notes=(f"'{label}' next to it has the format {version}, and this lsqlc supports formats up to {_ELSEWHERE}",),
        help="run with that release of lsqlc, or with `--full-refresh` to start from a new checkpoint",
    )


def _unreadable(query: str, label: str) -> Diagnostic:
    return Diagnostic(
        "LSQ666",
        f"the checkpoint of the query '{query}' cannot be read",
        notes=(f"'{label}' next to it is damaged",),
        help="run with `--full-refresh` to start from a new checkpoint",
    )
