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
from lsqlc.lower.spark.rewrites import REWRITES, Rewrite, form, left_out, rewritten
from lsqlc.lower.spark.steps import Stage, View
from lsqlc.lower.spark.texts import text_parts
from lsqlc.lower.spark.translation import translated
from lsqlc.plan import Plan
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.data import Struct
from lsqlc.types.record import Facet, Topic
from tests.differential.test_engines import LIMITS, WINDOWED
from tests.lower_duckdb.programs import PROGRAMS, TOPICS
from tests.lower_duckdb.test_files import plan_of

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
    """Of a checkpoint of this release and of an older one, with the reason that the history of layouts gives."""
    old, texts = stage_parts(stage_of()), text_parts(stage_of())
    if table == "kinds":
        monkeypatch.setitem(LAYOUTS, "TABLE aggregation", 2)
        monkeypatch.setitem(HISTORY, "TABLE aggregation 2", "weights are DECIMAL")
    else:
        monkeypatch.setitem(AGGREGATES, "AVG of INT over a TABLE", 2)
        monkeypatch.setitem(HISTORY, "AVG of INT over a TABLE 2", "weights are DECIMAL")
    new = stage_parts(stage_of())
    for found in (judged(old, new), translated(texts, new)):
        assert not goes_on(found) and found[0].rule == "state"
        assert found[0].text.endswith(": weights are DECIMAL")


def test_history_is_of_raised_layouts() -> None:
    """Every version above 1 says why, and no other does."""
    raised = {f"{kind} {number}" for kind, top in LAYOUTS.items() for number in range(2, top + 1)}
    raised |= {f"{form} {number}" for form, top in AGGREGATES.items() for number in range(2, top + 1)}
    assert HISTORY.keys() == raised
    assert layouts.__doc__ is not None


def with_texts(parts: Parts, old: str, new: str) -> Parts:
    """Parts as a release wrote them that had other words."""
    assert any(old in text for text in parts.state.values())
    return replace(parts, state={name: text.replace(old, new) for name, text in parts.state.items()})


def test_other_words_need_a_rewrite() -> None:
    """A checkpoint known by its texts goes on if they are the same, or if a rewrite brings both to one form; what a
    user has changed stays a change.
    """
    now = stage_parts(stage_of())
    old = text_parts(stage_of())
    assert translated(old, now) == ()
    other = with_texts(
        old, "sum(if(content.argument1 IS NULL, 0L, weight))", "count_weights(content.argument1, (weight))"
    )
    refused = translated(other, now)
    assert not goes_on(refused) and "before 0.1.0" in refused[-1].text
    apply = form("count_weights({argument}, ({weight}))", "sum(if({argument} IS NULL, 0L, {weight}))")
    rewrites = (Rewrite("0.1.0", "AVG of a TABLE", "counted in place", apply),)
    assert translated(other, now, rewrites) == ()
    edited = stage_parts(stage_of(GROUPED.replace("price > 1", "price > 2")))
    assert not goes_on(translated(other, edited, rewrites))


_AT = "v0.`at` BETWEEN 0L AND 253402300799999L"
_ELEMENTS = """
    WITH t AS (SELECT STREAM item, tag FROM orders LATERAL tags AS tag);
    WITH names AS (SELECT TABLE label FROM items);
    SELECT STREAM tag, label FROM t INNER JOIN names ON t._key = names._key"""
_AT_A_TABLE = """
    WITH names AS (SELECT TABLE label FROM items);
    SELECT STREAM price, label FROM orders INNER JOIN names ON orders._key = names._key"""
