"""The VS Code extension in editors/vscode: its manifest, its snippets, its grammars, and its package.

What needs node and the packages of npm is skipped where `npm ci` was not run in that folder.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from lsqlc.dialects import dialect

ROOT = Path(__file__).parents[2] / "editors" / "vscode"
_LACKS = "node and `npm ci` in editors/vscode are needed"
needs_node = pytest.mark.skipif(shutil.which("npm") is None or not (ROOT / "node_modules").is_dir(), reason=_LACKS)
_PLACE = re.compile(r"\$\{\d+:([^}]*)\}")


def _json(path: str) -> Any:
    return json.loads((ROOT / path).read_text("utf-8"))


def test_the_manifest_names_files_that_are_there() -> None:
    """Grammars by their own scope, languages that grammars and snippets know, and the command of the package."""
    manifest = _json("package.json")
    known = manifest["contributes"]
    for grammar in known["grammars"]:
        assert _json(grammar["path"])["scopeName"] == grammar["scopeName"]
    languages = {language["id"] for language in known["languages"]}
    assert {g["language"] for g in known["grammars"] if "language" in g} == languages
    assert {snippets["language"] for snippets in known["snippets"]} == languages
    assert all((ROOT / language["configuration"]).is_file() for language in known["languages"])
    assert manifest["main"] == "./dist/extension.js" and "src/extension.js" in manifest["scripts"]["build"]
    source = (ROOT / "src/extension.js").read_text("utf-8")
    assert {command["command"] for command in known["commands"]} == set(
        re.findall(r'registerCommand\("([^"]+)"', source)
    )
    used = set(re.findall(r'settings\(\)\.get\("(\w+)"\)', source)) | {"trace.server"}
    assert {f"lsqlc.{name}" for name in used} == set(known["configuration"]["properties"])
    assert known["semanticTokenScopes"][0]["scopes"].keys() <= {"class", "struct", "property", "parameter"}
    assert not re.search(r'"resolved"|https?://[^"]*registry', (ROOT / "package-lock.json").read_text("utf-8"))


@pytest.mark.parametrize(("name", "language"), [("lenses", "lenses-sql"), ("ksql", "ksqldb")])
def test_the_grammar_has_the_words_of_the_dialect(name: str, language: str) -> None:
    """Every word that is reserved, or that the editor proposes."""
    keywords = dialect(name).keywords()
    following = [word for words in keywords.follows.values() for word in words]
    words = {*keywords.reserved, *keywords.statements, *following, *(w for v in keywords.behind.values() for w in v)}
    rules = _json(f"syntaxes/{language}.tmLanguage.json")["repository"]
    known = set(re.findall(r"[A-Z]+", rules["keywords"]["match"] + rules["constants"]["match"]))
    assert {part for word in words for part in word.split() if part.isalpha()} <= known


@pytest.mark.parametrize(("name", "language"), [("lenses", "lenses-sql"), ("ksql", "ksqldb")])
def test_a_snippet_is_a_program_of_its_language(name: str, language: str) -> None:
    """Filled in with what it proposes; a query that others read needs one that does."""
    for title, snippet in _json(f"snippets/{language}.json").items():
        text = _PLACE.sub(r"\1", "\n".join(snippet["body"]))
        if title == "Name a query":
            text += " SELECT STREAM * FROM priced"
        found = dialect(name).parse(text, "snippet")
        assert found.program is not None and not found.diagnostics, (title, found.diagnostics)


@needs_node
def test_the_grammars_and_the_choice_of_the_server() -> None:
    """Its own tests, by the engine that VS Code reads grammars with."""
    ran = subprocess.run(["npm", "test", "--silent"], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@needs_node
def test_the_package_has_what_it_needs_and_nothing_else(tmp_path: Path) -> None:
    """One command makes it, without a network: a bundle, grammars, snippets, licence."""
    folder = tmp_path / "vscode"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns("node_modules", "dist", "*.vsix"))
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    offline = {**os.environ, "npm_config_offline": "true"}
    ran = subprocess.run(
        ["npm", "run", "package"], cwd=folder, capture_output=True, text=True, timeout=300, env=offline
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    with zipfile.ZipFile(folder / "lsqlc.vsix") as package:
        names = {name.removeprefix("extension/") for name in package.namelist() if name.startswith("extension/")}
        bundle = package.read("extension/dist/extension.js").decode()
    files = {"package.json", "readme.md", "LICENSE.txt", "language-configuration.json", "dist/extension.js"}
    parts = {p.relative_to(ROOT).as_posix() for f in ("syntaxes", "snippets") for p in (ROOT / f).iterdir()}
    assert names == files | parts
    assert 'require("vscode")' in bundle and "vscode-languageclient/node" not in re.findall(
        r'require\("([^"]+)"\)', bundle
    )
