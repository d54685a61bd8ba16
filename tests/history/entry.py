"""The entry of a release: two archives of what it wrote for the reference project and for the constructs, and one of
checkpoints.

`reference.tar.xz` and `constructs.tar.xz` hold the project's files below `project/`, `plans.json` (each model's plan),
`stages.json` (each query's description, as it stands beside a checkpoint), `manifest.json`, and `rows.json` (what
DuckDB computes of the constructs' first records; the reference project has golden files instead).
`checkpoints.tar.xz` is the constructs' project after a run over these records: state, topics and files, with `{root}`
for the folder in which it ran.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.duckdb import Session
from lsqlc.lower.spark import lower, unsupported
from lsqlc.plan import Plan
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.discovery import load_project
from lsqlc.remote.run import checkpoints
from tests.history.records import append

HERE = Path(__file__).parent
REFERENCE = HERE.parents[1]
CONSTRUCTS = HERE / "constructs"
# The folder of each project, and which of its files make it.
PROJECTS: Mapping[str, tuple[Path, tuple[str, ...]]] = {
    "reference": (REFERENCE, ("lsqlc.yml", "models", "tests/cases", "golden")),
    "constructs": (CONSTRUCTS, (".",)),
}
_ROOT = b"{root}"


def make(folder: Path, version: str, work: Path) -> None:
    """Write the entry of this release of lsqlc; `work` is an empty folder. Starts a Spark server."""
    folder.mkdir(parents=True)
    for name in PROJECTS:
        pack_project(folder, name, version)
    root = work / "constructs"
    constructs(root)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-m", "lsqlc", "run"], cwd=root, env=environment, check=True)
    pack_checkpoints(folder / "checkpoints.tar.xz", root)


def constructs(root: Path) -> Mapping[str, Plan]:
    """Copy the project of constructs, with its first records; its plans."""
    _copy(CONSTRUCTS, root)
    plans = compiled(root).plans
    append(root, inputs(plans), more=False)
    return plans


def compiled(root: Path) -> Compilation:
    """The project, which compiles."""
    project = load_project(root, vars={}, environment={}).project
    assert project is not None
    found = compile_project(project)
    assert found.ok, found.diagnostics
    return found


def inputs(plans: Mapping[str, Plan]) -> list[Any]:
    """The topics that some models read."""
    return list({topic.name: topic for plan in plans.values() for topic in plan.inputs}.values())


def stages(plans: Mapping[str, Plan]) -> dict[str, Any]:
    """The description of each query that runs on Spark."""
    found: dict[str, Any] = {}
    for model, plan in plans.items():
        for stage in () if unsupported(plan) else lower(plan).stages:
            parts = checkpoints.describe(stage, partitions=1, server=(4, 3), model=model)
            found[stage.name] = {"format": checkpoints._FORMAT, "parts": checkpoints._data(parts)}
    return found


def rows(root: Path, plans: Mapping[str, Plan]) -> dict[str, Any]:
    """What DuckDB computes of the topics as they are, by model and topic."""
    log, found = FileLog(root / ".lsqlc" / "topics"), {}
    for model, plan in plans.items():
        segments = {topic.name: log.segments(topic.name) for topic in plan.inputs if topic.files is None}
        topics = Session().evaluate_logs(plan, segments, root=root).topics
        found[model] = {
            name: [json.loads(json.dumps([r.key, r.value, r.timestamp], default=str)) for r in records]
            for name, records in topics.items()
        }
    return found


def unpack(archive: Path, folder: Path) -> None:
    """The files of an archive in a folder, with the times that a log gives its segments, and `{root}` written out."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
        for member in tar.getmembers():
            path = folder / member.name
            if not member.isfile():
                continue
            content = path.read_bytes()
            if _ROOT in content:
                path.write_bytes(content.replace(_ROOT, str(folder).encode()))
            # Milliseconds, which a float of seconds does not hold exactly.
            time = round(member.mtime * 1000) * 1_000_000
            os.utime(path, ns=(time, time))


def pack_checkpoints(archive: Path, root: Path) -> None:
    """What a run has left in a project. Checksums that Hadoop keeps beside its files are left out: they would not fit
    once `{root}` is written out, and are not missed.
    """
    kept = (".lsqlc/checkpoints", ".lsqlc/topics", "data")
    with tarfile.open(archive, "w:xz", preset=9) as tar:
        for path in (p for name in kept for p in _files(root / name)):
            if path.suffix == ".crc" or path.name == "run.lock":
                continue
            time = path.stat().st_mtime_ns // 1_000_000 / 1000
            content = path.read_bytes().replace(str(root).encode(), _ROOT)
            _add(tar, path.relative_to(root).as_posix(), content, time)


def pack_project(folder: Path, name: str, version: str) -> None:
    """Write the archive of a project, one of PROJECTS, with what this release compiles of it."""
    root, files = PROJECTS[name]
    found = compiled(root)
    documents: dict[str, Callable[[], Any]] = {
        "plans.json": lambda: {name: plan.to_json() for name, plan in found.plans.items()},
        "stages.json": lambda: stages(found.plans),
        "manifest.json": lambda: found.manifest(version),
        "rows.json": lambda: _first_rows() if root == CONSTRUCTS else {},
    }
    with tarfile.open(folder / f"{name}.tar.xz", "w:xz", preset=9) as tar:
        for path in (p for name in files for p in _files(root / name)):
            _add(tar, f"project/{path.relative_to(root).as_posix()}", path.read_bytes())
        for name, document in documents.items():
            _add(tar, name, json.dumps(document(), ensure_ascii=False, indent=0, sort_keys=True).encode())


def _first_rows() -> dict[str, Any]:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as name:
        copy = Path(name)
        return rows(copy, constructs(copy))


def _copy(root: Path, to: Path) -> None:
    for path in _files(root):
        made = to / path.relative_to(root)
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_bytes(path.read_bytes())


def _files(path: Path) -> Iterator[Path]:
    found = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    yield from (p for p in found if "__pycache__" not in p.parts)


def _add(tar: tarfile.TarFile, name: str, content: bytes, time: float = 0) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = len(content), time, 0o644
    tar.addfile(info, BytesIO(content))