# Of each rewrite a program, words of its views, and what the release before wrote for them.
REWRITTEN = {
    "a number for a STRING": (
        GROUPED,
        r"if\(_line RLIKE '.*?', regexp_replace\(.*?\), _line\)",
        "_line",
    ),
    "a record that fails the query": (
        GROUPED,
        r"get\(transform\(array\((from_json\(.*?\)\))\), r -> .*?, 0\)(\)\) AS)",
        r"\1\2",
    ),
    "a null in a field that is NOT NULL": (
        "SELECT STREAM COUNT(*) AS n FROM orders GROUP BY shop",
        r"_r0\.value AS v0",
        "if(_r0.value IS NOT NULL AND (_r0.value.`shop` IS NULL), "
        "raise_error(concat('the record ', CAST(_r0.ordinal AS STRING), ' lacks it')), _r0.value) AS v0",
    ),
    "a row that EVENTTIME BY gives no time": (
        "SELECT STREAM COUNT(*) AS n FROM orders EVENTTIME BY at GROUP BY item",
        r"inline\(array\(struct\((_ord.*?k0, v0)\)\)\)",
        r"\1",
    ),
    "the check of a record that may be passed over": (
        f"SET error.policy = 'continue'; {GROUPED}",
        r"(?s)coalesce\((nullif\(concat_ws\(.*, ''\)), if\(try_variant_get.*?\)( END\))",
        r"\1\2",
    ),
    "the check that a line is one JSON value": (
        f"SET error.policy = 'continue'; {GROUPED}",
        r"json_array_length\(concat\('\['.*? <=> 2\)(?=\) THEN)",
        """json_object_keys(concat('{"a":', _line, ',"', md5(_line), '":0}')) <=> array('a', md5(_line))""",
    ),
    "EVENTTIME BY": (
        "SELECT STREAM COUNT(*) AS n FROM orders EVENTTIME BY at GROUP BY item",
        re.escape(f"if(coalesce({_AT}, FALSE), v0.`at`, ") + r"(raise_error\().*?'\)\)",
        r"if(coalesce(v0.`at`, -1) < 0, \1'EVENTTIME BY gives no time at or after 1970 for a record'), v0.`at`)",
    ),
    "EVENTTIME BY of records that may be passed over": (
        "SET error.policy = 'continue'; SELECT STREAM COUNT(*) AS n FROM orders EVENTTIME BY at GROUP BY item",
        re.escape(f"NOT coalesce({_AT}, FALSE)"),
        "coalesce(v0.`at`, -1) < 0",
    ),
    "a record of a STREAM that has elements or matches, at a TABLE": (
        _ELEMENTS,
        r"table_event\.ordinal < array\(event\.ordinal\[0\]\)",
        "table_event.ordinal < event.ordinal",
    ),
    "the same where no row is there": (
        _ELEMENTS.replace("INNER", "LEFT"),
        r"table_event\.ordinal >= array\(event\.ordinal\[0\]\)",
        "table_event.ordinal >= event.ordinal",
    ),
    "a literal with line breaks": (
        GROUPED.replace("price > 1", "item <> 'a\nb'"),
        r"'a\\nb'",
        "'a\nb'",
    ),
    "the rows of a key in one batch": (
        _AT_A_TABLE,
        r"(?s)nth,\n    (.*)\n  FROM \(SELECT \*, \(nth - 1\) DIV 64 AS stretch FROM \(\n    SELECT \*, row_number\(\) "
        r"OVER \(PARTITION BY (\w+) ORDER BY (.*?)\) AS nth FROM \(SELECT \* FROM (\w+) DISTRIBUTE BY \w+\)\)\)\n"
        r"\) WHERE nth % 64 = 1",
        r"\n    \1,\n    row_number() OVER (PARTITION BY \2, stretch ORDER BY \3) AS nth\n"
        r"  FROM (SELECT *, ordinal[0] DIV 512 AS stretch FROM \4 DISTRIBUTE BY \2)\n) WHERE nth = 1",
    ),
    "columns and fields of state": (GROUPED, r"\bcontent\b", "p"),
    "where lines break": (GROUPED, r"\n +", " "),
}


# Of each rewrite that leaves out a view the format of the files that have it.
LEFT_OUT = {
    "the time of a row of a file": "csv",
    "the time of a row of a file that has types, and the letter of a bad one": "parquet",
}
# Of each rewrite of a join of TABLEs in pairs the views that the release before wrote for those of now.
OF_PAIRS: dict[str, dict[str, str | tuple[str, str] | None]] = {
    "the versions of both sides of a join of TABLEs in pairs": {
        **dict.fromkeys(("entries", "touched", "in_order", "sides")),
        "ends": "SELECT g, i, o, max(x) OVER (PARTITION BY g, i, o) AS x\nFROM (SELECT g, inline(es) FROM history)",
        "living": "SELECT * FROM ends WHERE x IS NULL",
        "stretches 2": "SELECT g, stretch, ls FROM (SELECT *, 1 AS n FROM living) WHERE n = 1",
        "batch 2": "SELECT g, flatten(ls) AS ls FROM (SELECT g, ls\n  FROM stretches 2) WHERE stretch = 0",
        "changes": (r"\bsides$", "batch 2"),
    },
    "a condition on pairs": {
        "filter": (
            r"SELECT \* FROM join\nWHERE (.*)",
            r"SELECT _id, _ord, _ts, _live AND coalesce(\1, FALSE) AS _live,\n  k0, v0, k1, v1\nFROM join",
        ),
    },
}


def test_each_rewrite_has_a_program() -> None:
    assert {*REWRITTEN, *LEFT_OUT, *OF_PAIRS} == {rewrite.construct for rewrite in REWRITES}


