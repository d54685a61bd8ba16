"""Avro schemas that use named types of other files, and the comments in schema files.

Avro's tools read files in a sequence, and each file may use the types of the files before it. Here the listed files
define types in any order. One other file of the same folder may define a name that no listed file defines. Generated
files contain all types that they use, so several files may have the same definition.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from lsqlc.formats.schema_file import Part, Report, SchemaProblem, SchemaRead, parse

_NAMED = ("record", "error", "enum", "fixed")
_NAMES = {"name": "", "namespace": "", "doc": ""}
# A string, which is kept, or a comment. An unclosed one matches the rest, and is kept. Otherwise the rest of the file
# would be searched again from each possible start.
_TEXT_OR_COMMENT = re.compile(r'(?P<kept>"(?:[^"\\\n]|\\.)*+"?|/\*(?!.*?\*/).*)|//[^\n\r]*|/\*.*?\*/', re.DOTALL)


@dataclass(frozen=True, slots=True)
class AvroFile:
    """An `.avsc` file. `path`: the path that its problems are reported with."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of a named type, and the namespace around it."""

    part: Part
    namespace: str


def parse_avro_file(file: AvroFile) -> Part | SchemaRead:
    """Parse the JSON of a file. Comments are white space, as in Avro's parser for Java."""
    return parse(without_comments(file.text), file.path)


def without_comments(text: str) -> str:
    """Replace `//` and `/* */` comments by blanks, so that all other characters keep their positions.

    >>> without_comments('{"a": 1, // "b"')
    '{"a": 1,       '
    """
    return _TEXT_OR_COMMENT.sub(lambda m: m["kept"] or re.sub(r"[^\n\r]", " ", m[0]), text)


def full_name(part: Part, namespace: str) -> str | None:
    """Return the full name of the type that is defined at `part`, inside of a namespace; None without a name."""
    name = part.text_at("name")
    if not name:
        return None
    own_namespace = part.get("namespace")
    around = (own_namespace.text or "") if own_namespace else namespace
    return name if "." in name or not around else f"{around}.{name}"


def is_same(a: Part, b: Part) -> bool:
    """Return whether two definitions of one full name have the same JSON, apart from the type's documentation."""
    # Numbers as texts: Python refuses to convert those of more than 4,300 digits.
    one, other = (json.loads(part.node.text, parse_int=str, parse_float=str) for part in (a, b))
    # The namespace is part of the full name, and may be that of the enclosing type.
    return bool({**one, **_NAMES} == {**other, **_NAMES})


def definitions(root: Part) -> Iterator[tuple[str, Definition]]:
    """Yield the named types that a file defines at any level, with their full names."""
    pending = [(root, "")]
    while pending:
        part, namespace = pending.pop()
        pending += [(item, namespace) for item in reversed(part.items())]
        inside = namespace
        if part.text_at("type") in _NAMED and (name := full_name(part, namespace)) is not None:
            yield name, Definition(part, namespace)
            inside = name.rpartition(".")[0]
        fields = part.get("fields")
        types = [f.get("type") for f in (fields.items() if fields else [])]
        inner = [part.get(word) for word in ("type", "items", "values")]
        pending += [(p, inside) for p in (*inner, *reversed(types)) if p is not None and p.text is None]


@dataclass(slots=True)
class AvroFiles:
    """A schema file, and the files whose types it may use. `listed`: files that the declaration lists before it;
    `siblings`: returns the other files of its folder; it is called at most once, if no listed file defines a name.
    """

    own: AvroFile
    listed: Sequence[AvroFile] = ()
    siblings: Callable[[], Sequence[AvroFile]] = tuple
    # By full name, the definitions in siblings; None before these were read.
    _in_siblings: dict[str, list[Definition]] | None = field(default=None, init=False)
    _broken: list[SchemaProblem] = field(default_factory=list, init=False)

    def of_listed(self, report: Report) -> dict[str, Definition]:
        """Return the types of the listed files by full name, and report a name with several definitions."""
        by_name: dict[str, Definition] = {}
        for file in self.listed:
            root = parse_avro_file(file)
            if isinstance(root, SchemaRead):
                report.problems += root.problems
                continue
            for name, definition in definitions(root):
                first = by_name.setdefault(name, definition)
                if first is definition or (first.part.file != file.path and is_same(first.part, definition.part)):
                    continue
                where = f"in '{first.part.file}' too" if first.part.file != file.path else "twice in this file"
                place = definition.part.get("name") or definition.part
                report.malformed(place, f"the type '{name}' is defined {where}", "remove one of the definitions")
        return by_name

    def of_siblings(self, name: str, part: Part, report: Report) -> Definition | None:
        """Return the definition of a full name in the other files of the folder. Report several definitions at `part`,
        which uses the name. Report the files that cannot be parsed if there is no definition.
        """
        if self._in_siblings is None:
            self._in_siblings = {}
            for file in self.siblings():
                root = parse_avro_file(file)
                if isinstance(root, SchemaRead):
                    self._broken += root.problems
                    continue
                for other, definition in definitions(root):
                    same = self._in_siblings.setdefault(other, [])
                    if not any(is_same(same_name.part, definition.part) for same_name in same):
                        same.append(definition)
        matches = self._in_siblings.get(name, [])
        if len(matches) > 1:
            paths = sorted({definition.part.file for definition in matches})
            message = f"the type '{name}' has several definitions in this folder: {', '.join(paths)}"
            report.malformed(part, message, f"list the file that is meant: `schema: [{paths[0]}, {self.own.path}]`")
        if not matches:
            report.problems += self._broken
        return matches[0] if matches else None
