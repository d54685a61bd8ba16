"""What templates may take: everything of Jinja has a cost, and nothing that makes much of little gets through.

These tests render in this process, where nothing but the sandbox limits a template.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from jinja2 import TemplateError, nodes
from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.filters import FILTERS as JINJAS_FILTERS
from jinja2.sandbox import SandboxedEnvironment
from jinja2.tests import TESTS as JINJAS_TESTS

from lsqlc.project.templates import costs, meter, renderer, weaving
from lsqlc.project.templates.functions import Surroundings
from lsqlc.project.templates.jinja import Jinja
from lsqlc.project.templates.renderer import Renderer
from lsqlc.project.templates.sandbox import Sandbox
from tests.lanes import sampled
from tests.test_growth import steps

# Nodes that no template is parsed into: bases of others, and those that extensions and the compiler make.
_NEVER_PARSED = {
    "BinExpr", "ContextReference", "DerivedContextReference", "EnvironmentAttribute", "Expr", "ExtensionAttribute",
    "Helper", "ImportedName", "InternalName", "Literal", "MarkSafe", "MarkSafeIfAutoescape", "Stmt", "UnaryExpr",
    "_FilterTestCommon",
}  # fmt: skip


def kinds(base: type[nodes.Node]) -> Iterator[type[nodes.Node]]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


def operators(base: type[nodes.Node]) -> set[str]:
    return {getattr(kind, "operator", "") for kind in kinds(base)}


def test_every_filter_test_and_global_of_jinja_is_classified() -> None:
    """One that a later version adds fails here, and is not available until it has a cost."""
    assert set(JINJAS_FILTERS) == {*costs.FILTERS, *costs.ABSENT_FILTERS}
    assert set(JINJAS_TESTS) == set(costs.TESTS)
    assert set(DEFAULT_NAMESPACE) == {*costs.GLOBALS, *costs.ABSENT_GLOBALS}
    sandbox = Sandbox()
    assert sandbox.filters.keys() == costs.FILTERS.keys() and not costs.FILTERS.keys() & costs.ABSENT_FILTERS
    assert sandbox.tests.keys() == costs.TESTS.keys()
    assert sandbox.globals.keys() == set(costs.GLOBALS)


def test_every_node_and_operator_of_jinja_is_classified() -> None:
    """A kind of node is in one group, and an operator goes through the sandbox."""
    groups = (weaving.PLAIN, weaving.WOVEN, weaving.INTERCEPTED, weaving.REFUSED)
    classified = [kind.__name__ for group in groups for kind in group]
    assert sorted({kind.__name__ for kind in kinds(nodes.Node)} - _NEVER_PARSED) == sorted(classified)
    assert Sandbox.intercepted_binops == SandboxedEnvironment.default_binop_table.keys()
    assert Sandbox.intercepted_unops == SandboxedEnvironment.default_unop_table.keys()
    assert operators(nodes.BinExpr) - {"and", "or"} == Sandbox.intercepted_binops
    assert operators(nodes.UnaryExpr) - {"not"} == Sandbox.intercepted_unops


def test_a_node_without_a_class_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that nobody has seen yet."""
    monkeypatch.setattr(weaving, "PLAIN", weaving.PLAIN - {nodes.With})
    assert code("{% with a = 1 %}{{ a }}{% endwith %}") == "LSQ028"


VALUES: Mapping[str, Any] = {
    "text": "ab " * 60_000,
    "texts": ["ab"] * 20_000,
    "numbers": list(range(20_000)),
    "lists": [[1], [2]] * 5_000,
    "mapping": {f"k{i}": i for i in range(20_000)},
    "pairs": [("a", 1)] * 5_000,
    "number": 12,
    "fraction": 1.5,
}
ARGUMENTS: Mapping[str, tuple[tuple[Any, ...], ...]] = {
    "replace": (("a", "b"),), "map": (("string",),), "select": ((), ("string",)), "reject": ((), ("string",)),
    "selectattr": ((0,),), "rejectattr": ((0,),), "join": ((), ("ab" * 10,)), "trim": ((), ("ab ",)), "sort": ((),),
    "round": ((), (2, "floor")), "d": ((1,),), "default": ((1,),), "divisibleby": ((3,),), "in": ((["a"],),),
    "sum": ((), (None, 1)),
}  # fmt: skip


