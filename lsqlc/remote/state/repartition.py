"""A checkpoint with the same state in another number of partitions, made beside the one that is there.

Spark writes a batch of its own for it. One that is interrupted leaves a checkpoint that no query goes on from, so that
a copy is repartitioned, and the checkpoint stays as it is until the copy is complete.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lsqlc.connectors.shared import make_folder
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.run.batch_log import UnknownLogError, read_batches
from lsqlc.remote.session.failures import cause
from lsqlc.remote.state.checkpoint_copy import settle

_NUMBER = "spark.sql.shuffle.partitions"


def repartitioned_copy(
    location: Path, copy: Path, partitions: int, version: int, work: Path, environment: Mapping[str, str]
) -> None:
    """Copy Spark's part of a checkpoint, and give the copy's state so many partitions. `version`: of the format of the
    state's files; `work`: a folder for the files of a driver; `environment`: looked up for a Java runtime.

    Raises LsqlcError: LSQ678 if Spark does not, and as `find_java` and `spark_home` do. The copy is removed then.
    """
    from lsqlc.remote.server.home import spark_home
    from lsqlc.remote.server.java import find_java

    find_java(environment)
    spark_home()
    make_folder(copy.parent)
    done = read_batches(location).committed
    try:
        shutil.copytree(location, copy)
        # What is known of broken files lies beside.
        for note in location.parent.glob(f"files-{location.name}.json"):
            shutil.copy2(note, copy.parent / note.name)
        _check(copy, _asked(copy, partitions, version, work, environment), done, partitions)
    except BaseException:
        shutil.rmtree(copy, ignore_errors=True)
        raise
    settle(copy)


def _asked(copy: Path, partitions: int, version: int, work: Path, environment: Mapping[str, str]) -> str:
    """Have a driver in a process of its own do it; what went wrong, in Spark's words, empty if nothing did."""
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work) as own:
        asked = {"location": str(copy.absolute()), "partitions": partitions, "version": version, "work": own}
        command = [sys.executable, "-m", "lsqlc.remote.state.local_driver"]
        ran = subprocess.run(
            command, input=json.dumps(asked), capture_output=True, text=True, env=dict(environment), check=False
        )
    try:
        answer = json.loads(ran.stdout)
    except ValueError:
        return ran.stderr.strip().splitlines()[-1] if ran.stderr.strip() else f"the driver ended with {ran.returncode}"
    return str(answer.get("error", ""))


def _check(copy: Path, error: str, done: int, partitions: int) -> None:
    """Raise LSQ678 unless the copy is complete, with a batch more that has so many partitions."""
    why = cause(error)[1] if error else ""
    if not why:
        log = read_batches(copy)
        try:
            noted = log.about(log.committed)["conf"].get(_NUMBER)
        except (UnknownLogError, KeyError):
            noted = None
        if (log.committed, log.last, noted) != (done + 1, done + 1, str(partitions)):
            why = f"it has written no batch with {partitions} partitions"
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
