"""A history of edits: what `lsqlc diff` says of each, with all of it at once."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.cli.history import FILES, HISTORY
from tests.cli.test_diff import git


def line(model: dict[str, Any]) -> str:
    """What is said of a model, in one line: see `Edit.expected`."""
    parts = [] if model["status"] == "modified" else [model["status"]]
    parts += [model["category"], model["state"]["verdict"]]
    if model["columns"]:
        columns = [f"{c['topic']}.{_short(c['column'])}" for c in model["columns"]["changed"]]
        parts.append(f"columns {' '.join(columns) or '-'}")
        parts += [f"records {' '.join(model['columns']['records'])}"] if model["columns"]["records"] else []
        below = [
            f"{topic}.{','.join(_short(c['column']) for c in found)}"
            for topic, found in groupby(model["columns"]["downstream"], lambda c: c["topic"])
        ]
        parts += [f"below {' '.join(below)}"] if below else []
    if model["rows"]:
        cases = model["rows"]["differing"]
        rows = [
            f"{found['model']} {_counts([row['kind'] for topic in found['topics'] for row in topic['rows']])}"
            for case in cases
            for found in case["models"]
        ]
        rows += [case["problem"] for case in cases if case["problem"]]
        parts.append(f"rows {', '.join(rows)}" if cases else f"{model['rows']['cases']} cases alike")
    return "; ".join(parts)


def _short(column: str) -> str:
    return column.removeprefix("_value.")


def _counts(kinds: list[str]) -> str:
    marks = {"removed": "-", "added": "+", "changed": "~"}
    return "".join(f"{mark}{kinds.count(kind)}" for kind, mark in marks.items() if kind in kinds)


def start(root: Path) -> None:
    """The project before any edit, committed."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")


def test_history(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each edit category, state, columns, readers and rows are told as they are; nothing else is named."""
    monkeypatch.chdir(tmp_path)
    start(tmp_path)
    for edit in HISTORY:
        edit.apply(tmp_path)
        ran = cli("diff", "--against", "HEAD", "--output", "json", "-q")
        assert ran.code == 0, (edit.name, ran.err)
        assert {model["name"]: line(model) for model in ran.data["models"]} == edit.expected, edit.name
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", edit.name)
