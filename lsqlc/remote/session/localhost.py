"""Check that a server listens at the address to which its own Python processes connect.

Spark passes the address `sc://localhost:PORT` to the Python process of `foreachBatch`, whatever address the server
listens at. If no server answers there, the process retries for many minutes, and the query makes no progress and has no
error.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

BOUND = "spark.connect.grpc.binding.address"


def check_localhost(spark: SparkSession, place: str) -> None:
    """Raise LsqlcError LSQ671 for a server that does not listen at `localhost`.

    `place`: host and port of the server, for the message.
    """
    bound = spark.conf.get(BOUND, "") or ""
    if not reached_by_localhost(bound):
        raise LsqlcError(
            [
                Diagnostic(
                    "LSQ671",
                    f"the Spark server at '{place}' cannot write batches: it listens at '{bound}' only",
                    notes=(f"its own Python connects to it at `localhost`; '{bound}' is its `{BOUND}`",),
                    help=f"start the server without `{BOUND}`, or with 0.0.0.0",
                )
            ]
        )


def reached_by_localhost(bound: str) -> bool:
    """Return whether a server that is bound to this address accepts connections to `localhost`.

    True for the name of a host, since only the server can resolve it.

    >>> [reached_by_localhost(bound) for bound in ("", "0.0.0.0", "127.0.0.1", "::", "localhost", "spark-1")]
    [True, True, True, True, True, True]
    >>> [reached_by_localhost(bound) for bound in ("10.0.0.1", "127.0.0.2", "fe80::1")]
    [False, False, False]
    """
    try:
        address = ip_address(bound)
    except ValueError:
        return True
    return address.is_unspecified or address in (ip_address("127.0.0.1"), ip_address("::1"))
