"""The shop as a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..cli.conftest import cli  # noqa: F401 (a fixture)
from .project import write


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project without findings."""
    return write(tmp_path / "shop")
