"""Where the installed Spark is."""

from __future__ import annotations

from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.diagnostics.extras import require
from lsqlc.lower.spark.versions import Version


def spark_home() -> Path:
    """The folder of the installed pyspark, which carries Spark's jars. Raises LsqlcError LSQ099 if there is none, and
    LSQ651 for one without the jars of a server.
    """
    require("pyspark")
    # `find_spec` does not import pyspark, which takes a while.
    spec = find_spec("pyspark")
    assert spec is not None and spec.origin is not None, "it was looked for"
    home = Path(spec.origin).parent
    if not any((home / "jars").glob("spark-connect_*.jar")):
        message = "the installed pyspark has no Spark Connect server"
        note = "the embedded server uses the jars of the package 'pyspark'"
        raise LsqlcError([Diagnostic("LSQ651", message, notes=(note,), help="pip install 'pyspark[connect]>=4.2'")])
    return home


def installed_version() -> Version | None:
    """Major and minor of the installed pyspark, which an embedded server has; None if there is none. It is not
    imported.
    """
    try:
        major, minor = metadata.version("pyspark").split(".")[:2]
        return int(major), int(minor)
    except (metadata.PackageNotFoundError, ValueError):
        # A server that is started says why it cannot be.
        return None
