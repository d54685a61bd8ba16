"""The models that `state:` selects, by their change since another version, as in dbt.

The fingerprint of the plan decides. A model with a new text and the same plan is not modified. A model whose macro or
input changed its plan is modified.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lsqlc.project.versions.comparison import Version


def states(old: Version, new: Version, names: Collection[str]) -> Mapping[str, frozenset[str]]:
    """Return the names by state. `names`: every model of the newer version; one without a plan, for its errors, is
    modified.

    As in dbt, `modified` contains the new models too.
    """
    model_names = frozenset(names)
    same = frozenset(
        name
        for name, model in new.models.items()
        if name in old.models and old.models[name].fingerprint == model.fingerprint
    )
    there = model_names & old.models.keys()
    return {"modified": model_names - same, "new": model_names - there, "old": there, "unmodified": model_names & same}
