"""docs/reference/lint.md: what it shows is what happens."""

from __future__ import annotations

import re

from lsqlc.diagnostics.catalogue import codes
from lsqlc.dialects.lenses import DIALECT
from lsqlc.project.build.formatting import format_model
from lsqlc.project.declared.config import read_config
from tests.docs.blocks import DOCS, ROOT, blocks

TEXT = (DOCS / "reference/lint.md").read_text("utf-8")


def test_the_example_is_formatted_as_shown() -> None:
    """From the one block to the other."""
    before, after = (b.text for b in blocks(TEXT) if b.info[0] == "sql")
    assert format_model(before, "before.sql", DIALECT).text == after


def test_the_codes_are_called_as_their_pages_are() -> None:
    """And each rule of the lint room is listed."""
    listed = dict(re.findall(r"^\| (LSQ\d{3}) \| (.+?) \|", TEXT, re.MULTILINE))
    assert listed == {code: codes()[code] for code in listed}
    sources = "".join(p.read_text("utf-8") for p in (ROOT / "lsqlc" / "lint").glob("*.py"))
    assert set(re.findall(r"\"(LSQ8\d\d)\"", sources)) <= set(listed)


def test_the_settings_are_read() -> None:
    """As they stand there."""
    (text,) = [b.text for b in blocks(TEXT) if b.info == ("yaml", "lint")]
    config, found = read_config(text)
    assert config and not found
    assert config.lint.wants("LSQ805") and not config.lint.wants("LSQ821") and not config.lint.wants("LSQ824")
