"""The error policy of records that cannot be read: of a project, of a model and of a program, in each dialect."""

from __future__ import annotations

from pathlib import Path

import pytest

import lsqlc
from lsqlc.dialects import DialectName
from lsqlc.lower import duckdb
from lsqlc.plan import Plan
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.declared.profiles import read_target
from lsqlc.project.discovery import load_project
from lsqlc.types.record import Case, Raw, Record

from .conftest import Write

_TOPICS = "topics:\n  - {name: orders, key: INT, value: 'id INT, item STRING'}\n"
_KSQL = (
    "CREATE STREAM orders (k INT KEY, `id` INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');\n"
    "CREATE STREAM o WITH (KAFKA_TOPIC='o') AS SELECT * FROM orders;\n"
)
PROGRAMS: dict[DialectName, str] = {
    "lenses": "SELECT STREAM id FROM orders\n",
    "ksql": _KSQL,
    "sql": "SELECT id FROM STREAM(orders)\n",
}
RECORDS = (Record("orders", 1, {"id": 1}), Record("orders", 1, Raw('{"id":"x"}')), Record("orders", 1, Raw("{")))
SETS = {
    "lenses": "SET error.policy = '{}';\n",
    "ksql": "SET 'ksql.fail.on.deserialization.error' = '{}';\n",
}


def built(root: Path) -> Compilation:
    loaded = load_project(root)
    assert loaded.project is not None, loaded.diagnostics
    return compile_project(loaded.project)


def plan_of(root: Path) -> Plan:
    compilation = built(root)
    assert compilation.ok, compilation.diagnostics
    return compilation.plans["o"]


def files_of(dialect: DialectName, *, head: str = "", model: str = "", defaults: str = "") -> dict[str, str | bytes]:
    """A project of one model: `head` is written before its program, `model` is its configuration in YAML."""
    config = f"name: test\ndialect: {dialect}\n" + (f"defaults: {{{defaults}}}\n" if defaults else "")
    models = f"models: [{{name: o, config: {{{model}}}}}]\n" if model else ""
    return {"lsqlc.yml": config, "models/all.yml": _TOPICS + models, "models/o.sql": head + PROGRAMS[dialect]}


@pytest.mark.parametrize("dialect", PROGRAMS)
@pytest.mark.parametrize(
    "places",
    [
        {"defaults": "error_policy: continue"},
        {"model": "error_policy: continue"},
        {"head": "{{ config(error_policy='continue') }}\n"},
    ],
    ids=lambda places: next(iter(places)),
)
def test_continue_skips_and_counts(project: Write, dialect: DialectName, places: dict[str, str]) -> None:
    plan = plan_of(project(files_of(dialect, **places)))
    outcome = duckdb.evaluate(plan, [Case("c", (RECORDS,))])[0]
    (result,) = outcome.topics.values()
    assert [r.value for r in result] == [{"id": 1}]
    assert outcome.counts == {"bad record": 2}
    assert dict(plan.settings) == {"error.policy": "continue"}


@pytest.mark.parametrize("dialect", PROGRAMS)
def test_dlq_writes_letters(project: Write, dialect: DialectName) -> None:
    """The model takes the topic of the project, and its letters are a topic that it writes."""
    root = project(files_of(dialect, model="error_policy: dlq", defaults="dead_letters: bad"))
    plan = plan_of(root)
    assert [topic.name for topic in plan.outputs] == ["o", "bad"]
    outcome = duckdb.evaluate(plan, [Case("c", (RECORDS,))])[0]
    reasons = [letter.value["reason"] for letter in outcome.topics["bad"]]
    assert (len(reasons), outcome.counts) == (2, {"bad record": 2})


@pytest.mark.parametrize("dialect", PROGRAMS)
def test_the_nearest_policy_applies(project: Write, dialect: DialectName) -> None:
    """That of the program, else of config(), else of the model's YAML, else of the project."""
    dlq = "error_policy: dlq, dead_letters: bad"
    places = {"defaults": dlq}
    assert plan_of(project(files_of(dialect, **places))).policy == "dlq"
    places["model"] = "error_policy: fail"
    assert plan_of(project(files_of(dialect, **places))).policy == "fail"
    places["head"] = "{{ config(error_policy='continue') }}\n"
    assert plan_of(project(files_of(dialect, **places))).policy == "continue"
    if dialect in SETS:
        value = {"lenses": "fail", "ksql": "true"}[dialect]
        places["head"] += SETS[dialect].format(value)
        assert plan_of(project(files_of(dialect, **places))).policy == "fail"


