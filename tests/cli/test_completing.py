"""What a shell completes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli

TARGETS = "targets:\n  local: {type: embedded}\n  prod: {type: embedded}\n"
SELECTORS = "selectors:\n  nightly: {select: tag:daily}\n"


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("sho", ["show"]),
        ("show r", ["rides", "rides_by_station"]),
        ("show --target p", ["prod"]),
        ("check b", ["bikes_at_station"]),
        ("lineage a", ["arrivals"]),
        ("state show a", ["arrivals"]),
        ("test --record r", ["rides", "rides_by_station"]),
        ("build --select a", ["arrivals"]),
        ("build --select arrivals b", ["bikes_at_station"]),
        ("build --select +b", ["+bikes_at_station"]),
        ("build -s tag:", ["tag:daily", "tag:live"]),
        # As bash cuts the words.
        ("build -s tag : d", ["daily"]),
        ("build -s tag :", [":daily", ":live"]),
        ("compile --exclude selector:", ["selector:nightly"]),
        ("run -t ", ["local", "prod"]),
        ("explain LSQ43", ["LSQ430", "LSQ431", "LSQ432", "LSQ433"]),
        ("lint --select LSQ80", ["LSQ801", "LSQ802", "LSQ803", "LSQ804"]),
        ("lint --select arr", ["arrivals"]),
    ],
)  # fmt: skip
def test_what_is_offered(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch, line: str, offered: list[str]) -> None:
    """Names of the project, and codes, as they begin."""
    (bikes / "profiles.yml").write_text(TARGETS)
    (bikes / "lsqlc.yml").write_text((bikes / "lsqlc.yml").read_text() + SELECTORS)
    words = f"lsqlc {line}"
    monkeypatch.setenv("_LSQLC_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    ran = cli()
    assert ran.err == "" and ran.out.split()[: len(offered)] == offered
    assert len(ran.out.split()) == len(offered) or "LSQ" in line


@pytest.mark.parametrize("content", [None, "name: [", "nme: x\n"])
def test_nothing_is_shown_where_there_is_no_project(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    """Or where it cannot be read."""
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / "lsqlc.yml").write_text(content)
    monkeypatch.setenv("_LSQLC_COMPLETE", "complete_bash")
    for words in ("lsqlc show r", "lsqlc run -t p", "lsqlc build -s tag:"):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        ran = cli()
        assert ran.err == "" and not ran.out.strip()
