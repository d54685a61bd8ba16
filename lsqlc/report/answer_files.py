"""The rows of a query as Parquet and as Arrow's IPC format, with the types of the columns."""

from __future__ import annotations

import io
from typing import Literal

from lsqlc.report.answers import Answer
from lsqlc.report.frames import package

# Formats whose bytes are no text.
BinaryFormat = Literal["parquet", "arrow"]


def answer_bytes(answer: Answer, format: BinaryFormat, *, as_file: bool) -> bytes:
    """Return the rows as Parquet or Arrow. `as_file`: Arrow's format for files, which readers map; otherwise that of
    streams, which they read from a pipe. Raises LsqlcError LSQ694 without the package pyarrow.
    """
    arrow = package("pyarrow")
    table = answer.to_arrow()
    content = io.BytesIO()
    if format == "parquet":
        package("pyarrow.parquet").write_table(table, content)
    else:
        new_writer = arrow.ipc.new_file if as_file else arrow.ipc.new_stream
        with new_writer(content, table.schema) as writer:
            writer.write_table(table)
    return content.getvalue()
