"""Regular expressions that Java and Python read alike: the constructs of a pattern, and its text for Python.

Spark gets the pattern unchanged. `.`, `$` and the classes keep Java's meaning: ASCII digits, letters and spaces, and
Unicode line ends. A construct that Java or Python lacks, or reads in another way, is reported as a fault.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from lsqlc.functions.forms.regex_classes import inside_of

_ENDS = "\n\r\u0085\u2028\u2029"
_ANY = f"[^{_ENDS}]"
# Java's `$`: the end, or the position before the last line end if that is at the end; not inside "\r\n".
_END = "(?=\\Z|\r\n\\Z|(?<!\r)\n\\Z|[\r\u0085\u2028\u2029]\\Z)"
_MULTILINE_START = "(?:(?!\\Z)(?:\\A|(?<=[\n\u0085\u2028\u2029])|(?<=\r)(?!\n)))"
_MULTILINE_END = "(?=\\Z|\r|(?<!\r)\n|[\u0085\u2028\u2029])"
_CLASSES = "dDwWsS"
_CONTROLS = "tnrfa"
# Java's horizontal blanks and line ends, as the inside of a class.
_BLANKS = {"h": " \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000", "v": "\n\x0b\f\r\x85\u2028\u2029"}
_DIGITS = tuple("0123456789")
_ANCHORS = {"A": r"\A", "z": r"\Z", "b": r"\b", "B": r"\B", "Z": _END, "R": f"(?:\r\n|[{_BLANKS['v']}])"}
_COUNT = re.compile(r"\{[0-9]{1,4}(?:,(?:[0-9]{1,4})?)?\}")
_CODE = re.compile(r"x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x\{[0-9a-fA-F]{1,6}\}")
_OCTAL = re.compile(r"0([0-3][0-7]{2}|[0-7]{1,2})")
_PROPERTY = re.compile(r"([pP])(?:\{(\w+(?:=\w+)?)\}|([A-Z]))", re.ASCII)
_CASES = ("Lower", "Upper", "Lu", "Ll", "Lt")
_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|\Z)", re.DOTALL)
_SAME = re.compile(r"k<([a-zA-Z][a-zA-Z0-9]*)>")
_FLAGS = re.compile(r"\(\?([ims]+)\)")
_OPENINGS = ("(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:")
_NAMED = re.compile(r"\(\?<([a-zA-Z][a-zA-Z0-9]*)>")


class RegexFault(ValueError):
    """A text that is not a regular expression for both engines. The message is a clause."""


@dataclass(slots=True)
class _Reader:
    """A reader of a pattern from left to right. `out` is the pattern for Python."""

    pattern: str
    place: int = 0
    groups: int = 0
    flags: str = ""
    out: list[str] = field(default_factory=list)

    def take(self, text: str, python_text: str | None = None) -> None:
        self.place += len(text)
        self.out.append(text if python_text is None else python_text)

    def rest(self) -> str:
        return self.pattern[self.place :]


def fault(pattern: str, *, groups: bool = True) -> str | None:
    """Return the reason why a pattern cannot be used, as a clause, or None.

    `groups`: the pattern may have capturing groups.
    """
    try:
        _, count = _read(pattern)
        _compiled(pattern)
    except (RegexFault, re.error) as wrong:
        return f"not a regular expression that both engines read alike: {wrong}"
    if count and not groups:
        return "the documents do not say what it gives for a pattern with groups; write (?: ... ), or use REGEXP"
    return None


def found(text: str, pattern: str) -> Iterator[re.Match[str]]:
    """Yield all matches in order. After an empty match the search continues at the next character, as in Java."""
    compiled, place = _compiled(pattern), 0
    while place <= len(text) and (match := compiled.search(text, place)) is not None:
        yield match
        place = match.end() + (match.end() == match.start())


def matches(text: str, pattern: str) -> list[str]:
    """Return the texts of all matches, in order."""
    return [match[0] for match in found(text, pattern)]


def group(text: str, pattern: str, number: int) -> str:
    """Return a capturing group of the first match; empty if the pattern or the group does not match."""
    match = _compiled(pattern).search(text)
    return (match[number] or "") if match else ""


def parts(text: str, pattern: str, number: int) -> list[str]:
    """Return a capturing group of each match, in order; empty if the group does not match."""
    return [match[number] or "" for match in found(text, pattern)]


def split(text: str, pattern: str, most: int | None = None) -> list[str]:
    """Return the parts between the first `most` matches, or all. An empty match at the start is ignored, as in Java."""
    parts: list[str] = []
    place = 0
    for match in found(text, pattern):
        if len(parts) == most:
            break
        if match.end() > 0:
            parts.append(text[place : match.start()])
            place = match.end()
    return [*parts, text[place:]]


def replaced(text: str, pattern: str, replacement: str) -> str | None:
    """Return the text with each match replaced by Java's rules.

    In the replacement, `$1` and `${name}` are groups, and a backslash escapes the next character. None if the pattern
    matches and the replacement refers to a group that does not exist.
    """
    compiled = _compiled(pattern)
    if compiled.search(text) is None:
        return text
    if not re.fullmatch(legal_replacement(pattern), replacement, re.DOTALL):
        return None
    pieces = list(_pieces(replacement, compiled.groups))
    replaced_parts, position = [], 0
    for match in found(text, pattern):
        replaced_parts += [
            text[position : match.start()],
            *(p if isinstance(p, str) else match[p[0]] or "" for p in pieces),
        ]
        position = match.end()
    return "".join((*replaced_parts, text[position:]))


def legal_replacement(pattern: str) -> str:
    """Return the regular expression of the replacements for a legal pattern, for Python's `fullmatch` and for Java."""
    count, names = groups(pattern), _NAMED.findall(pattern)
    by_name = rf"|\$\{{(?:{'|'.join(names)})\}}" if names else ""
    return rf"(?:[^\\$]|\\.|\$[0-{min(count, 9)}]{by_name})*"


