"""What Lenses exports: files of YAML or JSON with a processor, a topic or a schema each, or lists of them.

`lenses-cli export processors` writes `apps/sql/processor-*.yaml` (`name`, `sql`, `runners`, `clusterName`,
`namespace`, `pipeline`), `export topics` writes `kafka/topics/*.yaml` (`topicName`, `partitions`, `replication`) and
`export schemas` writes Avro schemas by subject. The REST API answers with lists, in which topics have the types and
schemas of their keys and values. Keys are the same in any case of letters: older releases write them with capitals.
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
    """A processor. `origin`: the file; `about`: what is said of it beside its text."""

    name: str
    sql: str
    origin: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class LensesTopic:
    """A topic. Types are Lenses' names of formats, schemas the texts of Avro schemas; empty where not known."""

    name: str
    partitions: int | None = None
    replicas: int | None = None
    key_type: str = ""
    value_type: str = ""
    key_schema: str = ""
    value_schema: str = ""


@dataclass(frozen=True, slots=True)
class LensesExport:
    """`schemas`: texts of Avro schemas by subject."""

    processors: tuple[Processor, ...]
    topics: Mapping[str, LensesTopic]
    schemas: Mapping[str, str]

    def topic(self, name: str) -> LensesTopic:
        """What is known of a topic, from its own description and from the subjects named after it."""
        known = self.topics.get(name, LensesTopic(name))
        key, value = self.schemas.get(f"{name}-key", ""), self.schemas.get(f"{name}-value", "")
        return replace(
            known,
            key_type=known.key_type or ("AVRO" if key else ""),
            value_type=known.value_type or ("AVRO" if value else ""),
            key_schema=known.key_schema or key,
            value_schema=known.value_schema or value,
        )


def read_export(source: str) -> LensesExport:
    """What a file, or a folder with all folders in it, exports. `.sql` files are processors that are named after them.

    Raises LsqlcError LSQ001 for a file that cannot be read, and LSQ535 if there is no processor.
    """
    path = Path(source)
    files = sorted(p for p in path.rglob("*") if p.suffix.lower() in _ENDINGS) if path.is_dir() else [path]
    processors: list[Processor] = []
    topics: dict[str, LensesTopic] = {}
    schemas: dict[str, str] = {}
    for file in files:
        shown = file.relative_to(path).as_posix() if path.is_dir() else file.name
        text = _text(file)
        if file.suffix.lower() in (".sql", ".lsql"):
            processors.append(Processor(file.stem, text, shown))
            continue
        for each in _mappings(_documents(text, shown, is_json=file.suffix == ".json")):
            _add(each, shown, processors, topics, schemas)
    if not processors:
        why = "no part of it has a 'name' and an 'sql'" if files else "the folder has no file of YAML, JSON or SQL"
        raise _wrong(source, why, "export processors: lenses-cli export processors --dir FOLDER")
    return LensesExport(tuple(processors), topics, schemas)


def _add(
    each: Mapping[str, Any],
    shown: str,
    processors: list[Processor],
    topics: dict[str, LensesTopic],
    schemas: dict[str, str],
) -> None:
    name = each.get("name")
    sql, schema = each.get("sql"), each.get("avroschema") or each.get("schema")
    topic, subject = each.get("topicname"), each.get("subject") or name
    if isinstance(name, str) and isinstance(sql, str):
        about = [f"{word} {each[key]}" for key, word in _ABOUT.items() if each.get(key) not in (None, "")]
        processors.append(Processor(name, sql, shown, ", ".join(about)))
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


def _schema(given: Any) -> str:
    if isinstance(given, str):
        return given
    return json.dumps(given) if isinstance(given, dict | list) and given else ""


def _count(value: Any) -> int | None:
    if isinstance(value, list):
        # The API lists the partitions themselves.
        return len(value) or None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _mappings(values: list[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts that are about one thing each, with keys in lower case."""
    for value in values:
        if isinstance(value, list):
            yield from _mappings(value)
        elif isinstance(value, dict):
            lower = {str(key).lower(): inner for key, inner in value.items()}
            lists = [lower[name] for name in _LISTS if isinstance(lower.get(name), list)]
            if lists and "sql" not in lower and "topicname" not in lower:
                yield from _mappings(lists)
            else:
                # Definitions as code have their content below `spec` or `definition`.
                inner: dict[Any, Any] = next(
                    (lower[k] for k in ("spec", "definition") if isinstance(lower.get(k), dict)), {}
                )
                yield {**lower, **{str(key).lower(): v for key, v in inner.items()}}


def _documents(text: str, shown: str, *, is_json: bool) -> list[Any]:
    try:
        return [json.loads(text)] if is_json else list(yaml.safe_load_all(text))
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        why = " ".join(str(error).split())
        raise _wrong(shown, f"it is not {'JSON' if is_json else 'YAML'}: {why}") from None


def _text(path: Path) -> str:
    read = read_file(path, path.as_posix())
    if read.text is None:
        raise LsqlcError(read.diagnostics)
    return read.text


def _wrong(shown: str, why: str, help: str | None = None) -> LsqlcError:
    return LsqlcError([Diagnostic("LSQ535", f"'{shown}' has no processor of Lenses", notes=(why,), help=help)])
