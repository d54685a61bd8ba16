"""Exports of Lenses: YAML or JSON files with processors, topics or schemas.

`lenses-cli export processors` writes `apps/sql/processor-*.yaml` (`name`, `sql`, `runners`, `clusterName`, `namespace`,
`pipeline`). `export topics` writes `kafka/topics/*.yaml` (`topicName`, `partitions`, `replication`). `export schemas`
writes Avro schemas by subject. The REST API answers with lists, in which topics have the types and schemas of their
keys and values. The case of keys is ignored: older releases capitalise them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.files import read_file

_ENDINGS = (".yaml", ".yml", ".json", ".sql", ".lsql")
_LISTS = ("streams", "processors", "topics", "schemas", "subjects", "items", "values")


@dataclass(frozen=True, slots=True)
class Processor:
    """A processor. `origin`: the file. `about`: its other properties, as text."""

    name: str
    sql: str
    origin: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class LensesTopic:
    """A topic. Types are Lenses' names of formats, schemas the texts of Avro schemas; empty if unknown."""

    name: str
    partitions: int | None = None
    replicas: int | None = None
    key_type: str = ""
    value_type: str = ""
    key_schema: str = ""
    value_schema: str = ""


@dataclass(frozen=True, slots=True)
class LensesExport:
    """An export. `schemas`: the texts of Avro schemas by subject."""

    processors: tuple[Processor, ...]
    topics: Mapping[str, LensesTopic]
    schemas: Mapping[str, str]

    def topic(self, name: str) -> LensesTopic:
        """Return a topic, completed by the subjects `<name>-key` and `<name>-value`."""
        own = self.topics.get(name, LensesTopic(name))
        key, value = self.schemas.get(f"{name}-key", ""), self.schemas.get(f"{name}-value", "")
        return replace(
            own,
            key_type=own.key_type or ("AVRO" if key else ""),
            value_type=own.value_type or ("AVRO" if value else ""),
            key_schema=own.key_schema or key,
            value_schema=own.value_schema or value,
        )


def read_export(source: str) -> LensesExport:
    """Read an export from a file, or from a folder and its subfolders. A `.sql` file is a processor named after the
    file.

    Raises LsqlcError LSQ001 for a file that cannot be read, and LSQ535 if there is no processor.
    """
    path = Path(source)
    files = sorted(p for p in path.rglob("*") if p.suffix.lower() in _ENDINGS) if path.is_dir() else [path]
    processors: list[Processor] = []
    topics: dict[str, LensesTopic] = {}
    schemas: dict[str, str] = {}
    for file in files:
        label = file.relative_to(path).as_posix() if path.is_dir() else file.name
        text = _text(file)
        if file.suffix.lower() in (".sql", ".lsql"):
            processors.append(Processor(file.stem, text, label))
            continue
        for each in _mappings(_documents(text, label, is_json=file.suffix == ".json")):
            _add(each, label, processors, topics, schemas)
    if not processors:
        why = "no part of it has a 'name' and an 'sql'" if files else "the folder has no file of YAML, JSON or SQL"
        raise _wrong(source, why, "export processors: lenses-cli export processors --dir FOLDER")
    return LensesExport(tuple(processors), topics, schemas)


def _add(
    each: Mapping[str, Any],
    label: str,
    processors: list[Processor],
    topics: dict[str, LensesTopic],
    schemas: dict[str, str],
) -> None:
    name = each.get("name")
    sql, schema = each.get("sql"), each.get("avroschema") or each.get("schema")
    topic, subject = each.get("topicname"), each.get("subject") or name
    if isinstance(name, str) and isinstance(sql, str):
        about = [f"{word} {each[key]}" for key, word in _ABOUT.items() if each.get(key) not in (None, "")]
        processors.append(Processor(name, sql, label, ", ".join(about)))
    elif isinstance(topic, str):
        topics[topic] = LensesTopic(
            topic,
            _count(each.get("partitions")),
            _count(each.get("replication")),
            *(str(each.get(key) or "").upper() for key in ("keytype", "valuetype")),
            *(_schema(each.get(key)) for key in ("keyschema", "valueschema")),
        )
    elif isinstance(subject, str) and schema:
        schemas[subject] = _schema(schema)


_ABOUT = {"description": "", "runners": "runners:", "clustername": "cluster:", "namespace": "namespace:"}


def _schema(schema: Any) -> str:
    if isinstance(schema, str):
        return schema
    return json.dumps(schema) if isinstance(schema, dict | list) and schema else ""


def _count(value: Any) -> int | None:
    if isinstance(value, list):
        # The API lists the partitions.
        return len(value) or None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _mappings(values: list[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings that describe one processor, topic or schema, with keys in lower case."""
    for value in values:
        if isinstance(value, list):
            yield from _mappings(value)
        elif isinstance(value, dict):
            lower = {str(key).lower(): inner for key, inner in value.items()}
            lists = [lower[name] for name in _LISTS if isinstance(lower.get(name), list)]
            if lists and "sql" not in lower and "topicname" not in lower:
                yield from _mappings(lists)
            else:
                # Definitions as code have their content in `spec` or `definition`.
                inner: dict[Any, Any] = next(
                    (lower[k] for k in ("spec", "definition") if isinstance(lower.get(k), dict)), {}
                )
                yield {**lower, **{str(key).lower(): v for key, v in inner.items()}}


def _documents(text: str, label: str, *, is_json: bool) -> list[Any]:
    try:
        return [json.loads(text)] if is_json else list(yaml.safe_load_all(text))
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        why = " ".join(str(error).split())
        raise _wrong(label, f"it is not {'JSON' if is_json else 'YAML'}: {why}") from None


def _text(path: Path) -> str:
    result = read_file(path, path.as_posix())
    if result.text is None:
        raise LsqlcError(result.diagnostics)
    return result.text


def _wrong(label: str, why: str, help: str | None = None) -> LsqlcError:
    return LsqlcError([Diagnostic("LSQ535", f"'{label}' has no processor of Lenses", notes=(why,), help=help)])
