"""Jinja: what it gives, where its errors are, and that nothing gets out of it."""

from __future__ import annotations

import sys

import pytest

from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.project.templates.functions import Surroundings
from lsqlc.project.templates.renderer import Renderer

MACROS = (
    (
        "macros/a.sql",
        "{% macro twice(c) %}{{ plus(c) }}{{ ref('orders') }}{% endmacro %}\n"
        "{% macro boom() %}\n{{ nix }}{% endmacro %}",
    ),
    (
        "macros/b.sql",
        "{% macro plus(c) %}{{ c }} + {{ c }} {% endmacro %}{% macro again() %}{{ again() }}{% endmacro %}",
    ),
)
SURROUNDINGS = Surroundings(
    models=frozenset({"orders", "a-b", "odd name"}),
    topics=frozenset({"t"}),
    sources={"shop": frozenset({"o"})},
    vars={"n": 1, "names": ["p", "q"]},
    environment={"LSQLC_A": "v", "LSQLC_SECRET_B": "s3cret", "HOME": "/h"},
    macros=MACROS,
)


def render(text: str) -> str | None:
    rendered = Renderer(SURROUNDINGS).render(text, "m.sql")
    assert not rendered.diagnostics
    return rendered.text


def problem(text: str) -> Diagnostic:
    rendered = Renderer(SURROUNDINGS).render(text, "m.sql")
    assert rendered.text is None
    (found,) = rendered.diagnostics
    return found


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("SELECT 1", "SELECT 1"),
        ("a {{ ref('orders') }} b\n", "a orders b\n"),
        ('{{ref("a-b")}}', "a-b"),
        ("{{ ref('odd name') }}", "`odd name`"),
        ("{{ source('shop', 'o') }} {{ source('t') }}", "o t"),
        ("{{ var('n') }}{{ var('x', 'd') }}", "1d"),
        ("{{ env_var('LSQLC_A') }}{{ env_var('LSQLC_C', 'e') }}", "ve"),
        ("'{\"a\": {}}' {{ var('n') }}", "'{\"a\": {}}' 1"),
        ("{{ var('n') }}{# note #}\n", "1\n"),
        ("{% for c in var('names') %}{{ c }} {{ twice(c) }},{% endfor %}", "p p + p orders,q q + q orders,"),
        ("{% raw %}{{ x }}{% endraw %} {{- var('n') -}}  b", "{{ x }}1b"),
        ("{{ var('n') | string | upper }}\r\nb", "1\nb"),
        ("{% set l = [] %}{% do l.append('x') %}{{ l | join('-') ~ 'y' }}", "xy"),
    ],
)
def test_what_templates_give(template: str, text: str) -> None:
    """Plain calls, statements, macros that call each other over files, and text with braces of its own."""
    assert render(template) == text


