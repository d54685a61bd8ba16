"""What releases changed in the SQL of a construct without changing its state: for checkpoints known by their SQL.

Checkpoints of releases before 0.1.0 know their stage by the texts of its views (texts.py). Where this release writes a
view in other words and computes the same state, an entry here says so, and such a checkpoint goes on; without one it is
refused (LSQ660). An entry is a function from texts to texts. Both the stored texts and those of today go through
all of them, and are equal if what comes out is: so an entry brings the old form and the new one to one form.

- `form(old, new)`: one form of an expression for another. `{x}` stands for any balanced text, one name for one text.
- `left_out(view, form)`: a view that only one of the releases has; `{below}` in its text is what stands for it.

Texts are keyed by what `texts.text_parts` calls them ("the view 'groups'"). Make an entry as narrow as its change, and
only for a layout whose version in layouts.py is still 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lsqlc.lower.spark.former_joins import with_conditions, without_sides
from lsqlc.lower.spark.former_names import with_former_names
from lsqlc.lower.spark.former_stretches import with_former_stretches
from lsqlc.lower.spark.wire.json_text import is_one_value

Texts = Mapping[str, str]
_HOLE = re.compile(r"\{([a-z]+)\}")
# What is quoted, brackets with the blanks inside of them, and other blanks.
_BLANKS = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|\(\s+|\s+\)|\s+")
# What a text is made of, as far as brackets and quotes go.
_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|[(\[]|[)\]]|[^'`()\[\]]")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A change of text: `release` made it, of this `construct`, for the reason `why`. `apply` brings texts of before
    and of now to one form.
    """

    release: str
    construct: str
    why: str
    apply: Callable[[Texts], Texts]


def form(old: str, new: str) -> Callable[[Texts], Texts]:
    """Texts with each `old` written as `new`, in all views. Both have the same holes."""

    def apply(texts: Texts) -> Texts:
        return {name: _replaced(text, old, new) for name, text in texts.items()}

    return apply


def left_out(view: str, text: str) -> Callable[[Texts], Texts]:
    """Texts without the view of that name, if it has this text; `{below}`, a view's name, stands for it elsewhere."""

    def apply(texts: Texts) -> Texts:
        key = f"the view '{view}'"
        found = _match(texts[key], 0, text) if key in texts else None
        if found is None or found[0] != len(texts[key]):
            return texts
        below, word = found[1]["below"], re.compile(rf"(?<![\w'`]){re.escape(view)}(?![\w'`])")
        return {name: word.sub(lambda _: below, each) for name, each in texts.items() if name != key}

    return apply


def _with_escaped_breaks(texts: Texts) -> Texts:
    """Texts whose literals have escapes for line breaks."""

    def escaped(found: re.Match[str]) -> str:
        return found[0].replace("\n", "\\n").replace("\r", "\\r") if found[0].startswith("'") else found[0]

    return {name: _TOKEN.sub(escaped, text) for name, text in texts.items()}


def _on_one_line(texts: Texts) -> Texts:
    """Texts without line breaks, but for what is quoted, where blanks between words are one."""

    def joined(found: re.Match[str]) -> str:
        return found[0] if found[0][0] in "'`" else " " if found[0].isspace() else found[0].strip()

    return {name: _BLANKS.sub(joined, text) for name, text in texts.items()}


