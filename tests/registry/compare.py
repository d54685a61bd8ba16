"""The answers of the stand-in held against those of a real registry: `python -m tests.registry.compare URL`.

Runs one exchange against each and prints where they differ; its subjects have names of their own, and stay there. With
`--record FILE` the real registry's answers are written, against which `test_stand_in.py` holds the stand-in.

Of an answer its status, the registry's number of the error, ids in order of their appearance, versions, whether it is
compatible, and schemas as what they mean count; words do not.
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from lsqlc.formats.avro.tree import avro_tree, canonical
from tests.registry.stand_in import State, stand_in

_KIND = "application/vnd.schemaregistry.v1+json"


def record(*fields: dict[str, Any], name: str = "R") -> str:
    return json.dumps({"type": "record", "name": name, "fields": list(fields)})


INT, LONG, TEXT = ({"name": "a", "type": type} for type in ("int", "long", "string"))
MORE = {"name": "b", "type": ["null", "string"], "default": None}
NEEDED = {"name": "c", "type": "int"}
ENUM = {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}}
FEWER = {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A"]}}
MILLIS = {"name": "t", "type": {"type": "long", "logicalType": "timestamp-millis"}}
MICROS = {"name": "t", "type": {"type": "long", "logicalType": "timestamp-micros"}}


def exchange(subject: str) -> Iterator[tuple[str, str, Any]]:
    """Method, path and body of each request, over subjects whose names begin with `subject`."""

    def post(path: str, schema: str) -> tuple[str, str, Any]:
        return "POST", path, {"schema": schema}

    s = f"/subjects/{subject}-value"
    latest = f"/compatibility{s}/versions/latest"
    yield "GET", f"{s}/versions", None
    yield "GET", f"{s}/versions/1", None
    yield post(s, record(INT))
    yield post(f"{s}/versions", record(INT))
    yield post(f"{s}/versions", record(INT))
    yield post(s, record(INT))
    yield post(s, record(LONG))
    yield "GET", f"/config/{subject}-value?defaultToGlobal=true", None
    for fields in ((LONG,), (TEXT,), (INT, MORE), (INT, NEEDED), ()):
        yield post(latest, record(*fields))
    yield post(f"{s}/versions", record(LONG))
    yield post(f"{s}/versions", record(TEXT))
    yield "GET", f"{s}/versions", None
    yield "GET", f"{s}/versions/2", None
    yield "GET", f"{s}/versions/9", None
    yield "GET", f"{s}/versions/latest", None
    yield post(f"{s}/versions", '{"type": "nothing"}')
    for mode in ("FORWARD", "FULL", "NONE", "BACKWARD_TRANSITIVE"):
        yield "PUT", f"/config/{subject}-value", {"compatibility": mode}
        for fields in ((LONG, MORE), (LONG, NEEDED), (TEXT,), (INT,)):
            yield post(latest, record(*fields))
    pairs = [(record(old), record(new)) for old, new in ((ENUM, FEWER), (FEWER, ENUM), (MILLIS, MICROS))]
    pairs += [(record(INT), record(INT, name=name)) for name in ("Other", "x.R")]
    for number, (old, new) in enumerate(pairs):
        other = f"{subject}-{number}"
        yield post(f"/subjects/{other}/versions", old)
        yield post(f"/compatibility/subjects/{other}/versions/latest", new)
    yield "PUT", f"/config/{subject}-value", {"compatibility": "SIDEWARD"}
    yield "GET", "/schemas/ids/987654", None


def answers(url: str, subject: str) -> list[dict[str, Any]]:
    """What counts of each answer."""
    ids: dict[int, int] = {}
    found = []
    for method, path, body in exchange(subject):
        data = None if body is None else json.dumps(body).encode()
        request = Request(url + path, data, {"Content-Type": _KIND, "Accept": _KIND}, method=method)
        try:
            with urlopen(request, timeout=30) as answer:
                status, given = answer.status, json.load(answer)
        except HTTPError as error:
            with error:
                status, given = error.code, json.load(error)
        asked = f"{method} {path.replace(subject, 'S')} {json.dumps(body)}"
        found.append({"asked": asked, "status": status, **counted(given, ids)})
    return found


def counted(given: Any, ids: dict[int, int]) -> dict[str, Any]:
    if not isinstance(given, dict):
        return {"answer": given}
    kept = {k: given[k] for k in ("error_code", "version", "is_compatible", "compatibilityLevel") if k in given}
    if "id" in given:
        kept["id"] = ids.setdefault(given["id"], len(ids) + 1)
    if "schema" in given:
        kept["schema"] = canonical(avro_tree(given["schema"]))
    return kept


def of_stand_in() -> list[dict[str, Any]]:
    with stand_in(State()) as url:
        return answers(url, "S")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--record", type=Path, metavar="FILE")
    given = parser.parse_args()
    real, ours = answers(given.url.rstrip("/"), f"lsqlc-{uuid.uuid4().hex[:8]}"), of_stand_in()
    for theirs, own in zip(real, ours, strict=True):
        if theirs != own:
            print(f"{theirs['asked']}\n  registry: {theirs}\n  stand-in: {own}")
    if given.record:
        given.record.write_text(json.dumps(real, indent=1) + "\n", "utf-8")
    return int(real != ours)


if __name__ == "__main__":
    sys.exit(main())