@pytest.mark.parametrize(
    ("template", "code", "line", "column"),
    [
        ("\n {{ ref('ordres') }}", "LSQ022", 2, 10),
        ("{% if 1 %}\n {{ ref('ordres') }}{% endif %}", "LSQ022", 2, 10),
        ("{{ source('shop', 'p') }}", "LSQ023", 1, 20),
        ("{{ source('shp', 'o') }}", "LSQ023", 1, 12),
        ("{{ var('m') }}", "LSQ024", 1, 9),
        ("{{ env_var('HOME') }}", "LSQ025", 1, 13),
        ("{{ env_var('LSQLC_SECRET_B') }}", "LSQ025", 1, 13),
        ("{{ env_var('LSQLC_SECRET_B', 'x') }}", "LSQ025", 1, 13),
        ("{{ env_var('LSQLC_C') }}", "LSQ025", 1, 13),
        ("a\n  {{ nme }}", "LSQ021", 2, 6),
        ("a\n{% if %}", "LSQ020", 2, 7),
        ("a\n {{ ref('orders' }}", "LSQ020", 2, 18),
        ("{{ 1 }} AND {{ var('a' b) }}", "LSQ020", 1, 24),
        ("{{ b + 'c' + a b }}", "LSQ020", 1, 16),
        ("x {{ 1 ? 2 }}", "LSQ020", 1, 8),
        ("x {{ 'abc }}", "LSQ020", 1, 6),
        ("x {{ 1", "LSQ020", 1, 3),
        ("{{ 1 | uper }}", "LSQ020", 1, 8),
        ("{{ 1 | random }}", "LSQ020", 1, 8),
        ("{{ config(tag='x') }}", "LSQ027", 1, 11),
        ("{{ config(nullability='strct') }}", "LSQ027", 1, 24),
        ("{{ config(tags=1) }}", "LSQ027", 1, 11),
        ("{{ config(tags=[1]) }}", "LSQ027", 1, 11),
        ("{{ 1 / 0 }}", "LSQ028", 1, 1),
        ("{{ ref() }}", "LSQ028", 1, 1),
        ("{% include 'x' %}", "LSQ028", 1, 1),
        ("{{ ref }}", "LSQ028", 1, 1),
        ("{{ ''.__class__ }}", "LSQ028", 1, 1),
        ("{{ ref.__globals__ }}", "LSQ028", 1, 1),
        ("{{ '{0.__class__}'.format(1) }}", "LSQ028", 1, 1),
    ],
)
def test_errors_have_their_place_in_the_template(template: str, code: str, line: int, column: int) -> None:
    """Each error has its code, line, and the column of the word or tag."""
    found = problem(template)
    assert (found.code, found.line, found.column) == (code, line, column)
    assert "s3cret" not in str(found)


def test_an_error_in_a_macro_is_shown_in_its_file() -> None:
    """The innermost template is where the mistake is."""
    found = problem("{{ boom() }}")
    assert found.span == Span("macros/a.sql", 3, 4, 3, 7)


@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(10**9) %}a{% endfor %}",
        "{% for i in range(9999) %}{% for j in range(9999) %}a{% endfor %}{% endfor %}",
        "{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}",
        "{{ 'a' * 10**9 }}",
        "{{ 10 ** (10 ** 9) }}",
        "{{ [0] * 10**9 }}",
        "{{ '%999999999d' % 1 }}",
        "{% set n = namespace(s='aaaaaaaa') %}{% for i in range(99) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
        "{% set n = namespace(s='aaaaaaaa') %}{% for i in range(99) %}{% set n.s = n.s + n.s %}{% endfor %}",
        "{% set n = namespace(i=3) %}{% for i in range(99) %}{% set n.i = n.i * n.i %}{% endfor %}",
        "{% set l = [1] %}{% for i in range(99) %}{% do l.extend(l) %}{% endfor %}",
        "{{ ('a' * 99999) | replace('a', 'b' * 99999) }}",
        "{{ ('a' * 99999).replace('a', 'b' * 99999) }}",
        "{{ range(9999) | map('string') | join('x' * 9999) }}",
        "{{ again() }}",
        "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
        "{{ " + "-" * 5000 + "1 }}",
        "{% if 1 %}" * 500 + "{% endif %}" * 500,
    ],
)
def test_hostile_templates_end_in_an_error(template: str) -> None:
    """Endless loops, huge texts, numbers and lists, and endless depth are stopped by their own error."""
    assert problem(template).code == "LSQ026"


