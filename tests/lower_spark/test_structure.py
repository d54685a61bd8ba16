"""A stage known by its structure: verdicts on edits are those of its text, and other text is no other stage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from msgspec import structs

import lsqlc
from lsqlc.bind.lenses.program import compile_program
from lsqlc.bind.limits import Limits
from lsqlc.lower.spark import layouts, lower, unsupported
from lsqlc.lower.spark.checkpoint_parts import Parts, stage_parts
from lsqlc.lower.spark.evolution import Finding, goes_on, judged
from lsqlc.lower.spark.layouts import AGGREGATES, HISTORY, LAYOUTS
from lsqlc.lower.spark.steps import Stage, View
from lsqlc.plan import Plan
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.data import Struct
from lsqlc.types.record import Facet, Topic
from tests.differential.test_engines import LIMITS, WINDOWED
from tests.lower_duckdb.programs import PROGRAMS, TOPICS
from tests.lower_spark.view_texts import text_parts

# Programs of which an edit changes how the state of a stage is laid out whose own nodes stay the same.
DECIDED_ELSEWHERE = {
    "join below new keys": """
        WITH ab AS (SELECT TABLE n, m FROM a JOIN b);
        SELECT TABLE n AS _key, z FROM ab LEFT JOIN c""",
    "join below joins below new keys": """
        WITH ab AS (SELECT TABLE n, m FROM a JOIN b);
        WITH abc AS (SELECT TABLE n, m, z FROM ab JOIN c);
        SELECT TABLE n AS _key, xs FROM abc JOIN lists""",
    "elements of a join below new keys": """
        WITH al AS (SELECT TABLE n, xs FROM a JOIN lists);
        SELECT TABLE x AS _key, n FROM al LATERAL xs AS x""",
    "joined elements of a join below new keys": """
        WITH al AS (SELECT TABLE n, xs FROM a JOIN lists);
        WITH e AS (SELECT TABLE x, n FROM al LATERAL xs AS x);
        SELECT TABLE n AS _key, z FROM e LEFT JOIN c ON e.x = c.id""",
    "groups below new keys": """
        WITH w AS (SELECT TABLE COUNT(*) AS n FROM a GROUP BY name);
        SELECT TABLE n AS _key, m FROM b LEFT JOIN w""",
}
ALL = {**PROGRAMS, **WINDOWED, **DECIDED_ELSEWHERE}
# Each tenth program, and every program with the slow tests.
SOME = [
    pytest.param(name, marks=[pytest.mark.nightly] if number % 10 and name not in DECIDED_ELSEWHERE else [])
    for number, name in enumerate(ALL)
]
# A word and what is written for it instead.
SWAPS = {
    "LEFT": ("RIGHT", "OUTER", ""),
    "RIGHT": ("LEFT",),
    "OUTER": ("LEFT",),
    "JOIN": ("LEFT JOIN", "OUTER JOIN"),
    "_key": ("k",),
    "STREAM": ("TABLE",),
    "TABLE": ("STREAM",),
    "TUMBLE": ("SESSION",),
    "SUM": ("AVG", "COUNT"),
    "COUNT": ("SUM",),
    "AVG": ("SUM",),
    "FIRST": ("LAST",),
    "MAXK": ("MINK",),
    "n": ("id", "name"),
    "m": ("id", "ref"),
    "id": ("n",),
    "z": ("id",),
    "AND": ("OR",),
    ">": ("<", "="),
    "=": ("<>",),
    "+": ("-",),
}


def compiled(text: str, topics: dict[str, Topic] = TOPICS, limits: Limits = LIMITS) -> Plan | None:
    """The plan of a program that Spark can run; None: it is none."""
    program = parse(text, "edit").program
    plan = None if program is None else compile_program(program, topics, name="out", limits=limits).plan
    return None if plan is None or unsupported(plan) else plan


def edits(text: str) -> Iterator[Plan | None]:
    """Plans of a program after one edit of it, of its topics or of the project's settings."""
    for word in re.finditer(r"\w+|[><=+]", text):
        number = re.fullmatch(r"(\d+)(ms)?", word[0])
        others = (f"{int(number[1]) + 1}{number[2] or ''}",) if number else SWAPS.get(word[0], ())
        for other in others:
            yield compiled(text[: word.start()] + other + text[word.end() :])
    yield compiled(re.sub(r" WHERE [^;]*?(?= GROUP|;|\)|$)", "", text))
    yield compiled(re.sub(r" HAVING [^;]*", "", text))
    yield compiled(re.sub(r"(?<=FROM a)(?![\w.])", " WHERE n > 3", text, count=1))
    yield compiled(re.sub(r"(SELECT (?:STREAM|TABLE)) ", r"\1 1 AS one, ", text))
    yield compiled(f"SET error.policy = 'continue'; {text}")
    yield compiled(f"SET error.policy = 'dlq'; SET dead.letter.queue = 'letters'; {text}")
    for topics in (
        {name: replace(topic, value=_loosened(topic.value)) for name, topic in TOPICS.items()},
        {name: replace(topic, partitions=3) for name, topic in TOPICS.items()},
        {name: replace(topic, value=structs.replace(topic.value, format="avro")) for name, topic in TOPICS.items()},
        {**TOPICS, "c": replace(TOPICS["c"], event_time="z")},
    ):
        yield compiled(text, topics)
    yield compiled(text, limits=replace(LIMITS, grace=1))
    yield compiled(text, limits=replace(LIMITS, retention=9))


