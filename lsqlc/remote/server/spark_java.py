"""The command line of Java for a Spark server.

It does not use Spark's launcher, which needs a module of Java that small runtimes do not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lsqlc.remote.server.java import Java

# Spark parses and plans an expression by recursion: the default of 1 MB is enough for about fifty nested divisions.
_STACK = "-Xss16m"
# Items of an array or a map in Avro: a block of a few bytes may declare any number, and Avro allocates the whole array
# before it reads them. No record of Kafka has as many.
_MOST_ITEMS = 1 << 24
# The packages that Spark needs access to; its own launcher passes the same list.
_OPENED = (
    "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
    "sun.security.action", "sun.util.calendar",
)  # fmt: skip


def module_options(java: Java) -> list[str]:
    """Return the options by which Spark and Arrow may use internal memory and packages of Java.

    They also limit the memory of a record of Avro. Drivers and executors need them.
    """
    # Java 24 and newer forbid netty the access to memory that Arrow needs.
    unsafe = ["--sun-misc-unsafe-memory-access=allow"] if java.version >= 23 else []
    opened = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED]
    return [
        *opened, "--enable-native-access=ALL-UNNAMED", *unsafe, "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dio.netty.allocator.type=pooled", "-Dio.netty.noUnsafe=false",
        f"-Dorg.apache.avro.limits.collectionItems.maxLength={_MOST_ITEMS}",
    ]  # fmt: skip


def java_command(java: Java, memory: str, *options: str) -> list[str]:
    """Return the program and its options before the class path.

    `memory`: the heap, in Java's notation; `options`: further options.
    """
    return [
        str(java.program), *module_options(java), *options, f"-Xmx{memory}", _STACK, "-Djava.net.preferIPv4Stack=true",
        "-Duser.timezone=UTC", "-Duser.language=en", "-Dfile.encoding=UTF-8",
    ]  # fmt: skip


def connect_command(
    java: Sequence[str], class_path: Sequence[Path | str], master: str, settings: Mapping[str, str]
) -> list[str]:
    """Return the command line of a Spark Connect server.

    `java`: the result of `java_command`; `master`: the master of the cluster, such as `local[2]`; `settings`: those of
    Spark.
    """
    return [
        *java, "-cp", ":".join(map(str, class_path)), "org.apache.spark.deploy.SparkSubmit", "--master", master,
        *(part for key, value in sorted(settings.items()) for part in ("--conf", f"{key}={value}")),
        "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal",
    ]  # fmt: skip
