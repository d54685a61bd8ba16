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

from lsqlc.connectors.naming import folder_name
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.checkpoint_parts import Parts, stage_parts
from lsqlc.lower.spark.evolution import PARTITIONS, PARTITIONS_PART, STATE_FORMAT, Finding, goes_on, judged, standing
from lsqlc.lower.spark.source_names import with_names
from lsqlc.lower.spark.steps import Stage, View
from lsqlc.project.build.manifest import topic_data, topic_from
from lsqlc.project.declared.starts import Begun
from lsqlc.remote.connectors.transport import Transport, generation_name
from lsqlc.remote.run.beginnings import WHOLE, Beginning, begun_data, begun_from
from lsqlc.remote.run.stores import CheckpointStore

_FORMAT = 1
# What else there is to say of a query that cannot go on.
_WHY: Mapping[str, str] = {
    "unknown": "there is no rule by which it could continue",
    "cannot be read by the consumers of the topic": "its topic would hold records of two kinds, and readers expect one",
}


@dataclass(frozen=True, slots=True)
class Form:
    """How Spark keeps a checkpoint, which is decided when it is made. `named`: the places of its sources by their names
    (lower/spark/source_names.py); `state`: the version of its format of the state's files.
    """

    named: bool = False
    state: int = 1

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The settings that a query starts with for it."""
        names = (("spark.sql.streaming.queryEvolution.enableSourceEvolution", "true"),) if self.named else ()
        version = (STATE_FORMAT, str(self.state))
        return (*names, version) if self.state > 1 else names

    def of(self, stage: Stage) -> Stage:
        """The stage as it is started with such a checkpoint."""
        stage = with_names(stage) if self.named else stage
        return replace(stage, settings=(*stage.settings, *self.settings))


_FIRST = Form()


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a query continues from: Spark's `location`, and the generation that its records carry. `changes`: how the
    query differs from the one that was here before, where it can go on all the same. `noted`: the description beside it
    is this query's; else `take_up` makes it so. `form`: how Spark keeps it; `begun`: where it began to read topics, if
    not at their first record. `partitions`: those of the shuffles before its state, None where it has none.
    """

    location: str
    generation: str
    resumed: bool
    changes: tuple[str, ...] = ()
    noted: bool = True
    form: Form = _FIRST
    begun: Mapping[str, Begun] = field(default_factory=dict)
    partitions: int | None = None

    def of(self, stage: Stage) -> Stage:
        """The stage as it is started with this checkpoint."""
        formed = self.form.of(stage)
        own = () if self.partitions is None else ((PARTITIONS, str(self.partitions)),)
        return replace(formed, settings=(*formed.settings, *own))

    @property
    def awaits_history(self) -> bool:
        """Whether its query has a history to read before its topics."""
        return any(begun.awaits_history for begun in self.begun.values())

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
        runtime[PARTITIONS_PART] = str(partitions)
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
    form: Form = _FIRST,
    beginning: Beginning = WHOLE,
    *,
    always: bool = False,
) -> Checkpoint:
    """The checkpoint of a query, made in that form if it has none. Call `finish_refreshes` before. `beginning`: where a
    new one begins to read; `always`: it keeps no state, and continues however it has changed; where its checkpoint is
    missing it begins anew behind the records that it wrote.

    Raises LsqlcError: LSQ660 if the stage cannot continue from the checkpoint of another one, LSQ666 if the topic has
    records of this query and their checkpoint is missing, and as topics do.
    """
    name = checkpoint_name(query)
    known = _read(store, name, query)
    parts = _with_own_partitions(known, parts)
    number = known["generation"] if known else max(_newest(store, name), transport.last_generation(topic, query))
    home = _home(store, known)
    if known is not None and home.generations(name).get(number):
        found = changed_since(known, parts)
        if not (always or goes_on(found)):
            raise LsqlcError([_changed(query, found, parts.model)])
        changes = tuple(each.text for each in found)
        return Checkpoint(
            home.location(name, number), generation_name(query, number), True, changes, not changes, _form(known),
            begun_of(known), _partitions(parts),
        )  # fmt: skip
    gone = is_gone(store, query, topic, transport)
    if gone and not always:
        raise LsqlcError([_gone(query, topic)])
    # The same stage keeps its place even if nothing has been done there: whoever starts there a second time takes the
    # query over that may still live on a server, instead of running beside it.
    begun = begun_of(known) if known is not None else {}
    is_begun = {topic: each.text for topic, each in begun.items()} == beginning.texts
    if known is None or gone or known["parts"] != _data(parts) or (begun and not is_begun):
        number = max(number, transport.newest_generation(topic, query) if gone else 0) + 1
        begun = beginning.begun()
        _write(store, name, query, number, parts, form=form, begun=begun)
        store.clear(name)
        home = store
    elif _form(known) != form or not is_begun:
        begun = begun if is_begun else beginning.begun()
        _write(store, name, query, number, parts, home=known.get("home"), form=form, begun=begun)
    return Checkpoint(
        home.location(name, number), generation_name(query, number), resumed=False, form=form, begun=begun,
        partitions=_partitions(parts),
    )  # fmt: skip


