"""From a model in standard SQL and the topics in scope to a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lsqlc.bind.changes import SQL, check_changes
from lsqlc.bind.error_policy import check_dead_letters, check_default, with_default
from lsqlc.bind.findings import Findings
from lsqlc.bind.limits import DEFAULT_LIMITS, Limits
from lsqlc.bind.materialized import Materialized
from lsqlc.bind.own_function import OwnFunctions
from lsqlc.bind.sql.constants import no_topic
from lsqlc.bind.sql.flows import bind_flow, check_target
from lsqlc.bind.sql.group_keys import KeyStyle, group_format, key_names_of
from lsqlc.bind.sql.interval_columns import as_numbers, has_interval_columns, interval_columns, with_texts
from lsqlc.bind.sql.queries import bind_branches, bind_query, with_queries
from lsqlc.bind.sql.rows import Rows
from lsqlc.bind.sql.semi_joins import may_have_null
from lsqlc.bind.sql.sources import Sources, bind_source
from lsqlc.bind.sql.unions import united
from lsqlc.bind.sql.unique_keys import are_unique
from lsqlc.bind.storage import unfit, unwritable
from lsqlc.bind.trace import Trace
from lsqlc.diagnostics import did_you_mean, listing, order
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.changes import lacks_changes
from lsqlc.plan.expression import Field, StructOf
from lsqlc.plan.identity import is_keyed_by_parts, keyed_by_identity
from lsqlc.plan.nodes import Aggregate, Join, Lateral, Node, Project, Reinterpret, Rekey, Sink, inputs, scans
from lsqlc.plan.passes import optimise
from lsqlc.plan.plan import Compiled, Plan
from lsqlc.plan.policies import passing_over, read_policy
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.types.error_policy import UNSET, ErrorPolicy
from lsqlc.types.record import Facet, Topic

_TITLES = {"streaming_table": "a streaming table", "materialized_view": "a materialized view"}

# The likely intention of a clause that is ignored.
_FIRST = {
    "ORDER BY": "remove it, or add LIMIT 10 for the first rows",
    "LIMIT": "remove it, or say which rows: ORDER BY column LIMIT 10",
}
# Errors about windows apply to rows of a table, not to records of a topic without a key.
_OF_RECORDS = ("LSQ324",)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The properties that the result must have. `at`: the extent for their diagnostics."""

    target: str
    kind: str | None
    key: tuple[str, ...]
    style: KeyStyle
    at: Extent


def compile_sql(
    program: sql.Program,
    topics: Mapping[str, Topic],
    *,
    name: str,
    nullability: str = "lenient",
    limits: Limits = DEFAULT_LIMITS,
    materialized: Materialized | None = None,
    trace: Trace | None = None,
    functions: OwnFunctions | None = None,
    errors: ErrorPolicy = UNSET,
) -> Compiled:
    """Bind a program against the topics in scope. `name`: the plan's, and the target of a bare SELECT.

    `materialized`: the model's configuration of its result. `errors`: its policy for bad records.
    """
    query = program.query
    assert query is not None, "a program that could not be read is not bound"
    configured = materialized or Materialized()
    target = program.name.text if program.name else name
    at = program.name.at if program.name else query.selects[0].items_at
    style: KeyStyle = "bare" if configured.key_format == "bare" else "nullable"

    has_constants = any(
        isinstance(s, sql.ConstantSource) for q in sql.queries(query) for each in q.selects for s in each.sources
    )

    def bound(findings: Findings, *, numbered: bool) -> list[Rows] | None:
        strict = nullability == "strict"
        sources = Sources(topics, {}, limits, strict, lambda q, s: bind_query(q, s, findings), style, numbered=numbered)
        if has_constants:
            if not program.topics:
                no_topic(query.selects[0].at, findings)
                return None
            anchor = bind_source(program.topics[0], sources, findings)
            if anchor is None:
                return None
            sources = replace(sources, anchor=anchor)
        if program.flow is not None:
            table = bind_flow(program.flow, query, sources, findings)
            return None if table is None else [table]
        return bind_branches(query, with_queries(query, sources, findings), findings, top=True)

    findings, others = (Findings(program.source, trace=trace, functions=functions or {}) for _ in range(2))
    rows = bound(findings, numbered=False)
    lacks_key = any(each.unkeyed or (each.kind == "RECORDS" and not configured.key) for each in rows or ())
    keyless = [read for read in program.reads if read.text in topics and topics[read.text].key.is_absent]
    if lacks_key or (rows is None and keyless):
        # Elements and records have keys only if they are needed, because a state stores them.
        numbered_rows = bound(others, numbered=True)
        if lacks_key or not any(each.code in _OF_RECORDS for each in others.found):
            findings, rows = others, numbered_rows
            _warn_of_records(rows or (), keyless, findings)
    if program.kind is not None and configured.kind not in (None, program.kind):
        findings.error("LSQ452", f"this model creates {_TITLES[program.kind]}, and its config() says {configured.kind}",
                       at, help=f"remove one of the two, or write materialized='{program.kind}'")  # fmt: skip
    if program.flow is not None:
        check_target(program.flow, target, findings)
    # The rows of a flow's table change, whatever its kind is.
    kind = None if program.flow is not None else program.kind or configured.kind
    requirements = _Wanted(target, kind, configured.key, style, at)
    for clause in sql.ignored(query):
        findings.warn("LSQ466", f"{clause.word} is ignored", clause.at,
                      notes=("the rows of a table have no order, and a view has all rows of its query",),
                      help=_FIRST[clause.word])  # fmt: skip
    sink = None
    if rows is not None and not findings.has_errors:
        sink = _sink(rows, program, query.selects, requirements, topics.get(target), findings)
    settings = with_default({}, errors)
    check_default({}, errors, at, findings)
    check_dead_letters(settings, {source.text for source in program.reads}, (target,), topics, at, findings)
    if findings.has_errors or sink is None:
        return Compiled(None, order(findings.found))
    sinks, set = passing_over((sink,), read_policy(settings)), tuple(sorted(settings.items()))
    return Compiled(Plan(name, sinks, set, computes_once=True), order(findings.found))


