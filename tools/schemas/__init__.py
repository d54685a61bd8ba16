"""The JSON Schemas of the files that people write, from the types that these files are decoded into.

A member's type, default, description and constraints come from its declaration. `parts.json` has what no type says:
the frame of each file, and the definitions of members that are read by hand, such as records of cases.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from lsqlc.connectors import connectors
from lsqlc.connectors.kafka.target import KafkaFile, SecurityFile
from lsqlc.golden.assertions import ExpectFile
from lsqlc.golden.case_reader import CaseFile
from lsqlc.golden.data_files import DataFile
from lsqlc.golden.function_cases import CallFile, FunctionCaseFile
from lsqlc.golden.states import StateFile
from lsqlc.project.declared.alerting import AlertsFile, ProjectAlertsFile
from lsqlc.project.declared.config import DefaultsFile, LintFile, LiveTestsFile, ProjectFile
from lsqlc.project.declared.data_tests import ColumnFile
from lsqlc.project.declared.declarations import ModelConfig, ModelFile, SeedFile, SourceFile, TopicFile
from lsqlc.project.declared.delta_topics import DeltaTopicFile
from lsqlc.project.declared.file_topics import FilesFile
from lsqlc.project.declared.profiles import target_file
from lsqlc.project.declared.registry_target import RegistryFile
from lsqlc.project.declared.starts import HistoryFile
from lsqlc.project.declared.tables import TableFile, store_file
from lsqlc.project.selection.named_selectors import SelectorFile
from lsqlc.report.schemas import WRITTEN_BY_PEOPLE
from lsqlc.tables import store_kinds

FOLDER = Path(__file__).parents[2] / "lsqlc" / "schemas"
_PARTS = Path(__file__).with_name("parts.json")
_REFERENCE = "#/definitions/"
# Definitions by name: the types of the mappings in the files.
TYPES: Mapping[str, type[msgspec.Struct]] = {
    "project": ProjectFile,
    "project_defaults": DefaultsFile,
    "lint": LintFile,
    "live_tests": LiveTestsFile,
    "project_alerts": ProjectAlertsFile,
    "selector": SelectorFile,
    "target": target_file(tuple(each for each in connectors() if each.setting is not None)),
    "kafka": KafkaFile,
    "security": SecurityFile,
    "registry": RegistryFile,
    "store": store_file(store_kinds()),
    **{kind.key: kind.file for kind in store_kinds()},
    "topic": TopicFile,
    "table": TableFile,
    "source": SourceFile,
    "model": ModelFile,
    "model_config": ModelConfig,
    "alerts": AlertsFile,
    "files": FilesFile,
    "delta_topic": DeltaTopicFile,
    "seed": SeedFile,
    "history": HistoryFile,
    "column": ColumnFile,
    "case": CaseFile,
    "expectations": ExpectFile,
    "data_file": DataFile,
    "operator_state": StateFile,
    "function_case": FunctionCaseFile,
    "call": CallFile,
}
_NAMES = {type: name for name, type in TYPES.items()}
# Keys of a declared schema that take the place of the whole type.
_WHOLE = frozenset({"anyOf", "allOf", "$ref", "enum"})


def generated(name: str) -> str:
    """The schema of that name, one of WRITTEN_BY_PEOPLE, as JSON text."""
    schema = dict(_parts()[name])
    definitions = schema.pop("definitions", {})
    if "$ref" in schema:
        # The file is such a mapping itself.
        whole = definition(schema.pop("$ref").removeprefix(_REFERENCE))
        schema |= whole | {"required": [*whole.get("required", ()), *schema.get("required", ())]}
    found: dict[str, Any] = {}
    pending = list(_references(schema))
    while pending:
        each = pending.pop(0)
        if each not in found:
            found[each] = definitions[each] if each in definitions else definition(each)
            pending += _references(found[each])
    unused = definitions.keys() - found.keys()
    assert not unused, f"parts.json has definitions that '{name}' does not use: {sorted(unused)}"
    head = {"$schema": "http://json-schema.org/draft-07/schema#", "$id": f"urn:lsqlc:schema:{name}:1"}
    whole = head | schema | ({"definitions": dict(sorted(found.items()))} if found else {})
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def definition(name: str) -> dict[str, Any]:
    """The schema of a type of TYPES: closed, as an unknown key is a mistake."""
    fields = msgspec.structs.fields(TYPES[name])
    required = [field.encode_name for field in fields if field.required]
    return {
        "type": "object",
        "properties": {field.encode_name: member(field) for field in fields},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def member(field: msgspec.structs.FieldInfo) -> dict[str, Any]:
    """The schema of a member, with its description. Raises AssertionError for one that is not described."""
    assert get_origin(field.type) is Annotated, f"'{field.name}' is not described"
    type, meta = get_args(field.type)
    base, extra = _of_type(type), dict(meta.extra_json_schema or {})
    if extra.keys() & _WHOLE:
        base = {}
    default = field.default
    shown = {"default": default} if default not in (msgspec.NODEFAULT, None) and _is_plain(default) else {}
    return {"description": meta.description} | base | extra | shown


@cache
def _parts() -> dict[str, Any]:
    return dict(json.loads(_PARTS.read_text("utf-8")))


def _of_type(type: Any) -> dict[str, Any]:
    """The schema of a type, its mappings by reference."""
    if type is object:
        return {}
    (schema,), _ = msgspec.json.schema_components([type], ref_template=f"{_REFERENCE}{{name}}")
    found = dict(_simplified(schema))
    if "enum" in found:
        # In the order of the declaration.
        found["enum"] = [*_choices(type), *([None] if None in found["enum"] else [])]
    return found


def _choices(type: Any) -> list[Any]:
    if get_origin(type) is Literal:
        return list(get_args(type))
    return [choice for part in get_args(type) for choice in _choices(part)]


def _simplified(schema: Any) -> Any:
    """The same with fewer words: types that differ in nothing else in one list, and our names of mappings."""
    if isinstance(schema, list):
        return [_simplified(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _simplified(value) for key, value in schema.items() if key not in ("title", "default")}
    if "$ref" in found:
        name = found["$ref"].removeprefix(_REFERENCE)
        found["$ref"] = _REFERENCE + next(known for type, known in _NAMES.items() if type.__name__ == name)
    alternatives = found.get("anyOf", ())
    if alternatives and all(each.keys() == {"type"} for each in alternatives):
        found = {key: value for key, value in found.items() if key != "anyOf"}
        found["type"] = [each["type"] for each in alternatives]
    if len(alternatives) == 2 and alternatives[0].keys() == {"enum"} and alternatives[1] == {"type": "null"}:
        found = {key: value for key, value in found.items() if key != "anyOf"}
        found["enum"] = [*alternatives[0]["enum"], None]
    return found


def _is_plain(default: Any) -> bool:
    return (isinstance(default, bool | int | str) and default != "") or (isinstance(default, tuple) and bool(default))


def _references(schema: Any) -> Iterator[str]:
    """The names of the definitions that a schema refers to."""
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            if key == "$ref":
                yield value.removeprefix(_REFERENCE)
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for each in schema:
            yield from _references(each)


def write() -> None:
    """Write all of them to lsqlc/schemas."""
    for name in WRITTEN_BY_PEOPLE:
        (FOLDER / f"{name}.json").write_text(generated(name), "utf-8")
