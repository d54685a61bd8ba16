"""Check on the server that the files of a batch can be read. Spark ignores a file that was removed after its listing.

The functions are pickled by value and sent to the server, as in `publish`. They use the standard library and pyarrow,
which the batch needs anyway. There are three kinds of results:

- A file was removed, or the client has found that it cannot be read. It is handled by the query's error policy.
- The columns of a Parquet file are not known to the client. The query ends with a request (`Told`).
- A file is damaged. The query ends with a request as well.

After a request, the client decides about the file, and starts the query again, which repeats the batch. A file must
exist at the start of a batch. Spark has listed it by then, and fails if it is removed before it is read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from lsqlc.remote.connectors.publish import Guard, placeless

# The arguments of a guard for a topic:
# - its name, the folder that paths are relative to, and the topic's root in it
# - whether its files are of Parquet
# - the handling of files that cannot be read (`FileSource.unreadable`)
# - by path, the reasons why files cannot be read, as far as they are known
# - the schemas of Parquet files that can be read
# - SQL that returns the files of `$FILES` that a filter selects; empty for all files
Watched = tuple[str, str, str, bool, str, dict[str, str], frozenset[str], str]

_MARK = re.compile(r"LSQLC:([0-9a-f]+):LSQLC")


@dataclass(frozen=True, slots=True)
class Told:
    """The request of a guard, which it sends as the text of an error.

    - `unread`: files that the policy does not skip. `broken`: files that Spark could not read.
    - `unknown`: Parquet files with a schema that the client has not checked.
    - `again`: a file was added or removed.

    `files`: topic, path relative to the project, and the reason or the schema.
    """

    kind: Literal["unread", "broken", "unknown", "again"]
    files: tuple[tuple[str, str, str], ...]


def told(error: str) -> Told | None:
    """Parse the request of a guard in the text of an error; None if there is none.

    >>> told("... LSQLC:" + b'["again", [["t", "a.csv", ""]]]'.hex() + ":LSQLC ...")
    Told(kind='again', files=(('t', 'a.csv', ''),))
    """
    match = _MARK.search(error)
    if match is None:
        return None
    kind, files = json.loads(bytes.fromhex(match[1]))
    return Told(kind, tuple((topic, path, why) for topic, path, why in files))


def guard(checkpoint: str, watched: tuple[Watched, ...]) -> Guard:
    """Return the guard of a query. `checkpoint`: the folder of its checkpoint.

    The first function of a guard is called before each batch. It returns the lines of dead letters to write, and the
    number of skipped files to count. The second function changes the text of an error into a request.
    """

    def question(kind: str, files: list[tuple[str, str, str]]) -> str:
        import json

        return f"LSQLC:{json.dumps([kind, files]).encode().hex()}:LSQLC"

    def files_of(number: int) -> list[str]:
        """Return the files of a batch, from the logs of Spark's file sources, which are written before the batch."""
        import json
        from pathlib import Path

        paths = []
        now, before = offsets(checkpoint, number), offsets(checkpoint, number - 1)
        for source, last in enumerate(now):
            first = before[source] + 1 if source < len(before) else 0
            notes = Path(checkpoint) / "sources" / str(source)
            for entry in range(first, last + 1):
                note = notes / str(entry)
                # Each tenth entry repeats all files of the earlier ones.
                text = (note if note.exists() else notes / f"{entry}.compact").read_text("utf-8")
                rows = (json.loads(line) for line in text.splitlines()[1:])
                paths += [place(row["path"]) for row in rows if row["batchId"] == entry]
        return paths

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
        files = files_of(number)
        for topic, project, root, is_parquet, then, reasons, fine, selection in watched:
            top = f"{project}/"
            below = [f[len(top) :] for f in files if f.startswith(f"{top}{root}/") or f == f"{top}{root}"]
            bad: dict[str, str] = {}
            forms: dict[str, str] = {}
            for path in dict.fromkeys(below):
                if path in reasons:
                    bad[path] = reasons[path]
                elif not os.path.exists(top + path):  # noqa: PTH110 - the globals of this module are not sent
                    bad[path] = "the file is gone"
                elif is_parquet and path not in fine:
                    schema = form(top + path)
                    if schema not in fine:
                        forms[path] = schema
            out = unwanted(batch, selection, [*bad, *forms]) if bad or forms else set()
            unknown += [(topic, path, schema) for path, schema in forms.items() if path not in out]
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
        match = re.search(r"file (file:/\S+)", error) if "FAILED_READ_FILE" in error else None
        if match is None:
            return error
        path = place(match[1].rstrip("."))
        for topic, project, root, *_ in watched:
            if f"{path}/".startswith(f"{project}/{root}/"):
                kind = "again" if "FILE_NOT_EXIST" in error else "broken"
                return question(kind, [(topic, path[len(project) + 1 :], "")])
        return error

    form, place, offsets = placeless(form_of), placeless(local_path), placeless(offsets_of)
    question = placeless(question)
    files_of, unwanted = placeless(files_of), placeless(unwanted)
    return placeless(before), placeless(after)


def form_of(path: str) -> str:
    """Return the schema of a Parquet file, as text; empty if it cannot be read."""
    try:
        from pyarrow import parquet

        return str(parquet.read_schema(path).remove_metadata())
    except Exception:
        # The client reads the file with DuckDB, and reports the error.
        return ""


def local_path(uri: str) -> str:
    """Return the path of a URI of Spark.

    >>> local_path("file:///data/a%20b+.csv")
    '/data/a b+.csv'
    """
    from urllib.parse import unquote

    return "/" + unquote(uri.removeprefix("file:")).lstrip("/")


def offsets_of(checkpoint: str, batch: int) -> list[int]:
    """Return the end of each source in a batch: numbers of entries in `sources/<n>`.

    The result is empty for a batch that does not exist, or that Spark has removed.
    """
    import json
    from pathlib import Path

    try:
        lines = (Path(checkpoint) / "offsets" / str(batch)).read_text("utf-8").splitlines()[2:]
    except FileNotFoundError:
        return []
    return [json.loads(line).get("logOffset", -1) if line.startswith("{") else -1 for line in lines]
