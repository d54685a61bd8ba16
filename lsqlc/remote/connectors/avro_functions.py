"""Check that a Spark server has the functions of spark-avro, which records in AVRO require."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.session.failures import cause

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# The conditions of Spark's error for a function of a module that the server does not have.
_NO_AVRO = ("AVRO_NOT_LOADED_SQL_FUNCTIONS_UNUSABLE", "UNRESOLVED_ROUTINE")


def check_avro(spark: SparkSession) -> None:
    """Raise LsqlcError LSQ769 if the server has no functions for Avro. Raises the errors of pyspark if a call fails."""
    try:
        # The query is analyzed, and not executed.
        spark.sql("SELECT from_avro(X'02', '\"int\"', map())").schema  # noqa: B018
    except Exception as error:
        if cause(str(error))[0] not in _NO_AVRO:
            raise
        raise LsqlcError([_no_avro(spark.version)]) from None


def _no_avro(version: str) -> Diagnostic:
    return Diagnostic(
        "LSQ769",
        "the Spark server cannot read or write topics in AVRO: it has no spark-avro",
        notes=("it must be on the server's class path when the server starts",),
        help=f"start the server with `--packages org.apache.spark:spark-avro_2.13:{version}`, beside the connector",
    )
