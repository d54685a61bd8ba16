"""Named types of Avro that are defined in other files than the one that uses them, and comments in such files.

Avro's tools read several files in a row, each of which may use the types of those before it. Here the files that are
listed define types in any order. A name that none of them defines may be defined by one other file of the same folder.
Files may repeat a definition: generated ones contain all that they use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from lsqlc.formats.schema_file import Part, Report, SchemaProblem, SchemaRead, parse

_NAMED = ("record", "error", "enum", "fixed")
_NAMES = {"name": "", "namespace": "", "doc": ""}
# A text, which is kept, or a comment. What has no end is matched up to where one could be, and kept: if it were not
# matched, the rest of the file would be searched again from each place where one begins.
_TEXT_OR_COMMENT = re.compile(r'(?P<kept>"(?:[^"\\\n]|\\.)*+"?|/\*(?!.*?\*/).*)|//[^\n\r]*|/\*.*?\*/', re.DOTALL)


@dataclass(frozen=True, slots=True)
class AvroFile:
    """An `.avsc` file. `path`: as problems in it are reported."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a named type is defined, and the namespace around it."""

    part: Part
    namespace: str


def parse_avro_file(file: AvroFile) -> Part | SchemaRead:
    """The JSON of a file, in which comments are blanks, as in Avro's parser for Java."""
    return parse(without_comments(file.text), file.path)


def without_comments(text: str) -> str:
    """The text with blanks in place of `//` and `/* */` comments, so that each other character keeps its position.

    >>> without_comments('{"a": 1, // "b"')
    '{"a": 1,       '
    """
    return _TEXT_OR_COMMENT.sub(lambda m: m["kept"] or re.sub(r"[^\n\r]", " ", m[0]), text)


def full_name(part: Part, namespace: str) -> str | None:
    """The full name of a type that is defined at a part, inside of a namespace; None for one without a name."""
    name = part.text_at("name")
    if not name:
        return None
    given = part.get("namespace")
    around = (given.text or "") if given else namespace
    return name if "." in name or not around else f"{around}.{name}"


def is_same(a: Part, b: Part) -> bool:
    """Whether two definitions of one full name have the same JSON, the documentation of the type aside."""
    # Numbers as texts: Python refuses to read those of more than 4,300 digits.
    one, other = (json.loads(part.node.text, parse_int=str, parse_float=str) for part in (a, b))
    # The namespace is part of the full name, and may be that of the type around it.
    return bool({**one, **_NAMES} == {**other, **_NAMES})


def definitions(root: Part) -> Iterator[tuple[str, Definition]]:
    """The named types that a file defines at any level, by their full names."""
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
    """A file, and where it finds types that it does not define. `listed`: files that go before it; `siblings`: gives
    the other files of its folder, and is called once at most, for the first name that no listed file defines.
    """

    own: AvroFile
    listed: Sequence[AvroFile] = ()
    siblings: Callable[[], Sequence[AvroFile]] = tuple
    # By full name, the definitions in siblings; None before these were read.
    _in_siblings: dict[str, list[Definition]] | None = field(default=None, init=False)
    _broken: list[SchemaProblem] = field(default_factory=list, init=False)

    def of_listed(self, report: Report) -> dict[str, Definition]:
        """The types of the listed files by full name. A name that is defined twice is reported."""
        found: dict[str, Definition] = {}
        for file in self.listed:
            root = parse_avro_file(file)
            if isinstance(root, SchemaRead):
                report.problems += root.problems
                continue
            for name, definition in definitions(root):
                first = found.setdefault(name, definition)
                if first is definition or (first.part.file != file.path and is_same(first.part, definition.part)):
                    continue
                where = f"in '{first.part.file}' too" if first.part.file != file.path else "twice in this file"
                place = definition.part.get("name") or definition.part
                report.malformed(place, f"the type '{name}' is defined {where}", "remove one of the definitions")
        return found

    def of_siblings(self, name: str, part: Part, report: Report) -> Definition | None:
        """The one definition of a full name in the other files of the folder. Several are reported at `part`, which
        uses the name. If there is none, what keeps files from being read is reported.
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
                    if not any(is_same(known.part, definition.part) for known in same):
                        same.append(definition)
        found = self._in_siblings.get(name, [])
        if len(found) > 1:
            paths = sorted({definition.part.file for definition in found})
            message = f"the type '{name}' has several definitions in this folder: {', '.join(paths)}"
            report.malformed(part, message, f"list the file that is meant: `schema: [{paths[0]}, {self.own.path}]`")
        if not found:
            report.problems += self._broken
        return found[0] if found else None