def is_gone(store: CheckpointStore, query: str, topic: str, transport: Transport) -> bool:
    """Whether the topic has records of a query that has no checkpoint to go on from. One in real time that was ended
    before it noted for the first time what it had read has its place, and begins there again.
    """
    number = transport.newest_generation(topic, query)
    if not number:
        return False
    name = checkpoint_name(query)
    known = _read(store, name, query)
    has_place = known is not None and known["generation"] == number and number in _home(store, known).generations(name)
    return not has_place or transport.last_batch(topic, generation_name(query, number)) >= 0


def take_up(store: CheckpointStore, query: str, parts: Parts) -> None:
    """Note that the checkpoint is this query's from now on. Call it before the query starts."""
    name = checkpoint_name(query)
    known = _read(store, name, query)
    assert known is not None, "an opened checkpoint has its description"
    parts = _with_own_partitions(known, parts)
    old = _parts_of(known)
    gone = [source for source in old.sources if source not in parts.sources]
    retired = tuple(dict.fromkeys((*old.retired, *gone)))
    _write(
        store, name, query, known["generation"], parts, home=known.get("home"), form=_form(known), retired=retired,
        begun=begun_of(known),
    )  # fmt: skip


def note_history_read(store: CheckpointStore, query: str) -> None:
    """Note that a query has read the histories of its topics to their ends: it goes on without them."""
    name = checkpoint_name(query)
    known = _read(store, name, query)
    assert known is not None, "an opened checkpoint has its description"
    begun = {topic: replace(each, is_read=each.history != "") for topic, each in begun_of(known).items()}
    store.write(name, _text({**known, "begun": begun_data(begun)}))


