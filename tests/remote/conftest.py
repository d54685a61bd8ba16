"""The fixtures of a running server, for the tests of this folder."""

from .server_fixture import spark, spark_server

__all__ = ["spark", "spark_server"]
