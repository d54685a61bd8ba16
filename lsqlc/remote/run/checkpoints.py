"""Descriptions of checkpoints: the stage of a checkpoint, and the generation of the records that its query has written.

A store (see `stores`) has a description of the stage, and Spark's own part of the checkpoint for each generation. A
changed stage continues if the rules of lower/spark/evolution.py allow it. Otherwise it is rejected until a full
refresh, which starts a new generation.

The descriptions are JSON objects. Their members are `format`, `query`, `generation`, `parts`, `sql`, and optionally
`begun`, `refreshing`, `home`, `form` and `retired`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
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
from lsqlc.remote.run.start_offsets import WHOLE, StartOffsets, begun_data, begun_from
from lsqlc.remote.run.stores import CheckpointStore

_FORMAT = 1
# Notes for queries that cannot continue, by their compatibility.
_WHY: Mapping[str, str] = {
    "unknown": "there is no rule by which it could continue",
    "cannot be read by the consumers of the topic": "its topic would hold records of two kinds, and readers expect one",
}


@dataclass(frozen=True, slots=True)
class Form:
    """The format of Spark's part of a checkpoint, which is fixed when the checkpoint is created.

    `named`: whether it has the offsets of sources by their names (lower/spark/source_names.py); `state`: the version of
    Spark's format of state files.
    """

    named: bool = False
    state: int = 1

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The settings of Spark that select this format."""
        names = (("spark.sql.streaming.queryEvolution.enableSourceEvolution", "true"),) if self.named else ()
        version = (STATE_FORMAT, str(self.state))
        return (*names, version) if self.state > 1 else names

    def of(self, stage: Stage) -> Stage:
        """Return the stage with the settings and names for such a checkpoint."""
        stage = with_names(stage) if self.named else stage
        return replace(stage, settings=(*stage.settings, *self.settings))


_FIRST = Form()


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The checkpoint of a query.

    - `location`: of Spark's part. `generation`: the one that the query's records have.
    - `resumed`: whether the query continues from it.
    - `changes`: the compatible differences from the query that wrote the checkpoint.
    - `noted`: whether the description is of this query. Otherwise `take_up` writes it.
    - `form`: the format of Spark's part.
    - `begun`: the start offsets of topics that were not read from their first record.
    - `partitions`: of the shuffles before its state; None without state.
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
        """Return the stage with the settings and names for this checkpoint."""
        formed = self.form.of(stage)
        own = () if self.partitions is None else ((PARTITIONS, str(self.partitions)),)
        return replace(formed, settings=(*formed.settings, *own))

    @property
    def awaits_history(self) -> bool:
        """Whether its query must read a history before its topics."""
        return any(offsets.awaits_history for offsets in self.begun.values())

    @property
    def folder(self) -> Path:
        """The location in a store of folders."""
        return Path(self.location)


def describe(stage: Stage, *, partitions: int, server: tuple[int, int], model: str = "") -> Parts:
    """Return the parts of a model's stage that its checkpoint depends on.

    Comments and performance settings are not included. `partitions`: of the shuffles before its state; `server`: the
    version of the server.
    """
    runtime = {"Spark's version": ".".join(map(str, server))}
    if stage.held != "":
        # Only stages with state have a shuffle.
        runtime[PARTITIONS_PART] = str(partitions)
        # The order of ordinals must not change, because ordinals in the state are compared with new ones.
        for source in stage.sources:
            orders = {topic: "by time" if topic in source.by_time else "by offset" for topic, _ in source.lines}
            runtime |= {f"the order of '{topic}'": order for topic, order in sorted(orders.items())}
    return replace(stage_parts(stage, runtime), model=model)


@dataclass(frozen=True, slots=True)
class CheckpointRequest:
    """A query whose checkpoint is to be opened.

    `form`: the format of a new checkpoint; `starts`: the start offsets of a new query; `always`: the query has no
    state, and continues after any change. If its checkpoint is missing, it continues after the records that it has
    written.
    """

    query: str
    topic: str
    parts: Parts
    form: Form = _FIRST
    starts: StartOffsets = WHOLE
    always: bool = False