def reopened(store: CheckpointStore, query: str, checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint of a query as its description is by now, with what it has read of histories."""
    known = _read(store, checkpoint_name(query), query)
    assert known is not None, "an opened checkpoint has its description"
    return replace(checkpoint, resumed=True, changes=(), noted=True, begun=begun_of(known))


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
    return {query: parts for query, parts in deployed(store).items() if parts.model in models}


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


def describe_repartitioned(
    store: CheckpointStore, query: str, known: Mapping[str, Any], home: str, partitions: int
) -> None:  # fmt: skip
    """Have a query go on from a checkpoint in another folder, with the state that `described` gave in so many
    partitions. Until this is written, it goes on from the one that it had.
    """
    runtime = {**known["parts"]["runtime"], PARTITIONS_PART: str(partitions)}
    parts = {**known["parts"], "runtime": runtime}
    store.write(checkpoint_name(query), _text({**known, "parts": parts, "home": home}))


def begin_anew(store: CheckpointStore, query: str) -> None:
    """Have a query that is opened with `always` read its topic from the beginning: the topic is written anew."""
    name = checkpoint_name(query)
    # One that cannot be read is told when it is opened.
    with suppress(LsqlcError):
        known = _read(store, name, query)
        if known is not None:
            _home(store, known).clear(name)


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


def unchanged(store: CheckpointStore, query: str, parts: Parts) -> Mapping[str, Any] | None:
    """The description of a query's checkpoint if it goes on from there as it is: not changed, not to be refreshed, and
    without a history to read first. Raises as `described`.
    """
    known = described(store, query)
    if known is None or "refreshing" in known or changed_since(known, _with_own_partitions(known, parts)):
        return None
    return None if any(begun.awaits_history for begun in begun_of(known).values()) else known


def describe_elsewhere(store: CheckpointStore, query: str, known: Mapping[str, Any], home: str) -> None:
    """Have a query continue from the checkpoint that `described` gave of another folder. `home`: that folder, from this
    one; empty: this one.
    """
    content = {key: value for key, value in known.items() if key != "home"} | ({"home": home} if home else {})
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
    if isinstance(version, int) and version > _FORMAT:
        raise LsqlcError([_newer(query, store.label, version)])
    try:
        _parts_from(found["parts"])
        known = (
            found["format"] == _FORMAT
            and isinstance(found.get("home", ""), str)
            and isinstance(_form(found), Form)
            and isinstance(found["generation"], int)
            and isinstance(found["query"], str)
        )
        begun_of(found)
    except (KeyError, TypeError, ValueError, AttributeError):
        known = False
    if not known:
        raise LsqlcError([_unreadable(query, store.label)])
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


def _form(known: Mapping[str, Any]) -> Form:
    """How Spark keeps a described checkpoint. Raises KeyError, TypeError or ValueError for what is not a form."""
    said = known.get("form")
    return Form(bool(said["named sources"]), int(said["state"])) if said is not None else _FIRST


def _parts_of(known: Mapping[str, Any]) -> Parts:
    """The parts that a description has, with what its checkpoint says of its sources."""
    found = _parts_from(known["parts"])
    return replace(found, named=_form(known).named, retired=tuple(known.get("retired", ())))


def _with_own_partitions(known: Mapping[str, Any] | None, parts: Parts) -> Parts:
    """The parts of a query with the partitions that its state has: Spark goes on with these, whatever a session says.
    What the program says counts.
    """
    stated = parts.stage is not None and PARTITIONS in dict(parts.stage.settings)
    if known is None or parts.runtime is None or PARTITIONS_PART not in parts.runtime or stated:
        return parts
    has = known["parts"]["runtime"].get(PARTITIONS_PART)
    return parts if has is None else replace(parts, runtime={**parts.runtime, PARTITIONS_PART: has})


def _partitions(parts: Parts) -> int | None:
    number = (parts.runtime or {}).get(PARTITIONS_PART)
    return None if number is None else int(number)


def changed_since(known: Mapping[str, Any], parts: Parts) -> tuple[Finding, ...]:
    """What changed between the query of a description and this one; empty if it is the same. `known` has `parts`, as
    they stand beside a checkpoint.
    """
    return judged(_parts_of(known), parts)


def _write(
    store: CheckpointStore,
    name: str,
    query: str,
    generation: int,
    parts: Parts,
    *,
    refreshing: Mapping[str, str] | None = None,
    home: str | None = None,
    form: Form = _FIRST,
    retired: tuple[str, ...] = (),
    begun: Mapping[str, Begun] = MappingProxyType({}),
) -> None:
    """Describe a query. `sql` is for people: nothing reads it again. `home`: where Spark's part is, if not here;
    `form`: how Spark keeps it; `retired`: sources that it has read, and no longer does.
    """
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
        content["home"] = home
    if form != _FIRST:
        content["form"] = {"named sources": form.named, "state": form.state}
    if retired:
        content["retired"] = list(retired)
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


def _changed(query: str, found: Sequence[Finding], model: str) -> Diagnostic:
    help = "run with `--full-refresh` to rebuild it from the topics, or revert the change"
    if {each.rule for each in found} == {"shuffle partitions"}:
        help = f"`lsqlc state repartition {model} --partitions N` keeps its state; `--full-refresh` rebuilds it"
    changes = [each.text for each in found]
    shown = changes[:8] + ([f"and {len(changes) - 8} more"] if len(changes) > 8 else [])
    return Diagnostic(
        "LSQ660",
        f"the query '{query}' is not compatible with its checkpoint",
        notes=(*shown, _WHY.get(standing(found), "continuing from it would give wrong rows")),
        help=help,
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
        notes=(f"'{label}' next to it has the format {version}, and this lsqlc supports formats up to {_FORMAT}",),
        help="run with that release of lsqlc, or with `--full-refresh` to start from a new checkpoint",
    )


def _unreadable(query: str, label: str) -> Diagnostic:
    return Diagnostic(
        "LSQ666",
        f"the checkpoint of the query '{query}' cannot be read",
        notes=(f"'{label}' next to it is damaged",),
        help="run with `--full-refresh` to start from a new checkpoint",
    )