def test_a_program_may_set_the_policy_or_the_topic_alone(project: Write) -> None:
    """The other one is that of the project."""
    dlq = "error_policy: dlq, dead_letters: bad"
    head = "SET dead.letter.queue = 'own';\n"
    plan = plan_of(project(files_of("lenses", head=head, defaults=dlq)))
    assert (plan.policy, plan.outputs[-1].name) == ("dlq", "own")
    plan = plan_of(project(files_of("lenses", head=head, defaults="error_policy: dlq")))
    assert (plan.policy, plan.outputs[-1].name) == ("dlq", "own")
    head = "SET error.policy = 'dlq';\n"
    plan = plan_of(project(files_of("lenses", head=head, defaults="dead_letters: bad")))
    assert (plan.policy, plan.outputs[-1].name) == ("dlq", "bad")


@pytest.mark.parametrize("dialect", PROGRAMS)
@pytest.mark.parametrize(
    ("defaults", "code"),
    [
        ("error_policy: dlq", "LSQ346"),
        ("error_policy: dlq, dead_letters: orders", "LSQ347"),
        ("error_policy: dlq, dead_letters: o", "LSQ347"),
    ],
)
def test_a_topic_of_its_own_is_needed(project: Write, dialect: DialectName, defaults: str, code: str) -> None:
    found = [d for d in built(project(files_of(dialect, defaults=defaults))).diagnostics if d.is_error]
    assert [(d.code, d.span and d.span.path) for d in found] == [(code, "models/o.sql")]


@pytest.mark.parametrize("dialect", PROGRAMS)
def test_a_single_program_has_a_policy_too(dialect: DialectName) -> None:
    topics = [] if dialect == "ksql" else [lsqlc.Topic("orders", key="INT", value="id INT")]
    plan = lsqlc.compile(PROGRAMS[dialect], topics=topics, dialect=dialect, error_policy="dlq", dead_letters="bad")
    assert (plan.policy, plan.outputs[-1].name) == ("dlq", "bad")
    assert len(lsqlc.evaluate(plan, RECORDS)["bad"]) == 2
    with pytest.raises(ValueError, match="unknown error policy 'skip'"):
        lsqlc.compile(PROGRAMS[dialect], topics=topics, dialect=dialect, error_policy="skip")  # type: ignore[arg-type]


def test_the_topic_must_fit_its_declaration(project: Write) -> None:
    files = files_of("sql", defaults="error_policy: dlq, dead_letters: bad")
    files["models/bad.yml"] = "topics: [{name: bad, value: 'reason INT'}]\n"
    assert [d.code for d in built(project(files)).diagnostics] == ["LSQ328"]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("error_policy='skip'", "'skip' is not a valid error_policy"),
        ("dead_letters=['bad']", "'dead_letters' must be the name of a topic"),
        ("error_polcy='fail'", "config() has no setting 'error_polcy'"),
    ],
)
def test_other_values_are_refused(project: Write, call: str, text: str) -> None:
    found = built(project(files_of("lenses", head=f"{{{{ config({call}) }}}}\n"))).diagnostics
    assert [(d.code, d.message) for d in found] == [("LSQ027", text)]


def test_another_policy_builds_the_model_again(project: Write) -> None:
    """Although the text of the model is the same."""
    first = built(project(files_of("sql")))
    root = project(files_of("sql", defaults="error_policy: continue"))
    loaded = load_project(root)
    assert loaded.project is not None
    again = compile_project(loaded.project, cache=first.entries, plans=False)
    assert again.models["o"].status == "compiled"
    summaries = [each.models["o"].summary for each in (first, again)]
    assert summaries[0] and summaries[1] and summaries[0]["fingerprint"] != summaries[1]["fingerprint"]


def test_a_target_has_no_error_policy() -> None:
    """A model is compiled for all targets: the error says where the key belongs."""
    text = "targets:\n  prod:\n    type: embedded\n    error_policy: dlq\n    dead_letters: bad\n"
    target, found = read_target(text, "profiles.yml", None, {})
    assert target is None
    assert [(d.code, d.message) for d in found] == [
        ("LSQ006", "a target cannot have the key 'dead_letters' @ $.targets.prod"),
        ("LSQ006", "a target cannot have the key 'error_policy' @ $.targets.prod"),
    ]
    assert "under `defaults:` in lsqlc.yml" in (found[0].help or "")


@pytest.mark.parametrize("dialect", PROGRAMS)
def test_a_variable_gives_a_command_another_policy(project: Write, dialect: DialectName) -> None:
    """What a target cannot have, the commands for it can."""
    head = "{{ config(error_policy=var('error_policy', 'fail')) }}\n"
    root = project(files_of(dialect, head=head))
    assert plan_of(root).policy == "fail"
    loaded = load_project(root, vars={"error_policy": "continue"})
    assert loaded.project is not None, loaded.diagnostics
    assert compile_project(loaded.project).plans["o"].policy == "continue"
