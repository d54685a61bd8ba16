"""ksqlDB's language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from lsqlc.bind.columns import Column
from lsqlc.bind.condition import BoundCondition
from lsqlc.bind.ksql.program import compile_ksql
from lsqlc.bind.ksql.registry import subjects_of
from lsqlc.bind.limits import DEFAULT_LIMITS, Limits
from lsqlc.bind.materialized import Materialized
from lsqlc.bind.own_function import OwnFunctions
from lsqlc.bind.trace import Trace
from lsqlc.diagnostics import Diagnostic
from lsqlc.dialects.record import Dialect, Formatting, OwnFunctionRules
from lsqlc.formats.subjects import Subject
from lsqlc.plan.plan import Compiled
from lsqlc.syntax.ad_hoc import AdHocQuery
from lsqlc.syntax.keywords import Keywords
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.parser import parse, readable
from lsqlc.syntax.outline import Outline
from lsqlc.syntax.program import Program
from lsqlc.types.error_policy import UNSET, ErrorPolicy
from lsqlc.types.record import Topic

_WRITES = re.compile(
    r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:STREAM|TABLE)\s+(`[^`]+`|\w+)\s*(?:WITH\s*\(([^)]*)\)\s*)?AS\b", re.IGNORECASE
)
_TOPIC = re.compile(r"KAFKA_TOPIC\s*=\s*'([^']+)'", re.IGNORECASE)


def _bind(
    program: Program,
    topics: Mapping[str, Topic],
    *,
    name: str,
    nullability: str = "lenient",
    limits: Limits = DEFAULT_LIMITS,
    subjects: Mapping[str, Subject] | None = None,
    materialized: Materialized | None = None,
    trace: Trace | None = None,
    functions: OwnFunctions | None = None,
    errors: ErrorPolicy = UNSET,
) -> Compiled:
    """`nullability` and `limits` change nothing: columns of ksqlDB are nullable, and its joins say WITHIN. Nor does
    `materialized`.
    """
    assert isinstance(program, ksql.Program)
    return compile_ksql(
        program, topics, name=name, subjects=subjects or {}, trace=trace, functions=functions, errors=errors
    )


def _written_topics(name: str, text: str) -> tuple[str, ...]:
    """The topics of CREATE ... AS SELECT."""
    topics = set()
    for target, properties in _WRITES.findall(text):
        topic = _TOPIC.search(properties)
        topics.add(topic[1] if topic else target.strip("`") if target.startswith("`") else target.upper())
    return tuple(sorted(topics))


# What compiling does not need is imported when it is called.


def _text(program: Program, restore: Callable[[str], str] | None) -> str:
    from lsqlc.syntax.ksql.format import format_ksql

    assert isinstance(program, ksql.Program)
    return format_ksql(program, restore)


def _is_same(program: Program, text: str) -> bool:
    from lsqlc.syntax.ksql.format import is_same

    assert isinstance(program, ksql.Program)
    return is_same(program, text)


def _lint(program: Program, topics: Mapping[str, Topic]) -> tuple[Diagnostic, ...]:
    from lsqlc.lint.ksql_rules import lint_ksql

    assert isinstance(program, ksql.Program)
    return lint_ksql(program)


def _subjects(program: Program) -> tuple[str, ...]:
    assert isinstance(program, ksql.Program)
    return subjects_of(program)


def _outline() -> Outline:
    from lsqlc.syntax.ksql.outline import OUTLINE

    return OUTLINE


def _keywords() -> Keywords:
    from lsqlc.syntax.ksql.keywords import KEYWORDS

    return KEYWORDS


def _properties() -> tuple[str, ...]:
    from lsqlc.bind.ksql.properties import PROPERTIES

    return PROPERTIES


def _condition(text: str, topic: Topic, path: str, columns: Sequence[Column]) -> BoundCondition:
    from lsqlc.bind.ksql.record_condition import bound_condition

    return bound_condition(text, topic, path, columns)


def _ad_hoc(program: Program, declarations: Mapping[str, str]) -> AdHocQuery | Diagnostic:
    from lsqlc.syntax.ksql.ad_hoc import ad_hoc_query

    return ad_hoc_query(program, declarations)


def _is_built_in(name: str) -> bool:
    from lsqlc.bind.ksql.lambdas import INVOCATIONS
    from lsqlc.bind.ksql.scope import TABLE_FUNCTIONS
    from lsqlc.functions import catalogue

    if name in (*INVOCATIONS, *TABLE_FUNCTIONS, "STRUCT", "ARRAY", "MAP", "CAST"):
        return True
    if catalogue.scalar(name, "ksql") or catalogue.aggregate(name, "ksql"):
        return True
    return catalogue.refused(name, "ksql") is not None


def _own_functions() -> OwnFunctionRules:
    from lsqlc.bind.ksql.bodies import bind_body
    from lsqlc.syntax.ksql.own_functions import parse_functions

    return OwnFunctionRules(parse_functions, bind_body, _is_built_in)


DIALECT = Dialect(
    name="ksql",
    parse=parse,
    readable=readable,
    bind=_bind,
    written_topics=_written_topics,
    formatting=Formatting(_text, _is_same, of_templates=True),
    lint=_lint,
    outline=_outline,
    keywords=_keywords,
    condition=_condition,
    own_functions=_own_functions,
    fold=str.upper,
    properties=_properties,
    declares_sources=True,
    may_insert=lambda text: "values" in text.lower(),
    subjects=_subjects,
    ksql_json=True,
    ad_hoc=_ad_hoc,
)
