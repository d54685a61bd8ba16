"""ksqlDB's functional tests: folders for its test runner, and files of its own repository.

A folder has `statements.sql`, `input.json` (`{"inputs": [...]}`) and `output.json` (`{"outputs": [...]}`). A file of
ksqlDB's repository has `{"tests": [{"name", "statements", "inputs", "outputs"}]}`, where `format` lists the values of
`{FORMAT}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.files import read_file

STATEMENTS, INPUTS, OUTPUTS = "statements.sql", "input.json", "output.json"


@dataclass(frozen=True, slots=True)
class KsqlRecord:
    """A record. `members`: the members in the file. `texts`: the exact JSON of its `key` and `value`."""

    topic: str
    members: Mapping[str, Any]
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class KsqlTest:
    """A test: input records in order of arrival, and the expected output records."""

    name: str
    path: str
    statements: str
    inputs: tuple[KsqlRecord, ...]
    outputs: tuple[KsqlRecord, ...]


def read_tests(source: str) -> tuple[KsqlTest, ...]:
    """Return the tests of a folder and its subfolders, or of one file of ksqlDB's repository.

    Raises LsqlcError LSQ001 for a file that cannot be read, and LSQ533 for one of another form.
    """
    path = Path(source)
    if not path.is_dir():
        return tuple(_of_file(path, source))
    tests: list[KsqlTest] = []
    for file in sorted(path.rglob("*")):
        if file.name == STATEMENTS:
            tests.append(_of_folder(file.parent, path))
        elif file.suffix == ".json" and file.name not in (INPUTS, OUTPUTS):
            tests += _of_file(file, file.relative_to(path).as_posix())
    if not tests:
        raise _wrong(source, "the folder has no test", f"a test is a folder with {STATEMENTS}, {INPUTS} and {OUTPUTS}")
    return tuple(tests)


def _of_folder(folder: Path, root: Path) -> KsqlTest:
    name = folder.relative_to(root).as_posix()
    records: dict[str, tuple[KsqlRecord, ...]] = {}
    for file, key in ((INPUTS, "inputs"), (OUTPUTS, "outputs")):
        path = folder / file
        if file == INPUTS and not path.exists():
            # The input can be INSERT INTO ... VALUES only.
            records[key] = ()
            continue
        content = _text(path, path.as_posix())
        records[key] = _records(_json(content, path.as_posix()), content, key, path.as_posix())
    text = _text(folder / STATEMENTS, (folder / STATEMENTS).as_posix())
    title = folder.resolve().name if name == "." else name
    return KsqlTest(title, (folder / STATEMENTS).as_posix(), text, records["inputs"], records["outputs"])


def _of_file(path: Path, label: str) -> Iterator[KsqlTest]:
    content = _text(path, label)
    data = _json(content, label)
    tests = data.get("tests") if isinstance(data, dict) else None
    if not isinstance(tests, list):
        raise _wrong(label, "it has no 'tests'", f"name a folder with {STATEMENTS}, {INPUTS} and {OUTPUTS}")
    for test, part in zip(tests, _parts(_member(content, "tests", label), label), strict=True):
        if not isinstance(test, dict) or "expectedException" in test:
            # A test that expects an error has no rows.
            continue
        statements = test.get("statements")
        if not isinstance(statements, list) or not all(isinstance(s, str) for s in statements):
            raise _wrong(label, "a test has no 'statements'")
        formats = test.get("format")
        format = "JSON" if not isinstance(formats, list) or not formats or "JSON" in formats else str(formats[0])
        text = "\n".join(statements).replace("{FORMAT}", format) + "\n"
        inputs, outputs = (_records(test, part, key, label) if key in test else () for key in ("inputs", "outputs"))
        yield KsqlTest(f"{path.stem} {test.get('name', '')}".strip(), label, text, inputs, outputs)


def _records(data: Any, text: str, key: str, label: str) -> tuple[KsqlRecord, ...]:
    """Return the records of the list `key` of an object. `text`: its JSON."""
    records = data.get(key) if isinstance(data, dict) else None
    if not isinstance(records, list):
        raise _wrong(label, f"it has no list '{key}'")
    for record in records:
        if not isinstance(record, dict) or not isinstance(record.get("topic"), str):
            raise _wrong(label, f"a record of '{key}' has no 'topic'")
        if type(record.get("timestamp", 0)) not in (int, type(None)):
            raise _wrong(label, f"a record of '{key}' has a 'timestamp' that is not a number of milliseconds")
    parts = (_members(part, label) for part in _parts(_member(text, key, label), label))
    return tuple(
        KsqlRecord(record["topic"], record, {name: members[name] for name in ("key", "value") if name in members})
        for record, members in zip(records, parts, strict=True)
    )


def _member(text: str, name: str, label: str) -> str:
    return _members(text, label)[name]


def _members(text: str, label: str) -> dict[str, str]:
    """Return the JSON of each member of an object."""
    fields = _decoded(text, dict[str, msgspec.Raw], label)
    return {name: bytes(part).decode() for name, part in fields.items()}


def _parts(text: str, label: str) -> list[str]:
    """Return the JSON of each item of a list."""
    return [bytes(part).decode() for part in _decoded(text, list[msgspec.Raw], label)]


def _decoded(text: str, type: Any, label: str) -> Any:
    try:
        return msgspec.json.decode(text, type=type)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise _wrong(label, f"it is not JSON: {error}") from None


def _json(text: str, label: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise _wrong(label, f"it is not JSON: {error}") from None


def _text(path: Path, label: str) -> str:
    result = read_file(path, label)
    if result.text is None:
        raise LsqlcError(result.diagnostics)
    return result.text


def _wrong(label: str, why: str, help: str | None = None) -> LsqlcError:
    return LsqlcError([Diagnostic("LSQ533", f"'{label}' is not a test of ksqlDB", notes=(why,), help=help)])
