"""A stand-in for an S3 storage, moto's server, and the jars by which Spark reaches it.

The jars are those of Hadoop's `s3a:` with the few modules of the AWS SDK that it uses; its own description names one
jar with all of AWS, which is a hundred times as large. `python -m tests.hosts.storage` fetches them again and writes
their versions and checksums.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import Request, urlopen
from xml.etree import ElementTree

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.server.artifacts import parse_set
from lsqlc.remote.server.jars import OFFLINE, ensure
from tests.hosts.processes import Process
from tests.kafka import pin

# The version of Hadoop is that of Spark's own jars, and that of the SDK is what this Hadoop was built with.
HADOOP = (
    "org.apache.hadoop:hadoop-aws:3.5.0",
    # Of the kind of stream that is its default, and which it loads for others too.
    "software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.3.1",
)
_SDK = "2.35.4"
SDK = tuple(
    f"software.amazon.awssdk:{name}:{_SDK}"
    for name in ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")
)
# Jars that Spark has itself, mostly in other versions.
_SPARKS = ("io.netty", "org.slf4j", "org.apache.httpcomponents", "commons-codec", "commons-logging")
_PINNED = Path(__file__).with_name("spark-s3a.txt")
_HEAD = "# Hadoop's s3a and the modules of the AWS SDK that it uses; the rest is among Spark's own jars.\n"
_LEGEND = "# organisation:name:version, size in bytes, SHA-256. `python -m tests.hosts.storage` writes it.\n"
PORT = 5000
BUCKET = "shop"


def s3a_jars() -> tuple[Path, ...]:
    """Skips the test if they are not there and must not be fetched."""
    try:
        return ensure(parse_set("spark-s3a", _PINNED.read_text("utf-8")), os.environ)
    except LsqlcError as error:
        if os.environ.get(OFFLINE) == "1":
            pytest.skip(error.diagnostics[0].message)
        raise


def settings(address: str) -> Mapping[str, str]:
    """What a Spark server needs to know of a storage. The stand-in takes any key."""
    return {
        "spark.hadoop.fs.s3a.endpoint": address,
        "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
        "spark.hadoop.fs.s3a.path.style.access": "true",
        # The default of this Hadoop keeps something of each object in memory for as long as the server lives.
        "spark.hadoop.fs.s3a.input.stream.type": "classic",
        "spark.hadoop.fs.s3a.connection.ssl.enabled": "false",
        "spark.hadoop.fs.s3a.access.key": "of-the-server",
        "spark.hadoop.fs.s3a.secret.key": "of-the-server",
    }


def stand_in(host: str, log: Path) -> Process:
    """A storage at an address of this thread's host, with an empty bucket once it serves."""

    def ready() -> bool:
        try:
            with urlopen(Request(f"http://{host}:{PORT}/{BUCKET}", method="PUT"), timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    command = [sys.executable, "-m", "moto.server", "--host", host, "--port", str(PORT)]
    return Process(command, log, os.environ, ready)


def keys(host: str) -> list[str]:
    """The names of all objects in the bucket."""
    found: list[str] = []
    while True:
        after = f"&start-after={found[-1]}" if found else ""
        with urlopen(f"http://{host}:{PORT}/{BUCKET}?list-type=2{after}", timeout=30) as answer:
            listed = ElementTree.parse(answer).getroot()
        found += [text for key in listed.iter() if key.tag.endswith("}Key") and (text := key.text)]
        if not any(flag.text == "true" for flag in listed.iter() if flag.tag.endswith("}IsTruncated")):
            return found


def main() -> None:
    """Write the file of checksums."""
    with TemporaryDirectory() as scratch:
        jars = pin.resolved(Path(scratch) / "hadoop", HADOOP, "-notransitive")
        for number, module in enumerate(SDK):
            found = pin.resolved(Path(scratch) / str(number), (module,))
            jars |= {name: jar for name, jar in found.items() if not name.startswith(_SPARKS)}
    rows = [f"{name} {len(jar)} {hashlib.sha256(jar).hexdigest()}\n" for name, jar in sorted(jars.items())]
    _PINNED.write_text("".join([_HEAD, _LEGEND, *rows]), "utf-8")


if __name__ == "__main__":
    main()
