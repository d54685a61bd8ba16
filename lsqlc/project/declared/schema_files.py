"""Schemas of topics in files of their own: Avro (`.avsc`) and JSON Schema (`.json`, `.jsonschema`).

A path is taken from the project's root. An error inside a file is reported at its place there, with its path in the
schema; a file that cannot be read is reported where it is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import SourceText
from lsqlc.project.files import Text
from lsqlc.types.data import DataType

if TYPE_CHECKING:
    from lsqlc.types.schema_file import SchemaProblem, SchemaRead

ReadFile = Callable[[str], Text]
"""The text of a file of the project by its path; without text, the diagnostics say why."""

_KNOWN = (".avsc", ".json", ".jsonschema")
_OTHERS = {
    ".proto": "Protobuf schemas are not supported",
    ".avdl": "Avro protocols are not supported",
    ".avpr": "Avro protocols are not supported",
    ".avro": "a file of Avro records is not a schema",
    ".xsd": "XML schemas are not supported",
}
_FILE = re.compile(r"[^<>,()]*(\.[a-z]+)", re.IGNORECASE)


def no_files(path: str) -> Text:
    """A ReadFile where there are none: a declaration without a project."""
    help = "write the columns instead, such as `id INT, name STRING`"
    return Text(path, None, (Diagnostic("LSQ011", f"the schema file '{path}' is not in a project", help=help),))


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """The type that a file describes. Where it is None, `unread` says why the file cannot be read at all, or
    `diagnostics` what is wrong in it.
    """

    type: DataType | None
    unread: Diagnostic | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


def is_schema_file(text: str) -> bool:
    """Whether a schema is the path of a file, and no DDL."""
    return _ending(text) in (*_KNOWN, *_OTHERS)


def read_schema_file(path: str, read: ReadFile, *, in_json: bool) -> SchemaFile:
    """Read a schema file. `path`: one that `is_schema_file` knows; `in_json`: whether the records are JSON, in which a
    STRING holds any value as text.
    """
    ending = _ending(path)
    if ending in _OTHERS:
        help = "give the path of an .avsc or a JSON Schema file, or the columns themselves: `id INT, name STRING`"
        return SchemaFile(None, Diagnostic("LSQ011", f"'{path}': {_OTHERS[ending]}", help=help))
    text = read(path)
    if text.text is None:
        # Where the bytes are wrong, the place in the file says more than that of its name.
        inside = tuple(d for d in text.diagnostics if d.code == "LSQ002")
        return SchemaFile(None, None, inside) if inside else SchemaFile(None, text.diagnostics[0])
    found = _read(ending, text.text, in_json)
    source = SourceText(path, text.text)
    return SchemaFile(found.type, None, tuple(_diagnostic(problem, source) for problem in found.problems))


def _read(ending: str, text: str, in_json: bool) -> SchemaRead:
    # Few projects have such files, and none should wait for what reads them.
    if ending == ".avsc":
        from lsqlc.types.avro_read import read_avro

        return read_avro(text)
    from lsqlc.types.json_schema_read import read_json_schema

    return read_json_schema(text, "text" if in_json else "refused")


def _ending(text: str) -> str:
    found = _FILE.fullmatch(text.strip())
    return found[1].lower() if found else ""


def _diagnostic(problem: SchemaProblem, source: SourceText) -> Diagnostic:
    code = "LSQ011" if problem.is_malformed else "LSQ035"
    span = source.span((problem.start, problem.end))
    return Diagnostic(code, problem.message, span, (f"at {problem.path}",), problem.help)