def _pieces(replacement: str, count: int) -> Iterator[str | tuple[int | str]]:
    """Yield the parts of a legal replacement: texts, and groups by number or name. `count`: the number of groups."""
    place = 0
    while place < len(replacement):
        character, rest = replacement[place], replacement[place + 1 :]
        if character == "$" and rest[0] == "{":
            name = rest[1 : rest.index("}")]
            yield (name,)
            place += len(name) + 3
        elif character == "$":
            digits = 1
            # The number has as many digits as still refer to a group.
            while rest[digits : digits + 1] in _DIGITS and int(rest[: digits + 1]) <= count:
                digits += 1
            yield (int(rest[:digits]),)
            place += digits + 1
        else:
            escaped = character == "\\"
            yield rest[0] if escaped else character
            place += 1 + escaped


def start(text: str, pattern: str) -> int | None:
    """Return the index of the first match, or None."""
    match = _compiled(pattern).search(text)
    return match.start() if match else None


def groups(pattern: str) -> int:
    """Return the number of capturing groups of a legal pattern."""
    return _read(pattern)[1]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_read(pattern)[0], re.ASCII)


def _read(pattern: str) -> tuple[str, int]:
    """Return the pattern for Python, and its number of capturing groups.

    Raises RegexFault.
    """
    reader = _Reader(pattern)
    if flags := _FLAGS.match(pattern):
        reader.flags = flags[1]
        reader.take(flags[0], "(?i)" if "i" in flags[1] else "")
    while reader.place < len(pattern):
        character = pattern[reader.place]
        match character:
            case "\\":
                _escape(reader, in_class=False)
            case "[":
                _class(reader)
            case "(":
                _opening(reader)
            case ".":
                reader.take(character, "(?s:.)" if "s" in reader.flags else _ANY)
            case "^" if "m" in reader.flags:
                reader.take(character, _MULTILINE_START)
            case "$":
                reader.take(character, _MULTILINE_END if "m" in reader.flags else _END)
            case "{":
                _count(reader)
            case "*" | "+" | "?":
                _repeat(reader, character)
            case _:
                reader.take(character)
    return "".join(reader.out), reader.groups


