"""What `make release-check` says of a version before it is tagged."""

from __future__ import annotations

from pathlib import Path

from tests.release import missing


def test_what_a_release_lacks(tmp_path: Path) -> None:
    """A version of a release, an entry of the history, and a section of the changelog with nothing left above it."""
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text("# Changelog\n\n## Unreleased\n\n- x\n\n## 1.1.0\n\ny\n", "utf-8")
    assert [line.split(":")[0] for line in missing(tmp_path, "1.2.0.dev0")] == [
        "lsqlc/__init__.py", "tests/history/1.2.0.dev0", "CHANGELOG.md", "CHANGELOG.md",
    ]  # fmt: skip
    changelog.write_text("# Changelog\n\n## Unreleased\n\n## 1.2.0 (2026-01-01)\n\n- x\n\n## 1.1.0\n\ny\n", "utf-8")
    entry = tmp_path / "tests/history/1.2.0"
    entry.mkdir(parents=True)
    for name in ("reference", "constructs", "checkpoints"):
        (entry / f"{name}.tar.xz").touch()
    assert missing(tmp_path, "1.2.0") == []