def spent(call: Callable[[Sandbox], Any]) -> tuple[Any, int] | None:
    """The result of a call and its steps; None where it is not for such values."""
    sandbox = Sandbox()
    sandbox.meter.begin()
    try:
        return call(sandbox), sandbox.meter.used
    except (TypeError, ValueError, AttributeError, TemplateError, LookupError):
        return None


def size(value: Any) -> int:
    return len(value) if isinstance(value, (str, list, tuple, dict)) else 1


def is_paid(result: Any, used: int, value: Any) -> bool:
    """Whether what a call made, unless that is a part of what it was given, has been paid for."""
    is_part = result is value or (isinstance(value, (list, tuple)) and any(result is item for item in value))
    return is_part or 10 * used >= size(result)


@pytest.mark.parametrize("name", sampled(costs.FILTERS, 3))
def test_a_filter_pays_for_what_it_reads_and_makes(name: str) -> None:
    """Of each kind of value that it takes."""
    cost, own = costs.FILTERS[name]
    taken = 0
    for value in VALUES.values():
        for arguments in ARGUMENTS.get(name, ((),)):
            found = spent(
                lambda sandbox, value=value, arguments=arguments: sandbox.call_filter(  # type: ignore[misc]
                    name, value, arguments, context=sandbox.from_string("").new_context()
                )
            )
            if found is None:
                continue
            taken += 1
            result, used = found
            assert is_paid(result, used, value)
            if cost is not costs.constant or own is not None:
                assert 10 * used >= size(value)
    assert taken


@pytest.mark.parametrize("name", costs.TESTS)
def test_a_test_pays_for_what_it_reads(name: str) -> None:
    """Of each kind of value that it takes; a test that costs nothing looks at no more than the kind."""
    taken = 0
    for value in VALUES.values():
        given = ARGUMENTS.get(name, ((), (value,)))
        for arguments in given:
            found = spent(lambda sandbox, value=value, arguments=arguments: sandbox.call_test(name, value, arguments))  # type: ignore[misc]
            if found is None:
                continue
            taken += 1
            if costs.TESTS[name] is not costs.constant:
                assert 10 * found[1] >= size(value)
    assert taken


METHOD_ARGUMENTS: Mapping[str, tuple[Any, ...]] = {
    "count": ("a",), "endswith": ("a",), "find": ("zz",), "join": (["a"] * 1_000,), "removeprefix": ("a",),
    "removesuffix": ("a",), "replace": ("a", "b"), "startswith": ("a",), "append": (1,), "extend": ([1] * 1_000,),
    "index": ("ab",), "insert": (0, 1), "get": ("k1",), "pop": ("k1",), "update": ({f"x{i}": 1 for i in range(1_000)},),
}  # fmt: skip


@pytest.mark.parametrize(
    ("type", "name"), [(type, name) for type in (str, list, dict, tuple) for name in costs.METHODS[type]]
)
def test_a_method_pays_for_what_it_reads_and_makes(type: type, name: str) -> None:
    """Except for those that take the same time for all values."""
    text = "ab" if name == "join" else VALUES["text"]
    owners: dict[object, Any] = {
        str: text, list: ["ab"] * 20_000, dict: dict(VALUES["mapping"]), tuple: ("ab",) * 20_000,
    }  # fmt: skip
    owner = owners[type]
    arguments = (0,) if (type, name) == (list, "pop") else METHOD_ARGUMENTS.get(name, ())
    before = size(owner)
    found = spent(lambda sandbox: sandbox.call(sandbox.from_string("").new_context(), getattr(owner, name), *arguments))
    assert found is not None
    result, used = found
    assert is_paid(result, used, owner) and 10 * used >= size(owner) - before
    if costs.METHODS[type][name] in (costs.deep, costs.texts, costs.pieces, costs.stripped, costs.replaced):
        assert 10 * used >= before


