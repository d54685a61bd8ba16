"""Write the batches of a streaming query on the server: one segment per batch, exactly once.

The functions are pickled by value and sent to the server, which does not have lsqlc. They use only the standard
library, and no name of this module. A batch is fetched as Arrow data, and not written by a Spark job. This takes half
the time, and the lines can be sorted.

The rules, which were verified by killing servers:

- A segment is written completely into a temporary file, and then linked into `data`. The first link wins, so a replay
  changes nothing.
- A replay must still consume its batch. Otherwise Spark cannot commit the state.
- A batch without lines has no segment.
- A query may still run after its client has ended. Its temporary files are in a folder of its generation, which the
  query does not create. After the removal of that folder, it cannot link any segment.
- The sum of a segment (see `lsqlc.connectors.folders.sums`) is stored after its link. A replay stores it too, for a
  crash in between.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast

Publish = Callable[[Any, int], None]
Guard = tuple[Callable[[Any, int], tuple[list[str], int]], Callable[[str], str]]
"""Two functions, see `batch_files`.

The first one is called before a batch. It returns lines to write with the batch, and a number to store. The second one
changes the text of an error of the batch.
"""
F = TypeVar("F", bound=Callable[..., Any])


def publisher(folder: str, generation: str, epoch_base_ms: int, guard: Guard | None = None) -> Publish:
    """Return a function that appends each batch of lines to a topic, as `data/<generation>-<batch, 12 digits>.jsonl`.

    `folder`: that of the topic. Lines are sorted by their ordinals. The modification time of the segment is
    `epoch_base_ms` plus the first number of the last ordinal. The folders `data`, `sums` and `tmp/<generation>` must
    exist. A number that `guard` returns is stored as `tmp/<generation>/noted-<batch>`.
    """

    def publish(batch: Any, number: int) -> None:
        import json
        import os
        import re
        import uuid
        import zlib
        from pathlib import Path

        more, skipped_files = guard[0](batch, number) if guard else ([], 0)
        try:
            lines = batch.toArrow().column(0).to_pylist() + more
        except Exception as error:
            text = str(error)
            if guard is None or (request := guard[1](text)) == text:
                raise
            raise RuntimeError(request) from None
        if skipped_files:
            Path(folder, "tmp", generation, f"noted-{number}").write_text(str(skipped_files), "utf-8")
        if not lines:
            return
        leading = re.compile(r'\{"ordinal":(-?\d+)[,}]')

        def ordinal(line: str) -> tuple[int, ...]:
            match = leading.match(line)
            if match:
                return (int(match[1]),)
            value = json.loads(line)["ordinal"]
            return (value,) if isinstance(value, int) else tuple(value)

        lines.sort(key=ordinal)
        data = Path(folder, "data")
        segment = data / f"{generation}-{number:012d}.jsonl"
        sum_file = Path(folder, "sums", f"{segment.stem}.sum")
        permissions = data.stat().st_mode & 0o666 | 0o600
        content = ("\n".join(lines) + "\n").encode()
        temporary = Path(folder, "tmp", generation, f"batch-{number}-{uuid.uuid4().hex}")
        temporary_sum = temporary.with_suffix(".sum")
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            # A segment has the permissions of the topic, whatever the umask of the server is.
            temporary.chmod(permissions)
            modified = (epoch_base_ms + ordinal(lines[-1])[0]) * 1_000_000
            os.utime(temporary, ns=(modified, modified))
            try:
                os.link(temporary, segment)
            except FileExistsError:
                if sum_file.exists():
                    return
                content = segment.read_bytes()
            # The link must be on the disk before Spark commits the batch.
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
            temporary_sum.write_text(json.dumps(content_sum, separators=(",", ":")) + "\n", "utf-8")
            temporary_sum.chmod(permissions)
            temporary_sum.replace(sum_file)
        finally:
            temporary.unlink(missing_ok=True)
            temporary_sum.unlink(missing_ok=True)

    return placeless(publish)


def placeless(function: F) -> F:
    """Return the function without the path of its file, and without its globals, which would be sent to the server."""
    assert isinstance(function, FunctionType)
    own_globals = {"__name__": function.__module__, "__builtins__": function.__globals__["__builtins__"]}
    code, defaults = _anonymous(function.__code__), function.__defaults__
    copy = FunctionType(code, own_globals, function.__name__, defaults, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return cast(F, copy)


def _anonymous(code: CodeType) -> CodeType:
    inner = tuple(_anonymous(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename="lsqlc", co_consts=inner)


def by_value(*modules: str) -> None:
    """Make pyspark pickle the functions of this module, and of others, by value. A second call does nothing."""
    import sys

    from pyspark import cloudpickle

    for name in (__name__, *modules):
        cloudpickle.register_pickle_by_value(sys.modules[name])  # type: ignore[no-untyped-call]
