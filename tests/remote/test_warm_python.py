"""Workers of an embedded server are forks of a process that has imported what they need, or else Python itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lsqlc.remote.server.warm_python import WORKER, Program, write_portable, write_script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it forks on Linux only")

# What stands for pyspark notes each import, and the worker says who it is.
_WORKER = """
import os, sys, time
print(os.getpid(), os.getppid(), os.environ["NAME"], os.getcwd(), flush=True)
print("an error", file=sys.stderr)
if os.environ["NAME"] == "waits":
    time.sleep(600)
if os.environ["NAME"] == "fails":
    raise ValueError("it fails")
"""
# What stands for the server: calls the program in the folder for each name, one after the other.
_SERVER = """
import os, subprocess, sys
program, folder, *names = sys.argv[1:]
for name in names:
    environment = {**os.environ, "NAME": name}
    ran = subprocess.run([program, "-m", WORKER], env=environment, cwd=folder, capture_output=True, text=True)
    print(ran.returncode, ran.stdout.strip(), "|", ran.stderr.strip().splitlines()[-1])
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder of packages that stand for pyspark and pyarrow; each import of a session is noted in `imports`."""
    root = tmp_path / "packages"
    for name in ("pyspark.worker", "pyspark.worker_util", "pyspark.sql.connect.session", "pyarrow.compute", WORKER):
        path = root.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_WORKER if name == WORKER else "")
        for folder in path.relative_to(root).parents[:-1]:
            # In front of what is installed, which folders without this file are not.
            (root / folder / "__init__.py").touch()
    note = f"with open({str(tmp_path / 'imports')!r}, 'a') as file: file.write('session\\n')"
    (root / "pyspark/sql/connect/session.py").write_text(note)
    return root


def made_in(folder: Path, installed: Path | None = None) -> Program:
    made = write_script(folder, sys.executable, installed)
    assert made is not None
    return made


def program(folder: Path) -> Path:
    return made_in(folder).path


def called(made: Path, packages: Path, *names: str, path: str = "") -> list[list[str]]:
    """What a server's calls have printed, with their exit codes in front, by words. `path`: in front of the packages
    in PYTHONPATH.
    """
    code = _SERVER.replace("WORKER", repr(WORKER))
    command = [sys.executable, "-c", code, str(made), str(packages), *names]
    environment = {**os.environ, "PYTHONPATH": f"{path}{packages}"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [line.split() for line in ran.stdout.splitlines()]


def test_workers_are_forks_of_one_process(tmp_path: Path, packages: Path) -> None:
    """Each has the environment, the folder and the streams of its caller; what they import is imported once."""
    first, second = called(program(tmp_path), packages, "a", "b")
    assert [first[0], *first[3:]] == ["0", "a", str(packages), "|", "an", "error"]
    assert [second[0], *second[3:]] == ["0", "b", str(packages), "|", "an", "error"]
    assert first[1] != second[1] and first[2] == second[2]
    assert (tmp_path / "imports").read_text() == "session\n"
    # It ends with the server.
    until_gone(int(first[2]))


def test_it_can_begin_before_it_is_asked(tmp_path: Path, packages: Path) -> None:
    """It forks for the first caller, has imported by then, and ends with the server."""
    made = made_in(tmp_path)
    server = subprocess.Popen(["sleep", "600"])
    forking = made.begin(server.pid, {**os.environ, "PYTHONPATH": str(packages)})
    while not (tmp_path / "imports").exists():
        assert forking.poll() is None
        time.sleep(0.01)
    second = made.begin(server.pid, {**os.environ, "PYTHONPATH": str(packages)})
    assert second.wait() != 0 and forking.poll() is None
    assert (tmp_path / "imports").read_text() == "session\n"
    server.kill()
    server.wait()
    assert forking.wait() == 0


def test_what_spark_puts_in_front_of_what_is_installed(tmp_path: Path, packages: Path) -> None:
    """Is left out, where that is the same Spark: its archive has no compiled files."""
    spark = tmp_path / "spark"
    (spark / "python").mkdir(parents=True)
    (spark / "python" / "pyspark.py").write_text("raise ImportError('not this one')")
    front = f"{spark / 'python'}{os.pathsep}"
    imports = tmp_path / "imports"
    (found,) = called(made_in(tmp_path, spark).path, packages, "a", path=front)
    assert found[0] == "0" and imports.exists()
    imports.unlink()
    # Another Spark's is what it needs. Python itself looks in the folder first, where the worker is.
    (found,) = called(program(tmp_path), packages, "a", path=front)
    assert found[0] == "0" and not imports.exists()


def test_a_worker_that_fails_says_why(tmp_path: Path, packages: Path) -> None:
    """With an exit code of its own, and those after it are not concerned."""
    failed, after = called(program(tmp_path), packages, "fails", "a")
    assert failed[0] == "1" and " ".join(failed).endswith("| ValueError: it fails")
    assert after[0] == "0" and after[2] == failed[2]


def test_a_worker_ends_with_its_caller(tmp_path: Path, packages: Path) -> None:
    """Spark ends a worker by ending what it has started."""
    environment = {**os.environ, "PYTHONPATH": str(packages), "NAME": "waits"}
    command = [str(program(tmp_path)), "-m", WORKER]
    caller = subprocess.Popen(command, env=environment, cwd=packages, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert caller.stdout is not None
    worker, forker, *_ = map(int, caller.stdout.readline().split()[:2])
    caller.kill()
    caller.wait()
    caller.stdout.close()
    until_gone(worker)
    os.kill(forker, 9)


def test_other_calls_are_calls_of_python(tmp_path: Path) -> None:
    """Also from a folder whose name a shell would take apart."""
    folder = tmp_path / "it's $HOME"
    folder.mkdir()
    ran = subprocess.run([program(folder), "-c", "print(1 + 1)"], capture_output=True, text=True, check=True)
    assert ran.stdout == "2\n"


def test_what_cannot_be_imported_is_said_by_python(tmp_path: Path, packages: Path) -> None:
    """A process that cannot import what workers need forks none."""
    (packages / "pyspark/sql/connect/session.py").write_text("import nothing_of_that_name")
    ran = called(program(tmp_path), packages, "a")
    assert ran[0][0] == "0" and ran[0][3] == "a"
    packages.joinpath(*WORKER.split(".")).with_suffix(".py").unlink()
    (failed,) = called(program(tmp_path), packages, "a")
    assert failed[0] == "1" and "No module named" in " ".join(failed)


def until_gone(process: int) -> None:
    """Wait until a process has ended; a test that waits in vain is ended by hand."""
    while Path(f"/proc/{process}").exists():
        try:
            if ") Z " in Path(f"/proc/{process}/stat").read_text():
                return
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.01)


def test_a_program_for_other_machines(tmp_path: Path, packages: Path) -> None:
    """Two files, which work where they are copied to, and replace nothing."""
    written = write_portable(tmp_path / "here", sys.executable)
    assert sorted(p.name for p in written.parent.iterdir()) == ["python", "warm_python.py"]
    with pytest.raises(FileExistsError):
        write_portable(tmp_path / "here", sys.executable)
    there = tmp_path / "a folder there"
    written.parent.rename(there)
    first, second = called(there / "python", packages, "a", "b")
    assert first[0] == "0" and first[1] != second[1] and first[2] == second[2]
    version = subprocess.run([there / "python", "-V"], capture_output=True, text=True, check=True)
    assert version.stdout.split()[1] == ".".join(map(str, sys.version_info[:3]))


def test_the_process_that_forks_says_when_it_is_ready(tmp_path: Path, packages: Path) -> None:
    """Once its imports are done, and not before."""
    made = made_in(tmp_path / "conf")
    assert not made.forks(os.getpid())
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    process = made.begin(os.getpid(), environment)
    try:
        deadline = time.monotonic() + 60
        while not made.forks(os.getpid()):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        assert (tmp_path / "imports").read_text() == "session\n"
    finally:
        process.kill()
        process.wait()
