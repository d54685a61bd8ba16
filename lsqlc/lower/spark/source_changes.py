"""Changes of the topics that a query reads, if its checkpoint stores the offsets of each by name.

Spark then continues each source at its offsets, reads a new one from its beginning, and forgets a removed one. That is
correct for records that are computed one by one: the output of a new source follows the existing one, and the output of
a removed source stays. It is not correct for

- a state, which is computed from all sources: Spark numbers its operators by their positions in the plan, and the rows
  of a removed source would stay in it;
- a TABLE: nobody would delete its rows of a removed source;
- topics that are read several times: the readers of the old program cannot be matched with those of the new one;
- a source that is added again: Spark would read it from its beginning, and its records are in the topic already;
- a new source of topics in folders: these have one order of arrival, in which the readers of the query are further by
  then. In Kafka, later writes are newer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from lsqlc.lower.spark.checkpoint_parts import INPUT, ORDER, Parts


def sources_by_name(old: Parts, new: Parts) -> tuple[str, ...]:
    """Return the differences of the sources, as clauses, if a query continues with them all the same.

    Empty if they do not differ, or the query cannot continue.
    """
    if old.sources == new.sources or _against(old, new) is not None:
        return ()
    came = [source for source in new.sources if source not in old.sources]
    removed_sources = [source for source in old.sources if source not in new.sources]
    # A comparison of programs does not know where they run.
    where = ", where topics are in Kafka" if new.folders is None else ""
    changes = [f"it reads '{source}' too, from its beginning{where}" for source in came]
    changes += [f"it no longer reads '{source}', whose records stay" for source in removed_sources]
    return tuple(changes or ["it reads its topics in another order"])


def why_not_by_name(old: Parts, new: Parts) -> str:
    """Return the text to add to the diagnostic that sources differ."""
    why = _against(old, new)
    return f": {why}" if why else ""


def inputs_moved(old: Parts, new: Parts) -> bool:
    """Return True if the parts of the output differ only by inputs that were added, removed or moved."""
    before, after = _of_inputs(old.output), _of_inputs(new.output)
    return not (before - after and after - before)


def _against(old: Parts, new: Parts) -> str | None:
    """Return the reason that a query cannot continue with other sources.

    Empty if it never could, None if it can.
    """
    common_sources = set(old.sources) & set(new.sources)
    if not new.named or not common_sources or old.state or new.state or "TABLE" in (old.semantics, new.semantics):
        return ""
    if any(len(set(sources)) < len(sources) for sources in (old.sources, new.sources)):
        return "one of them is read several times"
    if not old.named:
        return "its checkpoint was made without names of sources"
    came = [source for source in new.sources if source not in old.sources]
    if came and new.folders:
        return f"in folders, records of '{came[0]}' would come behind later ones"
    again = [source for source in came if source in old.retired]
    return f"it has read '{again[0]}' before, whose records are in the topic" if again else None


def _of_inputs(output: Mapping[str, str]) -> Counter[tuple[str, str]]:
    """Return the parts of all inputs, without their numbers."""
    return Counter((INPUT.sub("", name), digest) for name, digest in output.items() if not name.startswith(ORDER))
