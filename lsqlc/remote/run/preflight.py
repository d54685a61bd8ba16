"""A preflight check that a server supports all steps of all queries.

Plans are lowered for the version of the server (`lower`), without functions that are missing there. Spark's analyzer
finds other missing functions. So a server of another version than the newest tested one analyzes all steps of all
queries, over inputs without rows, before a query starts. Each step that it rejects is reported.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.steps import FileSource, Observe, Source, View, Watermark
from lsqlc.lower.spark.versions import NEWEST, Version
from lsqlc.remote.connectors.file_stream import no_rows
from lsqlc.remote.run.graph import Node
from lsqlc.remote.run.python_functions import register_python
from lsqlc.remote.run.queries import session_settings
from lsqlc.remote.session.failures import cause, is_lost

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def check_supported(spark: SparkSession, nodes: Iterable[Node], server: Version) -> None:
    """Raise LsqlcError with a LSQ698 for each query that a server cannot run. No query is started.

    `server`: its version. The newest tested version is not checked. Raises the errors of pyspark if the server has
    ended.
    """
    if server == NEWEST:
        return
    diagnostics = [d for node in nodes if (d := _unsupported_step(spark, node, server)) is not None]
    if diagnostics:
        raise LsqlcError(diagnostics)


def _unsupported_step(spark: SparkSession, node: Node, server: Version) -> Diagnostic | None:
    """Return LSQ698 for the first step that the server rejects."""
    with session_settings(spark, node.stage.settings):
        register_python(spark, node.stage.python_calls)
        for step in node.stage.steps:
            try:
                match step:
                    case Source(view=name):
                        frame = spark.sql(_no_records(step))
                    case FileSource(view=name):
                        frame = spark.sql(no_rows(step))
                    case View(name=name, sql=sql):
                        frame = spark.sql(sql)
                    case Watermark(name=name, view=view) | Observe(name=name, view=view):
                        frame = spark.table(view)
                frame.createOrReplaceTempView(name)
            except Exception as error:
                if is_lost(error):
                    raise
                view = step.view if isinstance(step, Source | FileSource) else step.name
                return _too_old(node, server, f"'{view}'", error)
    return None


def _no_records(source: Source) -> str:
    """Return the SQL of a source's view without rows."""
    columns = ["'' AS _topic"]
    # There are lines unless all topics are read from the columns of Kafka.
    columns += ["'' AS _line"] if source.lines or not source.columns else []
    columns += ["0 AS _partition, 0L AS _offset"] if source.places else []
    columns += ["X'' AS _key, X'' AS _value, 0L AS _timestamp"] if source.columns else []
    columns += ["array(named_struct('key', '', 'value', X'')) AS _headers"] if source.headers else []
    return f"SELECT {', '.join(columns)} WHERE FALSE"


def _too_old(node: Node, server: Version, step: str, error: Exception) -> Diagnostic:
    name, message = cause(str(error))
    older, newest = server < NEWEST, ".".join(map(str, NEWEST))
    return Diagnostic(
        "LSQ698",
        f"the model '{node.model}' cannot run on this server, which is Spark {'.'.join(map(str, server))}",
        notes=(
            f"Spark says {f'[{name}] ' if name else ''}{message}",
            f"at {step} of the query '{node.query}'",
        ),
        help=f"run it on Spark {newest}"
        + (" or newer" if older else ", the newest version that lsqlc supports, or use a newer lsqlc"),
    )
