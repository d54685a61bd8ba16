"""One embedded Spark server for the whole session, started by the first test that asks for it."""

from tests.remote.server_fixture import spark, spark_server

__all__ = ["spark", "spark_server"]
