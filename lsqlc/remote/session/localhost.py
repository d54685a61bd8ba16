"""Whether a server listens where its own processes of Python connect to.

Spark gives the Python of `foreachBatch` the address `sc://localhost:PORT`, whatever address it listens at. Where
nothing answers there, that Python tries for many minutes, and the query stands still without an error.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

BOUND = "spark.connect.grpc.binding.address"


def check_localhost(spark: SparkSession, place: str) -> None:
    """Raise LsqlcError LSQ671 for a server that listens elsewhere only. `place`: the server's, for the message."""
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
    """Whether a server that is bound to this address is reached by `localhost`, as far as the address tells: what the
    name of a host stands for is the server's to know.

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
