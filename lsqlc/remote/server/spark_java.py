"""The command line by which a Java runtime runs Spark, without the launcher that Spark's own scripts start first: it
requires a module of Java that small runtimes do not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lsqlc.remote.server.java import Java

# Spark reads and plans an expression by recursion: the usual megabyte ends at some fifty divisions in each other.
_STACK = "-Xss16m"
# The packages that Spark needs access to; its own launcher passes the same list.
_OPENED = (
    "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
    "sun.security.action", "sun.util.calendar",
)  # fmt: skip


def module_options(java: Java) -> list[str]:
    """What lets Spark, and Arrow in it, into Java's own memory and packages: of drivers and of executors."""
    # Java 24 and newer tell netty to keep off the memory that Arrow needs it for.
    unsafe = ["--sun-misc-unsafe-memory-access=allow"] if java.version >= 23 else []
    opened = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED]
    return [
        *opened, "--enable-native-access=ALL-UNNAMED", *unsafe, "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dio.netty.allocator.type=pooled", "-Dio.netty.noUnsafe=false",
    ]  # fmt: skip


def java_command(java: Java, memory: str, *options: str) -> list[str]:
    """The program and its options, in front of the class path. `memory`: the heap, as Java takes it; `options`: further
    ones.
    """
    return [
        str(java.program), *module_options(java), *options, f"-Xmx{memory}", _STACK, "-Djava.net.preferIPv4Stack=true",
        "-Duser.timezone=UTC", "-Duser.language=en", "-Dfile.encoding=UTF-8",
    ]  # fmt: skip


def connect_command(
    java: Sequence[str], class_path: Sequence[Path | str], master: str, settings: Mapping[str, str]
) -> list[str]:
    """The command line of a Spark Connect server. `java`: that of `java_command`; `master`: of the cluster, such as
    `local[2]`; `settings`: Spark's.
    """
    return [
        *java, "-cp", ":".join(map(str, class_path)), "org.apache.spark.deploy.SparkSubmit", "--master", master,
        *(part for key, value in sorted(settings.items()) for part in ("--conf", f"{key}={value}")),
        "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal",
    ]  # fmt: skip
