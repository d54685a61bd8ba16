"""The completions of the SQL prompt: its own words, and those of the language server for the text of a model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsqlc import __version__
from lsqlc.tasks.statements import statements

if TYPE_CHECKING:
    from lsqlc.editor.snapshot import Snapshot

_STATEMENTS = ("SELECT", "EXPLAIN", "SHOW", "DESCRIBE", "PRINT", "SET", "HELP", "EXIT")
_LISTS = ("TOPICS", "STREAMS", "TABLES", "QUERIES", "FUNCTIONS")


@dataclass(frozen=True, slots=True)
class Insertion:
    """A completion. `replaced`: how many characters before the cursor it replaces; `detail`: what it is."""

    text: str
    replaced: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Project:
    """The project as the language server sees it. `path`: the file of the statement; `before`: the declarations of
    streams and tables, which precede a statement of ksqlDB; `names`: those of topics, models, streams and tables.
    """

    snapshot: Snapshot
    path: str
    before: str
    names: tuple[str, ...]


class Completions:
    """The completions in a project, which is read on first use, and again after `refresh`."""

    def __init__(self, root: Path, vars: Mapping[str, Any], dialect: str) -> None:
        self._root, self._vars, self._dialect = root, vars, dialect
        self._project: _Project | None = None
        self._is_stale = True

    def refresh(self) -> None:
        """Read the project again before the next completion: its files may have changed."""
        self._is_stale = True

    def at(self, text: str, offset: int) -> Iterator[Insertion]:
        """Yield the completions at an offset of a text."""
        last = next(reversed(list(statements(text[:offset], backslashes=self._dialect == "sql"))), None)
        start = offset if last is None or last.is_closed else last.start
        words = text[start:offset].split()
        typed = words.pop() if words and not text[offset - 1].isspace() else ""
        first = words[0].upper() if words else ""
        if not words:
            yield from _matching(_STATEMENTS, typed)
        elif first in ("SHOW", "LIST"):
            yield from _matching(_LISTS if len(words) == 1 else (), typed)
        elif first in ("DESCRIBE", "DESC", "PRINT") and len(words) == 1:
            yield from _matching(self._read().names, typed)
        elif first == "PRINT":
            yield from _matching(("FROM BEGINNING", "LIMIT"), typed)
        elif first == "EXPLAIN" and len(words) == 1:
            yield from _matching(("SELECT", *self._read().names), typed)
        else:
            # The query behind EXPLAIN.
            start += len("EXPLAIN") if first == "EXPLAIN" else 0
            yield from self._in_query(text[start:], offset - start)

    def _in_query(self, text: str, offset: int) -> Iterator[Insertion]:
        from lsqlc.editor.completion import completion

        project = self._read()
        whole, place = project.before + text, len(project.before) + offset
        answer = completion(project.snapshot.typed({project.path: whole}), project.path, place)
        if answer is None:
            return
        # A completion may replace text behind the cursor, which stays here.
        typed = whole[answer.at[0] : place]
        for item in sorted(answer.items, key=lambda item: (item.rank, item.label)):
            if item.label.upper().startswith(typed.strip("`").upper()):
                insert = f"{item.label}(" if item.snippet else item.insert or item.label
                yield Insertion(insert, len(typed), item.detail)

    def _read(self) -> _Project:
        if self._project is None or self._is_stale:
            self._is_stale = False
            from lsqlc.dialects import dialect
            from lsqlc.editor.snapshot import Surroundings, take
            from lsqlc.project.declared.config import project_config
            from lsqlc.tasks.query import declarations, query_files

            folder = project_config(self._root).model_paths[0]
            files = {path: content.decode() for path, content in query_files(folder, "", self._dialect).items()}
            before = None if self._project is None else self._project.snapshot
            snapshot = take(self._root, files, Surroundings(__version__, dict(os.environ), self._vars), before)
            compilation = snapshot.compilation
            declared = declarations(compilation) if compilation is not None else {}
            declares = dialect(self._dialect).declares_sources
            prefix = "".join(f"{text}\n" for text in declared.values()) if declares else ""
            models = compilation.models if compilation is not None else ()
            path = next(iter(files))
            own = path.rsplit("/", 1)[-1].removesuffix(".sql")
            names = tuple(sorted({*snapshot.topics, *models, *declared} - {own}))
            self._project = _Project(snapshot, path, prefix, names)
        return self._project


def _matching(names: Sequence[str], typed: str) -> Iterator[Insertion]:
    prefix = typed.strip("'`").upper()
    return (Insertion(name, len(typed)) for name in names if name.upper().startswith(prefix))
