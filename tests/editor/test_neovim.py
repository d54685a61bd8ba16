"""The set-ups for Neovim that docs/how-to/editor.md shows, in a Neovim without a window."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..docs.blocks import DOCS, blocks
from .project import FILES, write

LARGE = "models/large.sql"
_TRY = """
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end)
for _, found in ipairs(vim.diagnostic.get(0)) do print(found.lnum .. ":" .. found.col .. " " .. found.message) end
local about = { textDocument = vim.lsp.util.make_text_document_params() }
for _, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/codeLens", about, 60000)) do
  print("lens: " .. answer.result[1].command.title)
end
vim.cmd("qa!")
"""


def _version() -> tuple[int, ...]:
    """That of the Neovim of this machine; (0,) where there is none."""
    if shutil.which("nvim") is None:
        return (0,)
    told = subprocess.run(["nvim", "--version"], capture_output=True, text=True).stdout
    return tuple(map(int, re.findall(r"\d+", told.split("\n")[0])[:2]))


@pytest.mark.skipif(_version() == (0,), reason="there is no Neovim on this machine")
def test_findings_and_lenses_arrive(tmp_path: Path) -> None:
    """By the block of the page that is for the version which is there."""
    info = ("lua",) if _version() >= (0, 11) else ("lua", "before-0.11")
    (block,) = [b for b in blocks((DOCS / "how-to/editor.md").read_text("utf-8")) if b.info == info]
    root = write(tmp_path / "shop", {**FILES, LARGE: FILES[LARGE].replace("price > 100", "prise > 100")})
    (tmp_path / "init.lua").write_text(f"{block.text}\n")
    (tmp_path / "try.lua").write_text(_TRY)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = ("nvim", "--headless", "-u", f"{tmp_path}/init.lua", "+filetype on", LARGE, f"+luafile {tmp_path}/try.lua")
    around = {**os.environ, "PATH": path, "HOME": str(tmp_path)}
    ran = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=180, env=around)
    told = ran.stdout + ran.stderr
    assert "3:10 unknown column 'prise'" in told and "lens: run its case" in told, told
