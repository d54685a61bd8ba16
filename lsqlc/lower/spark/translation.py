"""The one-time translation of a checkpoint that knows its stage by SQL: whether the stage of today is the same one.

The texts that the checkpoint has are compared with those that the stage has today, both in one form (rewrites.py), by
the rules for edits (evolution.py). Releases that wrote texts had all layouts in their first version, so a stage with an
operator of a later layout needs a new state whatever its texts say.
"""

from __future__ import annotations

from dataclasses import replace

from lsqlc.lower.spark.checkpoint_parts import Parts, stored_forms
from lsqlc.lower.spark.evolution import Finding, goes_on, judged
from lsqlc.lower.spark.layouts import HISTORY
from lsqlc.lower.spark.rewrites import Rewrite, rewritten
from lsqlc.lower.spark.texts import text_parts

_EARLIER = "the checkpoint is of a release before 0.1.0, which knew a query by its SQL: this one may write it otherwise"

# Rules by which texts are judged.
_OF_TEXTS = frozenset({"state", "sources", "output", "behind the state", "one topic twice"})


def translated(old: Parts, new: Parts, rewrites: tuple[Rewrite, ...] | None = None) -> tuple[Finding, ...]:
    """What changed between the query that a checkpoint has in texts and the query of today; empty if it is the same.

    `new` has its stage. `rewrites`: in place of those of rewrites.py.
    """
    assert new.stage is not None, "a checkpoint is opened for a stage"
    now = replace(text_parts(new.stage, new.runtime), model=new.model)
    found = judged(*(_in_one_form(parts, rewrites) for parts in (old, now)))
    raised = [form for form in stored_forms(new.stage) if not form.endswith(" 1")]
    if raised:
        forms = (Finding("state", f"the stored form of the {form} is new: {HISTORY[form]}") for form in raised)
        # The texts of the state say the same once more, view by view.
        return (*forms, *(each for each in found if each.rule not in _OF_TEXTS))
    if found and not goes_on(found):
        # No weightier than what it explains.
        return (*found, Finding(found[0].rule, _EARLIER))
    return found


def _in_one_form(parts: Parts, rewrites: tuple[Rewrite, ...] | None) -> Parts:
    return replace(parts, state=rewritten(parts.state, rewrites), output=rewritten(parts.output, rewrites))
