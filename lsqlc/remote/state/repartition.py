"""Copy a checkpoint, and change the number of partitions of the copy's state.

Spark writes an additional batch for this. If it is interrupted, no query can continue from the checkpoint. So a copy is
repartitioned, and the original stays as it is until the copy is complete.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lsqlc.connectors.shared import make_folder
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.run.batch_log import UnknownLogError, read_batches
from lsqlc.remote.session.failures import cause
from lsqlc.remote.state.checkpoint_copy import settle

_NUMBER = "spark.sql.shuffle.partitions"


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a checkpoint. `folder`: does not exist yet; `partitions`: of its state.

    `version`: of Spark's format of state files.
    """

    folder: Path
    partitions: int
    version: int


def repartitioned_copy(location: Path, copy: Copy, work: Path, environment: Mapping[str, str]) -> None:
    """Copy Spark's part of a checkpoint, and change the number of partitions of the copy's state.

    `work`: a folder for the files of a driver; `environment`: selects the Java runtime. Raises LsqlcError: LSQ678 if
    Spark fails, and the errors of `find_java` and `spark_home`. The copy is removed then.
    """
    from lsqlc.remote.server.home import spark_home
    from lsqlc.remote.server.java import find_java

    find_java(environment)
    spark_home()
    folder = copy.folder
    make_folder(folder.parent)
    committed = read_batches(location).committed
    try:
        shutil.copytree(location, folder)
        # The list of broken files is next to the checkpoint.
        for note in location.parent.glob(f"files-{location.name}.json"):
            shutil.copy2(note, folder.parent / note.name)
        _check(copy, _run_driver(copy, work, environment), committed + 1)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    settle(folder)


def _run_driver(copy: Copy, work: Path, environment: Mapping[str, str]) -> str:
    """Repartition the copy by a driver in another process. Return its error message, empty if it has succeeded."""
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work) as own:
        location = str(copy.folder.absolute())
        request = {"location": location, "partitions": copy.partitions, "version": copy.version, "work": own}
        command = [sys.executable, "-m", "lsqlc.remote.state.local_driver"]
        process = subprocess.run(
            command, input=json.dumps(request), capture_output=True, text=True, env=dict(environment), check=False
        )
    try:
        answer = json.loads(process.stdout)
    except ValueError:
        output = process.stderr.strip()
        return output.splitlines()[-1] if output else f"the driver ended with {process.returncode}"
    return str(answer.get("error", ""))


def _check(copy: Copy, error: str, batch: int) -> None:
    """Raise LSQ678 unless that batch is complete, and has the new number of partitions."""
    why = cause(error)[1] if error else ""
    if not why:
        log = read_batches(copy.folder)
        try:
            number = log.about(log.committed)["conf"].get(_NUMBER)
        except (UnknownLogError, KeyError):
            number = None
        if (log.committed, log.last, number) != (batch, batch, str(copy.partitions)):
            why = f"it has written no batch with {copy.partitions} partitions"
    if why:
        raise LsqlcError(
            [
                Diagnostic(
                    "LSQ678",
                    "Spark could not repartition the state",
                    notes=(f"Spark says: {why}", "the checkpoint is as it was"),
                    help="run the model once more to its end and try again, or rebuild it with `lsqlc run"
                    " --full-refresh` under the other number of shuffle partitions",
                )
            ]
        )
