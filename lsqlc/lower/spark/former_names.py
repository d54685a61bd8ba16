"""Names in the SQL of releases before 0.1.0, which had letters for columns and fields of state.

Checkpoints of these releases know their stage by its text (see `rewrites`). A name is not part of a layout: Spark
compares the types of the stored state with those of the plan, in order and without names. So texts of before and of now
are compared with the former names. None of today's names had two letters, so that texts of equal meaning become equal;
some letters stood for several names, so that what is compared is as exact as it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# What has each name today.
_TODAY = {
    "a": "lone",
    "at": "event_time",
    "before": "row_before",
    "bt": "batch_time",
    "changed": "last_change",
    "cs": "stream_batch",
    "ct": "table_batches",
    "cur": "outcome",
    "e": "element event",
    "es": "all_versions changes counts elements events",
    "evs": "batch_versions",
    "fs": "new_events",
    "g": "group_key meeting row_or_bucket",
    "gone": "last_having_row",
    "gs": "groups",
    "hs": "newest_batches",
    "i": "index row_id",
    "id": "table_id",
    "is_t": "of_table",
    "j": "join_value",
    "js": "records",
    "k": "new_key row_key value",
    "l": "left_change left_id left_row left_version",
    "lgaps": "left_gaps",
    "ls": "left_versions",
    "m": "batches met opens version_number",
    "ms": "with_partners",
    "n": "batch_number nth number occurs",
    "new": "new_count",
    "now": "row_now this_batch",
    "o": "ordinal result sort_key",
    "out": "results",
    "p": "batch content pair waiting",
    "pend": "unmatched",
    "pends": "unmatched_batches",
    "pres": "batches_having_row",
    "present": "has_row",
    "prev": "previous",
    "q": "version",
    "r": "right_change right_id right_row right_version row",
    "rgaps": "right_gaps",
    "rs": "right_versions",
    "s": "is_left stream_row",
    "sf": "began_now",
    "ss": "stream_events",
    "t": "table_batch table_row",
    "ts": "table_events",
    "u": "closed_by closes",
    "v": "new_value newest ranked_value row_value",
    "vs": "all_values versions",
    "w": "weight",
    "x": "end_ordinal item record",
    "xf": "ended_now",
    "z": "gap other partner table_event",
    "zs": "partners",
}
_FORMER = {today: former for former, names in _TODAY.items() for today in names.split()}
# Those that are numbered.
_NUMBERED = {"argument": "x", "value": "j"}
# The kinds of views with fields that `named_struct` names. Elsewhere a quoted name is the program's.
_NAMED = {
    "changes": ("group_key", "argument"),
    "events": ("row_key", "row_value", "value"),
    "left": ("row_key", "row_value", "event_time", "join_value", "value"),
    "met": ("join_value", "value"),
    "moved": ("new_key", "new_value"),
    "right": ("row_key", "row_value", "event_time", "join_value", "value"),
    "rows": ("group_key", "argument"),
}
# Of what `texts.text_parts` calls a view, its kind.
_KIND = re.compile(r"the view '(\w+)")
# The name of a field in `named_struct`; whatever else is quoted; a name that is not quoted.
_NAME = re.compile(
    r"(?P<before>named_struct\(|, )'(?P<field>[a-z_]+\d*)'(?=, )"
    r"|'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|\b(?P<name>[a-z][a-z_]*\d*)\b"
)


def with_former_names(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Texts of views with the former names. A text that has them stays as it is, up to names of today in it."""

    def replaced(view: str, text: str) -> str:
        kind = _KIND.match(view)
        fields = _NAMED.get(kind[1], ()) if kind else ()

        def former(match: re.Match[str]) -> str:
            if match["name"]:
                return _former(match["name"])
            if match["field"] and match["field"].rstrip("0123456789") in fields:
                return f"{match['before']}'{_former(match['field'])}'"
            return match[0]

        return _NAME.sub(former, text)

    return {view: replaced(view, text) for view, text in texts.items()}


def _former(name: str) -> str:
    """The former name of what has a name today, numbered or not; the name itself if it had no other."""
    word = name.rstrip("0123456789")
    if word != name:
        return _NUMBERED[word] + name[len(word) :] if word in _NUMBERED else name
    return _FORMER.get(name, name)
