"""Generated parts of the documentation, and links between its pages."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from lsqlc.lower.spark import support
from tests.docs.blocks import DOCS, ROOT
from tests.docs.generate import COMMANDS, FUNCTIONS, JSON, LANGUAGE, generated, support_table

_LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
# Never alone: what makes rows share keys below something that is no projection has a reason of its own.
_ACCOMPANIED = "only a projection can be rekeyed"


@pytest.mark.parametrize("path", [FUNCTIONS, LANGUAGE, JSON, COMMANDS], ids=lambda path: path.name)
def test_generated_parts_are_up_to_date(path: Path) -> None:
    """`python -m tests.docs.generate` would change nothing."""
    assert path.read_text("utf-8") == generated(path)


def test_the_table_of_engines_has_every_reason() -> None:
    """Whatever the lowering refuses stands in the table, by the reason that it gives."""
    source = ast.parse(Path(support.__file__).read_text("utf-8"))
    yielded = [n.value for n in ast.walk(source) if isinstance(n, ast.Yield) and isinstance(n.value, ast.Tuple)]
    reasons = {e.elts[1].value for e in yielded if isinstance(e.elts[1], ast.Constant)}
    assert len(yielded) >= len(reasons) > 1
    pages = "".join((DOCS / name).read_text("utf-8") for name in ("reference/ksql.md", "how-to/own-functions.md"))
    table = support_table(LANGUAGE.read_text("utf-8")) + pages
    assert [r for r in reasons - {_ACCOMPANIED} if str(r) not in table] == []


_WITH_LINKS = (
    *sorted(ROOT.glob("*.md")),
    *sorted(DOCS.rglob("*.md")),
    *sorted((ROOT / "lsqlc/diagnostics/pages").glob("*.md")),
    *sorted((ROOT / "examples").glob("*/README.md")),
)


def test_links_lead_somewhere() -> None:
    """Files that are there, and headings that they have."""
    assert {path.relative_to(ROOT).as_posix(): broken for path in _WITH_LINKS if (broken := _broken(path))} == {}


def _broken(path: Path) -> list[str]:
    broken = []
    for target, heading in _LINK.findall(_without_blocks(path)):
        if target.startswith(("http:", "https:")):
            continue
        file = (path.parent / target).resolve() if target else path
        if not file.exists() or (heading and heading not in _anchors(file)):
            broken.append(f"{target}#{heading}")
    return broken


def _without_blocks(path: Path) -> str:
    return re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def _anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them; `#` in a block is no heading."""
    headings = re.findall(r"^#+ (.+)$", _without_blocks(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}
