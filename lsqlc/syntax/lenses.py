"""Statements of the Lenses language: SET, WITH, INSERT INTO and SELECT.

A fault ends its statement, and reading goes on behind the next `;`, so that one run shows the first fault of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from lsqlc.diagnostics import Diagnostic, Fix, Severity
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.syntax import old_windows, tree
from lsqlc.syntax.cursor import MAX_DEPTH, Cursor, SyntaxFault
from lsqlc.syntax.expressions import RESERVED, expression, refuse_word
from lsqlc.syntax.tokens import Token, tokenize

_UNITS = {"MS": 1, "S": 1_000, "M": 60_000, "H": 3_600_000, "D": 86_400_000}
# Ten thousand years: times in milliseconds, and sums of them, stay far below 64 bits.
_LONGEST = 3_652_500 * _UNITS["D"]
_KINDS: dict[str, tree.JoinKind] = {
    "INNER": "INNER",
    "LEFT": "LEFT",
    "RIGHT": "RIGHT",
    "OUTER": "OUTER",
    "FULL": "OUTER",
}
_REFUSED = {
    "CROSS": ("CROSS JOIN is not part of the language", "join on an equality: a JOIN b ON a.x = b.x"),
    "NATURAL": ("NATURAL JOIN is not part of the language", "write the equalities: a JOIN b ON a.x = b.x"),
    "SEMI": ("SEMI JOIN is not part of the language", "use an INNER JOIN, and project the fields of one side"),
    "ANTI": ("ANTI JOIN is not part of the language", "use a LEFT JOIN, and keep what has no match: WHERE b.x IS NULL"),
    "USING": ("USING is not part of the language", "write the equality: ON a.x = b.x"),
    "UNION": ("UNION is not part of the language", "write one INSERT INTO for each SELECT, with the same target"),
    "ORDER": ("ORDER BY is not part of the language: a stream has no end to sort at", None),
    "LIMIT": ("LIMIT is not part of the language: a stream has no end", None),
    "PARTITION": ("PARTITION BY is not part of the language", "project the new key: expression AS _key"),
    "OVER": ("window functions (OVER) are not part of the language", "use GROUP BY, with WINDOW BY for time windows"),
}
# What a statement begins with: where one comes too early, a ';' is missing.
_STATEMENTS = ("SET", "WITH", "INSERT", "SELECT")


@dataclass(slots=True)
class _Draft:
    """The statements met so far."""

    settings: list[tree.Setting] = field(default_factory=list)
    withs: list[tree.With] = field(default_factory=list)
    inserts: list[tree.Insert] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def parse(text: str, path: str) -> tree.Parsed:
    """Read a program. `path` names the text in messages. All bad input ends in diagnostics."""
    source = SourceText(path, text)
    tokens, faults = tokenize(source)
    if faults:
        return tree.Parsed(None, faults)
    cursor = Cursor(source, tokens)
    draft = _Draft()
    while cursor.token.kind != "end":
        if cursor.take_mark(";"):
            continue
        cursor.depth = 0
        try:
            _statement(cursor, draft)
        except SyntaxFault as fault:
            draft.diagnostics.append(fault.diagnostic)
            _skip_statement(cursor)
    _check_order(source, draft)
    if any(d.is_error for d in draft.diagnostics):
        return tree.Parsed(None, tuple(draft.diagnostics))
    program = tree.Program(source, tuple(draft.settings), tuple(draft.withs), tuple(draft.inserts))
    return tree.Parsed(program, tuple(draft.diagnostics))


def _skip_statement(cursor: Cursor) -> None:
    """Step on to the `;` that ends it, or to the end."""
    while cursor.token.kind != "end" and not cursor.is_mark(";"):
        cursor.advance()


def _check_order(source: SourceText, draft: _Draft) -> None:
    if not draft.inserts and not draft.diagnostics:
        end = len(source.text)
        draft.diagnostics.append(
            Diagnostic(
                "LSQ105",
                "this program writes nothing",
                source.span((0, min(end, 1))),
                notes=("a program ends in one or more INSERT INTO, or in one SELECT",),
                help="add a statement such as: INSERT INTO target SELECT STREAM * FROM source",
            )
        )
    bare = [i for i in draft.inserts if i.target is None]
    if bare and len(draft.inserts) > 1:
        draft.diagnostics.append(
            Diagnostic(
                "LSQ106",
                "a SELECT without INSERT INTO must be the only one of its program",
                source.span(bare[-1].select.semantics_at),
                help="say where it goes: INSERT INTO target SELECT ...",
            )
        )


def _statement(cursor: Cursor, draft: _Draft) -> None:
    token = cursor.token
    if cursor.take_words("SET"):
        draft.settings.append(_setting(cursor))
    elif cursor.take_words("WITH"):
        draft.withs.append(_with(cursor, draft))
    elif cursor.take_words("INSERT"):
        draft.inserts.append(_insert(cursor, draft))
    elif cursor.is_word("SELECT"):
        draft.inserts.append(tree.Insert(None, None, None, _select(cursor, draft)))
    else:
        at = (token.start, token.end)
        if token.upper in ("CREATE", "DROP", "USE", "DELETE", "UPDATE", "MERGE", "TRUNCATE"):
            cursor.fault("LSQ120", f"{token.upper} is not part of the language", at)
        cursor.unexpected("SET, WITH, INSERT INTO or SELECT")
    if cursor.token.kind != "end" and not cursor.take_mark(";"):
        if cursor.token.upper not in _STATEMENTS:
            _refuse(cursor)
        cursor.unexpected("';' or the end of the statement")


def _refuse(cursor: Cursor) -> None:
    """Give up with its own message if the next word is one that SQL has and the language leaves out."""
    token = cursor.token
    if token.upper in _REFUSED:
        message, help = _REFUSED[token.upper]
        cursor.fault("LSQ120", message, (token.start, token.end), help=help)
    refuse_word(cursor, token.upper, (token.start, token.end))


def _setting(cursor: Cursor) -> tree.Setting:
    start = cursor.token.start
    words = []
    while not cursor.is_mark("=") and not cursor.is_mark(";") and cursor.token.kind != "end":
        words.append(cursor.advance().text)
    if not words:
        cursor.unexpected("the name of a setting")
    key = tree.Name("".join(words), cursor.extent(start))
    cursor.expect_mark("=", "the name of the setting")
    start = cursor.token.start
    if cursor.token.kind == "string":
        token = cursor.advance()
        return tree.Setting(key, tree.Name(token.text, (token.start, token.end)))
    while not cursor.is_mark(";") and cursor.token.kind != "end":
        cursor.advance()
    at = cursor.extent(start)
    text = cursor.source.text[at[0] : at[1]].strip()
    if not text:
        cursor.unexpected("a value for the setting")
    return tree.Setting(key, tree.Name(text, at))


def _with(cursor: Cursor, draft: _Draft) -> tree.With:
    name = _name(cursor, "a name after WITH", dotted=False)
    if any(w.name.text == name.text for w in draft.withs):
        cursor.fault("LSQ107", f"'{name.text}' is defined twice", name.at, help="give the second WITH another name")
    cursor.expect_words("AS")
    cursor.expect_mark("(", "AS")
    select = _select(cursor, draft)
    if cursor.is_mark(";") and cursor.ahead(1).text == ")":
        token = cursor.advance()
        cursor.fault("LSQ102", "a ';' cannot stand inside a WITH statement", (token.start, token.end), help="remove it")
    if not cursor.take_mark(")"):
        _refuse(cursor)
        cursor.unexpected("')' at the end of the WITH statement")
    if cursor.is_mark(","):
        token = cursor.token
        cursor.fault(
            "LSQ102",
            "a comma cannot follow a WITH statement",
            (token.start, token.end),
            help="each WITH is a statement of its own: WITH a AS (...); WITH b AS (...);",
        )
    return tree.With(name, select)


def _insert(cursor: Cursor, draft: _Draft) -> tree.Insert:
    cursor.expect_words("INTO")
    target = _name(cursor, "a topic after INSERT INTO", dotted=True)
    formats: dict[str, tree.Name] = {}
    if cursor.take_words("STORE"):
        while cursor.is_word("KEY", "AS") or cursor.is_word("VALUE", "AS"):
            word = cursor.advance()
            cursor.advance()
            format = _format(cursor)
            if word.upper in formats:
                cursor.fault("LSQ110", f"{word.upper} AS stands twice", (word.start, format.at[1]))
            formats[word.upper] = format
        if formats and cursor.is_mark(","):
            cursor.unexpected("SELECT", help="no comma stands between KEY AS and VALUE AS")
        if not formats:
            cursor.unexpected("KEY AS or VALUE AS after STORE")
    if not cursor.is_word("SELECT"):
        cursor.unexpected("SELECT")
    return tree.Insert(target, formats.get("KEY"), formats.get("VALUE"), _select(cursor, draft))


def _format(cursor: Cursor) -> tree.Name:
    """A storage format: a word, for a windowed key with another in brackets, `TW[AVRO]`."""
    start = cursor.token.start
    if cursor.token.kind != "name":
        cursor.unexpected("a storage format")
    text = cursor.advance().upper
    if cursor.take_mark("["):
        if cursor.token.kind != "name":
            cursor.unexpected("a storage format inside of the window")
        text += f"[{cursor.advance().upper}]"
        cursor.expect_mark("]", "the inner format")
    return tree.Name(text, cursor.extent(start))


def _select(cursor: Cursor, draft: _Draft) -> tree.Select:
    start = cursor.token.start
    cursor.expect_words("SELECT")
    word = cursor.token
    if word.upper == "DISTINCT":
        refuse_word(cursor, word.upper, (word.start, word.end))
    if word.upper not in ("STREAM", "TABLE"):
        cursor.fault(
            "LSQ108",
            "SELECT must say STREAM or TABLE",
            (start, cursor.previous_end),
            notes=("STREAM reads every record as an event, TABLE the newest record of each key",),
            help="write SELECT STREAM ... or SELECT TABLE ...",
        )
    cursor.advance()
    semantics: tree.Semantics = "STREAM" if word.upper == "STREAM" else "TABLE"
    projections = _projections(cursor, draft)
    if not cursor.take_words("FROM"):
        _refuse(cursor)
        cursor.unexpected("FROM")
    source = _sources(cursor)
    clauses = _Clauses()
    while _clause(cursor, clauses):
        pass
    return tree.Select(
        semantics,
        projections,
        source,
        tuple(clauses.laterals),
        clauses.event_time,
        clauses.where,
        clauses.window,
        clauses.group_by,
        clauses.having,
        cursor.extent(start),
        (start, word.end),
    )


def _projections(cursor: Cursor, draft: _Draft) -> tuple[tree.Projection, ...]:
    projections = []
    while True:
        projections.append(_projection(cursor))
        comma = cursor.token
        if not cursor.take_mark(","):
            return tuple(projections)
        if cursor.is_word("FROM"):
            at = cursor.source.span((comma.start, comma.end))
            draft.diagnostics.append(
                Diagnostic(
                    "LSQ801",
                    "a comma before FROM",
                    at,
                    help="remove it",
                    severity=Severity.WARNING,
                    fix=Fix(at, ""),
                )
            )
            return tuple(projections)
        if cursor.is_mark(","):
            cursor.fault("LSQ102", "two commas in a row", (comma.start, cursor.token.end), help="remove one")


def _projection(cursor: Cursor) -> tree.Projection:
    start = cursor.token.start
    wildcard = _wildcard(cursor)
    source = wildcard or expression(cursor)
    target = None
    at = cursor.extent(start)
    if cursor.take_words("AS"):
        if wildcard:
            cursor.fault("LSQ301", "a wildcard cannot have an alias", at, help="name the fields")
        target = _target(cursor)
    elif cursor.token.kind in ("name", "quoted") and cursor.token.upper not in RESERVED:
        _refuse(cursor)
        if not cursor.is_word("FROM"):
            token = cursor.token
            cursor.fault("LSQ109", "an alias needs AS", (token.start, token.end), help=f"write AS {token.text}")
    return tree.Projection(source, target, cursor.extent(start))


def _wildcard(cursor: Cursor) -> tree.Wildcard | None:
    """`*`, or names joined by touching dots and hyphens that end in `.*`."""
    start, place = cursor.token.start, cursor.at
    if cursor.take_mark("*"):
        return tree.Wildcard((), cursor.extent(start))
    pieces: list[str] = []
    joined = False
    while cursor.token.kind in ("name", "quoted") or (joined and cursor.token.kind == "number"):
        token = cursor.advance()
        word = token.text
        if token.kind == "number" and cursor.token.kind == "name" and cursor.token.start == token.end:
            word += cursor.advance().text
        if joined:
            pieces[-1] += "-" + word
        else:
            pieces.append(word)
        joined = False
        if word.endswith(".") and cursor.is_mark("*") and _ends_projection(cursor.ahead(1)):
            # `topic-1.*` comes as the number `1.` and a star; with a factor behind it, that is what it is.
            cursor.advance()
            pieces[-1] = pieces[-1][:-1]
            return tree.Wildcard(tuple(pieces), cursor.extent(start))
        if cursor.is_mark(".") and cursor.ahead(1).kind == "mark" and cursor.ahead(1).text == "*":
            cursor.advance()
            cursor.advance()
            return tree.Wildcard(tuple(pieces), cursor.extent(start))
        if cursor.take_mark("."):
            continue
        if cursor.is_mark("-") and cursor.token.start == cursor.previous_end:
            cursor.advance()
            joined = True
            continue
        break
    cursor.at = place
    return None


def _ends_projection(token: Token) -> bool:
    return token.upper in ("FROM", "AS") or token.kind == "end" or (token.kind == "mark" and token.text in ",;")


def _target(cursor: Cursor) -> tree.Target:
    start = cursor.token.start
    path = _path(cursor, "an alias after AS")
    at = cursor.extent(start)
    if len(path) > MAX_DEPTH:
        cursor.fault("LSQ103", f"this alias has more than {MAX_DEPTH} levels", at)
    if path[0] in ("_key", "_value"):
        return tree.Target("key" if path[0] == "_key" else "value", path[1:], at)
    return tree.Target(None, path, at)


def _path(cursor: Cursor, wanted: str) -> tuple[str, ...]:
    """A dotted name whose elements may hold hyphens."""
    elements = [_element(cursor, wanted)]
    while cursor.is_mark("."):
        cursor.advance()
        elements.append(_element(cursor, "a name after '.'"))
    return tuple(elements)


def _element(cursor: Cursor, wanted: str) -> str:
    """One name: words and numbers joined by touching hyphens, or one in backticks."""
    token = cursor.token
    if token.kind == "quoted":
        return cursor.advance().text
    if token.kind != "name" or token.upper in RESERVED:
        cursor.unexpected(wanted)
    text = cursor.advance().text
    while cursor.is_mark("-") and cursor.token.start == cursor.previous_end:
        after = cursor.ahead(1)
        if after.start != cursor.token.end or after.kind not in ("name", "number"):
            break
        cursor.advance()
        text += "-" + cursor.advance().text
        # `topic-1a` comes as a number and a word that touch.
        while cursor.token.kind in ("name", "number") and cursor.token.start == cursor.previous_end:
            text += cursor.advance().text
    return text


def _name(cursor: Cursor, wanted: str, *, dotted: bool) -> tree.Name:
    """The name of a topic (`dotted`: dots belong to it), a WITH or an alias."""
    start = cursor.token.start
    text = ".".join(_path(cursor, wanted)) if dotted else _element(cursor, wanted)
    return tree.Name(text, cursor.extent(start))


def _sources(cursor: Cursor) -> tree.Source | tree.Join:
    start = cursor.token.start
    left = _source(cursor)
    kind_start = cursor.token.start
    kind = _join_kind(cursor)
    if kind is None:
        _refuse_comma(cursor)
        return left
    kind_at = cursor.extent(kind_start)
    right = _source(cursor)
    within: list[tree.Duration] = []
    on = None
    while True:
        token = cursor.token
        if cursor.take_words("WITHIN"):
            within.append(_duration(cursor))
            if len(within) > 2:
                cursor.fault("LSQ110", "WITHIN stands three times", cursor.extent(token.start), help="one is enough")
        elif cursor.take_words("ON"):
            if on is not None:
                cursor.fault(
                    "LSQ110", "ON stands twice", (token.start, token.end), help="join the conditions by AND in one ON"
                )
            on = expression(cursor)
        else:
            break
    _refuse_comma(cursor)
    if cursor.is_word("JOIN") or cursor.token.upper in _KINDS:
        cursor.fault(
            "LSQ330",
            "a query joins at most two sources",
            (cursor.token.start, cursor.token.end),
            help="join the first two in a WITH statement, and join its name with the third",
        )
    return tree.Join(kind, left, right, on, tuple(within), kind_at, cursor.extent(start))


def _refuse_comma(cursor: Cursor) -> None:
    token = cursor.token
    if cursor.is_mark(","):
        cursor.fault(
            "LSQ120",
            "several sources in FROM are not part of the language",
            (token.start, token.end),
            help="join them: a JOIN b ON a.x = b.x",
        )


def _join_kind(cursor: Cursor) -> tree.JoinKind | None:
    """JOIN with the word before it, which decides the kind; `LEFT OUTER` is LEFT, and `FULL` is OUTER."""
    if cursor.take_words("JOIN"):
        return "INNER"
    if cursor.token.upper in ("CROSS", "NATURAL") and cursor.ahead(1).upper == "JOIN":
        _refuse(cursor)
    word = cursor.token.upper
    kind = _KINDS.get(word)
    if kind is None:
        return None
    cursor.advance()
    if word in ("LEFT", "RIGHT", "FULL"):
        cursor.take_words("OUTER")
    if not cursor.is_word("JOIN"):
        _refuse(cursor)
    cursor.expect_words("JOIN")
    return kind


def _source(cursor: Cursor) -> tree.Source:
    if cursor.is_mark("("):
        token = cursor.token
        cursor.fault(
            "LSQ120",
            "a subquery is not part of the language",
            (token.start, token.end),
            help="name it: WITH name AS (SELECT ...); and read FROM name",
        )
    name = _name(cursor, "a topic or a WITH name", dotted=True)
    alias = _source_alias(cursor) if cursor.take_words("AS") else None
    if alias is None and cursor.token.kind == "name" and cursor.token.upper not in _AFTER_SOURCE:
        _refuse(cursor)
        token = cursor.token
        cursor.fault("LSQ109", "an alias needs AS", (token.start, token.end), help=f"write AS {token.text}")
    return tree.Source(name, alias)


def _source_alias(cursor: Cursor) -> tree.Name:
    """What a source or a LATERAL is called: any name but that of a facet, which would hide the facet."""
    name = _name(cursor, "an alias after AS", dotted=False)
    if name.text in ("_key", "_value"):
        cursor.fault("LSQ342", f"'{name.text}' hides the facet of that name", name.at, help="choose another alias")
    return name


_AFTER_SOURCE = frozenset(
    "JOIN INNER LEFT RIGHT OUTER FULL ON WITHIN LATERAL WHERE GROUP HAVING WINDOW EVENTTIME GRACE".split()  # noqa: SIM905, a list would be three times as long
)


@dataclass(slots=True)
class _Clauses:
    laterals: list[tree.Lateral] = field(default_factory=list)
    event_time: tree.Expression | None = None
    where: tree.Expression | None = None
    window: tree.Window | None = None
    group_by: tuple[tree.GroupItem, ...] = ()
    having: tree.Expression | None = None
    met: list[str] = field(default_factory=list)


# What nothing but the ones of a higher number may follow; the others stand in any order.
_LAST = {"GROUP": 1, "HAVING": 2}


def _clause(cursor: Cursor, clauses: _Clauses) -> bool:
    """Read one clause behind FROM; False if none follows."""
    token = cursor.token
    readers: dict[str, tuple[tuple[str, ...], Callable[[Cursor, _Clauses], None]]] = {
        "LATERAL": (("LATERAL",), _lateral),
        "EVENTTIME": (("EVENTTIME", "BY"), _event_time),
        "WHERE": (("WHERE",), _where),
        "WINDOW": (("WINDOW", "BY"), _window),
        "GROUP": (("GROUP", "BY"), _group_by),
        "HAVING": (("HAVING",), _having),
    }
    if token.upper not in readers:
        return False
    words, read = readers[token.upper]
    for word in words:
        cursor.expect_words(word)
    if token.upper != "LATERAL" and token.upper in clauses.met:
        cursor.fault("LSQ110", f"{' '.join(words)} stands twice", cursor.extent(token.start))
    late = next((word for word in clauses.met if _LAST.get(word, 0) > _LAST.get(token.upper, 0)), None)
    if late is not None:
        behind = "GROUP BY" if late == "GROUP" else late
        cursor.fault(
            "LSQ113",
            f"{' '.join(words)} stands behind {behind}",
            cursor.extent(token.start),
            help="the clauses come in this order: WHERE, WINDOW BY, GROUP BY, HAVING",
        )
    clauses.met.append(token.upper)
    read(cursor, clauses)
    return True


def _lateral(cursor: Cursor, clauses: _Clauses) -> None:
    start = cursor.token.start
    array = expression(cursor)
    cursor.expect_words("AS", help="name its elements: LATERAL array AS element")
    alias = _source_alias(cursor)
    clauses.laterals.append(tree.Lateral(array, alias, cursor.extent(start)))
    if _joins(cursor):
        at = (cursor.token.start, cursor.token.end)
        help = "use LATERAL in a WITH statement, and join its name"
        cursor.fault("LSQ340", "a query cannot both join and use LATERAL", at, help=help)


def _event_time(cursor: Cursor, clauses: _Clauses) -> None:
    clauses.event_time = expression(cursor)
    if _joins(cursor):
        at = (cursor.token.start, cursor.token.end)
        help = "give each side its own: WITH a AS (SELECT STREAM * FROM source EVENTTIME BY field)"
        cursor.fault("LSQ319", "EVENTTIME BY belongs to one source, not to a join", at, help=help)


def _joins(cursor: Cursor) -> bool:
    """Whether a join is written here."""
    word = cursor.token.upper
    return word == "JOIN" or (word in _KINDS and cursor.ahead(1).upper in ("JOIN", "OUTER"))


def _where(cursor: Cursor, clauses: _Clauses) -> None:
    clauses.where = expression(cursor)


def _having(cursor: Cursor, clauses: _Clauses) -> None:
    clauses.having = expression(cursor)


def _group_by(cursor: Cursor, clauses: _Clauses) -> None:
    items = [_group_item(cursor)]
    while cursor.take_mark(","):
        items.append(_group_item(cursor))
    clauses.group_by = tuple(items)


def _group_item(cursor: Cursor) -> tree.GroupItem:
    start = cursor.token.start
    if cursor.token.upper in old_windows.WORDS and cursor.ahead(1).text == "(":
        cursor.fault(
            "LSQ111",
            "a window no longer stands in GROUP BY",
            (cursor.token.start, cursor.token.end),
            help=old_windows.advice(cursor.token.upper),
            fix=old_windows.rewritten(cursor),
        )
    value = expression(cursor)
    alias = _name(cursor, "an alias after AS", dotted=False) if cursor.take_words("AS") else None
    return tree.GroupItem(value, alias, cursor.extent(start))


_OTHER_WINDOWS = {
    "TUMBLING": "write TUMBLE and the size: TUMBLE 1m",
    "HOPPING": "write HOP, the size and the advance: HOP 10s, 5s",
    "SLIDING": "windows that slide are those of a join: a JOIN b WITHIN 5s",
}


def _window(cursor: Cursor, clauses: _Clauses) -> None:
    start = cursor.token.start
    if not cursor.is_word("TUMBLE") and not cursor.is_word("HOP") and not cursor.is_word("SESSION"):
        cursor.unexpected("TUMBLE, HOP or SESSION", help=_OTHER_WINDOWS.get(cursor.token.upper))
    word = cursor.advance().upper
    sizes = [_duration(cursor)]
    if word == "HOP":
        if not cursor.take_mark(",") and not cursor.take_words("BY"):
            cursor.unexpected("',' and the advance of the window", help="write HOP 10s, 5s: the size, then the advance")
        sizes.append(_duration(cursor))
    grace = _duration(cursor) if cursor.take_words("GRACE", "BY") else None
    kind: Literal["TUMBLE", "HOP", "SESSION"] = "TUMBLE" if word == "TUMBLE" else "HOP" if word == "HOP" else "SESSION"
    clauses.window = tree.Window(kind, tuple(sizes), grace, cursor.extent(start))


def _duration(cursor: Cursor) -> tree.Duration:
    token, unit = cursor.token, cursor.ahead(1)
    if token.kind != "number" or not token.text.isdigit():
        cursor.unexpected("a duration", help="write a number and a unit that touch: 500ms, 5s, 10m, 1h, 7d")
    at: Extent = (token.start, max(token.end, unit.end if unit.start == token.end else token.end))
    if unit.start != token.end or unit.upper not in _UNITS:
        cursor.fault(
            "LSQ112",
            f"'{cursor.source.text[at[0] : at[1]]}' is no duration",
            at,
            help="write a number and a unit that touch: 500ms, 5s, 10m, 1h, 7d",
        )
    # Python refuses to read a number of thousands of digits; none of that length fits.
    milliseconds = int(token.text) * _UNITS[unit.upper] if len(token.text.lstrip("0")) <= 20 else _LONGEST + 1
    if milliseconds > _LONGEST:
        cursor.fault("LSQ112", "this duration is longer than ten thousand years", at, help="write a shorter one")
    cursor.advance()
    cursor.advance()
    return tree.Duration(milliseconds, at)
