"""Nothing outside of `lsqlc.formats` decides by the name of a format: callers ask its record."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator

from lsqlc.formats.catalogue import find_format
from tests.rooms import modules

# Names that only formats have; `json`, `kafka` and `string` are words for other things too.
NAMES = ("avro", "json_sr", "protobuf", "protobuf_nosr", "delimited")
# Where a name is compared outside of the formats, with the reason.
NAMED = {
    ("lsqlc.registry.client", "AVRO"): "the API of registries leaves out the type of such a schema",
    ("lsqlc.bind.topic_schemas", "avro"): "a language that `lsqlc compile` writes schemas in",
}


def test_nobody_else_compares_the_name_of_a_format() -> None:
    """Neither by a comparison nor by the key of a dict: callers ask the record."""
    outside = [module for module in modules().values() if module.room not in ("formats", "diagnostics")]
    found = {(module.name, name) for module in outside for name in _compared(module.tree)}
    assert found == NAMED.keys()


def _compared(tree: ast.AST) -> frozenset[str]:
    return frozenset(name for name in _strings_compared(tree) if name.lower() in NAMES)


def _strings_compared(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        parts: list[ast.expr | None] = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            parts = list(node.keys)
        elif isinstance(node, ast.MatchValue):
            parts = [node.value]
        for part in parts:
            inside = part.elts if isinstance(part, ast.Tuple | ast.Set | ast.List) else [part]
            yield from (each.value for each in inside if isinstance(each, ast.Constant) and isinstance(each.value, str))


def test_facets_are_not_compared_with_the_name_of_a_format() -> None:
    """With a text that names one."""
    found = {
        (module.name, ast.unparse(node))
        for module in modules().values()
        if module.room != "formats"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Compare) and _is_format(node.left) and any(map(find_format, _texts(node)))
    }
    assert not found


def _is_format(node: ast.expr) -> bool:
    """Whether it reads `facet.format`; files have formats of their own."""
    return isinstance(node, ast.Attribute) and node.attr == "format" and not ast.unparse(node.value).endswith("files")


def _texts(node: ast.Compare) -> list[str]:
    parts = (each for part in node.comparators for each in ast.walk(part) if isinstance(each, ast.Constant))
    return [each.value for each in parts if isinstance(each.value, str)]


def test_a_program_imports_only_the_records_of_formats() -> None:
    """A project does not wait for the codecs and schemas of formats that it does not have."""
    program = (
        "import sys, lsqlc; lsqlc.compile('SELECT STREAM id FROM t', topics=[lsqlc.Topic('t', value='id INT')]);"
        " print(*(name for name in sys.modules if name.startswith('lsqlc.formats.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    inner = {name.split(".")[3] for name in done.stdout.split() if name.count(".") > 2}
    assert inner == {"format", "kind"}
