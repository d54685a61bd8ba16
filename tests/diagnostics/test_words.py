"""Messages and help have the words of the dialect that the program is written in, and of no other.

The corpus is what the tests of each dialect refuse, compiled in every dialect: people bring programs from one to
another.
A word of another dialect is only allowed where the program has it, and behind the name of that dialect.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from sqlglot import exp

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.catalogue import codes
from lsqlc.dialects import NAMES, dialect
from lsqlc.functions import catalogue
from lsqlc.lower.spark import unsupported
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax.ksql import foreign as ksql_words
from lsqlc.syntax.lenses import foreign as lenses_foreign
from lsqlc.syntax.sql import foreign as sql_foreign
from lsqlc.types.record import Topic
from tests.diagnostics.test_pages import blocks
from tests.fixture_files import invalid, topics
from tests.ksql import test_foreign as ksql_foreign
from tests.ksql import test_invalid as ksql_invalid
from tests.ksql.programs import SOURCES
from tests.standard_sql.programs import TOPICS
from tests.standard_sql.test_refused import REFUSED

TESTS = Path(__file__).parents[1]
# The dialects that have some words.
WORDS = (
    (
        ("lenses",),
        r"EVENTTIME|WINDOW BY|GRACE BY|\bTUMBLE\b|\bHOP\b|SELECT (STREAM|TABLE)\b|_meta\b|STORE (KEY|VALUE)\b",
    ),
    (("lenses",), r"\bSET \w+\.|\bLATERAL (?!VIEW\b)\w+ AS\b"),
    (("ksql",), r"EMIT (CHANGES|FINAL)|CREATE (STREAM|TABLE)\b|TUMBLING|HOPPING|ROWTIME|ROWKEY|WINDOW(START|END)"),
    (("ksql",), r"KAFKA_TOPIC|(KEY|VALUE)_FORMAT|PRIMARY KEY|GRACE PERIOD"),
    (
        ("sql",),
        r"STREAMING TABLE|MATERIALIZED VIEW|LATERAL VIEW|\bINTERVAL\b|\bSTREAM\(|_timestamp\b|\bwindow\(|\bOVER\b",
    ),
    (("sql",), r"\bUSING\b|\bEXISTS\b|\bQUALIFY\b"),
    (("lenses", "sql"), r"\bLATERAL\b"),
    (("lenses", "ksql"), r"\bWITHIN\b|\bINSERT INTO\b"),
)
# What a sentence says of another dialect by its name.
OTHERS = re.compile(r"in (ksqlDB|a Lenses model)\b.*")
CALL = re.compile(r"\b([A-Za-z]\w*)\(")
# What has parentheses behind it and is no function of the catalogue.
FORMS = {
    "lenses": {"DECIMAL", "CAST", "IN", "AS", "VAR", "CONFIG", "STREAM"},
    "ksql": {"CAST", "IN", "STRUCT", "ARRAY", "MAP", "WITH", "TUMBLING", "HOPPING", "SESSION", "DECIMAL", "EXPLODE",
             "TRANSFORM", "FILTER", "REDUCE"},
    "sql": {
        "CAST", "DATE", "ROW_NUMBER", "IN", "STREAM", "WINDOW", "SESSION_WINDOW", "EXPLODE", "CONFIG", "EXISTS",
        "DECIMAL", "ARRAY",
    },
}  # fmt: skip

# A number and a text, added.
ADDED = (
    ("lenses", "SELECT STREAM amount + item AS x FROM orders"),
    ("ksql", SOURCES + "CREATE STREAM o AS SELECT id, amount + item AS x FROM orders;"),
)


@cache
def corpus() -> tuple[str, ...]:
    """Programs that a dialect refuses, and some that another has."""
    found = [e.wrong for folder in ("plan/fixtures", "syntax/fixtures") for e in invalid(TESTS / folder)]
    found += [SOURCES + text for text in (*(e.wrong for e in ksql_invalid.ENTRIES), *ksql_invalid.WRONG)]
    found += [SOURCES + text for text in ksql_foreign.PROGRAMS.values()]
    found += [text for text, *_ in REFUSED]
    for name in (*ksql_words.FUNCTIONS, *sql_foreign.FORMS, *sql_foreign.REASONS, *lenses_foreign.FUNCTIONS):
        found += [f"SELECT STREAM {name}(item) AS x FROM orders", f"SELECT {name}(text) AS x FROM t"]
        found.append(SOURCES + ksql_foreign.STREAM.format(f"{name}(item)"))
    found += [page["wrong"][0] for page in map(blocks, codes()) if "wrong" in page]
    return tuple(dict.fromkeys(text for text in found if len(text) < 3000))


def findings(text: str, name: str) -> tuple[Diagnostic, ...]:
    """What a dialect finds in a program."""
    language = dialect(name)
    parsed = language.parse(text, "it.sql")
    given = {} if name == "ksql" else known_topics()
    if parsed.program is None:
        return parsed.diagnostics
    bound = language.bind(parsed.program, given, name="o")
    lowered = unsupported(bound.plan) if bound.plan is not None else ()
    return (*parsed.diagnostics, *bound.diagnostics, *language.lint(parsed.program, given), *lowered)


@cache
def known_topics() -> dict[str, Topic]:
    """The topics of the programs of Lenses and of standard SQL."""
    text = "topics:\n" + "".join(
        f"  - name: {t.name}\n    key: {t.key or 'INT'}\n    value: {t.value}\n" for t in TOPICS
    )
    declared = read_declarations(text, "topics.yml", Defaults())
    assert not declared.diagnostics
    return {**{d.topic.name: d.topic for d in declared.topics}, **topics()}


def texts(found: Diagnostic) -> list[str]:
    return [OTHERS.sub("", text) for text in (found.message, *found.notes, found.help or "")]


@pytest.mark.parametrize("name", NAMES)
def test_a_message_has_the_words_of_its_dialect(name: str) -> None:
    """Neither keywords nor functions of another one."""
    wrong: set[str] = set()
    callable = {*catalogue.names(name), *FORMS[name]}
    for program in corpus():
        upper = program.upper()
        for found in findings(program, name):
            for text in texts(found):
                for names, words in WORDS:
                    for match in re.finditer(words, text) if name not in names else ():
                        if match[0].upper() not in upper:
                            wrong.add(f"{found.code}: '{match[0]}' in: {text}")
                for match in CALL.finditer(text):
                    if match[1].upper() not in callable and match[1].upper() not in upper:
                        wrong.add(f"{found.code}: '{match[0]}' in: {text}")
    assert not wrong, "\n".join(sorted(wrong))


def test_no_message_has_the_name_of_a_class_of_the_parser() -> None:
    """Of sqlglot's classes, as of its arguments: what is not supported is called by its text."""
    classes = [c for c in vars(exp).values() if isinstance(c, type) and issubclass(c, exp.Expr)]
    named = {re.sub(r"(?<=[a-z])(?=[A-Z])", " ", c.__name__).upper() for c in classes}
    named |= {arg.rstrip("_").replace("_", " ").upper() for c in classes for arg in c.arg_types}
    named -= {"INSERT", "UPDATE", "DELETE", "MERGE", "VALUES", "EXISTS", "ANY", "ALL", "PIVOT", "WITH", "OVER"}
    wrong = set()
    for program in corpus():
        for found in findings(program, "sql"):
            match = re.match(r"(.+) is not supported in models", found.message)
            if match and match[1] in named and match[1] not in " ".join(program.upper().split()):
                wrong.add(f"{match[1]}: {program}")
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.parametrize(("name", "program"), ADDED)
def test_the_help_for_added_texts_compiles(name: str, program: str) -> None:
    """`+` of a number and a text is CONCAT, with the number converted."""
    (found,) = (d for d in findings(program, name) if d.is_error)
    assert found.code == "LSQ212" and found.help is not None
    corrected = program.replace("amount + item", found.help.removeprefix("write "))
    assert corrected != program and not [d for d in findings(corrected, name) if d.is_error]
