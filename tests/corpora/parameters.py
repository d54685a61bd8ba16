"""The cases of a corpus as parameters of a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest


def parameters(path: Path, cases: Sequence[Mapping[str, Any]], expected_failures: Mapping[str, str]) -> list[Any]:
    """Each case under its id; those that cannot pass with their reason; one that is skipped where there are none."""
    if not cases:
        reason = f"no {path.name} beside the repository, nor in LSQLC_CORPORA"
        return [pytest.param({}, marks=pytest.mark.skip(reason=reason))]
    marks = {n: [pytest.mark.xfail(reason=r, strict=True)] for n, r in expected_failures.items()}
    return [pytest.param(case, id=case["id"], marks=marks.get(case["id"], [])) for case in cases]
