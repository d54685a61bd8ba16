"""What `state:` selects: the models of a project by what became of them since another version, as dbt calls it.

The fingerprint of the plan decides, so that a model of which only the text changed is not modified, and one whose macro
or input changed what it does is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lsqlc.project.versions.comparison import Version


def states(old: Version, new: Version, names: Collection[str]) -> Mapping[str, frozenset[str]]:
    """Return the names by state. `names`: every model of the newer version; one without a plan, for its errors, is
    modified.

    `modified` has the new ones too, as in dbt.
    """
    known = frozenset(names)
    same = frozenset(
        name
        for name, model in new.models.items()
        if name in old.models and old.models[name].fingerprint == model.fingerprint
    )
    there = known & old.models.keys()
    return {"modified": known - same, "new": known - there, "old": there, "unmodified": known & same}
