"""Binding a program of any dialect."""

from __future__ import annotations

from collections.abc import Mapping

from lsqlc.bind.lenses.program import compile_program
from lsqlc.bind.limits import DEFAULT_LIMITS, Limits
from lsqlc.bind.trace import Trace
from lsqlc.plan.plan import Compiled
from lsqlc.syntax import tree
from lsqlc.syntax.dialects import Program
from lsqlc.types.record import Topic


def compile_any(
    program: Program,
    topics: Mapping[str, Topic],
    *,
    name: str,
    nullability: str = "lenient",
    limits: Limits = DEFAULT_LIMITS,
    trace: Trace | None = None,
) -> Compiled:
    """Bind a program against the topics that it can name. `name`: the plan's, and the target of a bare SELECT.

    `nullability`: `lenient`, or `strict` for the documented check that refuses operands which may be null; of ksqlDB's
    programs it asks nothing. `trace` is filled with what the program's words mean.
    """
    if isinstance(program, tree.Program):
        return compile_program(program, topics, name=name, nullability=nullability, limits=limits, trace=trace)
    from lsqlc.bind.ksql.program import compile_ksql

    return compile_ksql(program, topics, name=name, trace=trace)