def test_other_attributes_of_values_are_not_reached() -> None:
    """Whatever Python gives its types."""
    sandbox = Sandbox()
    values: tuple[Any, ...] = (
        "a",
        [1],
        {"a": 1},
        (1,),
        {1},
        1,
        1.5,
        True,
        None,
        range(3),
        {}.items(),
        {}.keys(),
        b"a",
        len,
        str,
    )
    for value in values:
        tables = [names for kind, names in costs.METHODS.items() if isinstance(value, kind)]
        allowed = {name for names in tables for name in names}
        assert allowed == {n for n in dir(value) if sandbox.is_safe_attribute(value, n, getattr(value, n))}


def code(template: str, **surroundings: Any) -> str | None:
    """The code of the error of a template; None where it has none."""
    rendered = Jinja(Surroundings(**surroundings)).render(template, "m.sql")
    assert (rendered.text is None) == bool(rendered.diagnostics)
    return rendered.diagnostics[0].code if rendered.diagnostics else None


def grown(start: str, step: str, use: str, times: int = 40) -> str:
    """A template that computes a value many times from the one before."""
    loop = f"{{% for i in range({times}) %}}{{% set n.v = {step} %}}{{% endfor %}}"
    return f"{{% set n = namespace(v={start}) %}}{loop}{use}"


