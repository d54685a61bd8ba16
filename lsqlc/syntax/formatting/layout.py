"""Line breaking: an algebra of documents, and their layout.

A `Group` is on one line if it fits and nothing forces a break. Otherwise all of its own lines break, and groups inside
it are decided separately (Wadler, "A prettier printer"). Leaves are numbered in order. So properties of leaves (their
texts, comments that need a line's end or a line of their own) are in lists outside of the document.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal as Choice

from lsqlc.diagnostics.source import Extent

# How a leaf is matched with its tokens. `words` and `joint` are matched by their text; a `joint` begins a line if the
# line breaks. `at` (a name or value), `phrase` and `verbatim` have an extent, and comments in a `verbatim` are part of
# its text. The `end` of a statement and a `parenthesis` may be absent. `pad` and `free` have no tokens.
Kind = Choice["words", "joint", "at", "phrase", "verbatim", "parenthesis", "end", "pad", "free"]


@dataclass(frozen=True, slots=True)
class Text:
    """A leaf. A `pad` has the width that its list needs; `at` then holds the list's number."""

    text: str
    kind: Kind = "words"
    at: Extent = (0, 0)


@dataclass(frozen=True, slots=True)
class Line:
    """A possible line break; without a break its text is `flat`."""

    flat: str = " "


@dataclass(frozen=True, slots=True)
class Hard:
    """A line break."""


@dataclass(frozen=True, slots=True)
class Nest:
    """A part whose lines are indented by `by`."""

    by: int
    inner: Doc


@dataclass(frozen=True, slots=True)
class Group:
    inner: Doc


Doc = Text | Line | Hard | Nest | Group | tuple["Doc", ...]


@dataclass(slots=True)
class OutLine:
    """A line of the output: its text without the indent, in pieces, and the leaves on it.

    `pads`: the start and the index of the piece of each pad.
    """

    indent: int
    pieces: list[str] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    pads: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def leaves(doc: Doc) -> list[Text]:
    """Return the leaves in order."""
    return [part for part in _parts(doc) if isinstance(part, Text)]


def flat(doc: Doc) -> str:
    """Return the document on one line."""
    return "".join(p.text if isinstance(p, Text) else p.flat for p in _parts(doc) if not isinstance(p, Hard))


def forced(doc: Doc, ends: Sequence[int], starts: Sequence[int]) -> list[bool]:
    """Return for each group, in order, whether it must break.

    A leaf of `ends` needs a break after it, and a leaf of `starts` a break before it. A group must break if that is at
    one of its lines. Both are sorted.
    """
    result: list[bool] = []
    # The enclosing groups: their number, the number of leaves before them, and the numbers of leaves before their first
    # and last line.
    around: list[tuple[int, int, list[int]]] = []
    count = 0
    # None ends a group.
    pending: list[Doc | None] = [doc]
    while pending:
        part = pending.pop()
        match part:
            case None:
                number, begin, lines = around.pop()
                if lines:
                    result[number] |= _any_in(ends, begin, lines[-1]) or _any_in(starts, lines[0], count)
                if around:
                    result[around[-1][0]] |= result[number]
            case Text():
                count += 1
            case Line():
                if around:
                    around[-1][2].append(count)
            case Hard():
                if around:
                    result[around[-1][0]] = True
            case Nest(_, inner):
                pending.append(inner)
            case Group(inner):
                around.append((len(result), count, []))
                result.append(False)
                pending += [None, inner]
            case _:
                pending += reversed(part)
    return result


def _any_in(places: Sequence[int], first: int, behind: int) -> bool:
    return bisect_left(places, first) < bisect_left(places, behind)


def lay_out(doc: Doc, texts: Sequence[str], broken: Sequence[bool], width: int) -> list[OutLine]:
    """Return the lines of a document.

    `texts`: the text of each leaf. `broken`: the result of `forced`. `width`: in code points.
    """
    lines = [OutLine(0)]
    stack: list[tuple[int, bool, Doc]] = [(0, False, doc)]
    column = leaf = group = 0
    while stack:
        indent, is_flat, part = stack.pop()
        match part:
            case Text():
                line, text = lines[-1], texts[leaf]
                if part.kind == "pad":
                    line.pads.append((leaf, column, len(line.pieces)))
                line.pieces.append(text)
                line.leaves.append(leaf)
                column += len(text) if "\n" not in text else len(text.rpartition("\n")[2]) - column
                leaf += 1
            case Line(between) if is_flat:
                lines[-1].pieces.append(between)
                column += len(between)
            case Line() | Hard():
                lines.append(OutLine(indent))
                column = indent
            case Nest(by, inner):
                stack.append((indent + by, is_flat, inner))
            case Group(inner):
                fits = not broken[group] and _fits(part, stack, texts, leaf, width - column)
                group += 1
                stack.append((indent, is_flat or fits, inner))
            case _:
                stack += [(indent, is_flat, each) for each in reversed(part)]
    return lines


def _fits(doc: Doc, rest: Sequence[tuple[int, bool, Doc]], texts: Sequence[str], leaf: int, room: int) -> bool:
    """Return whether the document, whose first leaf has the number `leaf`, and the rest of its line fit into `room`."""
    pending: list[tuple[bool, Doc]] = [(True, doc)]
    following = len(rest)
    while room >= 0:
        if not pending:
            if not following:
                break
            following -= 1
            pending.append(rest[following][1:])
        is_flat, part = pending.pop()
        match part:
            case Text():
                # Pads do not influence breaks, because their widths are computed later.
                text = texts[leaf] if part.kind != "pad" else ""
                leaf += 1
                room -= len(text.partition("\n")[0])
                if "\n" in text:
                    return room >= 0
            case Line(between):
                if not is_flat:
                    return True
                room -= len(between)
            case Hard():
                return True
            case Nest(_, inner):
                pending.append((is_flat, inner))
            case Group(inner):
                pending.append((True, inner))
            case _:
                pending += [(is_flat, each) for each in reversed(part)]
    return room >= 0


def _parts(doc: Doc) -> Iterator[Text | Line | Hard]:
    pending = [doc]
    while pending:
        part = pending.pop()
        match part:
            case Text() | Line() | Hard():
                yield part
            case Nest(_, inner) | Group(inner):
                pending.append(inner)
            case _:
                pending += reversed(part)


INDENT = 4


def comma_list(items: Sequence[Doc]) -> Doc:
    """Return items with commas between them. A broken line begins with its comma, to the left of the items."""
    rest = tuple(Nest(INDENT - 2, (Line(""), Text(", ", "joint"), Nest(2, item))) for item in items[1:])
    return (Nest(INDENT, items[0]), *rest) if items else ()
