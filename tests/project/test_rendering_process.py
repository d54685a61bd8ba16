"""The process that renders templates: what holds where the sandbox has a hole, and what of this process it sees."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsqlc.diagnostics import Diagnostic
from lsqlc.project.templates import process
from lsqlc.project.templates.functions import Surroundings, TemplateFailure
from lsqlc.project.templates.limits import IDLE, Limits
from lsqlc.project.templates.process import RenderingProcess
from lsqlc.project.templates.renderer import Renderer
from tests.project import hostile_values

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
SHOWN = "{% set x = var('x') %}{{ x }}"


@pytest.fixture(autouse=True)
def own_process() -> Iterator[None]:
    """What a test does to the process ends with the test."""
    process._shared.close()
    yield
    process._shared.close()


def of(value: Any, **surroundings: Any) -> RenderingProcess:
    return RenderingProcess(Surroundings(vars={"x": value}, **surroundings))


def finding(project: RenderingProcess, text: str = SHOWN) -> Diagnostic:
    rendered = project.render(text, "models/m.sql")
    assert rendered.text is None
    (found,) = rendered.diagnostics
    assert found.span is not None and found.span.path == "models/m.sql"
    return found


@pytest.mark.parametrize(
    ("value", "limits", "words"),
    [
        (hostile_values.Endless(), Limits(processor=0), "processor time"),
        (hostile_values.Waiting(), Limits(time=0.1), "or 0.1 s"),
        pytest.param(hostile_values.Huge(), Limits(), "more memory", marks=LINUX),
        pytest.param(hostile_values.Held(), Limits(memory=1 << 28), "memory", marks=LINUX),
        (hostile_values.Crash(), Limits(), "ends the process"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_sandbox_does_not_count_ends_in_a_diagnostic(
    monkeypatch: pytest.MonkeyPatch, value: object, limits: Limits, words: str
) -> None:
    """LSQ026 of the file, and the next template is rendered all the same."""
    monkeypatch.setattr(process, "LIMITS", limits)
    project = of(value)
    found = finding(project)
    assert (found.code, words in found.message) == ("LSQ026", True), found
    monkeypatch.setattr(process, "LIMITS", Limits())
    assert project.render("{% if 1 %}a{% endif %}", "models/n.sql").text == "a"


def test_a_project_may_not_end_the_process_for_each_of_its_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the third, none is rendered, and no process is started."""
    project = of(hostile_values.Crash())
    for _ in range(3):
        assert "ends the process" in finding(project).message
    monkeypatch.setattr(process, "_started", None)
    assert "3 others exceeded" in finding(project, "{% if 1 %}a{% endif %}").message


def test_macros_that_end_the_process_are_reported_once() -> None:
    """And no model is rendered without them."""
    project = of(hostile_values.Crash(), macros=(("macros/a.sql", "{% macro f() %}{% endmacro %}" + SHOWN),))
    (found,) = project.check_macros()
    assert found.code == "LSQ026" and found.span is not None and found.span.path == "macros/a.sql"
    assert "without the macros" in finding(project).message


def test_a_bug_is_no_diagnostic() -> None:
    """It is reported as what it is, with its place."""
    with pytest.raises(RuntimeError, match="NameError: a bug"):
        of(hostile_values.Bug()).render(SHOWN, "m.sql")


@pytest.mark.parametrize("executable", ["", "/nonexistent/python", "/bin/true"])
def test_without_a_process_no_template_is_rendered(monkeypatch: pytest.MonkeyPatch, executable: str) -> None:
    """LSQ038, and no other attempt is made; plain calls need none."""
    monkeypatch.setattr(sys, "executable", executable)
    renderer = Renderer(Surroundings(vars={"x": 1}))
    assert [d.code for d in renderer.render(SHOWN, "m.sql").diagnostics] == ["LSQ038"]
    monkeypatch.setattr(process, "_started", None)
    assert [d.code for d in renderer.render(SHOWN, "n.sql").diagnostics] == ["LSQ038"]
    assert renderer.render("{{ var('x') }}", "m.sql").text == "1"