# Where a list is in another one twice, and that again: small, but as large as 2**40 to whoever looks at all of it.
SHARED = {
    use: grown("[1]", "[n.v, n.v]", use)
    for use in (
        "{{ n.v }}", "{{ n.v ~ '' }}", "{{ n.v|string }}", "{{ n.v|join }}", "{{ n.v|title }}", "{{ n.v|trim }}",
        "{{ n.v|upper }}", "{{ n.v|replace('a', 'b') }}", "{{ n.v|map('string') }}", "{{ n.v|unique }}",
        "{{ n.v|sort }}", "{{ n.v|max }}", "{{ n.v|float }}", "{{ n.v|int }}", "{{ n.v|select('in', n.v) }}",
        "{{ n.v == n.v + [1] }}", "{{ n.v < n.v + [1] }}", "{{ 2 in n.v }}", "{{ n.v in [n.v, 1] }}",
        "{{ n.v is lower }}", "{{ n.v is eq(1) }}", "{{ n.v.index(3) }}", "{{ n.v.count(3) }}", "{{ {}[n.v] }}",
        "{{ {}.get(n.v) }}", "{{ ref(n.v) }}", "{{ var(n.v) }}", "{{ config(tags=n.v) }}",
        "{{ n }}", "{{ [n] }}", "{{ -n.v }}", "{% for i in [1] %}{{ loop.changed(n.v) }}{% endfor %}",
    )
}  # fmt: skip
TOO_MUCH = {
    **SHARED,
    "many references to one text": "{{ (['x' * 1000000] * 1000000)|string }}",
    "mappings in each other": grown("{}", "{'a': n.v, 'b': n.v}", "{{ n.v }}"),
    "a list in itself": "{% set l = [] %}{% do l.append(l) %}{{ l }}",
    "deep tuples": grown("(1,)", "(n.v,)", "{{ {}.get(n.v) }}", 9_999),
    "a sum of lists": "{{ ([['x'] * 1000] * 10000)|sum(start=[])|length }}",
    "a sum of texts": "{{ (['x' * 1000] * 10000)|sum(start='') }}",
    "a number with many places": "{{ 2|round(100000000) }}",
    "a number with many places before the point": "{{ 2|round(-100000000) }}",
    "a sum of numbers": grown("3", "[n.v, n.v * n.v]|sum", ""),
    "a long text, longer each time": grown("''", "n.v ~ 'x' * 45", "", 9_999),
    "texts in a loop": "{% set s = 'x' * 1000000 %}{% for i in range(9999) %}{{ 'y' in s }}{% endfor %}",
    "a list in a loop": (
        "{% set s = range(10000)|list %}{% for i in range(9999) %}{% if 'y' in s %}{% endif %}{% endfor %}"
    ),
    "a range in a loop": "{% set s = range(10000) %}{% for i in range(9999) %}{% if 'y' in s %}{% endif %}{% endfor %}",
    "values of a mapping in a loop": (
        "{% set d = dict() %}{% for i in range(999) %}{% do d.update({'k' ~ i: 'x'}) %}{% endfor %}"
        "{% for i in range(9999) %}{% if 'y' in d.values() %}{% endif %}{% endfor %}"
    ),
    "a replacement": "{{ ('x' * 1000)|replace('x', 'y' * 10000) }}",
    "a replacement of nothing": "{{ ('x' * 1000).replace('', 'y' * 10000) }}",
    "a text of numbers": "{{ 10000000000 * 'x' }}",
    "passes that a condition leaves out": (
        "{% for i in range(9999) %}{% for j in range(9999) if j < 0 %}{% endfor %}{% endfor %}"
    ),
    "a constant in a loop": "{% set x %}{% for i in range(9999) %}{{ '"
    + "x" * 100_000
    + "' }}{% endfor %}{% endset %}",
    "text in a loop": "{% set x %}{% for i in range(9999) %}" + "x" * 100_000 + "{% endfor %}{% endset %}",
    "text in a macro": (
        "{% macro a() %}" + "x" * 10_000 + "{% endmacro %}{% for i in range(9999) %}{% set y = a() %}{% endfor %}"
    ),
    "a tree of macros": "{% macro a(n) %}{% if n %}{{ a(n - 1) }}{{ a(n - 1) }}{% endif %}{% endmacro %}{{ a(60) }}",
    "a tree of callers": (
        "{% macro a() %}{{ caller() }}{{ caller() }}{% endmacro %}" + "{% call a() %}" * 18 + "x" + "{% endcall %}" * 18
    ),
    "a recursive loop": "{% for i in [1, 1] recursive %}{{ loop([1, 1]) }}{% endfor %}",
    "characters to strip": "{{ ('a' * 999999)|trim('b' * 999999 ~ 'a') }}",
    "characters to strip by a method": "{{ ('a' * 999999).strip('b' * 999999 ~ 'a') }}",
    "pieces": "{% for i in range(99) %}{% set x = ('ab' * 400000).split('a') %}{% endfor %}",
    "words": "{% set s = 'a b ' * 200000 %}{% for i in range(99) %}{% set x = s|title %}{% endfor %}",
    "texts joined by a method": "{{ ('x' * 9999).join(['y'] * 9999) }}",
    "a text that grows in upper case": "{{ ('ß' * 999999)|upper|length }}",
    "digits of 4 bits": "{{ ('f' * 999999)|int(base=16) * 3 }}",
    "digits": "{{ ('9' * 999999)|int }}",
    "a long number": "{% set x = 0x" + "f" * 100_000 + " %}",
    "an endless number": "{{ 1e999999 }}",
    "a long path": (
        "{% set d = {} %}{% do d.update(a=d) %}{{ ([d] * 10000)|map(attribute='"
        + ".".join(["a"] * 1_000)
        + "')|list }}"
    ),
    "a sorted list of long texts": "{% set l = ['x' * 100000 ~ 'a'] * 1000 %}{{ l|sort|length }}",
    "keys with one hash": (
        "{% set d = {} %}{% for i in range(9999) %}{% do d.update({i * 2305843009213693951: 1}) %}{% endfor %}"
    ),
    "small lists": (
        "{% set l = [] %}"
        "{% for i in range(9999) %}{% for j in range(9999) %}{% do l.append([]) %}{% endfor %}{% endfor %}"
    ),
    "parts of a text": (
        "{% set s = 'x' * 999999 %}{% set l = [] %}{% for i in range(9999) %}{% do l.append(s[1:]) %}{% endfor %}"
    ),
    "parts of a list": "{% set l = [1] * 9999 %}{% for i in range(9999) %}{% set x = l[1:] %}{% endfor %}",
    "ranges": "{% for i in range(9999) %}{% set x = range(9999)|list %}{% endfor %}",
    "arguments": (
        "{% macro a() %}{{ varargs|length }}{% endmacro %}{% set l = range(9999)|list %}"
        "{% for i in range(9999) %}{{ a(*l) }}{% endfor %}"
    ),
    "filters in a row": "{{ range(9999)" + "|map('string')" * 60 + "|list|length }}" * 2,
    "settings": "{% for i in range(9999) %}{{ config(tags=['t' ~ i]) }}{% endfor %}",
    "cycles": "{% for i in range(9999) %}{% for j in range(9999) %}{{ loop.cycle('a', 'b') }}{% endfor %}{% endfor %}",
    "many tags": "{{ 1 }}" * 60_000,
    "blocks and names": "".join(f"{{% set a{i} = 1 %}}{{% if a{i} %}}{{% endif %}}" for i in range(4_000)),
    "a long chain": "{{ " + "+".join(["1"] * 5_000) + " }}",
    "filters upon filters": "{{ 1" + "|string" * 5_000 + " }}",
    "attributes of attributes": "{{ a" + ".a" * 5_000 + " }}",
    "loops in loops": "{% for i in [] %}" * 300 + "{% endfor %}" * 300,
    "tags in tags": "{{" * 100_000,
}
REFUSED = {
    "{{ '%1000000000d' % 1 }}": "LSQ026", "{{ '%1000000000d' is odd }}": "LSQ028",
    "{{ '%1000000000d' is even }}": "LSQ028", "{{ '%1000000000d' is divisibleby(1) }}": "LSQ028",
    "{{ ['%1000000000d']|select('odd')|list }}": "LSQ028", "{{ 'x'|round(9) }}": "LSQ028",
    "{{ '{:1000000000}'.format(1) }}": "LSQ028", "{{ 'x'.center(1000000000) }}": "LSQ028",
    "{{ '1'.zfill(1000000000) }}": "LSQ028", "{{ 'x'.translate({120: 'y' * 999999}) }}": "LSQ028",
    "{{ '\t'.expandtabs(1000000000) }}": "LSQ028", "{{ dict([((1, 2), 3)]) }}": "LSQ028",
    "{{ {(1, 2): 3} }}": "LSQ028", "{% do {}.update([((1, 2), 3)]) %}": "LSQ028",
    "{{ {'a': 1}.keys() - ['a'] }}": "LSQ028", "{% block a %}{{ self.a() }}{% endblock %}": "LSQ028",
    "{% autoescape true %}{% endautoescape %}": "LSQ028", "{% include 'x' %}": "LSQ028",
    "{% import 'x' as y %}": "LSQ028", "{% extends 'x' %}": "LSQ028", "{{ cycler(1) }}": "LSQ021",
    "{{ joiner() }}": "LSQ021", "{{ lipsum(1000) }}": "LSQ021",
    **{f"{{{{ 'x'|{name} }}}}": "LSQ020" for name in sorted(costs.ABSENT_FILTERS)},
}  # fmt: skip