_TIMELY = (
    "SELECT * EXCEPT ({dropped}), coalesce(_bad, if({time} BETWEEN 0L AND 253402300799999L, NULL, {wrong})) AS _bad"
)
_TIMES = "a time that no record can have fails the query, or is passed over with the record, as one before 1970 was"
# In the order in which they are applied.
REWRITES: tuple[Rewrite, ...] = (
    Rewrite(
        release="0.1.0",
        construct="the versions of both sides of a join of TABLEs in pairs",
        why="they are found in sorted arrays, and were found by window functions; neither is kept",
        apply=without_sides,
    ),
    Rewrite(
        release="0.1.0",
        construct="a condition on pairs",
        why="what does not satisfy it is left out, and was deleted without having been there",
        apply=with_conditions,
    ),
    Rewrite(
        release="0.1.0",
        construct="columns and fields of state",
        why="they have words for names, and had letters; names are no part of the layout",
        apply=with_former_names,
    ),
    Rewrite(
        release="0.1.0",
        construct="the check that a line is one JSON value",
        why="elements of a list are counted, at half the cost",
        apply=form(
            """json_object_keys(concat('{"a":', {line}, ',"', md5({line}), '":0}')) <=> array('a', md5({line}))""",
            is_one_value("{line}"),
        ),
    ),
    Rewrite(
        release="0.1.0",
        construct="a number for a STRING",
        why="the text is rewritten before it is parsed, so that Spark keeps what stands there",
        apply=form("if({line} RLIKE {pattern}, regexp_replace({text}), {line})", "{line}"),
    ),
    Rewrite(
        release="0.1.0",
        construct="a record that fails the query",
        why="it is looked at where it is read, since Spark moves filters below what is computed of it",
        apply=form("get(transform(array({line}), r -> if(r IS NULL, r, {check})), 0)", "{line}"),
    ),
    Rewrite(
        release="0.1.0",
        construct="a null in a field that is NOT NULL",
        why="it fails the query where the record is read",
        apply=form("if({x} IS NOT NULL AND ({parts}), raise_error(concat('the record ', {words})), {x})", "{x}"),
    ),
    Rewrite(
        release="0.1.0",
        construct="a row that EVENTTIME BY gives no time",
        why="it is taken from an array of one, since Spark moves filters below what is computed of it",
        apply=form("inline(array(struct({row})))\nFROM", "{row}\nFROM"),
    ),
    Rewrite(
        release="0.1.0",
        construct="the check of a record that may be passed over",
        why=_TIMES,
        apply=form(
            "ELSE coalesce(nullif(concat_ws('; ', {parts}), ''), "
            "if({time} BETWEEN 0L AND 253402300799999L, NULL, {words})) END",
            "ELSE nullif(concat_ws('; ', {parts}), '') END",
        ),
    ),
    Rewrite(
        release="0.1.0",
        construct="EVENTTIME BY",
        why=_TIMES,
        apply=form(
            "if(coalesce({x}, -1) < 0, raise_error({words}), {x})",
            "if(coalesce({x} BETWEEN 0L AND 253402300799999L, FALSE), {x}, "
            "raise_error('a record has no event time from 1970 to 9999'))",
        ),
    ),
    Rewrite(
        release="0.1.0",
        construct="EVENTTIME BY of records that may be passed over",
        why=_TIMES,
        apply=form(
            "v0 IS NOT NULL AND coalesce({x}, -1) < 0",
            "v0 IS NOT NULL AND NOT coalesce({x} BETWEEN 0L AND 253402300799999L, FALSE)",
        ),
    ),
    Rewrite(
        release="0.1.0",
        construct="a record of a STREAM that has elements or matches, at a TABLE",
        why="it meets the row that was there before the record that it was made of",
        apply=form("z -> z.o < array(e.o[0])", "z -> z.o < e.o"),
    ),
    Rewrite(
        release="0.1.0",
        construct="the same where no row is there",
        why="it waits for the first row behind the record that it was made of",
        apply=form("z -> z.o >= array(e.o[0])", "z -> z.o >= e.o"),
    ),
    Rewrite(
        release="0.1.0",
        construct="the time of a row of a file",
        why=_TIMES,
        apply=left_out("timely", f"{_TIMELY}\nFROM {{below}}"),
    ),
    Rewrite(
        release="0.1.0",
        construct="the time of a row of a file that has types, and the letter of a bad one",
        why=_TIMES,
        apply=left_out("timely", f"{_TIMELY}, if({{timely}} IS NULL, NULL, {{cells}}) AS _text\nFROM {{below}}"),
    ),
    Rewrite(
        release="0.1.0",
        construct="a literal with line breaks",
        why="they are escaped, so that none is indented",
        apply=_with_escaped_breaks,
    ),
    Rewrite(
        release="0.1.0",
        construct="where lines break",
        why="names are longer",
        apply=_on_one_line,
    ),
    Rewrite(
        release="0.1.0",
        construct="the rows of a key in one batch",
        why="stretches have so many rows, and were intervals of ordinals: those of a batch may be one interval",
        apply=with_former_stretches,
    ),
)


def rewritten(texts: Texts, rewrites: tuple[Rewrite, ...] | None = None) -> Texts:
    """Texts in the form that all `rewrites` bring them to, REWRITES by default."""
    for rewrite in REWRITES if rewrites is None else rewrites:
        texts = rewrite.apply(texts)
    return texts


def _replaced(text: str, old: str, new: str) -> str:
    out, place, pieces = [], 0, _HOLE.split(new)
    head = _HOLE.split(old)[0]
    assert head, "a form begins with words, by which it is found"
    while (start := text.find(head, place)) >= 0:
        found = _match(text, start, old)
        if found is None:
            out.append(text[place : start + 1])
            place = start + 1
            continue
        end, holes = found
        # What stands in a hole may have the form as well.
        inner = {name: _replaced(part, old, new) for name, part in holes.items()}
        made = "".join(piece if i % 2 == 0 else inner[piece] for i, piece in enumerate(pieces))
        out += [text[place:start], made]
        place = end
    return "".join(out) + text[place:]


def _match(text: str, start: int, form: str) -> tuple[int, dict[str, str]] | None:
    """Where a form that begins at `start` ends, and what stands in its holes; None if it does not stand there."""
    place, holes = start, dict[str, str]()
    pieces = _HOLE.split(form)
    for number in range(0, len(pieces), 2):
        words = pieces[number]
        if not text.startswith(words, place):
            return None
        place += len(words)
        if number + 1 == len(pieces):
            return place, holes
        following = pieces[number + 2]
        end = len(text) if not following else _end_of_hole(text, place, following)
        name = pieces[number + 1]
        if end is None or holes.setdefault(name, text[place:end]) != text[place:end]:
            return None
        place = end
    return place, holes


def _end_of_hole(text: str, start: int, following: str) -> int | None:
    """Where the shortest balanced text from `start` ends that has `following` behind it."""
    depth, place = 0, start
    while place < len(text):
        if depth == 0 and place > start and text.startswith(following, place):
            return place
        token = _token(text, place)
        depth += (token in ("(", "[")) - (token in (")", "]"))
        if depth < 0:
            return None
        place += len(token)
    return None


def _token(text: str, place: int) -> str:
    found = _TOKEN.match(text, place)
    # A quote without an end is a letter like any other.
    return found[0] if found else text[place]
