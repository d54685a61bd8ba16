"""The record of the toy language."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lsqlc.bind.condition import BoundCondition
from lsqlc.bind.limits import DEFAULT_LIMITS, Limits
from lsqlc.bind.materialized import Materialized
from lsqlc.bind.own_function import OwnFunctions
from lsqlc.bind.trace import Trace
from lsqlc.dialects.record import Dialect, Formatting
from lsqlc.formats.subjects import Subject
from lsqlc.plan.plan import Compiled
from lsqlc.syntax.program import Program
from lsqlc.types.error_policy import UNSET, ErrorPolicy
from lsqlc.types.record import Topic
from tests.dialects.bind.toy.program import bind
from tests.dialects.syntax.toy import tree as toy
from tests.dialects.syntax.toy.outline import KEYWORDS, OUTLINE
from tests.dialects.syntax.toy.parser import parse, readable
from tests.dialects.syntax.toy.text import is_same, program_text


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
    assert isinstance(program, toy.Program)
    return bind(program, topics, name, trace)


def _text(program: Program, restore: Callable[[str], str] | None) -> str:
    assert isinstance(program, toy.Program)
    return program_text(program)


def _is_same(program: Program, text: str) -> bool:
    assert isinstance(program, toy.Program)
    return is_same(program, text)


DIALECT = Dialect(
    name="toy",
    parse=parse,
    readable=readable,
    bind=_bind,
    written_topics=lambda name, text: (name,),
    formatting=Formatting(_text, _is_same, of_templates=False),
    lint=lambda program, topics: (),
    outline=lambda: OUTLINE,
    keywords=lambda: KEYWORDS,
    condition=lambda text, topic, path, columns: BoundCondition(text),
)
