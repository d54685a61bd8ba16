"""Certificates of sameness: two versions of a model have one normal form, so that they give the same rows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lsqlc.plan import Plan
from lsqlc.plan.fingerprint import VERSION
from lsqlc.plan.normal_form import ALL_RULES, normal_form

KIND = "lsqlc certificate of sameness"


class AppliedRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule that made one normal form of both plans. `statement` and `condition`: for people."""

    name: str
    statement: str
    condition: str


class Certificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A proof that two versions of a model give the same rows.

    `before` and `after`: the fingerprints of both plans. `normal_form`: that of both after the `rules`. `fingerprints`:
    the version of the algorithm of fingerprints. `against`: the revision of the older version, which is not part of the
    proof.
    """

    kind: str
    version: int
    model: str
    against: str
    fingerprints: int
    before: str
    after: str
    normal_form: str
    rules: tuple[AppliedRule, ...]


def certificate_of(model: str, against: str, before: Plan, after: Plan) -> Certificate | None:
    """Return the certificate of two versions of a model; None if their normal forms differ."""
    forms = [normal_form(plan) for plan in (before, after)]
    (old, rules), (new, more) = forms
    if old.fingerprint != new.fingerprint:
        return None
    used = [AppliedRule(r.name, r.statement, r.condition) for r in ALL_RULES if r.name in (*rules, *more)]
    return Certificate(
        KIND, 1, model, against, VERSION, before.fingerprint, after.fingerprint, old.fingerprint, tuple(used)
    )


def unproved(certificate: Certificate, before: Plan, after: Plan) -> str | None:
    """Return why a certificate does not hold for two plans, as a clause; None if it does.

    The normal forms are computed again, with the rules of the certificate only.
    """
    if (certificate.kind, certificate.version) != (KIND, 1):
        return f"it is not a '{KIND}' of version 1"
    if certificate.fingerprints != VERSION:
        return f"its fingerprints have version {certificate.fingerprints}, and those of this lsqlc version {VERSION}"
    if (changed := _changed_rule(certificate.rules)) is not None:
        return f"this lsqlc has no rule '{changed}' with this statement and condition"
    if before.fingerprint != certificate.before:
        return "the older version of the model has another plan"
    if after.fingerprint != certificate.after:
        return "the model has another plan now"
    names = [rule.name for rule in certificate.rules]
    forms = {normal_form(plan, names)[0].fingerprint for plan in (before, after)}
    return None if forms == {certificate.normal_form} else "the rules do not give both plans this normal form"


def _changed_rule(rules: Sequence[AppliedRule]) -> str | None:
    own_rules = {AppliedRule(rule.name, rule.statement, rule.condition) for rule in ALL_RULES}
    return next((rule.name for rule in rules if rule not in own_rules), None)