def open_checkpoint(store: CheckpointStore, transport: Transport, request: CheckpointRequest) -> Checkpoint:
    """Return the checkpoint of a query, which is created if it does not exist. Call `finish_refreshes` before.

    Raises LsqlcError: LSQ660 if the stage cannot continue from the checkpoint of another stage; LSQ666 if the topic has
    records of this query whose checkpoint is missing; and the errors of topics.
    """
    query, topic = request.query, request.topic
    name = checkpoint_name(query)
    description = _read(store, name, query)
    request = replace(request, parts=_with_own_partitions(description, request.parts))
    if description is not None and is_resumable(store, name, description):
        return _resumed(store, request, description)
    is_missing = is_gone(store, query, topic, transport)
    if is_missing and not request.always:
        raise LsqlcError([_gone(query, topic)])
    if description is None:
        number = max(_newest(store, name), transport.last_generation(topic, query))
    else:
        number = description["generation"]
    # A query with the same stage keeps its location even if it has no batch yet: its start then replaces a query that
    # may still run on a server, instead of running concurrently.
    offsets = begun_of(description) if description is not None else {}
    is_begun = {topic: each.text for topic, each in offsets.items()} == request.starts.texts
    home = _home(store, description)
    is_other = description is None or description["parts"] != _data(request.parts)
    if is_missing or is_other or (offsets and not is_begun):
        number = max(number, transport.newest_generation(topic, query) if is_missing else 0) + 1
        offsets = request.starts.resolve()
        _write(store, name, _Description(query, number, request.parts, request.form, offsets))
        store.clear(name)
        home = store
    elif description is not None and (_form(description) != request.form or not is_begun):
        offsets = offsets if is_begun else request.starts.resolve()
        new = _Description(query, number, request.parts, request.form, offsets, home=description.get("home"))
        _write(store, name, new)
    return Checkpoint(
        home.location(name, number), generation_name(query, number), resumed=False, form=request.form, begun=offsets,
        partitions=_partitions(request.parts),
    )  # fmt: skip


def _resumed(store: CheckpointStore, request: CheckpointRequest, description: Mapping[str, Any]) -> Checkpoint:
    """Return the checkpoint from which a query continues. Raises LsqlcError LSQ660."""
    query, number = request.query, description["generation"]
    findings = changed_since(description, request.parts)
    if not (request.always or goes_on(findings)):
        raise LsqlcError([_changed(query, findings, request.parts.model)])
    changes = tuple(each.text for each in findings)
    return Checkpoint(
        _home(store, description).location(checkpoint_name(query), number), generation_name(query, number), True,
        changes, not changes, _form(description), begun_of(description), _partitions(request.parts),
    )  # fmt: skip


def is_gone(store: CheckpointStore, query: str, topic: str, transport: Transport) -> bool:
    """Return whether the topic has records of a query whose checkpoint is missing.

    A query in real-time mode may have been stopped before it wrote offsets for the first time. It has a location, and
    starts there again.
    """
    number = transport.newest_generation(topic, query)
    if not number:
        return False
    name = checkpoint_name(query)
    description = _read(store, name, query)
    has_location = (
        description is not None
        and description["generation"] == number
        and number in _home(store, description).generations(name)
    )
    return not has_location or transport.last_batch(topic, generation_name(query, number)) >= 0


def is_resumable(store: CheckpointStore, name: str, description: Mapping[str, Any]) -> bool:
    """Return whether Spark's part of a described checkpoint has a batch, so that its query can continue."""
    return bool(_home(store, description).generations(name).get(description["generation"]))


def take_up(store: CheckpointStore, query: str, parts: Parts) -> None:
    """Write the description of the changed query that continues from the checkpoint.

    Call it before the query starts.
    """
    name = checkpoint_name(query)
    description = _read(store, name, query)
    assert description is not None, "an opened checkpoint has its description"
    parts = _with_own_partitions(description, parts)
    old = _parts_of(description)
    removed = [source for source in old.sources if source not in parts.sources]
    retired = tuple(dict.fromkeys((*old.retired, *removed)))
    _write(
        store,
        name,
        _Description(
            query, description["generation"], parts, _form(description), begun_of(description), retired,
            description.get("home"),
        ),
    )  # fmt: skip


def note_history_read(store: CheckpointStore, query: str) -> None:
    """Write into the description that a query has read the histories of its topics completely."""
    name = checkpoint_name(query)
    description = _read(store, name, query)
    assert description is not None, "an opened checkpoint has its description"
    offsets = {topic: replace(each, is_read=each.history != "") for topic, each in begun_of(description).items()}
    store.write(name, _text({**description, "begun": begun_data(offsets)}))


def reopened(store: CheckpointStore, query: str, checkpoint: Checkpoint) -> Checkpoint:
    """Return the checkpoint of a query with its present description, which may have new start offsets."""
    description = _read(store, checkpoint_name(query), query)
    assert description is not None, "an opened checkpoint has its description"
    return replace(checkpoint, resumed=True, changes=(), noted=True, begun=begun_of(description))


