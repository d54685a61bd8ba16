"""Words of files outside of programs: calls in templates, macros, codes of diagnostics, words of YAML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.snapshot import Snapshot

_CALL = re.compile(r"\b(ref|source)\(\s*(?:(['\"])([^'\"]*)\2\s*,\s*)?(['\"])([^'\"]*)\4\s*\)")
_TAG = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
_CODE = re.compile(r"\bLSQ\d{3}\b")
_WORD = re.compile(r"[\w.-]+")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class FileWord:
    """A word of a file: an argument of `ref` or `source`, the name of a `macro`, a `code`, or a `word` of YAML."""

    kind: Literal["ref", "source", "macro", "code", "word"]
    name: str
    at: Extent


def file_word(snapshot: Snapshot, path: str, offset: int) -> FileWord | None:
    """Return the word at an offset of a file; None if there is none, or if the file does not belong to the project.

    In a model only words of templates and codes are returned, in YAML all words.
    """
    text, kind = snapshot.texts.get(path), snapshot.kind(path)
    if text is None or kind is None:
        return None
    for code in _CODE.finditer(text, max(0, offset - 6), min(len(text), offset + 6)):
        if code.start() <= offset <= code.end():
            return FileWord("code", code[0], code.span())
    row_start, row_end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    row = slice(row_start, row_end if row_end >= 0 else len(text))
    if kind not in ("model", "macro"):
        return next((FileWord("word", m[0], m.span()) for m in _WORD.finditer(text, row.start, row.stop)
                     if m.start() <= offset <= m.end()), None)  # fmt: skip
    tag = next((m for m in _TAG.finditer(text) if m.start() <= offset <= m.end()), None)
    if tag is None:
        return None
    for call in _CALL.finditer(text, tag.start(), tag.end()):
        if call.start() <= offset <= call.end():
            return FileWord("ref" if call[1] == "ref" else "source", call[5], call.span(5))
    return next((FileWord("macro", m[0], m.span()) for m in _NAME.finditer(text, tag.start(), tag.end())
                 if m.start() <= offset <= m.end()), None)  # fmt: skip


def macro_place(text: str, name: str) -> Extent | None:
    """Return the extent of a macro's name in its definition."""
    match = re.search(rf"\{{%-?\s*macro\s+({re.escape(name)})\s*\(", text)
    return match.span(1) if match else None
