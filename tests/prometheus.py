"""Prometheus' own programs for tests: `prometheus` and `promtool` of the PATH, or of the folder LSQLC_PROMETHEUS.

On Debian `apt-get download prometheus` and `dpkg -x` give both without an installation.
"""

from __future__ import annotations

import os
import shutil

import pytest


def program(name: str) -> str:
    """The path of one of them. Skips the test where it is not there."""
    found = shutil.which(name, path=os.environ.get("LSQLC_PROMETHEUS")) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed: it is in Debian's package prometheus; LSQLC_PROMETHEUS names its folder")
    return found
