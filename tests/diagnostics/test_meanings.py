"""A code has one meaning, which is the title of its page: `lint.ignore` of it silences that, and nothing else.

A code is made in one module. Where several report the same, `several_modules.txt` lists them with the code: who takes a
code that stands for something else finds it taken here, beside its title.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from lsqlc import CompileError, Topic, compile
from lsqlc.diagnostics.catalogue import codes
from tests.each import each
from tests.rooms import modules

PACKAGE = Path(__file__).parents[2] / "lsqlc"
LISTED = Path(__file__).with_name("several_modules.txt")
_CODE = re.compile(r"LSQ\d{3}")


@cache
def modules_of() -> Mapping[str, set[str]]:
    """Each code, with the modules that name it otherwise than to compare with it."""
    found = defaultdict(set)
    for module in modules().values():
        nodes = list(ast.walk(module.tree))
        compared = {id(part) for node in nodes if isinstance(node, ast.Compare) for part in ast.walk(node)}
        for node in nodes:
            named = isinstance(node, ast.Constant) and isinstance(node.value, str) and _CODE.fullmatch(node.value)
            if named and id(node) not in compared:
                found[named[0]].add(module.path.relative_to(PACKAGE).with_suffix("").as_posix())
    return found


@cache
def listed_modules() -> Mapping[str, set[str]]:
    """Each code that several modules report, with these."""
    lines = (line.split() for line in LISTED.read_text("utf-8").splitlines())
    return {code: set(names) for code, *names in lines}


@each("code", codes())
def test_a_code_is_made_in_one_module(code: str) -> None:
    """Or in the listed ones, which all report what its title says."""
    made = modules_of()[code]
    known = listed_modules().get(code)
    assert (made == known) if known else len(made) == 1, (
        f"{code} means '{codes()[code]}', and stands in {', '.join(sorted(made))}: take a code of its own for what"
        f" means something else, or list the modules in {LISTED.name}"
    )


@each("code", [code for code, title in codes().items() if "ksqlDB" in title])
def test_a_code_of_ksqldb_is_made_by_its_modules(code: str) -> None:
    """What the title ascribes to one dialect, a program of the other cannot give."""
    others = {name for name in modules_of()[code] if "ksql" not in name}
    assert others <= {"bind/expressions"}, "a lambda, which the syntax of the other dialect does not have"


def test_no_two_codes_have_one_title() -> None:
    """Two codes of one meaning would be one too many."""
    titles = Counter(codes().values())
    assert [title for title, count in titles.items() if count > 1] == []


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ("SET error.policy = 'dlq'", "LSQ346"),
        ("SET error.policy = 'dlq'; SET dead.letter.queue = 't'", "LSQ347"),
        ("SET error.policy = 'dlq'; SET dead.letter.queue = ''", "LSQ347"),
    ],
)
def test_dead_letters_have_codes_of_their_own(settings: str, code: str) -> None:
    """Not those of the keys of ksqlDB's projections."""
    with pytest.raises(CompileError) as error:
        compile(f"{settings}; INSERT INTO o SELECT STREAM a FROM t", topics=[Topic("t", key="INT", value="a INT")])
    assert [d.code for d in error.value.diagnostics] == [code]