@pytest.mark.parametrize("construct", OF_PAIRS)
def test_what_another_release_wrote_of_pairs_goes_on(construct: str) -> None:
    """With the rewrite of the construct, and not without; with another condition it does not either."""
    topics = [lsqlc.Topic(name, key="STRING", value="f INT, x INT") for name in ("a", "b")]
    program = """
        WITH met AS (SELECT TABLE a.x AS x, b.x AS y FROM a INNER JOIN b ON a.f = b.f WHERE a.x > b.x);
        SELECT TABLE COUNT(*) AS n FROM met GROUP BY y"""
    stage, other = (
        lower(lsqlc.compile(text, topics=topics, name="m")).stages[0]
        for text in (program, program.replace("a.x > b.x", "a.x >= b.x"))
    )
    texts = text_parts(stage)
    state = dict(texts.state)
    for view, before in OF_PAIRS[construct].items():
        name = f"the view '{view}'"
        if before is None:
            del state[name]
        elif isinstance(before, tuple):
            state[name] = re.sub(*before, state[name])
        else:
            state[name] = before
    old = replace(texts, state=state)
    assert state != texts.state
    assert translated(old, stage_parts(stage)) == ()
    assert not goes_on(translated(old, stage_parts(other)))
    others = tuple(rewrite for rewrite in REWRITES if rewrite.construct != construct)
    assert not goes_on(translated(old, stage_parts(stage), others))


@pytest.mark.parametrize("construct", LEFT_OUT)
def test_what_another_release_read_of_files_goes_on(construct: str) -> None:
    """Without the view that looks at the times of their rows."""
    declared = f"    files: {{path: data, format: {LEFT_OUT[construct]}}}\n    value: a INT, b STRING\n"
    *_, stage = lower(plan_of("SELECT STREAM COUNT(*) AS n FROM t GROUP BY b", declared)).stages
    now, texts = stage_parts(stage), text_parts(stage)
    (below,) = re.findall(r"FROM (.*)$", texts.state["the view 'timely'"])
    state = {name: re.sub(r"\btimely\b", below, text) for name, text in texts.state.items() if "timely" not in name}
    old = replace(texts, state=state)
    assert translated(old, now) == ()
    others = tuple(rewrite for rewrite in REWRITES if rewrite.construct != construct)
    assert not goes_on(translated(old, now, others))


@pytest.mark.parametrize("construct", REWRITTEN)
def test_what_another_release_wrote_goes_on(construct: str) -> None:
    """With the rewrite of the construct, and not without."""
    program, words, before = REWRITTEN[construct]
    topics = [
        lsqlc.Topic(
            "orders",
            key="STRING",
            value="item STRING, price INT, at BIGINT, tags ARRAY<STRING>, shop STRING NOT NULL",
        ),
        lsqlc.Topic("items", key="STRING", value="label STRING"),
    ]
    *_, stage = lower(lsqlc.compile(program, topics=topics, name="m")).stages
    now, texts = stage_parts(stage), text_parts(stage)
    old = replace(texts, state={name: re.sub(words, before, text) for name, text in texts.state.items()})
    assert old.state != texts.state
    assert translated(old, now) == ()
    others = tuple(rewrite for rewrite in REWRITES if rewrite.construct != construct)
    assert not goes_on(translated(old, now, others))


def test_forms_of_texts() -> None:
    """A hole takes balanced text, brackets in quotes aside; a form inside of a hole is replaced as well."""
    turn = form("f({x}, {y})", "g({y}, {x})")
    assert turn({"v": "f(a(1, 2), ')') + f(f(1, 2), 3)"}) == {"v": "g(')', a(1, 2)) + g(3, g(2, 1))"}
    twice = form("if({x} IS NULL, 0, {x})", "nvl({x})")
    assert twice({"v": "if(a IS NULL, 0, a), if(a IS NULL, 0, b)"}) == {"v": "nvl(a), if(a IS NULL, 0, b)"}
    assert turn({"v": "f(1"}) == {"v": "f(1"}


def test_a_view_that_one_release_has() -> None:
    """It is left out, and what it reads stands for it; a view of that name with another text is another view."""
    apply = left_out("good", "SELECT * FROM {below} WHERE ok")
    texts = {"the view 'good'": "SELECT * FROM lines WHERE ok", "the view 'rows'": "SELECT 'good' FROM good"}
    assert apply(texts) == {"the view 'rows'": "SELECT 'good' FROM lines"}
    other = {**texts, "the view 'good'": "SELECT * FROM lines WHERE NOT ok"}
    assert apply(other) == other
    both = (Rewrite("0.1.0", "scan", "checked in place", apply),)
    assert rewritten(texts, both) == rewritten({"the view 'rows'": "SELECT 'good' FROM lines"}, both)
