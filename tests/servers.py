"""A Spark server and a broker that tests use for as long as this runs: `python -m tests.servers`.

It prints the settings of the environment that lead the tests to them, so that single tests start at once.
"""

from __future__ import annotations

import signal
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.kafka.fixture import broker_in
from tests.remote.server_fixture import spark_in


def main() -> None:
    """Serve until a signal comes."""
    with (
        TemporaryDirectory(prefix="lsqlc-servers-") as folder,
        spark_in(Path(folder) / "spark") as spark,
        broker_in(Path(folder) / "kafka") as kafka,
    ):
        print(f"export LSQLC_TEST_SPARK='{spark}' LSQLC_TEST_KAFKA='{kafka}'", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    main()