def _warn_of_records(rows: Sequence[Rows], keyless: Sequence[tree.Name], findings: Findings) -> None:
    """Report a state that keeps every record of a topic."""
    if keyless and any(_keeps_rows(each.node) for each in rows):
        name = keyless[0]
        findings.warn("LSQ477", f"the state of this view keeps every record of '{name.text}'", name.at,
                      notes=("a topic without a key is a table of all its records here",),
                      help=f"read it as a stream, STREAM({name.text}), or group its records first")  # fmt: skip


def _keeps_rows(node: Node) -> bool:
    return isinstance(node, Join | Aggregate | Lateral) or any(map(_keeps_rows, inputs(node)))


def _sink(
    rows: Sequence[Rows], program: sql.Program, selects: Sequence[sql.Select], requirements: _Wanted,
    declared: Topic | None, findings: Findings,
) -> Sink | None:  # fmt: skip
    made_one = united(rows, selects, findings) if len(rows) > 1 else rows
    if made_one is None or not _fits(made_one[0], selects[0], requirements, findings):
        return None
    intervals = interval_columns(made_one[0])
    texts = [with_texts(each, selects[0].items_at, findings) for each in made_one]
    stored = [each for each in texts if each is not None]
    if len(stored) < len(texts):
        return None
    nodes = [_written(each, requirements, findings) for each in stored]
    result_nodes = [node for node in nodes if node is not None]
    if len(result_nodes) < len(nodes):
        return None
    for node in result_nodes:
        _check_changes(node, program, findings)
    relation = result_nodes[0].relations[0]
    other = next((n for n in result_nodes if n.relations[0].key != relation.key), None)
    if other is not None:
        findings.error("LSQ455", "the SELECTs of UNION ALL have different keys", requirements.at,
                       notes=(f"first: {relation.key}", f"another: {other.relations[0].key}"),
                       help="say which columns are the key: config(key=['column'])")  # fmt: skip
        return None
    width = max(node.ordinal_width for node in result_nodes)
    topic = Topic(requirements.target, relation.key, relation.value, ordinal_width=width, intervals=intervals)
    if not _may_write(topic, declared, requirements, findings):
        return None
    if declared is not None:
        topic = replace(declared, key=topic.key, value=topic.value, ordinal_width=width, intervals=intervals)
    if has_interval_columns(result_nodes):
        result_nodes = list(map(as_numbers, result_nodes))
    if findings.trace is not None:
        findings.trace.written(topic.name, result_nodes)
    return Sink(tuple(map(optimise, result_nodes)), topic)


def _check_changes(node: Node, program: sql.Program, findings: Findings) -> None:
    """Report each dependency of the result on changes of a TABLE that FROM STREAM(topic) may lack."""
    for below in inputs(node):
        _check_changes(below, program, findings)
    lacking = [s.topic.name for below in inputs(node) for s in scans(below) if lacks_changes(s)]
    if lacking:
        at = next(name.at for name in program.reads if name.text == lacking[0])
        check_changes(node, lacking[0], at, SQL, findings)