@pytest.mark.parametrize("name", sampled(TOO_MUCH, 3))
def test_what_makes_much_of_little_ends_in_an_error(name: str) -> None:
    """Before it has taken more than the steps of a template."""
    engine = Jinja(Surroundings(vars={"x": 1}))
    (found,) = engine.render(TOO_MUCH[name], "m.sql").diagnostics
    assert found.code == "LSQ026"
    assert engine._sandbox.meter.used <= meter.MAX_STEPS


@pytest.mark.parametrize("template", REFUSED)
def test_what_templates_do_not_have_is_refused(template: str) -> None:
    """By the error that says so."""
    assert code(template) == REFUSED[template]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ 'a' ~ 1 ~ [1, 'b'] }}", "a1[1, 'b']"),
        ("{{ 1 < 2 < 3 }}{{ 1 in [1] }}{{ 'b' not in 'abc' }}", "TrueTrueFalse"),
        ("{{ [3, 1, 2]|sort|join('-') }}{{ [1, 2]|sum }}{{ [{'a': 1}]|sum(attribute='a', start=2) }}", "1-2-333"),
        ("{{ ['a', 'A', 'b', 1, 1]|unique|join(',') }}", "a,b,1"),
        ("{{ 2.567|round(2) }}{{ 7|round(-1)|int }}{{ 2.1|round(0, 'ceil') }}", "2.57103.0"),
        ("{{ 'a.b'.split('.') }}{{ '-'.join(['a', 'b']) }}{{ 'aXb'|replace('X', '') }}", "['a', 'b']a-bab"),
        ("{% for i in range(5) if i is odd %}{{ loop.index }}:{{ i }} {% endfor %}", "1:1 2:3 "),
        ("{% for i in [1, 1, 2] %}{{ loop.changed(i) }}{{ loop.cycle('a', 'b') }} {% endfor %}", "Truea Falseb Truea "),
        ("{% for i in [[1, [2]]] recursive %}{{ i if i is number else loop(i) }}{% endfor %}", "12"),
        (
            "{% macro f(a, b=2) %}{{ a + b }}{{ kwargs }}{{ varargs }}{% endmacro %}{{ f(1) }}{{ f(1, 3, 4, c=5) }}",
            "3{}()4{'c': 5}(4,)",
        ),
        ("{% macro f() %}<{{ caller('x') }}>{% endmacro %}{% call(a) f() %}{{ a }}{% endcall %}", "<x>"),
        ("{% set x %}a{{ 1 }}{% endset %}{% filter upper %}{{ x }}{% endfilter %}{{ x[:1] }}", "A1a"),
        ("{{ [1, 2, 3][1:] }}{{ 'abc'[-1] }}{{ [1, 2][5] is defined }}", "[2, 3]cFalse"),
        ("{% set n = namespace(a=1) %}{% set n.a = 2 %}{{ n.a }}{{ namespace({'b': 1}).b }}", "21"),
        ("{{ dict(a=1).items()|list }}{{ dict([('b', 2)]) }}{{ {1: 'x'}[1] }}", "[('a', 1)]{'b': 2}x"),
        ("{% set d = {} %}{% do d.update(a=1) %}{% do d.update({'b': 2}) %}{{ d|dictsort }}", "[('a', 1), ('b', 2)]"),
        ("{{ -3|abs }} {{ 7 // 2 }} {{ 7 % 4 }} {{ 2 ** 10 }} {{ 1 / 2 }} {{ -1 }} {{ +1 }}", "3 3 3 1024 0.5 -1 1"),
        ("{{ 'ab' * 2 }}{{ 2 * [1] }}{{ [1] + [2] }}{{ 'a' + 'b' }}{{ 3 - 1.5 }}", "abab[1, 1][1, 2]ab1.5"),
        ("{{ x is defined }}{{ x|default('y') }}{{ 'x'|int(7) }}{{ 'ff'|int(base=16) }}", "Falsey7255"),
        ("{{ [{'a': {'b': 1}}]|map(attribute='a.b')|first }}{{ [1, 2]|select('gt', 1)|list }}", "1[2]"),
        ("{{ 'a b'|title }}{{ ' a '|trim }}{{ 'xax'|trim('x') }}{{ 'abc'|reverse }}", "A Baacba"),
        ("{{ [1, 2]|reverse|list }}{{ [2, 1]|max }}{{ [2, 1]|min }}{{ 'a'|upper }}", "[2, 1]21A"),
    ],
)  # fmt: skip
def test_what_templates_are_for_gives_what_jinja_gives(template: str, text: str) -> None:
    """Counting changes no result."""
    rendered = Jinja(Surroundings()).render(template, "m.sql")
    assert rendered.text == text, rendered.diagnostics
    plain = SandboxedEnvironment(extensions=["jinja2.ext.do"], keep_trailing_newline=True)
    assert plain.from_string(template).render() == text