def _repeat(reader: _Reader, text: str) -> None:
    of_group = reader.pattern[: reader.place].endswith(")")
    reader.take(text)
    # Lazy or possessive. Python has no possessive groups, which would be another error.
    if of_group and reader.rest().startswith("+"):
        raise RegexFault(f"the possessive '){text}+' of a group; write '(?>( ... ){text})'")
    if reader.rest()[:1] in ("?", "+"):
        reader.take(reader.rest()[0])
    if reader.rest()[:1] in ("*", "+", "?"):
        raise RegexFault(f"the repetition of a repetition, '{text}{reader.rest()[0]}'")


def _count(reader: _Reader) -> None:
    match = _COUNT.match(reader.pattern, reader.place)
    if not match:
        raise RegexFault("a '{' that starts no count; write '\\{'")
    _repeat(reader, match[0])


def _opening(reader: _Reader) -> None:
    rest = reader.rest()
    if not rest.startswith("(?"):
        reader.groups += 1
        reader.take("(")
        return
    match = _NAMED.match(rest)
    if match:
        reader.groups += 1
        reader.take(match[0], f"(?P<{match[1]}>")
        return
    for opening in _OPENINGS:
        if rest.startswith(opening):
            reader.take(opening)
            return
    raise RegexFault(f"the group '{rest[:3]}'")


def _escape(reader: _Reader, *, in_class: bool) -> None:
    rest = reader.rest()[1:]
    if not rest:
        raise RegexFault("a backslash at the end")
    code, octal, letter = _CODE.match(rest), _OCTAL.match(rest), rest[0]
    if code and (number := int(code[0][1:].strip("{}"), 16)) <= sys.maxunicode:
        reader.take(f"\\{code[0]}", re.escape(chr(number)))
    elif octal:
        reader.take(f"\\{octal[0]}", re.escape(chr(int(octal[1], 8))))
    elif letter == "e":
        reader.take("\\e", "\x1b")
    elif letter in "pP":
        _property(reader, in_class=in_class)
    elif letter in "hvHV" and not (in_class and letter in "HV"):
        inside = _BLANKS[letter.lower()]
        reader.take(f"\\{letter}", inside if in_class else f"[{'^' * (letter in 'HV')}{inside}]")
    elif letter == "Q" and not in_class and (quoted := _QUOTED.match(reader.rest())):
        reader.take(quoted[0], re.escape(quoted[1]))
    elif not in_class and (same := _SAME.match(rest)):
        reader.take(f"\\{same[0]}", f"(?P={same[1]})")
    elif letter in _CLASSES or letter in _CONTROLS:
        reader.take(f"\\{letter}")
    elif not in_class and letter in _ANCHORS:
        reader.take(f"\\{letter}", _ANCHORS[letter])
    elif letter.isascii() and not letter.isalnum():
        reader.take(f"\\{letter}", re.escape(letter))
    elif not in_class and letter in "123456789" and not rest[1:2].isdigit():
        reader.take(f"\\{letter}")
    else:
        raise RegexFault(f"the escape '\\{letter}'")


def _property(reader: _Reader, *, in_class: bool) -> None:
    match = _PROPERTY.match(reader.pattern, reader.place + 1)
    name = match[2] or match[3] if match else ""
    inside = inside_of(name, negated=match[1] == "P") if match else None
    if not match or inside is None:
        raise RegexFault(f"the class '\\{match[0] if match else reader.rest()[1]}'")
    if name in _CASES and ("i" in reader.flags or "(?i:" in reader.out):
        raise RegexFault(f"the class '\\{match[0]}' without regard to case")
    reader.take(f"\\{match[0]}", inside if in_class else f"[{inside}]")


def _class(reader: _Reader) -> None:
    opening = "[^" if reader.rest().startswith("[^") else "["
    reader.take(opening)
    if reader.rest().startswith("]"):
        raise RegexFault("a ']' right after '['; write '\\]'")
    while True:
        rest = reader.rest()
        if not rest:
            raise RegexFault("a '[' that is not closed")
        if rest[0] == "]":
            reader.take("]")
            return
        if rest[0] == "\\":
            _escape(reader, in_class=True)
        elif rest[0] == "[":
            raise RegexFault("a '[' inside '[ ]'; write '\\['")
        elif rest[:2] in ("&&", "||", "~~", "--"):
            raise RegexFault(f"'{rest[:2]}' inside '[ ]'")
        else:
            reader.take(rest[0])
