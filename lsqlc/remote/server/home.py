"""The folder and the version of the installed Spark."""

from __future__ import annotations

from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.diagnostics.extras import require
from lsqlc.lower.spark.versions import Version


def spark_home() -> Path:
    """Return the folder of the installed pyspark, which contains Spark's jars.

    Raises LsqlcError: LSQ099 if pyspark is not installed, LSQ651 if it has no jars of a server.
    """
    require("pyspark")
    # `find_spec` does not import pyspark, which would take about a second.
    spec = find_spec("pyspark")
    assert spec is not None and spec.origin is not None, "`require` has checked this"
    home = Path(spec.origin).parent
    if not any((home / "jars").glob("spark-connect_*.jar")):
        message = "the installed pyspark has no Spark Connect server"
        note = "the embedded server uses the jars of the package 'pyspark'"
        raise LsqlcError([Diagnostic("LSQ651", message, notes=(note,), help="pip install 'pyspark[connect]>=4.2'")])
    return home


def installed_version() -> Version | None:
    """Return the major and minor version of the installed pyspark, or None. pyspark is not imported."""
    try:
        major, minor = metadata.version("pyspark").split(".")[:2]
        return int(major), int(minor)
    except (metadata.PackageNotFoundError, ValueError):
        # The start of a server reports the reason.
        return None
