"""Layout of statements with the comments of their source.

Lines are laid out first; then comments are attached to lines. A comment at the end of a word's line is put at the end
of the word's new line. A comment above a word is put above its new line. Lines that are separated by a comment are not
joined. So the layout depends only on the program and on the words next to comments, and formatting is idempotent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain, repeat

from lsqlc.diagnostics.source import SourceText
from lsqlc.syntax.formatting.comments import Comment, Gap, read_gap
from lsqlc.syntax.formatting.layout import Doc, OutLine, Text, forced, lay_out, leaves
from lsqlc.syntax.tokens import Token, tokenize

WIDTH = 100


# A wider expression does not move the column of AS to the right.
_COLUMN = 40


_PIECE = re.compile(r"\w+|<>|<=|>=|\S")


_SPELLINGS = {"<>": ("<>", "!=")}


def laid_out(
    source: SourceText,
    tokens: tuple[Token, ...],
    docs: Iterable[tuple[Doc, bool]],
    restore: Callable[[str], str] | None = None,
) -> str:
    """Return the text of statements with the comments of the source.

    `docs`: the document of each statement, in the order of the text, with whether it is a setting. `tokens`: all tokens
    of the source.
    """
    aligner = _Aligner(source, tokens, restore or str)
    ranges = []
    for doc, is_setting in docs:
        start, parts = len(aligner.texts), leaves(doc)
        aligner.take(parts)
        ranges.append((is_setting, doc, parts, start))
    aligner.close()
    out = _Output()
    for is_setting, doc, parts, start in ranges:
        end = start + len(parts)
        ends = [i - start for i in sorted(aligner.ends) if start <= i < end]
        above = [i - start for i in sorted(aligner.above) if start <= i < end]
        broken = forced(doc, ends, above)
        lines = lay_out(doc, aligner.texts[start:end], broken, WIDTH)
        _pad(lines, parts)
        out.statement(_leading(aligner, start, lines[0]), is_setting)
        out.lines(lines, aligner, start)
    out.close(aligner.behind)
    text = "\n".join(out.text) + "\n"
    return re.sub(r"(?<!\r)\n", "\r\n", text) if "\r\n" in source.text else text


class _Aligner:
    """The tokens of each leaf, and the leaf of each comment.

    `texts`: the texts of the leaves. `ends`, `above`: the comments at the end of the line of a leaf, and above it.
    `before`: the gap before a statement, by its first leaf. `behind`: the gap after the last statement.
    """

    def __init__(self, source: SourceText, tokens: tuple[Token, ...], restore: Callable[[str], str]) -> None:
        self.texts: list[str] = []
        self.ends: dict[int, list[str]] = {}
        self.above: dict[int, list[str]] = {}
        self.before: dict[int, Gap] = {}
        self.behind = Gap((), False)
        self._source, self._tokens, self._restore = source, tokens, restore
        self._at = 0
        self._joint = False
        # Comments before a semicolon are moved after it.
        self._late: list[Comment] = []

    def take(self, statement: list[Text]) -> None:
        """Add the leaves of the next statement."""
        for number, leaf in enumerate(statement):
            first, behind = self._find(leaf)
            text = self._text(leaf, self._tokens[first:behind])
            if first < behind:
                inline = self._outside(first, leaf, starts=number == 0)
                if leaf.kind != "verbatim":
                    inline += self._inside(first, behind, starts=number == 0)
                text = "".join(f"{comment} " for comment in inline) + self._restore(text)
                self._at = behind
            self.texts.append(text)
            self._joint = leaf.kind == "joint"

    def close(self) -> None:
        """Add the gap after the last statement."""
        self.behind = self._between(len(self._tokens) - 1)

    def _find(self, leaf: Text) -> tuple[int, int]:
        """Return the index of a leaf's first token, and the index after its last; equal if it has none."""
        at = self._at
        if leaf.kind in ("pad", "free"):
            return at, at
        if leaf.kind in ("at", "phrase", "verbatim"):
            start, end = leaf.at
            while self._tokens[at].start < start and self._tokens[at].kind != "end":
                at += 1
            behind = at
            while self._tokens[behind].start < end and self._tokens[behind].kind != "end":
                behind += 1
            return at, behind
        if leaf.kind == "parenthesis":
            return at, at + (self._tokens[at].kind == "mark" and self._tokens[at].text == leaf.text)
        first = None
        for piece in _PIECE.findall(leaf.text):
            position = self._next(piece, at, leaf)
            if position is None:
                return self._at, self._at
            first = position if first is None else first
            at = position + 1
        return (first, at) if first is not None else (at, at)

    def _next(self, piece: str, at: int, leaf: Text) -> int | None:
        """Return the index of the next token that is a word or mark, skipping unneeded parentheses and commas."""
        spellings = _SPELLINGS.get(piece, (piece,))
        for place in range(at, len(self._tokens)):
            token = self._tokens[place]
            if token.upper == piece or (token.kind == "mark" and token.text in spellings):
                return place
            if leaf.kind == "end" and token.text != ")":
                return None
        raise ValueError(f"the text has no '{piece}' behind the offset {self._tokens[at].start}")

    def _text(self, leaf: Text, tokens: tuple[Token, ...]) -> str:
        """Return the text of a leaf. Names with hyphens stay as in the source, because their meaning is not resolved
        yet.
        """
        if leaf.kind != "at":
            return leaf.text
        slices = [self._source.text[t.start : t.end] for t in tokens]
        if tokens[0].kind in ("name", "quoted") and any("-" in s for s in slices):
            return "".join(slices)
        # The value of a tag may contain quotes, so strings with tags keep their quotes.
        is_template = tokens[0].kind in ("string", "quoted") and any(self._restore(s) != s for s in slices)
        return "".join(slices) if is_template else leaf.text

    def _outside(self, first: int, leaf: Text, *, starts: bool) -> list[str]:
        """Sort the comments between the previous leaf and this one; return those directly before this one."""
        number = len(self.texts)
        gap = self._between(first)
        if starts:
            self.before[number] = gap
            return []
        inline = []
        for comment in gap.comments:
            if comment.place == "inline" and leaf.text not in (";", ", "):
                inline.append(comment.text)
            elif comment.place == "above" and leaf.kind == "end":
                self._late.append(comment)
            elif comment.place == "above":
                self.above.setdefault(number, []).append(comment.text)
            else:
                self._close_line(comment)
        return inline

    def _between(self, first: int) -> Gap:
        """Return the gap before a token, from the last leaf on. Comments at the end of that leaf's line are kept with
        the leaf.
        """
        comments, self._late = self._late, []
        apart = False
        for index in range(self._at, first + 1):
            gap = self._gap(index)
            for comment in gap.comments:
                closes = comment.place == "end" and self.texts and all(c.place == "inline" for c in comments)
                if closes:
                    self._close_line(comment)
                else:
                    position = comment.place if comment.place != "end" else "above"
                    comments.append(Comment(comment.text, position, comment.apart))
            apart = gap.apart
        return Gap(tuple(comments), apart)

    def _inside(self, first: int, behind: int, *, starts: bool) -> list[str]:
        """Sort the comments inside a leaf, as `_outside` does. No comment begins the line of a statement."""
        inline = []
        for place in range(first + 1, behind):
            for comment in self._gap(place).comments:
                if comment.place == "inline" and not starts:
                    inline.append(comment.text)
                else:
                    where = self.ends if comment.place == "end" else self.above
                    where.setdefault(len(self.texts), []).append(comment.text)
        return inline

    def _close_line(self, comment: Comment) -> None:
        # A comma or operator moves to the next line. A comment after it is about the leaf before it.
        leaf = len(self.texts) - (2 if self._joint else 1)
        self.ends.setdefault(leaf, []).append(comment.text)

    def _gap(self, place: int) -> Gap:
        token = self._tokens[place]
        start = self._tokens[place - 1].end if place else 0
        gap = read_gap(self._source.text, start, token.start, last=token.kind == "end")
        if not gap.comments:
            return gap
        return Gap(tuple(replace(c, text=self._restore(c.text)) for c in gap.comments), gap.apart)


