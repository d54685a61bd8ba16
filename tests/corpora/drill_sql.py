"""Drill's SQL tests of files: the case's files are written, and its query runs on DuckDB, as a program of lsqlc.

A file has one line of one cell, its name without the suffix. The cases do not say which folder of theirs a query reads:
what is expected has to come of one of them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lsqlc.bind.lenses.program import compile_program
from lsqlc.lower.duckdb import Session
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax.lenses.parser import parse
from tests.corpora.drill_forms import Unlike


def check_sql(case: Mapping[str, Any]) -> None:
    """Raises Unlike where no folder gives what is expected; what was found is that of the outermost one."""
    tree: list[str] = case["options"]["tree"]
    folders = sorted({str(parent) for file in tree for parent in Path(file).parents} - {"."}, key=len)
    with tempfile.TemporaryDirectory() as root:
        for number, file in enumerate(tree, 1):
            path = Path(root, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{path.stem}\n", "utf-8")
            os.utime(path, (number, number))
        problems: list[str] = []
        for folder in folders:
            depth = max(len(Path(file).parts) - len(Path(folder).parts) - 1 for file in tree)
            records = _run(case, Path(root), folder, depth)
            problem = _difference(case, records)
            if problem is None:
                return
            problems.append(problem)
    raise Unlike(problems[0])


def _run(case: Mapping[str, Any], root: Path, folder: str, depth: int) -> list[dict[str, Any]]:
    names = case["projection"]
    items = ", ".join("*" if name in ("*", "**") else name for name in names)
    where = f" WHERE {case['options']['where']}" if "where" in case["options"] else ""
    # A query that counts has no list. Its records are one group, since all files of a case have one suffix.
    program = f"SELECT STREAM {items} FROM t{where}"
    if not names:
        program = (
            f"SELECT STREAM COUNT(*) AS {(case['expect'].get('columns') or ['cnt'])[0]} FROM t{where} GROUP BY suffix"
        )
    options = f"path: {folder}, format: csv, header: false, partitions_in_wildcard: {depth}"
    topic = f"topics: [{{name: t, connector: files, files: {{{options}}}}}]"
    declared = read_declarations(topic, "t.yml", Defaults())
    parsed = parse(program, "<text>")
    assert parsed.program is not None, parsed.diagnostics
    compiled = compile_program(parsed.program, {d.topic.name: d.topic for d in declared.topics}, name="out")
    if compiled.plan is None:
        raise Unlike(f"refused: {[d.message for d in compiled.diagnostics]}")
    if not names and "reads no column" not in compiled.plan.tree():
        raise Unlike("a count reads columns")
    outcome = Session().evaluate_logs(compiled.plan, {}, root=root)
    return [record.value for record in outcome.topics["out"]]


def _difference(case: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str | None:
    """What is not as expected. Drill's own tests compare columns by name, and rows in no order."""
    expected = case["expect"]
    unknown = sorted(expected.keys() - {"columns", "rows", "values"})
    if unknown:
        return f"no query has {unknown}"
    if not records:
        return "no record"
    names = list(records[0])
    wanted = expected.get("columns", names)
    if sorted(names) != sorted(wanted):
        return f"columns: expected {wanted}, found {names}"
    rows = [[record[name] for name in wanted] for record in records]
    if "rows" in expected and sorted(map(str, rows)) != sorted(map(str, expected["rows"])):
        return f"rows: expected {expected['rows']}, found {rows}"
    for file, values in expected.get("values", {}).items():
        found = [{n: r[n] for n in values} for r in records if r["filename"] == file]
        if found != [values]:
            return f"values of {file}: expected {values}, found {found}"
    return None
