"""Where the installed Spark is."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError


def spark_home() -> Path:
    """The folder of the installed pyspark, which carries Spark's jars. Raises LsqlcError LSQ651 if there is none."""
    # `find_spec` does not import pyspark, which takes a while.
    spec = find_spec("pyspark")
    home = Path(spec.origin).parent if spec and spec.origin else None
    if home is None or not any((home / "jars").glob("spark-connect_*.jar")):
        missing = "pyspark is not installed" if home is None else "the installed pyspark has no Spark Connect server"
        note = "the embedded server uses the jars of the package 'pyspark'"
        raise LsqlcError([Diagnostic("LSQ651", missing, notes=(note,), help="pip install 'pyspark[connect]>=4.2'")])
    return home