LARGE: Mapping[str, Callable[[int], str]] = {
    "expressions": lambda n: "{{ '' }}" * n,
    "lines": lambda n: "a {{ 1 }}\n" * n,
    "print": lambda n: "{% print 1 %}\n" * n,
    "settings": lambda n: "{% set a = 1 %}" * n,
    "loops": lambda n: "{% for i in [] %}{% endfor %}" * n,
    "calls": lambda n: "{{ f(1) }}" * n + "{% macro f(a) %}{{ a }}{% endmacro %}",
    "items": lambda n: "{{ [" + "1," * n + "] }}",
    "white space": lambda n: "  {{- 1 -}}  " * n,
    "comments": lambda n: "a{# #}\n" * n,
}


@pytest.mark.parametrize("name", sampled(LARGE, 3))
def test_twice_as_large_a_template_takes_twice_as_long(name: str) -> None:
    """To parse, weave, compile and render."""
    _, once, twice = (steps(lambda n=n: code(LARGE[name](n))) for n in (2, 60, 120))  # type: ignore[misc]
    assert twice < 2.2 * once


def test_a_long_word_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would become a pattern as long."""
    compiled: list[str] = []

    def escaped(word: str) -> str:
        compiled.append(word)
        return "x"

    monkeypatch.setattr("lsqlc.project.templates.functions.re.escape", escaped)
    assert code("{{ ref('x' * 500000) }}") == "LSQ022" and code("{{ {}['x' * 500000] }}") == "LSQ021"
    assert not compiled


def test_the_templates_of_a_project_have_a_limit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each adds what a plain one needs."""
    monkeypatch.setattr(meter, "MAX_PROJECT_STEPS", 100_000)
    engine = Jinja(Surroundings())
    loop = "{% for i in range(2000) %}{% endfor %}"
    codes = [[d.code for d in engine.render(loop, "m.sql").diagnostics] for _ in range(20)]
    assert codes[0] == [] and codes[-1] == ["LSQ026"]
    assert not engine.render("{% if 1 %}a{% endif %}", "m.sql").diagnostics