def _fits(rows: Rows, select: sql.Select, requirements: _Wanted, findings: Findings) -> bool:
    """Report rows that do not have the kind or key of the model; return whether they have."""
    at = select.items_at
    if requirements.kind == "streaming_table" and rows.kind != "STREAM":
        source = select.source.name.text if isinstance(select.source, sql.TopicSource) else None
        read = (
            f"read records: FROM STREAM({source})" if source and not select.has_groups and not select.distinct else ""
        )
        help = " or ".join(
            p for p in (read, f"write CREATE MATERIALIZED VIEW {requirements.target} AS SELECT ...") if p
        )
        findings.error("LSQ452", "a streaming table needs a query whose rows never change, and this one gives a table",
                       at, help=help)  # fmt: skip
        return False
    if requirements.kind == "materialized_view" and rows.kind == "STREAM":
        findings.error("LSQ452", "a materialized view needs a query that gives a table, and this one gives a stream",
                       at, help="read the rows of the topic, FROM topic, or write CREATE STREAMING TABLE")  # fmt: skip
        return False
    if rows.kind == "RECORDS" and not requirements.key:
        name = rows.columns[0].name
        findings.error(
            "LSQ451", f"the view '{requirements.target}' has no key", at,
            notes=("a row of a view is replaced by the next one with its key", "the topic that it reads has no key"),
            help=f"declare one, {{{{ config(key=['{name}']) }}}}, group the rows, or read FROM STREAM(...)",
        )  # fmt: skip
        return False
    return True


def _written(rows: Rows, requirements: _Wanted, findings: Findings) -> Node | None:
    """Return the rows for the output: with the declared key, or their own; one row for each key of a table."""
    node = rows.node
    if requirements.key:
        keyed = _keyed(rows, requirements, findings)
        if keyed is None:
            return None
        node = keyed
    if rows.kind == "RECORDS":
        return Reinterpret(node, "TABLE")
    if rows.kind == "STREAM" or keyed_by_identity(node) or is_keyed_by_parts(node):
        return node
    return Rekey(node)


def _keyed(rows: Rows, requirements: _Wanted, findings: Findings) -> Node | None:
    """Return the rows with the columns in `key` as their key (see `group_keys`); None after an error."""
    key_columns = []
    for name in requirements.key:
        column = next((c for c in rows.columns if c.name.casefold() == name.casefold()), None)
        if column is None:
            column_names = [c.name for c in rows.columns]
            help = did_you_mean(name, column_names) or f"its columns are {listing(column_names)}"
            findings.error("LSQ453", f"the key column '{name}' is not in the SELECT list", requirements.at, help=help)
            return None
        key_columns.append(column)
    if rows.group is not None and [n.casefold() for n in rows.group] == [c.name.casefold() for c in key_columns]:
        return rows.node
    keys = tuple(c.expression for c in key_columns)
    names = tuple(c.name for c in key_columns)
    struct_names = names if len(names) > 1 else ()
    if rows.kind != "STREAM":
        never_null = tuple(
            k for k, c in zip(keys, key_columns, strict=True) if not may_have_null(rows, rows.columns.index(c))
        )
        struct_names = key_names_of(names, keys, requirements.style, requirements.at, findings, never_null)
    if rows.kind == "TABLE" and not are_unique(rows, names):
        first = f"ROW_NUMBER() OVER (PARTITION BY {', '.join(names)} ORDER BY ...) = 1"
        findings.error(
            "LSQ467", f"rows of this view may share the key {listing(names)}", requirements.at,
            notes=("a row that is deleted would take the others with its key out of the view",),
            help=f"group by the key, or keep one row of each: QUALIFY {first}; the key of a topic is `_key`",
        )  # fmt: skip
        return None
    relation = rows.node.relations[0]
    key = StructOf(names, keys) if struct_names else keys[0]
    whole = Field(0, "value", (), relation.value.type, False)
    format = group_format(keys, struct_names, rows.near)
    return Project(rows.node, key, whole, format, relation.value.format, True, "")


def _may_write(topic: Topic, declared: Topic | None, requirements: _Wanted, findings: Findings) -> bool:
    """Report a result that its topic cannot hold; return whether it can."""
    if declared is not None and declared.files:
        findings.error("LSQ445", f"the topic '{topic.name}' is a topic of files, which cannot be written",
                       requirements.at, help="write to another topic")  # fmt: skip
        return False
    foreign = unwritable(declared)
    if foreign is not None:
        findings.error(foreign.code, foreign.message, requirements.at, help=foreign.help)
        return False
    if declared is not None and (_bare(declared.key), _bare(declared.value)) != (_bare(topic.key), _bare(topic.value)):
        findings.error(
            "LSQ328", f"the result does not match the topic '{topic.name}'", requirements.at,
            notes=(f"declared: key {declared.key}, value {declared.value}",
                   f"result:   key {topic.key}, value {topic.value}"),
            help="change the SELECT list, or the declaration",
        )  # fmt: skip
        return False
    wrong = unfit(topic)
    if wrong is not None:
        findings.error(wrong.code, wrong.message, requirements.at, notes=wrong.notes, help=wrong.help)
        return False
    return True


def _bare(facet: Facet) -> str:
    return f"{facet.type} {facet.format}".replace(" NOT NULL", "")
