"""Text in the colours of a terminal, and marks on the words of two lines that differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Tone = Literal["removed", "added", "changed", "removed part", "added part", "good", "careful", "bad", "strong", "faint"]

# Codes of "Select Graphic Rendition" (ECMA-48, 8.3.117). A part of a line is in reverse video, so that it is seen
# without colours too.
_CODES: dict[Tone, str] = {
    "removed": "31",
    "added": "32",
    "changed": "33",
    "removed part": "31;7",
    "added part": "32;7",
    "good": "32",
    "careful": "33",
    "bad": "1;31",
    "strong": "1",
    "faint": "2",
}
_WORDS = re.compile(r"\w+|\s+|.")
# Two lines that have less in common than this are not versions of one line: marks would be on nearly all of it.
_ALIKE = 0.4
# Longer lines are shown without marks, as the time to compare them grows with the square of their words.
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Paint:
    """What gives text its colours; with `on` false, text stays as it is."""

    on: bool = False

    def __call__(self, text: str, tone: Tone) -> str:
        return f"\x1b[{_CODES[tone]}m{text}\x1b[0m" if self.on and text else text

    def versions(self, before: str, after: str) -> tuple[str, str]:
        """Return two versions of a line, each in its colour, with marks on the words that the other one does not have."""
        if not self.on:
            return before, after
        whole = self(before, "removed"), self(after, "added")
        if max(len(before), len(after)) > _LONGEST:
            return whole
        old, new = _WORDS.findall(before), _WORDS.findall(after)
        matched = SequenceMatcher(None, old, new, autojunk=False)
        if matched.ratio() < _ALIKE:
            return whole
        steps = [(tag == "equal", i, j, k, m) for tag, i, j, k, m in matched.get_opcodes()]
        return (
            self._marked([(same, old[i:j]) for same, i, j, _, _ in steps], "removed", "removed part"),
            self._marked([(same, new[k:m]) for same, _, _, k, m in steps], "added", "added part"),
        )

    def _marked(self, parts: Sequence[tuple[bool, Sequence[str]]], tone: Tone, part: Tone) -> str:
        return "".join(self("".join(words), tone if same else part) for same, words in parts)


PLAIN = Paint()
