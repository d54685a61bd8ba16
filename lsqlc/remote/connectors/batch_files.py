"""Whether the files of a batch can be read at all, looked at on the server where the batch is: Spark itself passes
silently over a file that has gone since it was listed.

The function travels to the server pickled by value, as `publish` does: standard library alone, and pyarrow, which the
batch itself needs. What it finds goes one of three ways. A file that is gone, or that the client has said cannot be
read, is told as the query's error policy asks. What a file of Parquet says it has, but the client has not judged yet,
ends the query with a question (`Told`), and so does a file that breaks while it is read: the client answers and starts
the query again, which repeats the batch.

That a file is there when the batch begins to be computed is enough: Spark has listed it by then, and fails if it goes
before it is read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from lsqlc.remote.connectors.publish import Guard, placeless

# What a guard is told of one topic: its name, the folder that paths are told from, the topic's root below it, whether
# it is of Parquet, what becomes of a file that cannot be read (`FileSource.unreadable`), the reasons by path of those
# that are known, the forms of Parquet files that can be read, and SQL that leaves out what a filter does not want.
Watched = tuple[str, str, str, bool, str, dict[str, str], frozenset[str], str]

_MARK = re.compile(r"LSQLC:([0-9a-f]+):LSQLC")


@dataclass(frozen=True, slots=True)
class Told:
    """What a guard says by an error. `unread`: files that the policy does not pass over; `broken`: those that Spark
    could not read; `unknown`: those of a form that nobody has judged; `again`: another file has come or one has gone.
    `files`: topic, path from the project's root, and the reason or the form.
    """

    kind: Literal["unread", "broken", "unknown", "again"]
    files: tuple[tuple[str, str, str], ...]


def told(error: str) -> Told | None:
    """What a guard has said in an error's text.

    >>> told("... LSQLC:" + b'["again", [["t", "a.csv", ""]]]'.hex() + ":LSQLC ...")
    Told(kind='again', files=(('t', 'a.csv', ''),))
    """
    found = _MARK.search(error)
    if found is None:
        return None
    kind, files = json.loads(bytes.fromhex(found[1]))
    return Told(kind, tuple((topic, path, why) for topic, path, why in files))


def guard(checkpoint: str, watched: tuple[Watched, ...]) -> Guard:
    """For the batches of one query, whose checkpoint lies in that folder: what is called before each gives the letters
    to be written, and the number of files that are to be counted.
    """

    def question(kind: str, files: list[tuple[str, str, str]]) -> str:
        import json

        return f"LSQLC:{json.dumps([kind, files]).encode().hex()}:LSQLC"

    def listed(number: int) -> list[str]:
        """The files of a batch, as Spark has noted them for each of its sources before it reads them."""
        import json
        from pathlib import Path

        found = []
        now, before = offsets(checkpoint, number), offsets(checkpoint, number - 1)
        for source, last in enumerate(now):
            first = before[source] + 1 if source < len(before) else 0
            notes = Path(checkpoint) / "sources" / str(source)
            for entry in range(first, last + 1):
                note = notes / str(entry)
                # Every tenth holds all that came before it as well.
                text = (note if note.exists() else notes / f"{entry}.compact").read_text("utf-8")
                rows = (json.loads(line) for line in text.splitlines()[1:])
                found += [place(row["path"]) for row in rows if row["batchId"] == entry]
        return found

    def unwanted(batch: Any, sql: str, paths: list[str]) -> set[str]:
        if not sql:
            return set()
        quoted = ", ".join("'" + p.replace("\\", "\\\\").replace("'", "\\'") + "'" for p in paths)
        rows = batch.sparkSession.sql(sql.replace("$FILES", f"(SELECT explode(array({quoted})) AS _path)")).collect()
        return set(paths) - {row[0] for row in rows}

    def before(batch: Any, number: int) -> tuple[list[str], int]:
        import json
        import os

        letters, count = [], 0
        failed: list[tuple[str, str, str]] = []
        unknown: list[tuple[str, str, str]] = []
        files = listed(number)
        for topic, project, root, is_parquet, then, known, fine, wanted in watched:
            top = f"{project}/"
            below = [f[len(top) :] for f in files if f.startswith(f"{top}{root}/") or f == f"{top}{root}"]
            bad: dict[str, str] = {}
            asked: dict[str, str] = {}
            for path in dict.fromkeys(below):
                if path in known:
                    bad[path] = known[path]
                elif not os.path.exists(top + path):  # noqa: PTH110 - nothing of this module's globals travels
                    bad[path] = "the file is gone"
                elif is_parquet and path not in fine:
                    found = form(top + path)
                    if found not in fine:
                        asked[path] = found
            out = unwanted(batch, wanted, [*bad, *asked]) if bad or asked else set()
            unknown += [(topic, path, found) for path, found in asked.items() if path not in out]
            for path in (p for p in bad if p not in out):
                count += then == "count"
                if then == "fail":
                    failed.append((topic, path, bad[path]))
                elif then == "letter":
                    value = {"topic": topic, "ordinal": None, "reason": f"{path}: {bad[path]}", "record": path}
                    line = {"ordinal": 0, "timestamp": 0, "key": None, "value": value}
                    letters.append(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
        if unknown or failed:
            raise RuntimeError(question("unknown", unknown) if unknown else question("unread", failed))
        return letters, count

    def after(error: str) -> str:
        import re

        if "does not conform to the schema" in error or "came while the query started" in error:
            return question("again", [])
        found = re.search(r"file (file:/\S+)", error) if "FAILED_READ_FILE" in error else None
        if found is None:
            return error
        path = place(found[1].rstrip("."))
        for topic, project, root, *_ in watched:
            if f"{path}/".startswith(f"{project}/{root}/"):
                kind = "again" if "FILE_NOT_EXIST" in error else "broken"
                return question(kind, [(topic, path[len(project) + 1 :], "")])
        return error

    form, place, offsets = placeless(form_of), placeless(local_path), placeless(offsets_of)
    question = placeless(question)
    listed, unwanted = placeless(listed), placeless(unwanted)
    return placeless(before), placeless(after)


def form_of(path: str) -> str:
    """What columns a file of Parquet says it has, as text; nothing if that cannot be told."""
    try:
        from pyarrow import parquet

        return str(parquet.read_schema(path).remove_metadata())
    except Exception:
        # Whatever it is, the client looks at the file with another reader and finds the words for it.
        return ""


def local_path(uri: str) -> str:
    """The path that Spark writes as a URI.

    >>> local_path("file:///data/a%20b+.csv")
    '/data/a b+.csv'
    """
    from urllib.parse import unquote

    return "/" + unquote(uri.removeprefix("file:")).lstrip("/")


def offsets_of(checkpoint: str, batch: int) -> list[int]:
    """How far each source of a query was read when a batch of it began: numbers of the notes in `sources/<n>`; nothing
    of a batch that there is not, or no more.
    """
    import json
    from pathlib import Path

    try:
        lines = (Path(checkpoint) / "offsets" / str(batch)).read_text("utf-8").splitlines()[2:]
    except FileNotFoundError:
        return []
    return [json.loads(line).get("logOffset", -1) if line.startswith("{") else -1 for line in lines]
