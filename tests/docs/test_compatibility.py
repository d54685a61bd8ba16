"""docs/reference/compatibility.md: it lists every format that has a version, with the version that lsqlc writes."""

from __future__ import annotations

import re
from pathlib import Path

import lsqlc

PAGE = (Path(__file__).parents[2] / "docs/reference/compatibility.md").read_text("utf-8")
CONSTANT = re.compile(r"^_?(?:FORMAT|VERSION) = (\d+)$", re.MULTILINE)
# What the page calls the format of each module.
FORMATS = {
    "plan/fingerprint.py": "fingerprints",
    "plan/serialise.py": "plan",
    "project/build/cache.py": "build cache",
    "project/build/manifest.py": "manifest",
    "remote/run/checkpoints.py": "checkpoint",
    "remote/run/detached_run.py": "detached run",
    "remote/run/deployments.py": "deployed lines",
    "remote/run/query_status.py": "status of a run",
    "report/json_report.py": "results",
    "report/site/data.py": "docs site",
    "tasks/environment_note.py": "environment",
    "connectors/skips.py": "skipped records",
}


def test_every_format_is_listed() -> None:
    """A module with a constant of its own for the version of a format has a row in both tables."""
    root = Path(lsqlc.__file__).parent
    versions = {
        path.relative_to(root).as_posix(): found[1]
        for path in sorted(root.rglob("*.py"))
        if (found := CONSTANT.search(path.read_text("utf-8")))
    }
    assert versions.keys() == FORMATS.keys()
    for module, version in versions.items():
        first, second = re.findall(rf"^\| {FORMATS[module]} \|(.*)\|$", PAGE, re.MULTILINE)
        assert re.search(rf": {version}\b", first), module
        assert second.count("|") == 1, module