def test_the_process_has_nothing_of_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the environment what an interpreter needs, no module that it does not use, and no folder of the project."""
    (tmp_path / "pickle.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("TOKEN", "s3cret")
    environment = {**os.environ, "LSQLC_A": "a", "LSQLC_SECRET_B": "s3cret"}
    shown = of(hostile_values.Surroundings(), environment=environment).render(SHOWN, "m.sql").text
    assert shown is not None
    assert "TOKEN" not in shown and "LSQLC_" not in shown and str(tmp_path) not in shown
    assert "lsqlc.cli" not in shown and "lsqlc.bind.ksql" not in shown


def test_secrets_are_not_sent() -> None:
    """Neither is anything else that templates may not read."""
    environment = {"LSQLC_A": "a", "LSQLC_SECRET_B": "s", "HOME": "h"}
    assert Surroundings(environment=environment).portable().environment == {"LSQLC_A": "a"}


@LINUX
def test_the_limit_of_memory_leaves_room_for_the_process_itself() -> None:
    """It is of the address space, of which a process has more than it uses."""
    size = of(hostile_values.Sized()).render(SHOWN, "m.sql").text
    assert size is not None and int(size) < Limits().memory / 4


def test_one_process_serves_all_projects() -> None:
    """Also where their templates come in turns."""
    projects = [of(number) for number in range(2)]
    assert [project.render(SHOWN, "m.sql").text for _ in range(2) for project in projects] == ["0", "1"] * 2
    known = process._shared._process
    assert of(2).render(SHOWN, "m.sql").text == "2" and process._shared._process is known


@pytest.mark.skipif(os.name != "posix", reason="Windows cannot wait for a pipe")
def test_a_process_that_nobody_asks_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the next template is rendered by another one."""
    monkeypatch.setattr(process, "LIMITS", Limits(idle=0))
    project = of(1)
    project.check_macros()
    known = process._shared._process
    assert known is not None and known.wait() == IDLE
    monkeypatch.setattr(process, "LIMITS", Limits())
    assert project.render(SHOWN, "m.sql").text == "1"
    assert process._shared._process is not known


def test_an_interrupted_request_ends_the_process() -> None:
    """So that its answer is not taken for that of the next one."""

    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    project = of(1, models=frozenset({"a"}), target=interrupt)
    with pytest.raises(KeyboardInterrupt):
        project.render("{% if 1 %}{{ ref('a') }}{% endif %}", "m.sql")
    assert project.render(SHOWN, "m.sql").text == "1"


def test_a_fork_has_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """And leaves that of its parent alone."""
    project = of(1)
    assert project.render(SHOWN, "m.sql").text == "1"
    known = process._shared._process
    monkeypatch.setattr(process._shared, "_owner", -1)
    assert project.render(SHOWN, "m.sql").text == "1"
    assert known is not None and process._shared._process is not known and known.poll() is None
    known.communicate()


def test_the_topics_of_models_are_asked_of_this_process() -> None:
    """As are the failures to find one."""

    def target(model: str) -> str:
        if model == "b":
            raise TemplateFailure("LSQ022", "the model 'b' writes several topics", word="b", help="use the name")
        return "t-" + model

    project = of(1, models=frozenset({"a", "b"}), target=target)
    rendered = project.render("{% if 1 %}{{ ref('a') }}{% endif %}", "m.sql")
    assert (rendered.text, rendered.refs) == ("t-a", ("a",))
    found = finding(project, "{% if 1 %}{{ ref('b') }}{% endif %}")
    assert (found.code, found.column, found.help) == ("LSQ022", 19, "use the name")


def test_what_a_template_changes_is_its_own() -> None:
    """A variable of the project is the same for the next template."""
    project = of({"a": [1]})
    text = "{% set x = var('x') %}{% do x.a.append(2) %}{{ x.a }}{{ var('x').a }}"
    assert [project.render(text, "m.sql").text for _ in range(2)] == ["[1, 2][1]"] * 2
