"""Whether a server that somebody else runs sees the folders that it has to share with us.

Spark takes a pattern that matches nothing for no input: a run over topics that the server cannot see would read nothing
and end well. So it is asked for a file that has just been put there.
"""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.failures import cause, is_lost
from lsqlc.topics.shared import give_permissions, make_folder

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def check_seen(spark: SparkSession, folder: Path, what: str, place: str) -> None:
    """Raise LsqlcError LSQ697 unless the server reads in that folder what was written there by us.

    `what`: what lies in it, as messages and profiles.yml call it; `place`: the server's. A lost server raises what
    pyspark raises.
    """
    said = uuid.uuid4().hex
    # Spark passes over names with a dot or a `_` in front.
    made = folder.absolute() / f"seen-{said}"
    try:
        make_folder(folder.absolute())
        made.write_text(said, "utf-8")
        give_permissions(made, made.parent)
    except OSError as error:
        raise LsqlcError(
            [_unusable(folder, what, place, f"it cannot be written to from here: {error.strerror}")]
        ) from None
    try:
        rows = spark.read.text(made.as_uri()).collect()
    except Exception as error:
        if is_lost(error):
            raise
        name, message = cause(str(error))
        why = f"Spark's error class is {name}" if name else f"Spark says: {message}"
        raise LsqlcError(
            [_unusable(folder, what, place, "what is put there from here is not there for it", why)]
        ) from None
    finally:
        made.unlink(missing_ok=True)
    if [row[0] for row in rows] != [said]:
        raise LsqlcError([_unusable(folder, what, place, "it reads something else there than was written from here")])


def _unusable(folder: Path, what: str, place: str, *notes: str) -> Diagnostic:
    return Diagnostic(
        "LSQ697",
        f"the server at '{place}' and this project do not share the folder of the {what}, '{folder}'",
        notes=notes,
        help=f"set `{what}:` of the target to a folder that both see under one path, and that both users may write to",
    )