def foreseen(store: CheckpointStore, queries: Mapping[str, Parts]) -> Mapping[str, tuple[Finding, ...]]:
    """Return the changes since the checkpoint of each query that can continue from one.

    The version of the server and the partitions are regarded as unchanged. Raises LsqlcError LSQ666 for a description
    that cannot be read.
    """
    findings: dict[str, tuple[Finding, ...]] = {}
    for query, parts in queries.items():
        name = checkpoint_name(query)
        description = _read(store, name, query)
        if description is not None and is_resumable(store, name, description):
            findings[query] = changed_since(description, replace(parts, runtime=description["parts"]["runtime"]))
    return findings


def deployed(store: CheckpointStore) -> Mapping[str, Parts]:
    """Return all queries of a store that can continue from a checkpoint, by name.

    Raises LsqlcError LSQ666 for a description that cannot be read.
    """
    parts: dict[str, Parts] = {}
    for name in store.described():
        description = _read(store, name, name)
        if description is not None and is_resumable(store, name, description):
            parts[description["query"]] = _parts_from(description["parts"])
    return parts


def begun_of(description: Mapping[str, Any]) -> Mapping[str, Begun]:
    """Return the start offsets of topics that a described query has not read from their first record."""
    return begun_from(description.get("begun", {}))


def live_queries(store: CheckpointStore, models: Collection[str]) -> Mapping[str, Parts]:
    """Return the queries of `deployed` that belong to some models."""
    return {query: parts for query, parts in deployed(store).items() if parts.model in models}


def left_behind(store: CheckpointStore, queries: Mapping[str, Parts]) -> Mapping[str, Parts]:
    """Return former queries of the models of `queries` whose topic another query of the model writes now.

    For example, another INSERT in a program renames its queries. Their records are still in the topic.
    """
    writers = {(parts.model, parts.topic) for parts in queries.values()}
    former: dict[str, Parts] = {}
    for name in store.described():
        # A description that cannot be read is reported for its own query.
        with suppress(LsqlcError):
            description = _read(store, name, name) or {}
            parts = _parts_from(description["parts"])
            if parts.model and description["query"] not in queries and (parts.model, parts.topic) in writers:
                former[description["query"]] = parts
    return former


def unfit(query: str, parts: Parts) -> Diagnostic:
    """Return LSQ660 for a query of `left_behind`."""
    return Diagnostic(
        "LSQ660",
        f"the topic '{parts.topic}' holds records of the query '{query}', which '{parts.model}' no longer has",
        notes=("another query of the model now writes that topic, and would write the same records again",),
        help="run with `--full-refresh` to rebuild it from the topics, or revert the change",
    )


def drop(store: CheckpointStore, query: str, parts: Parts, transport: Transport) -> None:
    """Remove a query's records, and then its checkpoint.

    In this order, because a query is identified by its checkpoint.
    """
    transport.discard(parts.topic, query)
    remove_checkpoint(store, query)


def refresh(store: CheckpointStore, queries: Sequence[tuple[str, str, Parts]], transport: Transport) -> None:
    """Remove state and records of queries: name, topic and parts of each, in order of dependency.

    The removals are first written into the descriptions, for readers before the queries that they read from. So after a
    crash at any time, no query reads the new results of a refreshed one without being refreshed itself.
    """
    for query, topic, parts in reversed(queries):
        name = checkpoint_name(query)
        try:
            description = _read(store, name, query)
        except LsqlcError:
            description = None
        before = description["generation"] if description else 0
        newest = max(transport.last_generation(topic, query), before, _newest(store, name))
        home = {"home": description["home"]} if description and "home" in description else {}
        refreshing = {"query": query, "topic": topic} | home
        _write(store, name, _Description(query, newest + 1, parts, refreshing=refreshing))
    finish_refreshes(store, transport)


def finish_refreshes(store: CheckpointStore, transport: Transport) -> None:
    """Complete the removals of `refresh`, also those of a run that was killed."""
    for name in store.described():
        description = None
        # A description that cannot be read is reported for its own query.
        with suppress(LsqlcError):
            description = _read(store, name, name)
        if description is not None:
            _finish_refresh(store, name, description, transport)


def remove_checkpoint(store: CheckpointStore, query: str) -> None:
    """Remove the checkpoint of a query. Its records stay."""
    name = checkpoint_name(query)
    # A description that cannot be read has no other location.
    with suppress(LsqlcError):
        _home(store, _read(store, name, query)).clear(name)
    store.remove(name)