def test_what_templates_become_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one, and of all together, whichever way they are rendered."""
    surroundings = Surroundings(vars={"long": "x" * 10_000})
    assert [d.code for d in Renderer(surroundings).render("{{ var('long') }}" * 101, "m.sql").diagnostics] == ["LSQ026"]
    monkeypatch.setattr(renderer, "_MOST_RENDERED", 100_000)
    for template in ("{{ var('long') }}", "{% if 1 %}{{ var('long') }}{% endif %}"):
        project = Renderer(surroundings)
        codes = [[d.code for d in project.render(template, "m.sql").diagnostics] for _ in range(12)]
        assert codes[0] == [] and codes[-1] == ["LSQ026"]


def test_pieces_of_what_templates_become_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is kept, for the places of findings."""
    monkeypatch.setattr(renderer, "_MOST_RENDERED", 10_000)
    rendered = Renderer(Surroundings()).render("{% for i in range(1000) %}{{ 1 }}{% endfor %}", "m.sql")
    assert [d.code for d in rendered.diagnostics] == ["LSQ026"]


def test_findings_of_one_template_are_limited() -> None:
    """Each looks for a similar name."""
    assert len(Renderer(Surroundings()).render("{{ ref('x') }}" * 1_000, "m.sql").diagnostics) == 100
