"""Comparison of two versions of a project by their manifests, and by the plans of changed models if they exist."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lsqlc.plan.diff import NodeChange
from lsqlc.plan.fingerprint import VERSION as FINGERPRINTS
from lsqlc.plan.nodes import Semantics
from lsqlc.plan.topic_changes import CATEGORIES, Category, Change, topic_changes
from lsqlc.project.build.manifest import VERSION, topic_from
from lsqlc.types.record import Topic

Status = Literal["added", "removed", "modified"]


@dataclass(frozen=True, slots=True)
class ModelVersion:
    """A model in one version.

    `text` identifies the compiled text. `about`: path, tags, owner and description. `lineage`: the columns in its
    manifest (see plan/lineage.py). `functions`: those of the project that its text names.
    """

    name: str
    text: str
    fingerprint: str
    about: tuple[object, ...]
    inputs: tuple[str, ...]
    outputs: Mapping[str, Topic]
    semantics: Mapping[str, Semantics]
    lineage: Mapping[str, Any]
    functions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """The models of one version of a project, and the lsqlc that compiled it.

    `functions`: kind and identity of the project's own functions, by name.
    """

    lsqlc: str
    models: Mapping[str, ModelVersion]
    functions: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def writers(self) -> dict[str, ModelVersion]:
        """Return the writer of each topic; the first one if several share a dead-letter topic."""
        result: dict[str, ModelVersion] = {}
        for model in self.models.values():
            for topic in model.outputs:
                result.setdefault(topic, model)
        return result


@dataclass(frozen=True, slots=True)
class ModelChange:
    """The changes of a model.

    `plan` None: it did not change, or is not known. `downstream`: the models of the newer version that read its topics,
    directly or indirectly.
    """

    name: str
    status: Status
    changes: tuple[Change, ...]
    plan: tuple[NodeChange, ...] | None
    downstream: tuple[str, ...]

    @property
    def category(self) -> Category:
        """The category of its most severe change."""
        return max((change.category for change in self.changes), key=CATEGORIES.index)


def version_from(manifest: Mapping[str, Any], texts: Mapping[str, str] | None = None) -> Version:
    """Return the version that a manifest describes.

    `texts`: texts that identify the compiled models more precisely than the checksums. Raises KeyError, TypeError,
    AttributeError or ValueError for anything but a manifest of this format.
    """
    if manifest["version"] != VERSION:
        raise ValueError(f"it is of version {manifest['version']}, and this lsqlc reads version {VERSION}")
    # Manifests without this key have the first version.
    fingerprints = manifest.get("fingerprints", 1)
    if fingerprints != FINGERPRINTS:
        raise ValueError(f"its fingerprints are of version {fingerprints}, and this lsqlc's of version {FINGERPRINTS}")
    models = {}
    for name, data in manifest["models"].items():
        outputs = {topic["name"]: topic_from(topic) for topic in data["outputs"]}
        about = (data["path"], tuple(data["tags"]), data["owner"], data["description"])
        text = texts[name] if texts else data["checksum"]
        semantics = {topic: data["semantics"][topic] for topic in outputs}
        reads, lineage = tuple(data["inputs"]), data.get("lineage", {})
        function_data = tuple(data.get("functions", ()))
        models[name] = ModelVersion(
            name, text, data["fingerprint"], about, reads, outputs, semantics, lineage, function_data
        )
    functions = {name: (f["kind"], f["identity"]) for name, f in manifest.get("functions", {}).items()}
    return Version(manifest["lsqlc"], models, functions)


def changed_functions(name: str, old: Version, new: Version) -> tuple[tuple[str, Status, str], ...]:
    """Return the functions of the project that a model calls in either version and that differ, in order of name.

    Each has its name, its status, and its kind.
    """
    function_names = {f for version in (old, new) if name in version.models for f in version.models[name].functions}
    changes: list[tuple[str, Status, str]] = []
    for function in sorted(function_names):
        before, after = old.functions.get(function), new.functions.get(function)
        present = after or before
        if present is not None and before != after:
            status: Status = "added" if before is None else "removed" if after is None else "modified"
            changes.append((function, status, present[0]))
    return tuple(changes)


def differing(old: Version, new: Version) -> tuple[str, ...]:
    """Return the models of both versions whose plans may differ, in order."""
    return tuple(
        name
        for name, model in sorted(new.models.items())
        if name in old.models
        and (model.text, model.fingerprint) != (old.models[name].text, old.models[name].fingerprint)
    )


def compare(old: Version, new: Version, plans: Mapping[str, tuple[NodeChange, ...]]) -> tuple[ModelChange, ...]:
    """Return every model that changed, by name. `plans`: the compared plans, if they are known."""
    model_changes = []
    writers = old.writers(), new.writers()
    for name in sorted(old.models.keys() | new.models.keys()):
        before, after = old.models.get(name), new.models.get(name)
        if before is None and after is not None:
            changes: tuple[Change, ...] = (
                Change("model added", "the model is new"),
                *_new_topics(after, {}, writers[0]),
            )
            model_changes.append(ModelChange(name, "added", changes, None, ()))
        elif after is None and before is not None:
            changes = (Change("model removed", "the model was removed"), *_topics_removed(before, writers[1]))
            model_changes.append(ModelChange(name, "removed", changes, None, _downstream(before, new)))
        elif before is not None and after is not None:
            plan = plans.get(name)
            changes = tuple(_changes(before, after, plan, writers))
            if changes:
                has_effect = any(change.category != "cosmetic" for change in changes)
                plan_lines = plan if plan and any(node.kind != "same" for node in plan) else None
                model_changes.append(
                    ModelChange(name, "modified", changes, plan_lines, _downstream(after, new) if has_effect else ())
                )
    return tuple(model_changes)


def _changes(
    old: ModelVersion,
    new: ModelVersion,
    plan: tuple[NodeChange, ...] | None,
    writers: tuple[Mapping[str, ModelVersion], Mapping[str, ModelVersion]],
) -> list[Change]:
    changes: list[Change] = []
    if old.fingerprint == new.fingerprint:
        if old.text != new.text:
            changes.append(Change("text", "the text has changed, the plan has not"))
    elif plan is None or any(node.kind != "same" for node in plan):
        changes.append(Change("plan", "the plan has changed: rows may differ"))
    else:
        changes.append(Change("unused input", "a topic that it reads has changed in fields that it does not use"))
    if old.about != new.about:
        changes.append(Change("about", "its path, tags, owner or description have changed"))
    changes += _topics_removed(old, writers[1])
    for name in sorted(old.outputs.keys() & new.outputs.keys()):
        changes += topic_changes(old.outputs[name], old.semantics[name], new.outputs[name], new.semantics[name])
    return changes + _new_topics(new, old.outputs, writers[0])


def _new_topics(
    new: ModelVersion, old_topics: Mapping[str, Topic], writers: Mapping[str, ModelVersion]
) -> list[Change]:
    """Return the changes of topics that the model did not write: new topics, and those that another model wrote."""
    changes: list[Change] = []
    for name, topic in sorted(new.outputs.items()):
        writer = writers.get(name)
        if writer is None:
            text = f"written as {new.semantics[name]}, key {topic.key}, value {topic.value}"
            changes.append(Change("topic added", text, name))
        elif name not in old_topics:
            changes += topic_changes(writer.outputs[name], writer.semantics[name], topic, new.semantics[name])
    return changes


def _topics_removed(old: ModelVersion, outputs: Collection[str]) -> list[Change]:
    """Return the topics that no model writes any more."""
    return [Change("topic removed", "no longer written by a model", t) for t in sorted(old.outputs) if t not in outputs]


def _downstream(model: ModelVersion, version: Version) -> tuple[str, ...]:
    topics, below = set(model.outputs), set[str]()
    while True:
        readers = {m.name for m in version.models.values() if topics.intersection(m.inputs)} - below - {model.name}
        if not readers:
            return tuple(sorted(below))
        below |= readers
        topics = {topic for name in readers for topic in version.models[name].outputs}
