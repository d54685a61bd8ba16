"""Standard SQL, as Spark writes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from lsqlc.bind.columns import Column
from lsqlc.bind.condition import BoundCondition
from lsqlc.bind.limits import DEFAULT_LIMITS, Limits
from lsqlc.bind.materialized import Materialized
from lsqlc.bind.own_function import OwnFunctions
from lsqlc.bind.sql.program import compile_sql
from lsqlc.bind.trace import Trace
from lsqlc.diagnostics import Diagnostic
from lsqlc.dialects.record import Dialect, Formatting, OwnFunctionRules
from lsqlc.formats.subjects import Subject
from lsqlc.plan.plan import Compiled
from lsqlc.syntax.ad_hoc import AdHocQuery
from lsqlc.syntax.keywords import Keywords
from lsqlc.syntax.outline import Outline
from lsqlc.syntax.program import Program
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.sql.parser import parse, readable
from lsqlc.types.error_policy import UNSET, ErrorPolicy
from lsqlc.types.record import Topic

_COMMENT = re.compile(r"--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?")
_FLOW = re.compile(r"\b(?:AUTO\s+CDC|APPLY\s+CHANGES)\b", re.IGNORECASE)
_CREATE = re.compile(
    r"\bCREATE\s+(?:OR\s+\w+\s+)?(?:STREAMING\s+TABLE|MATERIALIZED\s+VIEW)\s+(`[^`]+`|[\w.]+)?", re.IGNORECASE
)


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
    """`subjects` change nothing: a model names topics that are declared outside of it."""
    assert isinstance(program, sql.Program)
    if program.query is None:
        return Compiled(None, ())
    return compile_sql(
        program,
        topics,
        name=name,
        nullability=nullability,
        limits=limits,
        materialized=materialized,
        trace=trace,
        functions=functions,
        errors=errors,
    )


def _written_topics(name: str, text: str) -> tuple[str, ...]:
    """The name behind CREATE; the model's own if there is none, and of a flow of changes."""
    plain = _COMMENT.sub(" ", text)
    targets = [] if _FLOW.search(plain) else _CREATE.findall(plain)
    return tuple(sorted({target.strip("`") for target in targets})) or (name,)


# What compiling does not need is imported when it is called.


def _text(program: Program, restore: Callable[[str], str] | None) -> str:
    from lsqlc.syntax.sql.format import format_sql

    assert isinstance(program, sql.Program)
    return format_sql(program, restore)


def _is_same(program: Program, text: str) -> bool:
    from lsqlc.syntax.sql.format import is_same

    assert isinstance(program, sql.Program)
    return is_same(program, text)


def _lint(program: Program, topics: Mapping[str, Topic]) -> tuple[Diagnostic, ...]:
    """There are no rules of its own yet: what is to be said about a model is said where it is compiled."""
    return ()


def _outline() -> Outline:
    from lsqlc.syntax.sql.outline import OUTLINE

    return OUTLINE


def _keywords() -> Keywords:
    from lsqlc.syntax.sql.keywords import KEYWORDS

    return KEYWORDS


def _condition(text: str, topic: Topic, path: str, columns: Sequence[Column]) -> BoundCondition:
    from lsqlc.bind.sql.record_condition import bound_condition

    return bound_condition(text, topic, path)


def _ad_hoc(program: Program, declarations: Mapping[str, str]) -> AdHocQuery:
    """`declarations` change nothing: a query names topics."""
    from lsqlc.syntax.sql.ad_hoc import ad_hoc_query

    return ad_hoc_query(program)


def _is_built_in(name: str) -> bool:
    from lsqlc.functions import catalogue
    from lsqlc.syntax.sql.functions import is_known

    if is_known(name) or catalogue.scalar(name, "sql") or catalogue.aggregate(name, "sql"):
        return True
    return catalogue.refused(name, "sql") is not None


def _own_functions() -> OwnFunctionRules:
    from lsqlc.bind.sql.bodies import bind_body
    from lsqlc.syntax.sql.own_functions import parse_functions

    return OwnFunctionRules(parse_functions, bind_body, _is_built_in)


DIALECT = Dialect(
    name="sql",
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
    materializes=True,
    ad_hoc=_ad_hoc,
)
