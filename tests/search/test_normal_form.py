"""Rules of the normal form mean the same: the search tells no plan apart from its normal form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import msgspec
import pytest

import lsqlc
from lsqlc import Plan
from lsqlc.lower.duckdb import evaluate
from lsqlc.plan import expression as ex
from lsqlc.plan import nodes
from lsqlc.plan.normal_form import ALL_RULES, normal_form
from lsqlc.search.certificates import Certificate, certificate_of, unproved
from lsqlc.search.search import search
from lsqlc.types import data
from tests.fuzz.programs import draw
from tests.lanes import only, sampled

TOPICS = (
    lsqlc.Topic("orders", key="INT", value="id INT, customer STRING, amount INT, price DOUBLE, paid BOOLEAN"),
    lsqlc.Topic("customers", key="STRING", value="country STRING"),
)
_SELECT = "SELECT id, amount, price FROM orders WHERE "
# For each rule, conditions or whole queries that mean the same.
SAME: dict[str, tuple[str, str]] = {
    "NOT of AND, OR and NOT": ("NOT (paid AND amount = 1)", "NOT paid OR NOT amount = 1"),
    "NOT of a comparison": ("NOT (price < 1.5)", "price >= 1.5"),
    "NOT of IS NULL": ("NOT (amount IS NULL)", "amount IS NOT NULL"),
    "IN with one item": ("amount IN (3)", "amount = 3"),
    "order of IN": ("amount IN (3, 1, 2, 3)", "amount IN (1, 2, 3)"),
    "direction of a comparison": ("amount > 1", "1 < amount"),
    "order of an equality": ("amount = id", "id = amount"),
    "order of a sum or product": ("amount + id > 2 * amount", "id + amount > amount * 2"),
    "order of AND and OR": (
        "paid AND amount = 1 AND (id = 2 OR id = 1)", "(id = 1 OR id = 2) AND (amount = 1 AND paid)"),
    "a filter above a filter": (
        "SELECT o.id FROM orders o JOIN customers c ON o.customer = c._key AND o.paid WHERE o.amount = 1",
        "SELECT o.id FROM orders o JOIN customers c ON o.customer = c._key AND o.amount = 1 WHERE o.paid"),
}  # fmt: skip
# Conditions that differ, though a rule could be thought to make them the same.
DIFFERENT = [
    ("NOT (paid AND amount = 1)", "NOT paid AND NOT amount = 1"),
    ("amount - id > 1", "id - amount > 1"),
    ("amount IN (1, 2)", "amount = 1"),
    ("NOT paid", "paid IS NULL"),
]


def compiled(text: str) -> Plan:
    query = text if text.startswith("SELECT") else _SELECT + text
    return lsqlc.compile(query, dialect="sql", topics=TOPICS, name="out")


def contradiction(one: Plan, two: Plan, seconds: int = 3) -> bool:
    """Whether a search finds records over which the rows of two plans differ."""
    clock: Iterator[int] = count()
    return search(one, two, evaluate, seconds=seconds, clock=lambda: float(next(clock))).answer == "different"


def test_every_rule_is_tried() -> None:
    assert SAME.keys() == {rule.name for rule in ALL_RULES}
    assert len({rule.name for rule in ALL_RULES}) == len(ALL_RULES)


@pytest.mark.parametrize("name", sampled(SAME, 5))
def test_a_rule_means_the_same(name: str) -> None:
    """It makes one normal form of both, and the search does not contradict it."""
    one, two = map(compiled, SAME[name])
    assert one.fingerprint != two.fingerprint
    forms = [normal_form(plan) for plan in (one, two)]
    assert forms[0][0].fingerprint == forms[1][0].fingerprint
    assert name in {*forms[0][1], *forms[1][1]}
    assert not contradiction(one, two)
    others = [rule.name for rule in ALL_RULES if rule.name != name]
    assert len({normal_form(plan, others)[0].fingerprint for plan in (one, two)}) == 2, "no other rule is enough"


@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_conditions_that_differ_have_other_normal_forms(one: str, two: str) -> None:
    assert certificate_of("out", "HEAD", compiled(one), compiled(two)) is None


@pytest.mark.parametrize("seed", only(range(20), (1,)))
def test_the_normal_form_of_random_programs_means_the_same(seed: int) -> None:
    """And it is its own normal form."""
    for dialect in ("lenses", "ksql"):
        plan = draw(seed, None, "ksql" if dialect == "ksql" else "lenses").plan
        form, used = normal_form(plan)
        assert normal_form(form)[0].fingerprint == form.fingerprint
        assert not used or not contradiction(plan, form)


def test_conditions_with_a_function_of_the_project_keep_their_order() -> None:
    """Its error for one record ends a query, and a condition before it can keep the record from it."""
    plan = compiled("amount = 1 AND paid")
    (sink,) = plan.sinks
    amount, paid = ex.conjuncts(filter_of(plan).condition)
    own = ex.PythonCall("f", "", (amount,), data.BOOLEAN)
    for one, other, same in ((paid, own, False), (paid, amount, True)):
        forms = set()
        for parts in ((one, other), (other, one)):
            condition = ex.joined("AND", parts)
            below = nodes.Filter(filter_of(plan).input, parts[0])
            for node in (nodes.Filter(below.input, condition), nodes.Filter(below, parts[1])):
                changed = msgspec.structs.replace(sink, inputs=(node,))
                forms.add(normal_form(replace(plan, sinks=(changed,)))[0].fingerprint)
        assert (len(forms) == 1) == same


def test_zeros_of_both_signs_are_two_items() -> None:
    zeros = tuple(ex.Literal(value, data.DOUBLE) for value in (0.0, -0.0, 0.0))
    plan = compiled("price IN (1.5e0, 2.5e0)")
    (sink,) = plan.sinks
    condition = filter_of(plan).condition
    assert isinstance(condition, ex.Operation) and condition.operator == "IN"
    node = nodes.Filter(filter_of(plan).input, msgspec.structs.replace(condition, operands=(zeros[0], *zeros)))
    form, _ = normal_form(replace(plan, sinks=(msgspec.structs.replace(sink, inputs=(node,)),)))
    (after,) = form.sinks[0].inputs
    assert isinstance(after, nodes.Filter) and isinstance(after.condition, ex.Operation)
    assert len(after.condition.operands) == 3


def filter_of(plan: Plan) -> nodes.Filter:
    """Return the filter of a plan."""
    node = plan.sinks[0].inputs[0]
    while not isinstance(node, nodes.Filter):
        (node,) = nodes.inputs(node)
    return node


def test_a_long_condition_has_a_normal_form() -> None:
    parts = [f"amount = {number}" for number in range(400)]
    one, two = compiled(" OR ".join(parts)), compiled(" OR ".join(reversed(parts)))
    assert certificate_of("out", "HEAD", one, two) is not None


def test_a_certificate_holds_for_its_plans_only() -> None:
    """Each change of it, or of a plan, is noticed."""
    one, two = map(compiled, SAME["NOT of a comparison"])
    certificate = certificate_of("out", "HEAD", one, two)
    assert certificate is not None and unproved(certificate, one, two) is None
    assert msgspec.json.decode(msgspec.json.encode(certificate), type=Certificate) == certificate
    assert unproved(certificate, two, one) == "the older version of the model has another plan"
    assert unproved(certificate, one, one) == "the model has another plan now"
    changed_to = msgspec.structs.replace
    rule = changed_to(certificate.rules[0], condition="never")
    unknown = f"this lsqlc has no rule '{rule.name}' with this statement and condition"
    for changed, reason in (
        (changed_to(certificate, normal_form="0" * 64), "the rules do not give both plans this normal form"),
        (changed_to(certificate, rules=()), "the rules do not give both plans this normal form"),
        (
            changed_to(certificate, rules=(rule,)),
            unknown,
        ),
        (changed_to(certificate, kind="x"), "it is not a 'lsqlc certificate of sameness' of version 1"),
        (changed_to(certificate, fingerprints=0), "its fingerprints have version 0, and those of this lsqlc version 1"),
    ):
        assert unproved(changed, one, two) == reason
