"""`python -m tests.kafka.pin` fetches the jars of all sets again and writes their versions and checksums.

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
_CLIENTS = ("org.apache.commons:commons-pool2:2.13.1", "org.apache.kafka:kafka-clients:3.9.2")


def _connector(version: str, avro: str) -> tuple[str, ...]:
    return (
        *_CLIENTS,
        f"org.apache.spark:spark-avro_2.13:{avro}",
        f"org.apache.spark:spark-sql-kafka-0-10_2.13:{version}",
        f"org.apache.spark:spark-token-provider-kafka-0-10_2.13:{version}",
    )


CONNECTOR = _connector("4.2.0", "4.1.1")
# Of older servers that the tests run on: the newest that Maven Central has whole. A server of 4.2 takes the first one.
OLDER: Mapping[tuple[int, int], tuple[str, ...]] = {
    (4, 0): _connector("4.0.0", "4.0.0"),
    (4, 1): _connector("4.1.1", "4.1.1"),
}
_OLDER_FOLDER = Path(__file__).with_name("pinned")
_HEADS: Mapping[artifacts.SetName, str] = {
    "kafka-broker": "The broker: kafka_2.13 with what it needs to run, and the binding of its log.",
    "spark-kafka": "Spark's Kafka source and sink, and its Avro functions; the rest is among Spark's own jars.",
}
_LEGEND = "organisation:name:version, size in bytes, SHA-256. `python -m tests.kafka.pin` writes it."


def connector_of(version: tuple[int, int]) -> artifacts.ArtifactSet:
    """Return the jars of the connector for a server of that version of Spark."""
    if version not in OLDER:
        return artifacts.pinned("spark-kafka")
    name = "{}.{}".format(*version)
    return artifacts.parse_set(f"spark-kafka-{name}", (_OLDER_FOLDER / f"{name}.txt").read_text("utf-8"))


def main() -> None:
    """Write the files in `lsqlc/remote/server/pinned` and in `tests/kafka/pinned`."""
    with TemporaryDirectory() as scratch:
        fetched = {
            "kafka-broker": {
                **resolved(Path(scratch) / "a", BROKER[:1]),
                **resolved(Path(scratch) / "b", BROKER[1:], "-notransitive"),
            },
            "spark-kafka": resolved(Path(scratch) / "c", CONNECTOR, "-notransitive"),
        }
        for which, jars in fetched.items():
            path = Path(artifacts.__file__).with_name("pinned") / f"{which}.txt"
            path.write_text(_listed(_HEADS[which], jars), "utf-8")  # type: ignore[index]
        for (major, minor), wanted in OLDER.items():
            version = f"{major}.{minor}"
            jars = resolved(Path(scratch) / version, wanted, "-notransitive")
            (_OLDER_FOLDER / f"{version}.txt").write_text(_listed(f"The same for Spark {version}.", jars), "utf-8")


def _listed(head: str, jars: Mapping[str, bytes]) -> str:
    """Return the text of a file: the coordinates of each jar, its size and its checksum."""
    rows = [f"{name} {len(jar)} {hashlib.sha256(jar).hexdigest()}" for name, jar in sorted(jars.items())]
    return "\n".join([f"# {head}", f"# {_LEGEND}", *rows, ""])


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
