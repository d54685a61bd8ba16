"""`python -m tests.kafka.pin` fetches the jars of both sets anew and writes their versions and checksums.

Of the broker one version is chosen here, and what it depends on follows from it; of the connector all five are, as
their own dependencies are among Spark's jars. A change of a set is tested before it is kept: `pytest tests/kafka`.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from lsqlc.remote.server import artifacts
from lsqlc.remote.server.home import spark_home

# slf4j writes to log4j by a binding that the broker's own description leaves out.
BROKER = ("org.apache.kafka:kafka_2.13:4.1.0", "org.apache.logging.log4j:log4j-slf4j-impl:2.24.3")
CONNECTOR = (
    "org.apache.commons:commons-pool2:2.13.1",
    "org.apache.kafka:kafka-clients:3.9.2",
    "org.apache.spark:spark-avro_2.13:4.1.1",
    "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.2.0",
)
_HEADS: Mapping[artifacts.SetName, str] = {
    "kafka-broker": "The broker: kafka_2.13 with what it needs to run, and the binding of its log.",
    "spark-kafka": "Spark's Kafka source and sink, and its Avro functions; the rest is among Spark's own jars.",
}
_LEGEND = "organisation:name:version, size in bytes, SHA-256. `python -m tests.kafka.pin` writes it."


def main() -> None:
    """Write both files in `lsqlc/remote/server/pinned`."""
    with TemporaryDirectory() as scratch:
        fetched = {
            "kafka-broker": {
                **resolved(Path(scratch) / "a", BROKER[:1]),
                **resolved(Path(scratch) / "b", BROKER[1:], "-notransitive"),
            },
            "spark-kafka": resolved(Path(scratch) / "c", CONNECTOR, "-notransitive"),
        }
        for which, jars in fetched.items():
            head = _HEADS[which]  # type: ignore[index]
            rows = [f"{name} {len(jar)} {hashlib.sha256(jar).hexdigest()}" for name, jar in sorted(jars.items())]
            text = "\n".join([f"# {head}", f"# {_LEGEND}", *rows, ""])
            (Path(artifacts.__file__).with_name("pinned") / f"{which}.txt").write_text(text, "utf-8")


def resolved(folder: Path, wanted: Sequence[str], *options: str) -> dict[str, bytes]:
    """Jars by their coordinates, as Ivy finds them."""
    (ivy,) = (spark_home() / "jars").glob("ivy-*.jar")
    for coordinates in wanted:
        subprocess.run(
            [
                "java", "-jar", ivy, "-cache", folder / "cache", "-confs", "default",
                "-dependency", *coordinates.split(":"), "-types", "jar", "bundle", *options,
                "-retrieve", f"{folder}/jars/[organisation]+[artifact]+[revision].[ext]",
            ],
            check=True,
        )  # fmt: skip
    return {path.stem.replace("+", ":"): path.read_bytes() for path in (folder / "jars").glob("*.jar")}


if __name__ == "__main__":
    main()
