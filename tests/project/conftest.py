from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[dict[str, str | bytes]], Path]


@pytest.fixture
def project(tmp_path: Path) -> Write:
    """Writes files of a project, and a `lsqlc.yml` where there is none yet, and returns its root."""

    def write(files: dict[str, str | bytes]) -> Path:
        settings = {} if (tmp_path / "lsqlc.yml").exists() else {"lsqlc.yml": "name: test\n"}
        for path, content in {**settings, **files}.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write
