"""Random programs that compile, of either dialect. Of the Lenses language: chains of WITH, each built upon the schemas
of those before.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from lsqlc.bind.lenses.program import compile_program
from lsqlc.bind.limits import Limits
from lsqlc.lower.spark import lower, unsupported
from lsqlc.plan import Plan
from lsqlc.plan.nodes import Aggregate, Filter, Lateral, Node, Project
from lsqlc.plan.windows import Session
from lsqlc.syntax.lenses.parser import parse
from tests.fuzz.ksql_programs import ksql_compiled, ksql_drawn
from tests.fuzz.ksql_syntax import KsqlProgram
from tests.fuzz.limits import every, order_is_open
from tests.fuzz.queries import Known, query, topics_known
from tests.fuzz.syntax import Program, Query
from tests.fuzz.topics import TOPICS

# What is late depends on the cut into batches, so nothing is, or the batches are single records.
TIMELY = Limits(grace=86_400_000, retention=86_400_000)
IMPATIENT = Limits(grace=86_400_000, retention=8)
LATE = Limits(grace=6, retention=8)
_TRIES = 12
# Each is a query on Spark, which takes seconds.
_STAGES = 4
Dialect = Literal["lenses", "ksql", "both"]
# Of programs of both dialects one in so many is ksqlDB's.
_SHARE = 3


@dataclass(frozen=True, slots=True)
class Drawn:
    """A program with its plan. `limits`: what it was compiled with; records may be late where they are LATE."""

    seed: int
    program: Program | KsqlProgram
    plan: Plan
    limits: Limits


def compiled(program: Program | KsqlProgram, limits: Limits) -> Plan | str:
    """The plan, or the code of the first error. A program of ksqlDB says its limits itself."""
    if isinstance(program, KsqlProgram):
        return ksql_compiled(program)
    text = str(program)
    parsed = parse(text, "program")
    if parsed.program is None:
        return parsed.diagnostics[0].code
    result = compile_program(parsed.program, TOPICS, name="out", limits=limits)
    if result.plan is None:
        return next(d.code for d in result.diagnostics if d.is_error)
    return result.plan


def draw(seed: int, refusals: Counter[str] | None = None, dialect: Dialect = "lenses") -> Drawn:
    """The program of a seed; always the same. `refusals`: counts the codes of what did not compile on the way."""
    random = Random(seed)
    refused: Counter[str] = Counter() if refusals is None else refusals
    ksql = dialect == "ksql" or (dialect == "both" and seed % _SHARE == 0)
    while True:
        drawn = _attempt_ksql(seed, random, refused) if ksql else _attempt(seed, random, refused)
        if drawn is not None:
            return drawn


def lacking(plan: Plan) -> str | None:
    """Why a plan is not run on Spark: something that has no form there, or more queries than there is time for."""
    problems = unsupported(plan)
    if problems:
        return problems[0].message.partition("yet: ")[2]
    nodes = [node for sink in plan.sinks for each in sink.inputs for node in every(each)]
    if any(map(_short_session, nodes)):
        # Spark keeps a session for its gap at least.
        return "sessions with a grace shorter than their gap"
    if any(map(_loses_deletions, nodes)):
        # Spark writes a session once it is closed, and never one that becomes part of another.
        return "changes of sessions without their deletions"
    return "too many stages" if len(lower(plan).stages) > _STAGES else None


def _short_session(node: Node) -> bool:
    window = node.window if isinstance(node, Aggregate) else None
    return isinstance(window, Session) and window.grace < window.gap


def _loses_deletions(node: Node) -> bool:
    """Whether changes of sessions go through what leaves out those that delete."""
    match node:
        case Filter() | Project(rekeys=True) | Lateral() if node.semantics == "STREAM":
            below = every(node.input)
            return any(isinstance(n, Aggregate) and isinstance(n.window, Session) for n in below)
    return False


def _attempt_ksql(seed: int, random: Random, refused: Counter[str]) -> Drawn | None:
    found = ksql_drawn(random, refused)
    if found is None:
        return None
    program, plan, late = found
    return Drawn(seed, program, plan, LATE if late else TIMELY)


def _attempt(seed: int, random: Random, refused: Counter[str]) -> Drawn | None:
    limits = random.choices((TIMELY, IMPATIENT, LATE), (3, 2, 1))[0]
    late = limits is LATE
    known = topics_known({n: (t.key.type, t.value.type) for n, t in TOPICS.items()}, 1.0)
    # A program reads few topics, so that its records meet.
    chosen = random.sample(known, random.choice((1, 2, 3, 4)))
    if random.random() < 0.5:
        chosen += [k for k in known if k.name in ("a", "b")]
    sources = list({k.name: k for k in chosen}.values())
    settings = ("error.policy = 'continue'",) if random.random() < 0.1 else ()
    withs: list[tuple[str, Query]] = []
    for number in range(random.choices((0, 1, 2, 3), (2, 5, 4, 2))[0]):
        found = _with(f"q{number}", withs, sources, settings, random, limits, refused)
        if found is not None:
            withs.append((f"q{number}", found[0]))
            sources = [replace(s, weight=s.weight * 0.6) for s in sources] + [found[1]]
    for _ in range(_TRIES):
        inserts: tuple[tuple[str | None, Query], ...] = ((None, query(sources, random, late=late)),)
        form = random.random()
        if form < 0.06:
            inserts = (("t", inserts[0][1]), ("t", inserts[0][1]))
        elif form < 0.14:
            inserts = (("s", inserts[0][1]), ("t", query(sources, random, late=late)))
        plan = _plan(_pruned(Program(tuple(withs), inserts, settings)), limits, refused)
        if plan is not None:
            return Drawn(seed, *plan, limits)
    return None


def _with(
    name: str,
    withs: list[tuple[str, Query]],
    sources: list[Known],
    settings: tuple[str, ...],
    random: Random,
    limits: Limits,
    refused: Counter[str],
) -> tuple[Query, Known] | None:
    """A query under a name, and what it then is."""
    for _ in range(_TRIES):
        drawn = query(sources, random, late=limits is LATE)
        # Written as it is, to see its schema; a TABLE of elements cannot be.
        program = Program((*withs,), ((None, drawn),), settings)
        plan = compiled(program, limits)
        if isinstance(plan, str) and plan == "LSQ343":
            plan = compiled(replace(program, inserts=((None, replace(drawn, word="STREAM")),)), limits)
            word = drawn.word
        elif isinstance(plan, Plan):
            word = plan.sinks[0].semantics
        if isinstance(plan, str):
            refused[plan] += 1
            continue
        topic = plan.sinks[0].topic
        return drawn, Known(name, topic.key.type, topic.value.type, word, 4.0)
    return None


def _plan(program: Program, limits: Limits, refused: Counter[str]) -> tuple[Program, Plan] | None:
    plan = compiled(program, limits)
    if isinstance(plan, str):
        refused[plan] += 1
        return None
    if order_is_open(plan):
        refused["order is open"] += 1
        return None
    problems = unsupported(plan)
    refused.update(p.code for p in problems)
    if not problems and len(lower(plan).stages) > _STAGES:
        refused["too many stages"] += 1
        return None
    return None if problems else (program, plan)


def _pruned(program: Program) -> Program:
    """The program without what nothing reads."""
    used: set[str] = set()
    kept: list[tuple[str, Query]] = []
    reads = [q for _, q in program.inserts]
    for name, body in reversed(program.withs):
        for q in reads:
            used |= {q.source.name} | ({q.join.source.name} if q.join else set())
        if name in used:
            kept.insert(0, (name, body))
            reads.append(body)
    return replace(program, withs=tuple(kept))


pruned = _pruned
