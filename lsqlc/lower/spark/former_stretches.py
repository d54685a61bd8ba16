"""How releases before 0.1.0 gathered the rows of a key: by intervals of 512 ordinals, and not by stretches of rows.

Which rows a stretch has makes no difference to what is gathered, nor to the state. So for checkpoints that are known by
their SQL (see `rewrites`) both forms become one: what is gathered, by which key, in which order. Texts are on one line
here, with the former names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_HEAD = r"SELECT (?P<key>.*?), stretch, (?P<names>.*?) FROM \(SELECT (?P=key), stretch, "
_FORMS = tuple(
    re.compile(form)
    for form in (
        # Of before, and of now: of rows that are moved, and of those that lie together.
        _HEAD + r"(?P<lists>.*), row_number\(\) OVER \(PARTITION BY (?P=key), stretch ORDER BY (?P<order>.*)\) AS n"
        r" FROM \(SELECT \*, .* DIV 512 AS stretch FROM (?P<rows>.+) DISTRIBUTE BY (?P=key)\)\) WHERE n = 1",
        _HEAD + r"n, (?P<lists>.*) FROM \(SELECT \*, \(n - 1\) DIV 64 AS stretch FROM \(SELECT \*, row_number\(\)"
        r" OVER \(PARTITION BY (?P=key) ORDER BY (?P<order>.*)\) AS n"
        r" FROM \(SELECT \* FROM (?P<rows>.+) DISTRIBUTE BY (?P=key)\)\)\)\) WHERE n % 64 = 1",
        _HEAD + r"n, (?P<lists>.*) FROM \(SELECT \*, \(n - 1\) DIV 64 AS stretch FROM \(SELECT \*, row_number\(\)"
        r" OVER \(PARTITION BY (?P=key) ORDER BY (?P<order>.*)\) AS n FROM (?P<rows>[^()]+)\)\)\) WHERE n % 64 = 1",
        r"SELECT (?P<key>.*?), (?P<names>.*) FROM \(SELECT (?P=key), (?P<lists>.*),"
        r" row_number\(\) OVER \(PARTITION BY (?P=key) ORDER BY (?P<order>stretch)\) AS n FROM (?P<rows>[^()]+)\)"
        r" WHERE n = 1",
        r"SELECT (?P<key>.*?), (?P<names>.*) FROM \(SELECT (?P=key), (?P<order>stretch), (?P<lists>.*)"
        r" FROM (?P<rows>[^()]+)\) WHERE stretch = 0",
    )
)
_GATHERED = ("the view 'stretches", "the view 'batch")


def with_former_stretches(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Texts with one form of the pieces that gather the rows of a key."""
    return {name: _common(text) if name.startswith(_GATHERED) else text for name, text in texts.items()}


def _common(text: str) -> str:
    for form in _FORMS:
        found = form.fullmatch(text)
        if found:
            order = found["order"]
            lists = found["lists"].replace(f" ORDER BY {order} ROWS", " ROWS").replace(" ORDER BY n ROWS", " ROWS")
            return f"by {found['key']} of {found['rows']}, in the order {order}: {lists}; {found['names']}"
    return text