def describe_repartitioned(
    store: CheckpointStore, query: str, description: Mapping[str, Any], home: str, partitions: int
) -> None:  # fmt: skip
    """Make a query continue from a checkpoint in another folder, whose state has another number of partitions.

    `description`: its present description; `home`: the other folder, relative to this store. A crash before the new
    description is written leaves the present one.
    """
    runtime = {**description["parts"]["runtime"], PARTITIONS_PART: str(partitions)}
    parts = {**description["parts"], "runtime": runtime}
    store.write(checkpoint_name(query), _text({**description, "parts": parts, "home": home}))


def begin_anew(store: CheckpointStore, query: str) -> None:
    """Make a query that is opened with `always` read its topic from the beginning: the topic is written again."""
    name = checkpoint_name(query)
    # A description that cannot be read is reported when the query is opened.
    with suppress(LsqlcError):
        description = _read(store, name, query)
        if description is not None:
            _home(store, description).clear(name)


def has_checkpoint(store: CheckpointStore, query: str) -> bool:
    """Return whether the store has anything of the query's checkpoint."""
    return store.has(checkpoint_name(query))


def described(store: CheckpointStore, query: str) -> Mapping[str, Any] | None:
    """Return the description of a query's checkpoint, or None if the query cannot continue from one.

    Raises LsqlcError LSQ666 for a description that cannot be read.
    """
    name = checkpoint_name(query)
    description = _read(store, name, query)
    return description if description is not None and is_resumable(store, name, description) else None


def unchanged(store: CheckpointStore, query: str, parts: Parts) -> Mapping[str, Any] | None:
    """Return the description of a query's checkpoint, or None if the query has changed or has other work first.

    Other work is a refresh, or a history to read. Raises LsqlcError as `described` does.
    """
    description = described(store, query)
    if (
        description is None
        or "refreshing" in description
        or changed_since(description, _with_own_partitions(description, parts))
    ):
        return None
    return None if any(offsets.awaits_history for offsets in begun_of(description).values()) else description


def describe_elsewhere(store: CheckpointStore, query: str, description: Mapping[str, Any], home: str) -> None:
    """Make a query continue from a checkpoint in another folder.

    `description`: its description; `home`: the path of that folder, relative to this store; empty: this store.
    """
    content = {key: value for key, value in description.items() if key != "home"} | ({"home": home} if home else {})
    store.write(checkpoint_name(query), _text(content))


def forget(store: CheckpointStore, query: str) -> None:
    """Remove the description of a query's checkpoint, but not Spark's part."""
    store.forget(checkpoint_name(query))


def clear_described(store: CheckpointStore, query: str, description: Mapping[str, Any]) -> None:
    """Remove Spark's part of a described checkpoint. The query's present description stays."""
    _home(store, description).clear(checkpoint_name(query))


def location_of(store: CheckpointStore, query: str, description: Mapping[str, Any]) -> str:
    """Return the location of Spark's part of a described checkpoint."""
    return _home(store, description).location(checkpoint_name(query), description["generation"])


def generation_of(query: str, description: Mapping[str, Any]) -> str:
    """Return the generation that the records of a described query have."""
    return generation_name(query, description["generation"])


def checkpoint_name(query: str) -> str:
    """Return the name of a query's checkpoint, which is the name of its folder."""
    name = folder_name(query)
    return name or hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()


def _read(store: CheckpointStore, name: str, query: str) -> dict[str, Any] | None:
    try:
        text = store.read(name)
        data: Any = None if text is None else json.loads(text)
    except (OSError, ValueError):
        raise LsqlcError([_unreadable(query, store.label)]) from None
    if text is None:
        return None
    version = data.get("format") if isinstance(data, dict) else None
    if isinstance(version, int) and version > _FORMAT:
        raise LsqlcError([_newer(query, store.label, version)])
    try:
        _parts_from(data["parts"])
        is_valid = (
            data["format"] == _FORMAT
            and isinstance(data.get("home", ""), str)
            and isinstance(_form(data), Form)
            and isinstance(data["generation"], int)
            and isinstance(data["query"], str)
        )
        begun_of(data)
    except (KeyError, TypeError, ValueError, AttributeError):
        is_valid = False
    if not is_valid:
        raise LsqlcError([_unreadable(query, store.label)])
    return cast("dict[str, Any]", data)


def _home(store: CheckpointStore, description: Mapping[str, Any] | None) -> CheckpointStore:
    """Return the store that has Spark's part of a described checkpoint."""
    return store.below(description["home"]) if description and "home" in description else store


def _data(parts: Parts) -> dict[str, Any]:
    """Return the parts as JSON-ready data."""
    return {
        "sources": list(parts.sources),
        "state": dict(parts.state),
        "output": dict(parts.output),
        "topic": parts.topic,
        "written": topic_data(parts.written) if parts.written else None,
        "semantics": parts.semantics,
        "runtime": dict(parts.runtime or {}),
        "used": None if parts.used is None else list(parts.used),
        "model": parts.model,
    }


