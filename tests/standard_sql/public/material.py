"""The public queries, and the statements that make the tables which they read.

The queries are in `corpora/sql_public.json`. The statements are in the repositories that they come from, of which a
person has a copy: a git repository of RisingWave and of Feldera, and the archive of Spark's tests from Maven.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

_FIXTURES = "python/felderize/tests/e2e/fixtures"
_INPUTS = "sql-tests/inputs"


@dataclass(frozen=True, slots=True)
class Query:
    """A query of a suite. `file`: where its tables are made, as the corpus has it; `today`: what came of it when the
    corpus was made.
    """

    suite: str
    file: str
    text: str
    today: str


@dataclass(frozen=True, slots=True)
class Sources:
    """Where copies of the repositories are: git directories of RisingWave and Feldera, the archive of Spark's tests."""

    risingwave: Path | None
    feldera: Path | None
    spark: Path | None

    def statements(self, suite: str, file: str) -> Sequence[str] | None:
        """Return the statements of a file in Spark SQL, None without a copy of its repository."""
        if suite == "risingwave" and self.risingwave is not None:
            path = file.removeprefix("risingwave/")
            return [*_translated(_slt(_show(self.risingwave, path)))]
        if suite == "felderize" and self.feldera is not None:
            texts = (
                _show(self.feldera, f"{_FIXTURES}/{file}{mark}{part}.sql")
                for part in ("schema", "data", "query")
                for mark in (".", "_")
            )
            return [statement for text in texts for statement in _split(text)]
        if suite == "sqltests" and self.spark is not None:
            with ZipFile(self.spark) as archive:
                return _split(archive.read(f"{_INPUTS}/{_input(archive, file)}").decode())
        return None


def queries(path: Path) -> list[Query]:
    """Return the queries of the corpus."""
    return [Query(each["suite"], each["file"], each["sql"], each["today"]) for each in json.loads(path.read_bytes())]


def _input(archive: ZipFile, file: str) -> str:
    """Return the path of an input below the folder of inputs: the corpus has its name, or its last part."""
    names = [name.partition(f"{_INPUTS}/")[2] for name in archive.namelist() if f"{_INPUTS}/" in name]
    return next(name for name in names if name == file or name.endswith("/" + file))


def _show(repository: Path, path: str) -> str:
    command = ["git", "-C", str(repository), "show", f"HEAD:{path}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout


def _slt(text: str) -> Iterator[str]:
    """Yield the statements of a file of sqllogictest: those behind a line `statement ok`, up to an empty line."""
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line.strip() and not line.startswith("#")]
        if lines and lines[0].startswith("statement ok"):
            yield re.sub(r"\bappend only\b", "", "\n".join(lines[1:]), flags=re.I)


def _translated(statements: Iterator[str]) -> Iterator[str]:
    for text in statements:
        try:
            yield from (tree.sql("spark") for tree in sqlglot.parse(text, read="risingwave") if tree is not None)
        except SqlglotError:
            continue


def _split(text: str) -> list[str]:
    """Split a text at the semicolons that end its statements."""
    try:
        tokens = sqlglot.tokenize(text, read="spark")
    except SqlglotError:
        return []
    result, start = list[str](), 0
    for token in tokens:
        if token.token_type is sqlglot.TokenType.SEMICOLON:
            result.append(text[start : token.start].strip())
            start = token.end + 1
    return [each for each in (*result, text[start:].strip()) if each]


def tables_of(text: str) -> frozenset[str]:
    """Return the names of tables that a query reads, in lower case; those that it defines itself are among them."""
    return frozenset(written_names(text))


def written_names(text: str) -> dict[str, str]:
    """Return the names of tables in a query by those in lower case. Topics, unlike tables, differ by letter case."""
    try:
        tree = sqlglot.parse_one(text, read="spark")
    except SqlglotError:
        return {}
    return {table.name.lower(): table.name for table in tree.find_all(exp.Table)}
