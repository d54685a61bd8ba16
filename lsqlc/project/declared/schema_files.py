"""Schemas of topics in separate files: Avro (`.avsc`) and JSON Schema (`.json`, `.jsonschema`).

A path is relative to the project's root. An error in a file is reported at its position there, with its path in the
schema. A file that cannot be read is reported at the position that names it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.source import SourceText
from lsqlc.formats.catalogue import schema_kinds
from lsqlc.formats.record import SchemaSources
from lsqlc.formats.schema_file import SchemaProblem, SchemaRead
from lsqlc.project.files import Text
from lsqlc.types.data import DataType


@dataclass(frozen=True, slots=True)
class ReadableFiles:
    """The files that a declaration can name, by their paths in the project. `read`: the text of one; without text, the
    diagnostics say why. `names`: those directly in a folder that may be parts of a schema, in order.
    """

    read: Callable[[str], Text]
    names: Callable[[str], Sequence[str]]


_OTHERS = {
    ".proto": "Protobuf schemas are not supported",
    ".avdl": "Avro protocols are not supported",
    ".avpr": "Avro protocols are not supported",
    ".avro": "a file of Avro records is not a schema",
    ".xsd": "XML schemas are not supported",
}
_FILE = re.compile(r"[^<>,()]*(\.[a-z]+)", re.IGNORECASE)


def _no_file(path: str) -> Text:
    help = "write the columns instead, such as `id INT, name STRING`"
    return Text(path, None, (Diagnostic("LSQ011", f"the schema file '{path}' is not in a project", help=help),))


NO_FILES = ReadableFiles(_no_file, lambda folder: ())
"""No files: for a declaration outside of a project."""


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """The type that a file describes.

    If it is None, `unread` is the reason why the file cannot be read, or `diagnostics` are the errors in it.
    """

    type: DataType | None
    unread: Diagnostic | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


def listed_endings() -> tuple[str, ...]:
    """Return the endings of files that may be parts of one schema."""
    return tuple(ending for kind in schema_kinds() if kind.lists_files for ending in kind.endings)


def is_schema_file(text: str) -> bool:
    """Return whether a schema is the path of a file, and no DDL."""
    ending = ending_of(text)
    return ending in _OTHERS or any(ending in kind.endings for kind in schema_kinds())


def read_schema_files(paths: Sequence[str], files: ReadableFiles, *, in_json: bool) -> SchemaFile:
    """Read the schema in the last of several files.

    `paths`: file paths (see `is_schema_file`). Those before the last define Avro types that it uses. `in_json`: the
    records are JSON, in which a STRING holds any value as text.
    """
    texts: dict[str, str] = {}
    for path in paths:
        ending = ending_of(path)
        if ending in _OTHERS:
            help = "give the path of an .avsc or a JSON Schema file, or the columns themselves: `id INT, name STRING`"
            return SchemaFile(None, Diagnostic("LSQ011", f"'{path}': {_OTHERS[ending]}", help=help))
        text = files.read(path)
        if text.text is None:
            # A position in the file is more precise than the position of its name.
            inside = tuple(d for d in text.diagnostics if d.code == "LSQ002")
            return SchemaFile(None, None, inside) if inside else SchemaFile(None, text.diagnostics[0])
        texts[path] = text.text
    unread: list[Diagnostic] = []
    schema = _read(paths, texts, files, unread, in_json)
    sources = {path: SourceText(path, text) for path, text in texts.items()}
    problems = [_diagnostic(problem, sources[problem.file or paths[-1]]) for problem in schema.problems]
    return SchemaFile(schema.type, None, (*problems, *unread) if schema.type is None else ())


def _read(
    paths: Sequence[str], texts: dict[str, str], files: ReadableFiles, unread: list[Diagnostic], in_json: bool
) -> SchemaRead:
    """Read the schema in the last file.

    `texts`: the texts of the files, to which those of siblings are added. `unread`: receives the reasons why siblings
    could not be read.
    """
    own = paths[-1]
    kind = next(kind for kind in schema_kinds() if ending_of(own) in kind.endings)
    assert kind.read_files is not None, "a kind with endings reads files"

    def siblings() -> Iterator[tuple[str, str]]:
        folder = posixpath.dirname(own)
        listed_paths = {posixpath.normpath(path) for path in texts}
        for path in (posixpath.join(folder, name) for name in files.names(folder)):
            if posixpath.normpath(path) in listed_paths:
                continue
            text = files.read(path)
            if text.text is None:
                unread.extend(text.diagnostics)
            else:
                texts[path] = text.text
                yield path, text.text

    own_texts = {path: texts[path] for path in paths}
    return kind.read_files(SchemaSources(own_texts, lambda: tuple(siblings()), in_json))


def ending_of(text: str) -> str:
    """Return the ending of a path in lower case, with its point; empty for a text that is not a path."""
    match = _FILE.fullmatch(text.strip())
    return match[1].lower() if match else ""


def _diagnostic(problem: SchemaProblem, source: SourceText) -> Diagnostic:
    code = "LSQ011" if problem.is_malformed else "LSQ035"
    span = source.span((problem.start, problem.end))
    return Diagnostic(code, problem.message, span, (f"at {problem.path}",), problem.help)