def _parts_from(data: Mapping[str, Any]) -> Parts:
    """Parse the data of `_data`. Raises KeyError, TypeError, ValueError or AttributeError for other data."""
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


def _form(description: Mapping[str, Any]) -> Form:
    """Return the format of a described checkpoint. Raises KeyError, TypeError or ValueError for invalid data."""
    form = description.get("form")
    return Form(bool(form["named sources"]), int(form["state"])) if form is not None else _FIRST


def _parts_of(description: Mapping[str, Any]) -> Parts:
    """Return the parts of a description, with its retired sources and whether sources have names."""
    parts = _parts_from(description["parts"])
    return replace(parts, named=_form(description).named, retired=tuple(description.get("retired", ())))


def _with_own_partitions(description: Mapping[str, Any] | None, parts: Parts) -> Parts:
    """Return the parts of a query with the number of partitions of its state, unless the program sets another one.

    Spark continues with the partitions of the state, whatever the session's setting is.
    """
    is_set = parts.stage is not None and PARTITIONS in dict(parts.stage.settings)
    if description is None or parts.runtime is None or PARTITIONS_PART not in parts.runtime or is_set:
        return parts
    has = description["parts"]["runtime"].get(PARTITIONS_PART)
    return parts if has is None else replace(parts, runtime={**parts.runtime, PARTITIONS_PART: has})


def _partitions(parts: Parts) -> int | None:
    number = (parts.runtime or {}).get(PARTITIONS_PART)
    return None if number is None else int(number)


def changed_since(description: Mapping[str, Any], parts: Parts) -> tuple[Finding, ...]:
    """Return the changes between a described query and this one; empty if they are the same.

    `description`: a description, of which only `parts` is needed.
    """
    return judged(_parts_of(description), parts)


@dataclass(frozen=True, slots=True)
class _Description:
    """The description of a query's checkpoint.

    `begun`: the start offsets; `retired`: sources that it has read and does not read any more; `home`: the folder of
    Spark's part, relative to the store, if it is not the store itself; `refreshing`: a removal that is not complete.
    """

    query: str
    generation: int
    parts: Parts
    form: Form = _FIRST
    begun: Mapping[str, Begun] = field(default_factory=dict)
    retired: tuple[str, ...] = ()
    home: str | None = None
    refreshing: Mapping[str, str] | None = None

    def data(self) -> dict[str, Any]:
        """Return the description as JSON-ready data. `sql` is for readers of the file, and is never parsed."""
        stage = self.parts.stage
        views = [step for step in stage.steps if isinstance(step, View)] if stage else []
        content: dict[str, Any] = {
            "format": _FORMAT,
            "query": self.query,
            "generation": self.generation,
            "parts": _data(self.parts),
            "sql": {view.name: view.sql for view in views},
        }
        if self.begun:
            content["begun"] = begun_data(self.begun)
        if self.refreshing is not None:
            content["refreshing"] = self.refreshing
        if self.home is not None:
            content["home"] = self.home
        if self.form != _FIRST:
            content["form"] = {"named sources": self.form.named, "state": self.form.state}
        if self.retired:
            content["retired"] = list(self.retired)
        return content


def _write(store: CheckpointStore, name: str, description: _Description) -> None:
    store.write(name, _text(description.data()))


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _finish_refresh(store: CheckpointStore, name: str, description: Mapping[str, Any], transport: Transport) -> None:
    if "refreshing" in description:
        _home(store, description["refreshing"]).clear(name)
        store.clear(name)
        transport.discard(description["refreshing"]["topic"], description["refreshing"]["query"])
        store.write(name, _text({key: value for key, value in description.items() if key != "refreshing"}))


def _newest(store: CheckpointStore, name: str) -> int:
    """Return the newest generation with a location in the store; 0 if there is none."""
    return max(store.generations(name), default=0)


def _changed(query: str, findings: Sequence[Finding], model: str) -> Diagnostic:
    help = "run with `--full-refresh` to rebuild it from the topics, or revert the change"
    if {each.rule for each in findings} == {"shuffle partitions"}:
        help = f"`lsqlc state repartition {model} --partitions N` keeps its state; `--full-refresh` rebuilds it"
    changes = [each.text for each in findings]
    notes = changes[:8] + ([f"and {len(changes) - 8} more"] if len(changes) > 8 else [])
    return Diagnostic(
        "LSQ660",
        f"the query '{query}' is not compatible with its checkpoint",
        notes=(*notes, _WHY.get(standing(findings), "continuing from it would give wrong rows")),
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
