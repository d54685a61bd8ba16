"""One embedded Spark server for a process of tests, started by the first test that asks for it."""

import signal

from tests.remote.server_fixture import spark, spark_server

__all__ = ["spark", "spark_server"]

# What a shell starts in the background ignores Ctrl-C, and so does all that it starts in turn, which tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
