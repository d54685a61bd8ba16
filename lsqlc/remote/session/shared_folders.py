"""Check that lsqlc and a server that it did not start see the same files in the folders that they share.

For Spark, a pattern that matches no file is empty input. A run over topics that the server cannot see would read no
record and succeed. So the server has to read a file that lsqlc has just written.
"""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.connectors.shared import give_permissions, make_folder
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.connectors.file_stream import escaped
from lsqlc.remote.session.failures import cause, is_lost
from lsqlc.scan.data_files import data_files
from lsqlc.types.files import Files

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def check_visible(spark: SparkSession, folder: Path, what: str, place: str) -> None:
    """Raise LsqlcError LSQ697 if the server cannot read a file that lsqlc writes into that folder.

    `what`: the content of the folder, as messages and profiles.yml name it; `place`: host and port of the server.
    Raises the errors of pyspark if the server has ended.
    """
    content = uuid.uuid4().hex
    # Spark ignores names that begin with a dot or a `_`.
    file = folder.absolute() / f"seen-{content}"
    try:
        make_folder(folder.absolute())
        file.write_text(content, "utf-8")
        give_permissions(file, file.parent)
    except OSError as error:
        raise LsqlcError([_unusable(folder, what, place, f"lsqlc cannot write to it: {error.strerror}")]) from None
    try:
        rows = spark.read.text(file.as_uri()).collect()
    except Exception as error:
        if is_lost(error):
            raise
        name, message = cause(str(error))
        why = f"Spark's error class is {name}" if name else f"Spark says: {message}"
        raise LsqlcError([_unusable(folder, what, place, "the server does not see what lsqlc writes", why)]) from None
    finally:
        file.unlink(missing_ok=True)
    if [row[0] for row in rows] != [content]:
        raise LsqlcError([_unusable(folder, what, place, "the server reads something else than lsqlc wrote")])


def check_written(spark: SparkSession, folder: Path, what: str, place: str) -> None:
    """Raise LsqlcError LSQ697 if lsqlc cannot read, or cannot remove, a file that the server writes into that folder.

    The arguments are those of `check_visible`, which was called before.
    """
    test_folder = folder.absolute() / f"written-{uuid.uuid4().hex}"
    try:
        # A run makes the folders that the server writes into.
        make_folder(test_folder)
        try:
            # One partition: an empty one may have a file too.
            spark.range(0, 1, 1, 1).selectExpr("'seen'").write.text((test_folder / "by-server").as_uri())
        except Exception as error:
            if is_lost(error):
                raise
            name, message = cause(str(error))
            why = f"Spark's error class is {name}: {message}" if name else f"Spark says: {message}"
            raise LsqlcError([_unusable(folder, what, place, "the server cannot write there", why)]) from None
        texts = [part.read_text("utf-8") for part in test_folder.glob("by-server/part-*")]
        if texts != ["seen\n"]:
            raise LsqlcError([_unusable(folder, what, place, "lsqlc does not see what the server writes")])
        shutil.rmtree(test_folder)
    except OSError as error:
        why = f"lsqlc cannot read and remove what the server writes: {error.strerror}"
        raise LsqlcError([_unusable(folder, what, place, why)]) from None
    finally:
        shutil.rmtree(test_folder, ignore_errors=True)


def check_files(spark: SparkSession, project: Path, topic: str, files: Files, place: str) -> None:
    """Raise LsqlcError LSQ697 if the server does not see the newest of a topic's files, or sees another size.

    lsqlc does not write into such a folder, so a folder without a file is not checked. Raises the errors of pyspark if
    the server has ended.
    """
    newest = next(reversed(data_files(project, files)), None)
    if newest is None:
        return
    path = project.resolve() / newest.path
    try:
        read = spark.read.format("binaryFile").load(escaped(str(path)))
        sizes = [row[0] for row in read.select("length").collect()]
    except Exception as error:
        if is_lost(error):
            raise
        sizes = []
    # A producer may be writing to the file.
    if sizes and (sizes == [newest.size] or data_files(project, files)[-1:] != (newest,)):
        return
    raise LsqlcError(
        [
            Diagnostic(
                "LSQ697",
                f"the server at '{place}' does not see the files of '{topic}' in '{project.resolve() / files.root}'",
                notes=(
                    f"'{newest.path}', which lsqlc sees, "
                    + ("is another file there" if sizes else "does not exist there"),
                ),
                help="give the server the project's folder under the same path, by a mount on both hosts",
            )
        ]
    )


def _unusable(folder: Path, what: str, place: str, *notes: str) -> Diagnostic:
    return Diagnostic(
        "LSQ697",
        f"the server at '{place}' and this project do not share the folder of the {what}, '{folder}'",
        notes=notes,
        help=f"set `{what}:` of the target to a folder that both see under the same path and can write to",
    )
