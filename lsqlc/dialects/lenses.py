"""The Lenses language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from lsqlc.bind.columns import Column
from lsqlc.bind.condition import BoundCondition
from lsqlc.bind.lenses.program import compile_program
from lsqlc.bind.lenses.settings import setting_names, takes, values_of
from lsqlc.bind.limits import DEFAULT_LIMITS, Limits
from lsqlc.bind.materialized import Materialized
from lsqlc.bind.own_function import OwnFunctions
from lsqlc.bind.trace import Trace
from lsqlc.diagnostics import Diagnostic
from lsqlc.dialects.record import Dialect, Formatting, OwnFunctionRules, Settings
from lsqlc.formats.subjects import Subject
from lsqlc.plan.plan import Compiled
from lsqlc.syntax import tree
from lsqlc.syntax.keywords import Keywords
from lsqlc.syntax.lenses.parser import parse, readable
from lsqlc.syntax.outline import Outline
from lsqlc.syntax.program import Program
from lsqlc.types.error_policy import UNSET, ErrorPolicy
from lsqlc.types.record import Topic

_COMMENT = re.compile(r"--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?")
_INSERT = re.compile(r"\bINSERT\s+INTO\s+(`[^`]+`|[\w.-]+)?", re.IGNORECASE)


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
    """`subjects` and `materialized` change nothing: a program names topics that are declared outside of it."""
    assert isinstance(program, tree.Program)
    return compile_program(
        program,
        topics,
        name=name,
        nullability=nullability,
        limits=limits,
        trace=trace,
        functions=functions,
        errors=errors,
    )


def _written_topics(name: str, text: str) -> tuple[str, ...]:
    """The targets of INSERT INTO; the model's own name if there is none."""
    targets = _INSERT.findall(_COMMENT.sub(" ", text)) if "insert" in text.lower() else []
    return tuple(sorted({target.strip("`") for target in targets})) or (name,)


# What compiling does not need is imported when it is called.


def _text(program: Program, restore: Callable[[str], str] | None) -> str:
    from lsqlc.syntax.lenses.format import format_program

    assert isinstance(program, tree.Program)
    return format_program(program, restore)


def _is_same(program: Program, text: str) -> bool:
    from lsqlc.syntax.lenses.format import is_same

    assert isinstance(program, tree.Program)
    return is_same(program, text)


def _lint(program: Program, topics: Mapping[str, Topic]) -> tuple[Diagnostic, ...]:
    from lsqlc.lint.rules import lint_program

    assert isinstance(program, tree.Program)
    return lint_program(program, topics)


def _outline() -> Outline:
    from lsqlc.syntax.lenses.outline import OUTLINE

    return OUTLINE


def _keywords() -> Keywords:
    from lsqlc.syntax.lenses.keywords import KEYWORDS

    return KEYWORDS


def _condition(text: str, topic: Topic, path: str, columns: Sequence[Column]) -> BoundCondition:
    from lsqlc.bind.lenses.record_condition import bound_condition

    return bound_condition(text, topic, path)


def _is_built_in(name: str) -> bool:
    from lsqlc.functions import catalogue

    if catalogue.scalar(name) or catalogue.aggregate(name):
        return True
    return catalogue.refused(name) is not None


def _own_functions() -> OwnFunctionRules:
    from lsqlc.bind.lenses.bodies import bind_body
    from lsqlc.syntax.lenses.own_functions import parse_functions

    return OwnFunctionRules(parse_functions, bind_body, _is_built_in)


DIALECT = Dialect(
    name="lenses",
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
    settings=Settings(setting_names, values_of, takes),
)
