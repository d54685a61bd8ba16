"""ANSI colours for terminals, and highlighting of the words that differ between two lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Tone = Literal["removed", "added", "changed", "removed part", "added part", "good", "careful", "bad", "strong", "faint"]

# Codes of "Select Graphic Rendition" (ECMA-48, 8.3.117). A changed part of a line is in reverse video, so that it is
# visible without colours.
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
# The lowest similarity at which single words are highlighted. Below it, nearly the whole line would be.
_ALIKE = 0.4
# Characters. Longer lines have no highlighted words: the time to compare grows with the square of their words.
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Paint:
    """A painter of terminal text. It returns text unchanged if `on` is false."""

    on: bool = False

    def __call__(self, text: str, tone: Tone) -> str:
        return f"\x1b[{_CODES[tone]}m{text}\x1b[0m" if self.on and text else text

    def versions(self, before: str, after: str) -> tuple[str, str]:
        """Return two versions of a line in colour, with the words highlighted that the other version does not have."""
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