def _pad(lines: list[OutLine], parts: list[Text]) -> None:
    """Set the width of each pad so that the AS of its list are in one column, after all line breaks are decided."""
    columns: dict[int, int] = {}
    widths: list[tuple[OutLine, int, int, int]] = []
    for line in lines:
        if not line.pads:
            continue
        begin = line.indent + 2 * line.text.startswith(", ")
        for leaf, column, piece in line.pads:
            number, width = parts[leaf].at[0], column - begin
            widths.append((line, piece, number, width))
            if width <= _COLUMN:
                columns[number] = max(columns.get(number, 0), width)
    for line, piece, number, width in widths:
        line.pieces[piece] = " " * (columns.get(number, 0) - width)


@dataclass(slots=True)
class _Output:
    """The lines of the output."""

    text: list[str] = field(default_factory=list)
    # Comments that found no room at the end of a line that another comment ends.
    _left: list[str] = field(default_factory=list)
    _was_setting: bool = False

    def statement(self, before: Gap, is_setting: bool) -> None:
        """Add the comments and empty lines before a statement."""
        first = not self.text
        left = bool(self._left)
        self._spill(0)
        if before.comments:
            # Comments directly above the statement are about it, not about the previous one.
            belong = not any(c.apart for c in before.comments) and not before.apart
            self._comments(before, leading=not first and (belong or left))
            apart = before.apart
        else:
            apart = left or not (is_setting and self._was_setting) or before.apart
        if apart and not (first and not before.comments):
            self.text.append("")
        self._was_setting = is_setting

    def lines(self, lines: list[OutLine], aligner: _Aligner, start: int) -> None:
        """Add the lines of a statement, whose first leaf has the number `start`.

        Comments above the first line are in the gap before the statement.
        """
        closing: list[tuple[int, int, str]] = []
        for number, line in enumerate(lines):
            text = line.text
            indent = line.indent + 2 * text.startswith(", ")
            self._spill(indent)
            if number:
                self.text += [" " * indent + comment for comment in _of(line, aligner.above, start)]
            self.text.append((" " * line.indent + text).rstrip())
            ends = list(_of(line, aligner.ends, start))
            last = next((i for i, c in enumerate(ends, 1) if c.startswith("--") or "\n" in c), len(ends))
            self._left = ends[last:]
            if last:
                closing.append((len(self.text) - 1, indent, " ".join(ends[:last])))
        self._close_lines(closing)

    def close(self, behind: Gap) -> None:
        """Add the comments after the last statement."""
        self._spill(0)
        self._comments(behind, leading=False)

    def _spill(self, indent: int) -> None:
        self.text += [" " * indent + comment for comment in self._left]
        self._left = []

    def _comments(self, gap: Gap, *, leading: bool) -> None:
        for number, comment in enumerate(gap.comments):
            # The end of a template's block is at the level of its beginning.
            first = leading and number == 0 and not comment.text.startswith("{%")
            if self.text and (comment.apart or first):
                self.text.append("")
            self.text.append(comment.text)

    def _close_lines(self, closing: list[tuple[int, int, str]]) -> None:
        """Put comments at the ends of their lines. Those of adjacent lines with one indent are in one column."""
        run: list[tuple[int, int, str]] = []
        for line_number, indent, comment in [*closing, (-1, 0, "")]:
            if run and (line_number, indent) != (run[-1][0] + 1, run[-1][1]):
                width = max(len(self.text[at]) for at, _, _ in run)
                for at, _, text_of_comment in run:
                    self.text[at] = f"{self.text[at]:<{width}}  {text_of_comment}"
                run = []
            run.append((line_number, indent, comment))


def _leading(aligner: _Aligner, start: int, line: OutLine) -> Gap:
    """Return the gap before a statement, with the comments inside its first line that must move above it."""
    gap = aligner.before[start]
    apart = chain([gap.apart], repeat(False))
    above = [Comment(text, "above", first) for text, first in zip(_of(line, aligner.above, start), apart, strict=False)]
    return Gap((*gap.comments, *above), False) if above else gap


def _of(line: OutLine, comments: dict[int, list[str]], start: int) -> Iterable[str]:
    return (comment for leaf in line.leaves for comment in comments.get(leaf + start, ()))


def same_comments(before: SourceText, after: SourceText, dialect: str = "lenses") -> bool:
    """Return whether two texts have the same comments, in any order."""
    return _comments(before, dialect) == _comments(after, dialect)


def _comments(source: SourceText, dialect: str) -> list[str]:
    """Return all comments, sorted."""
    tokens, _ = tokenize(source, dialect)
    starts = [0, *(t.end for t in tokens)]
    gaps = (read_gap(source.text, start, token.start) for start, token in zip(starts, tokens, strict=False))
    return sorted(comment.text for gap in gaps for comment in gap.comments)
