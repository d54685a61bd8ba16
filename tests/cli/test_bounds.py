"""Files of a pull request that would take minutes or gigabytes: each command ends within limits that the system holds.

What is asked of a command takes a hundredth of the limits, and took more than them before each of these was answered.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lanes import only

SECONDS, BYTES, PICTURE = 60, 2 * 2**30, 4_900_000
BASE = {
    "lsqlc.yml": "name: p\n",
    "models/t.yml": "topics:\n  - {name: t, key: INT, value: 'id INT, s STRING'}\n",
    "models/m.sql": "INSERT INTO m SELECT STREAM id FROM t",
}


@dataclass(frozen=True)
class Large:
    """Files (a number: the size of a picture, which takes no room on the disk), what a command says of them, and how
    it ends.
    """

    says: str
    files: Mapping[str, str | int]
    words: tuple[str, ...] = ("compile",)
    code: int = 1


LARGE = {
    "a call with a long list": Large(
        "LSQ026", {"models/x.sql": "SELECT STREAM id FROM {{ ref([" + "1," * 8_000_000 + "1]) }}"}
    ),
    "comments without end in an Avro schema": Large(
        "LSQ011",
        {"x.avsc": "/* " * 3_000_000, "models/x.yml": "topics:\n  - {name: x, key: INT, value: x.avsc}\n"},
    ),
    "texts without end in an Avro schema": Large(
        "LSQ011",
        {"x.avsc": '"' + '\\"' * 3_000_000, "models/x.yml": "topics:\n  - {name: x, key: INT, value: x.avsc}\n"},
    ),
    "a long list in YAML": Large("LSQ005", {"models/x.yml": "topics:\n" + "- a\n" * 5_000_000}),
    "many lists in YAML": Large("LSQ005", {"models/x.yml": "topics: [" + "[]," * 5_000_000 + "]"}),
    "one picture many times": Large(
        "index.html",
        {"README.md": "![](a.png) " * 10_000, "a.png": PICTURE},
        ("docs", "build"),
        0,
    ),
    "many pictures": Large(
        "index.html",
        {
            "README.md": "".join(f"![{n}]({n}.png) " for n in range(500)),
            **{f"{n}.png": PICTURE for n in range(500)},
        },
        ("docs", "build"),
        0,
    ),
    "brackets without end in a README": Large("index.html", {"README.md": "[![](" * 39_000}, ("docs", "build"), 0),
}


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")
@pytest.mark.parametrize("large", only(LARGE, ["a call with a long list", "one picture many times"]))
def test_a_command_ends_within_limits(tmp_path: Path, large: str) -> None:
    """It says what is wrong, or leaves out what is too large."""
    given = LARGE[large]
    for path, content in {**BASE, **given.files}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content if isinstance(content, str) else "")
        if isinstance(content, int):
            os.truncate(tmp_path / path, content)
    ran = subprocess.run(
        [sys.executable, "-m", "lsqlc", *given.words], cwd=tmp_path, capture_output=True, text=True, check=False,
        preexec_fn=_limit,
    )  # fmt: skip
    assert (ran.returncode, given.says in ran.stdout + ran.stderr) == (given.code, True), ran.stdout + ran.stderr


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
