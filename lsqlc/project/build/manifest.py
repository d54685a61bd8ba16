"""The manifest of a build: deterministic JSON about a project.

Version 1: `models`, `topics` and `sources` by name; `fingerprints` is the version of fingerprints. It has no times and
no absolute paths, and keys are sorted. Readers must accept unknown keys; a change of meaning increases the version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import msgspec

from lsqlc.bind.own_function import called_by
from lsqlc.plan.fingerprint import VERSION as FINGERPRINTS
from lsqlc.project.declared.declarations import TopicDeclaration
from lsqlc.project.model import Model, Project
from lsqlc.project.selection.graph import Graph
from lsqlc.types.data import NULL, DataType
from lsqlc.types.ddl import parse_type
from lsqlc.types.files import Files
from lsqlc.types.record import ABSENT, Changes, Facet, Topic

VERSION = 1


def manifest(project: Project, graph: Graph, plans: Mapping[str, Mapping[str, Any]], version: str) -> dict[str, Any]:
    """Return the manifest of a project.

    `plans`: the summaries of models with a plan (see `compile.summary`). `version`: of lsqlc.
    """
    return {
        "version": VERSION,
        "fingerprints": FINGERPRINTS,
        "lsqlc": version,
        "project": project.config.name,
        "models": {m.name: _model(m, graph, plans[m.name], project) for m in project.models if m.name in plans},
        "topics": {t.topic.name: _declared(t) for t in project.topics},
        "sources": _sources(project.topics),
        **({"functions": _functions(project)} if project.functions else {}),
    }


def manifest_bytes(data: Mapping[str, Any]) -> bytes:
    """Return the content of the manifest file: UTF-8, sorted keys, one member per line."""
    return msgspec.json.format(msgspec.json.encode(data, order="sorted"), indent=1) + b"\n"


def topic_data(topic: Topic) -> dict[str, Any]:
    """Return a topic as JSON-ready data. `files`, `changes` and `intervals` are only present if not the default."""
    files = {"files": msgspec.to_builtins(topic.files)} if topic.files else {}
    changes = {"changes": topic.changes} if topic.changes != "every" else {}
    return {
        "name": topic.name,
        "key": _facet_data(topic.key),
        "value": _facet_data(topic.value),
        "event_time": topic.event_time,
        "partitions": topic.partitions,
        "connector": topic.connector,
        "description": topic.description,
        "tags": list(topic.tags),
        "ordinal_width": topic.ordinal_width,
        **files,
        **({"ksql_json": True} if topic.ksql_json else {}),
        **({"intervals": dict(topic.intervals)} if topic.intervals else {}),
        **changes,
    }


def topic_from(data: Mapping[str, Any]) -> Topic:
    """Parse the result of `topic_data`. Raises KeyError or ValueError for other data."""
    return Topic(
        data["name"],
        _facet_from(data["key"]),
        _facet_from(data["value"]),
        event_time=data["event_time"],
        partitions=data["partitions"],
        connector=data["connector"],
        description=data["description"],
        tags=tuple(data["tags"]),
        ordinal_width=data["ordinal_width"],
        files=msgspec.convert(data["files"], Files) if "files" in data else None,
        ksql_json=data.get("ksql_json", False),
        intervals=tuple((name, type) for name, type in data.get("intervals", {}).items()),
        changes=msgspec.convert(data.get("changes", "every"), Changes),
    )


def checksum(text: str) -> str:
    """Return the checksum of a file's text. Line ends are normalised, because git may change them."""
    return blake2b(text.replace("\r\n", "\n").encode(), digest_size=16).hexdigest()


def _model(model: Model, graph: Graph, plan: Mapping[str, Any], project: Project) -> dict[str, Any]:
    functions = [f.name for f in called_by(model.text or "", project.functions)]
    return {
        "path": model.path,
        "checksum": checksum(model.raw),
        "dialect": model.dialect,
        "nullability": model.nullability,
        **({"latency": model.latency} if model.latency else {}),
        "tags": list(model.tags),
        "owner": model.owner,
        "description": model.description,
        "depends_on": list(graph.upstream.get(model.name, ())),
        **({"functions": functions} if functions else {}),
        **plan,
    }


def _functions(project: Project) -> dict[str, dict[str, Any]]:
    """Return the project's own functions by name."""
    return {
        f.name: {
            "signature": f.signature,
            "path": f.path,
            "kind": f.kind,
            "dialect": f.dialect,
            "description": f.comment,
            "identity": f.identity,
        }
        for f in sorted(project.functions.values(), key=lambda f: f.name)
    }


def _declared(declaration: TopicDeclaration) -> dict[str, Any]:
    seed = declaration.seed
    return {
        **topic_data(declaration.topic),
        "path": declaration.span.path,
        "source": declaration.source,
        "seed": {"package": seed.package, "path": seed.path} if seed else None,
    }


def _sources(topics: Iterable[TopicDeclaration]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for topic in topics:
        if topic.source is not None:
            groups.setdefault(topic.source, []).append(topic.topic.name)
    return groups


def _facet_data(facet: Facet) -> dict[str, str] | None:
    return None if facet.is_absent else {"type": str(facet.type), "format": facet.format}


@lru_cache(maxsize=4096)
def _type(text: str) -> DataType:
    # Cached: a project has few types, and each is parsed once per build and version.
    return parse_type(text)


def _facet_from(data: Mapping[str, str] | None) -> Facet:
    if data is None:
        return ABSENT
    return Facet(NULL if data["type"] == "NULL" else _type(data["type"]), data["format"])