def _loosened(facet: Facet) -> Facet:
    if not isinstance(facet.type, Struct):
        return facet
    return structs.replace(
        facet, type=Struct(tuple(structs.replace(f, nullable=not f.nullable) for f in facet.type.fields))
    )


def stages(plan: Plan | None) -> dict[str, Stage]:
    return {} if plan is None else {stage.name: stage for stage in lower(plan).stages}


def _is_told(stage: Stage) -> bool:
    """Whether a topic that it reads says which versions count no more."""
    views = (step for step in stage.steps if isinstance(step, View))
    return any(name.startswith("told_") for view in views for name, _ in view.pieces)


@pytest.mark.parametrize("name", SOME)
def test_edits_are_judged_as_by_the_text_of_views(name: str) -> None:
    """An edit that changes the SQL of a stage changes its structure, in the part that is judged alike, and no other
    does: both ways, each to the other.
    """
    before, judgements = stages(compiled(ALL[name])), 0
    for plan in edits(ALL[name]):
        for query, stage in stages(plan).items():
            if query not in before:
                continue
            for old, new in ((before[query], stage), (stage, before[query])):
                by_text = {found.rule for found in judged(text_parts(old), text_parts(new))}
                found = judged(stage_parts(old), stage_parts(new))
                if _is_told(old) != _is_told(new):
                    # What says of a version that it counts no more is read into the same state, by another SQL.
                    by_text = {rule for rule in by_text if rule != "state" or rule in {f.rule for f in found}}
                # The type of a key is part of what rows are told apart by; its readers are the weightier rule.
                assert {f.rule for f in found} - ({"state", "output"} if "topic" in by_text else set()) == by_text - (
                    {"state", "output"} if "topic" in by_text else set()
                ), (found, by_text)
                judgements += 1
    assert judgements


@pytest.mark.parametrize("name", DECIDED_ELSEWHERE)
def test_what_stands_elsewhere_is_part_of_a_stage(name: str) -> None:
    """Some edit changes how a stage stores what it keeps, of which all nodes stay the same."""
    before = stages(compiled(ALL[name]))
    changes = [
        each.text
        for plan in edits(ALL[name])
        for query, stage in stages(plan).items()
        if query in before and all(map(_of_layouts, found := judged(stage_parts(before[query]), stage_parts(stage))))
        for each in found
    ]
    assert changes


def _of_layouts(found: Finding) -> bool:
    return found.rule == "state" and found.text.startswith("the stored form of ")


def test_stages_of_equal_structure_have_equal_texts() -> None:
    """As far as their state goes, in whatever program they stand."""
    known: dict[tuple[object, ...], tuple[str, Parts]] = {}
    shared = 0
    for name, text in ALL.items():
        for stage in stages(compiled(text)).values():
            parts, texts = stage_parts(stage), text_parts(stage)
            if parts.state:
                structure = (stage.held is None, parts.sources, *sorted(parts.state.items()))
                first, as_text = known.setdefault(structure, (name, texts))
                assert as_text.state == texts.state, (first, name)
                shared += first != name
    assert shared


GROUPED = "SELECT TABLE COUNT(*) AS n, AVG(price) AS mean FROM orders WHERE price > 1 GROUP BY item"


def stage_of(text: str = GROUPED) -> Stage:
    topic = lsqlc.Topic("orders", key="STRING", value="item STRING, price INT")
    (stage,) = lower(lsqlc.compile(text, topics=[topic], name="m")).stages
    return stage


def test_text_is_no_part() -> None:
    """Views written in another way are the same stage."""
    stage = stage_of()
    steps = tuple(replace(s, sql=f"{s.sql} ", name=f"{s.name}0") if isinstance(s, View) else s for s in stage.steps)
    assert judged(stage_parts(stage), stage_parts(replace(stage, steps=steps))) == ()


def test_a_change_is_named_by_its_node() -> None:
    """Each below the state, and above it."""
    found = judged(stage_parts(stage_of()), stage_parts(stage_of(GROUPED.replace("> 1", "> 2"))))
    assert [(each.rule, each.text) for each in found] == [("state", "the filter has changed")]
    found = judged(stage_parts(stage_of()), stage_parts(stage_of(GROUPED.replace("AVG(price)", "AVG(price) * 2"))))
    assert [(each.rule, each.text) for each in found] == [("output", "the projection above the state has changed")]


@pytest.mark.parametrize("table", ["kinds", "functions"])
def test_another_layout_needs_a_new_state(monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    """The reason is the one that the history of layouts gives."""
    old = stage_parts(stage_of())
    if table == "kinds":
        monkeypatch.setitem(LAYOUTS, "TABLE aggregation", 2)
        monkeypatch.setitem(HISTORY, "TABLE aggregation 2", "weights are DECIMAL")
    else:
        monkeypatch.setitem(AGGREGATES, "AVG of INT over a TABLE", 2)
        monkeypatch.setitem(HISTORY, "AVG of INT over a TABLE 2", "weights are DECIMAL")
    new = stage_parts(stage_of())
    found = judged(old, new)
    assert not goes_on(found) and [each.rule for each in found] == ["state"]
    assert found[0].text.endswith(": weights are DECIMAL")


def test_history_is_of_raised_layouts() -> None:
    """Every version above 1 says why, and no other does."""
    raised = {f"{kind} {number}" for kind, top in LAYOUTS.items() for number in range(2, top + 1)}
    raised |= {f"{form} {number}" for form, top in AGGREGATES.items() for number in range(2, top + 1)}
    assert HISTORY.keys() == raised
    assert layouts.__doc__ is not None
