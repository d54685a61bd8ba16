"""What a streaming query does with a batch, on the server: one segment per batch, exactly once.

These functions travel to the server pickled by value, since nothing of lsqlc is installed there: they use the standard
library alone and name nothing outside this module but builtins. A batch is fetched as Arrow, not written by a Spark
job: for the batches of a running query that takes half the time, and the lines come to be sorted on the way.

The rules, each found by killing servers: the segment is made complete aside and linked into `data`; the first link
wins, so that a replay changes nothing; a replay consumes its batch all the same, or the state cannot be committed; a
batch without lines leaves no segment. A query may live on where nobody watches it any more: what it makes aside lies in
a folder of its generation, which it never makes itself, so that none of its links succeeds once that is gone. The sum
of a segment (see `lsqlc.connectors.folders.sums`) is stored after its link. A replay stores it too where a crash came
between.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast

Publish = Callable[[Any, int], None]
Guard = tuple[Callable[[Any, int], tuple[list[str], int]], Callable[[str], str]]
"""What is called before a batch is computed: it gives lines to be written with it, and a number to be noted; and what
makes another text of an error that the batch ends with. See `batch_files`."""
F = TypeVar("F", bound=Callable[..., Any])


def publisher(folder: str, generation: str, epoch_base_ms: int, guard: Guard | None = None) -> Publish:
    """Append each batch of lines to the topic in that folder as `data/<generation>-<batch, 12 digits>.jsonl`.

    Lines stand in order of their ordinal. The modification time is `epoch_base_ms` plus the last one's first number.
    The folders `data`, `sums` and `tmp/<generation>` must be there. A number that `guard` gives is noted as
    `noted-<batch>` among what is made aside.
    """

    def publish(batch: Any, number: int) -> None:
        import json
        import os
        import re
        import uuid
        import zlib
        from pathlib import Path

        more, noted = guard[0](batch, number) if guard else ([], 0)
        try:
            lines = batch.toArrow().column(0).to_pylist() + more
        except Exception as error:
            text = str(error)
            if guard is None or (said := guard[1](text)) == text:
                raise
            raise RuntimeError(said) from None
        if noted:
            Path(folder, "tmp", generation, f"noted-{number}").write_text(str(noted), "utf-8")
        if not lines:
            return
        leading = re.compile(r'\{"ordinal":(-?\d+)[,}]')

        def ordinal(line: str) -> tuple[int, ...]:
            found = leading.match(line)
            if found:
                return (int(found[1]),)
            value = json.loads(line)["ordinal"]
            return (value,) if isinstance(value, int) else tuple(value)

        lines.sort(key=ordinal)
        data = Path(folder, "data")
        segment = data / f"{generation}-{number:012d}.jsonl"
        stored = Path(folder, "sums", f"{segment.stem}.sum")
        permissions = data.stat().st_mode & 0o666 | 0o600
        content = ("\n".join(lines) + "\n").encode()
        made = Path(folder, "tmp", generation, f"batch-{number}-{uuid.uuid4().hex}")
        aside = made.with_suffix(".sum")
        try:
            with made.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            # Whoever may read the topic may read its segments, whatever the umask of the server.
            made.chmod(permissions)
            modified = (epoch_base_ms + ordinal(lines[-1])[0]) * 1_000_000
            os.utime(made, ns=(modified, modified))
            try:
                os.link(made, segment)
            except FileExistsError:
                if stored.exists():
                    return
                content = segment.read_bytes()
            # On the disk before Spark notes that the batch is done.
            entries = os.open(data, os.O_RDONLY)
            try:
                os.fsync(entries)
            finally:
                os.close(entries)
            content_sum = {
                "records": content.count(b"\n"),
                "bytes": len(content),
                "crc32": f"{zlib.crc32(content):08x}",
            }
            aside.write_text(json.dumps(content_sum, separators=(",", ":")) + "\n", "utf-8")
            aside.chmod(permissions)
            aside.replace(stored)
        finally:
            made.unlink(missing_ok=True)
            aside.unlink(missing_ok=True)

    return placeless(publish)


def placeless(function: F) -> F:
    """The same function without the path of its file, which would travel with it to the server."""
    assert isinstance(function, FunctionType)
    named = {"__name__": function.__module__, "__builtins__": function.__globals__["__builtins__"]}
    code, defaults = _anonymous(function.__code__), function.__defaults__
    made = FunctionType(code, named, function.__name__, defaults, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return cast(F, made)


def _anonymous(code: CodeType) -> CodeType:
    inner = tuple(_anonymous(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename="lsqlc", co_consts=inner)


def by_value(*modules: str) -> None:
    """Make pyspark pickle the functions of this module, and of others, by value. Safe to call again."""
    import sys

    from pyspark import cloudpickle

    for name in (__name__, *modules):
        cloudpickle.register_pickle_by_value(sys.modules[name])  # type: ignore[no-untyped-call]
