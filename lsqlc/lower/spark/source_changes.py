"""What it means that a query reads other topics than it did, where its checkpoint keeps the place of each by name.

Spark then takes up each source that stays at its place, reads a new one from its beginning, and forgets one that is
gone. That is right for records that are computed one by one: what a new source brings is written behind what is there,
and what a source that is gone has brought stays. It is not for

- a state, which has been made of all sources: Spark numbers its operators by their places in the plan, and what has
  come of a source that is gone would stay in it;
- a TABLE, whose rows of a source that is gone nobody would delete;
- topics that are read several times, as nothing says which reader of the old program is which of the new one;
- a source that comes back: Spark would read it from its beginning, and its records are in the topic already;
- a new source of topics in folders: these have one order of arrival, of which the readers of the query have come
  further by then. In Kafka what is written later is newer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from lsqlc.lower.spark.checkpoint_parts import INPUT, ORDER, Parts


def sources_by_name(old: Parts, new: Parts) -> tuple[str, ...]:
    """How the sources differ, in words, where a query goes on with them all the same; empty where they do not differ,
    or it does not.
    """
    if old.sources == new.sources or _against(old, new) is not None:
        return ()
    came = [source for source in new.sources if source not in old.sources]
    gone = [source for source in old.sources if source not in new.sources]
    # A comparison of programs does not know where they run.
    where = ", where topics are in Kafka" if new.folders is None else ""
    changes = [f"it reads '{source}' too, from its beginning{where}" for source in came]
    changes += [f"it no longer reads '{source}', whose records stay" for source in gone]
    return tuple(changes or ["it reads its topics in another order"])


def why_not_by_name(old: Parts, new: Parts) -> str:
    """What to add to the finding that sources differ."""
    why = _against(old, new)
    return f": {why}" if why else ""


def inputs_moved(old: Parts, new: Parts) -> bool:
    """Whether the parts of what is written differ by no more than those of inputs that came, went or moved."""
    before, after = _of_inputs(old.output), _of_inputs(new.output)
    return not (before - after and after - before)


def _against(old: Parts, new: Parts) -> str | None:
    """Why a query does not go on with other sources; empty where it never could, None where it does."""
    kept = set(old.sources) & set(new.sources)
    if not new.named or not kept or old.state or new.state or "TABLE" in (old.semantics, new.semantics):
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
    """The parts of all inputs, without their numbers."""
    return Counter((INPUT.sub("", name), digest) for name, digest in output.items() if not name.startswith(ORDER))