def test_a_file_without_braces_never_loads_jinja(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither plain text nor plain calls start a process; a statement would."""
    monkeypatch.setitem(sys.modules, "lsqlc.project.templates.process", None)
    renderer = Renderer(SURROUNDINGS)
    assert renderer.render("SELECT 1", "m.sql").text == "SELECT 1"
    assert renderer.render("{{ ref('orders') }}", "m.sql").text == "orders"
    with pytest.raises(ImportError):
        renderer.render("{% if 1 %}{% endif %}", "m.sql")


@pytest.mark.parametrize("opening", ["", "{% if true %}", "{# #}"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_places_lead_back_into_the_template(opening: str, end: str) -> None:
    """In text that was copied every column is exact; what an expression became points at the expression."""
    closing = "{% endif %}" if "if" in opening else ""
    template = f"{opening}SELECT {{{{ var('n') }}}} AS x,{end}  bad FROM {{{{ ref('orders') }}}} o{closing}"
    rendered = Renderer(SURROUNDINGS).render(template, "m.sql")
    assert rendered.text is not None and rendered.positions is not None
    lines = rendered.text.split("\n")
    column = lines[1].index("bad") + 1
    assert rendered.positions.span(Span("m.sql", 2, column, 2, column + 3)) == Span("m.sql", 2, 3, 2, 6)
    orders = lines[1].index("orders") + 1
    assert rendered.positions.span(Span("m.sql", 2, orders, 2, orders + 6)) == Span("m.sql", 2, 12, 2, 31)
    both = rendered.positions.span(Span("m.sql", 2, column, 2, orders + 8))
    assert (both.column, both.end_column) == (3, 33)


def test_a_line_of_a_loop_is_found_in_every_round() -> None:
    """Text that a loop repeats leads to the same place each time."""
    rendered = Renderer(SURROUNDINGS).render("{% for c in var('names') %}\n  {{ c }} bad,\n{% endfor %}", "m.sql")
    assert rendered.text is not None and rendered.positions is not None
    for line, row in enumerate(rendered.text.split("\n"), 1):
        if "bad" in row:
            column = row.index("bad") + 1
            span = rendered.positions.span(Span("m.sql", line, column, line, column + 3))
            assert span == Span("m.sql", 2, 11, 2, 14)


def test_config_and_refs_are_remembered() -> None:
    """Settings and refs are known after rendering, through Jinja and without it alike."""
    plain = "{{ config(tags='a', nullability='strict') }}{{ ref('orders') }}"
    other = "{% if 1 %}{{ config(tags=['a']) }}{{ config(nullability='strict') }}{% endif %}{{ ref('orders') }}"
    for template in (plain, other):
        rendered = Renderer(SURROUNDINGS).render(template, "m.sql")
        assert (rendered.settings.tags, rendered.settings.nullability, rendered.refs) == (("a",), "strict", ("orders",))


def test_a_broken_macro_file_is_told_once() -> None:
    """A model that calls a macro of a broken file is skipped with a note, since the file has the error."""
    renderer = Renderer(Surroundings(macros=(("macros/a.sql", "{% macro f() %}{% if %}{% endmacro %}"),)))
    assert [(d.code, d.line) for d in renderer.check_macros()] == [("LSQ020", 1)]
    (note,) = renderer.render("{{ f() }}{% if 1 %}{% endif %}", "m.sql").diagnostics
    assert (note.code, note.is_error) == ("LSQ033", False)


def test_two_macros_of_one_name_are_refused() -> None:
    """Macros share their names over files."""
    macros = (("macros/a.sql", "{% macro f() %}{% endmacro %}"), ("macros/b.sql", "\n{% macro f() %}{% endmacro %}"))
    renderer = Renderer(Surroundings(macros=macros))
    assert [(d.code, d.span) for d in renderer.check_macros()] == [("LSQ029", Span("macros/b.sql", 2, 10, 2, 11))]


def test_a_macro_whose_name_begins_with_an_underscore_is_one() -> None:
    macros = (
        ("macros/a.sql", "{% macro _half(c) %}{{ c }} / 2{% endmacro %}{% macro f(c) %}{{ _half(c) }}{% endmacro %}"),
    )
    renderer = Renderer(Surroundings(macros=macros))
    assert not renderer.check_macros()
    assert renderer.render("{{ _half('a') }}, {{ f('b') }}", "m.sql").text == "a / 2, b / 2"


@pytest.mark.parametrize(
    ("template", "help"),
    [
        ("{{ ref('t') }}", "'t' is a declared topic: write {{ source('t') }}"),
        ("{{ ref('o') }}", "'o' is a declared topic: write {{ source('shop', 'o') }}"),
    ],
)
def test_a_topic_that_is_taken_for_a_model(template: str, help: str) -> None:
    """A model of a similar name is not meant."""
    found = problem(template)
    assert (found.code, found.help) == ("LSQ022", help)
