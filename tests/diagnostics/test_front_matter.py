"""The front matter of the pages: severities as the sources report them, and exit codes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import Diagnostic, Severity
from lsqlc.diagnostics.catalogue import code_info, codes, exit_code, page, parse_page

ROOT = Path(__file__).parents[2] / "lsqlc"
# Functions that make warnings, and lint's.
_WARNINGS = frozenset({"warn", "finding"})


def test_severities_are_those_that_are_reported() -> None:
    """Each code is reported with each severity that its page has, and with no other."""
    reported: dict[str, set[str]] = {}
    for path in ROOT.rglob("*.py"):
        of_lint = path.parent.name == "lint"
        for code, severity in _reported(ast.parse(path.read_text("utf-8")), of_lint):
            reported.setdefault(code, set()).update(severity)
    wrong = {
        code: (sorted(found), sorted(s.value for s in info.severities))
        for code, found in reported.items()
        if (info := code_info(code)) and found != {s.value for s in info.severities}
    }
    # Of the first, what was made as an error is always replaced by a warning.
    assert wrong == {"LSQ692": (["error", "warning"], ["warning"])}


def _reported(tree: ast.AST, of_lint: bool) -> Iterator[tuple[str, set[str]]]:
    """Each code that a call is given, with the severities that the diagnostic can have."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        named = {word.arg: word.value for word in call.keywords}
        given = [*call.args, *([named["code"]] if "code" in named else [])]
        found = [a.value for a in given if isinstance(a, ast.Constant) and re.fullmatch(r"LSQ\d{3}", str(a.value))]
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        severity = named.get("severity") or (call.args[5] if name == "Diagnostic" and len(call.args) > 5 else None)
        words = {word.lower() for word in re.findall(r"Severity\.(\w+)", ast.unparse(severity))} if severity else set()
        if severity and not words:
            # A name: all that the module knows.
            words = {"error", "warning"}
        elif not severity:
            words = {"warning" if name in _WARNINGS or (of_lint and name == "_finding") else "error"}
        yield from ((str(code), words) for code in found[:1])


def test_defaults_and_front_matter() -> None:
    """A page without front matter is of an error that ends a command with 1; `page` has none in either case."""
    assert parse_page("# a title\n\ntext\n") == parse_page("---\nseverity: error\nexit: 1\n---\n# a title\n\ntext\n")
    found = parse_page("---\nseverity: note, error\nexit: 2\n---\n# a title\n")
    assert (found.title, found.severities, found.exit) == ("a title", (Severity.NOTE, Severity.ERROR), 2)
    assert found.page == "# a title\n"
    for front in ("severity: bad", "exit: one", "other: 1"):
        with pytest.raises(ValueError):
            parse_page(f"---\n{front}\n---\n# a title\n")
    assert all((page(code) or "").startswith("# ") for code in codes())
    assert code_info("LSQ999") is None and code_info("../LSQ001") is None and exit_code("LSQ999") == 1


def test_codes_about_usage() -> None:
    """They, and no others, end a command with 2."""
    usage = {code for code in codes() if exit_code(code) == 2}
    assert {"LSQ008", "LSQ065", "LSQ690", "LSQ871"} <= usage and {exit_code(code) for code in codes()} == {1, 2}


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ((Diagnostic("LSQ201", "x"),), 1),
        ((Diagnostic("LSQ201", "x"), Diagnostic("LSQ065", "y")), 2),
        ((Diagnostic("LSQ201", "x"), Diagnostic("LSQ065", "y", severity=Severity.NOTE)), 1),
        ((), 1),
    ],
)
def test_the_exit_code_of_a_command(found: tuple[Diagnostic, ...], code: int) -> None:
    """That of its errors' codes, the highest."""
    from typer import Exit

    with pytest.raises(Exit) as ended:
        Shell("test").end(found)
    assert ended.value.exit_code == code
