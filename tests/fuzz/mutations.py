"""`python -m tests.fuzz.mutations`: programs that compile, mangled by chance, through the compiler, both lowerings, an
evaluation on DuckDB, and `lsqlc fmt`.

Whatever comes in, compiling ends in a plan or in diagnostics, in time; a plan has a form on both engines, and DuckDB
evaluates it; what `fmt` writes is the same program, and formatting it again changes nothing.
"""

from __future__ import annotations

import argparse
import gc
import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from random import Random
from types import FrameType

import lsqlc
from lsqlc.diagnostics import LsqlcError, errors
from lsqlc.diagnostics.catalogue import codes
from lsqlc.diagnostics.render import render_all
from lsqlc.dialects import NAMES, DialectName, dialect
from lsqlc.dialects.record import Dialect
from lsqlc.lower import spark
from lsqlc.lower.duckdb import default_session
from lsqlc.plan import Plan
from lsqlc.project.build.formatting import format_model
from lsqlc.types.codec_text import has_lone_surrogate
from lsqlc.types.data import Struct
from lsqlc.types.record import Case, Record, Topic
from tests.fuzz.odd_texts import ODD_NAMES, TEXTS, topic_with_name
from tests.fuzz.quoting import escaped
from tests.standard_sql.programs import Programs, compiled
from tests.syntax.test_format import ALL as LENSES
from tests.syntax.test_ksql_format import ALL as KSQL

ROOT = Path(__file__).parents[2]
# Seconds of the processor that one program may take, and after how many of the clock it is given up.
LIMIT = 1.0
PATIENCE = 60
# Characters of a line that a finding may have.
WIDEST = 2_200

_TOKEN = re.compile(r"\s+|--[^\n]*|'[^']*'|\"[^\"]*\"|`[^`]*`|\w+|<>|<=|>=|!=|->|=>|:=|\|\||.", re.DOTALL)

_WORDS = """
SELECT STREAM TABLE FROM WHERE GROUP BY HAVING JOIN LEFT RIGHT FULL OUTER INNER CROSS ON USING WITHIN LATERAL AS AND OR
NOT NULL TRUE FALSE CASE WHEN THEN ELSE END IS DISTINCT IN LIKE ESCAPE BETWEEN INSERT INTO VALUES WITH STORE KEY PRIMARY
VALUE SET WINDOW TUMBLE TUMBLING HOP HOPPING SESSION SIZE ADVANCE GRACE PERIOD RETENTION EVENTTIME EMIT CHANGES FINAL
LIMIT CREATE OR REPLACE IF EXISTS SOURCE PARTITION EXPLODE HEADERS CAST COUNT SUM AVG MIN MAXK COLLECT FIRST LAST UPPER
CONCAT COALESCE TRANSFORM FILTER REDUCE LATEST_BY_OFFSET STRUCT MAP ARRAY INT BIGINT DOUBLE STRING DECIMAL(38,10) DATE
TIMESTAMP INTERVAL OVER UNION DESCRIBE ROWTIME ROWKEY WINDOWSTART _key _value _meta id amount x a b
* , ; . : ( ) [ ] { } = == <> != < <= > >= + - / % || -> => := :: ? ! @ # $ ^ & ~ \\ ' " ` -- /* */ ''
1h 5s 10 0 1e 0.e 1e5 .5 5. 0x1F 'text' "text" `name` 'it''s' é ß İ 😀 \u00a0 \u200b \u202e \ufeff \x00 \x07 \x1b \x85
\ud800 \u2028 ' '
"""
WORDS = (*_WORDS.split(" "), "\n", "\t", "\r\n", "\x0b", "\x0c")
NUMBERS = (
    "0", "-1", "00", "2147483647", "2147483648", "-2147483648", "9223372036854775807", "9223372036854775808",
    "1e308", "1e309", "5e-324", "1e-400", "0.1", "1.", ".1", "1e", "1e+", "9" * 40, "9" * 400, "0." + "3" * 60, "1_000",
    "0x10", "१२", "1e99999999999", "9" * 10_000, "0" * 10_000, "0." + "1" * 10_000, "1e-9999999999", "1e" + "9" * 5_000,
)  # fmt: skip
# How expressions nest: what stands before and behind the inner one.
NESTS = (
    ("(", ")"), ("-", ""), ("NOT ", ""), ("[", "]"), ("ARRAY[", "]"), ("CASE WHEN TRUE THEN ", " END"), ("x[", "]"),
    ("CAST(", " AS STRING)"), ("COALESCE(", ", NULL)"), ("1 + ", ""), ("", " + 1"), ("", " OR TRUE"), ("", " = TRUE"),
    ("", " BETWEEN 1 AND 2"), ("", " IS NULL"), ("", " IS DISTINCT FROM 1"), ("", "[0]"), ("", ".x"), ("", "->x"),
    ("ARRAY<", ">"), ("STRUCT<a ", ">"), ("MAP<STRING, ", ">"), ("/*", "*/"), ("CASE ", " WHEN 1 THEN 1 END"),
    ("REDUCE(x, 0, (s, e) => ", ")"), ("TRANSFORM(x, e => ", ")"), ("", " || 'a'"), ("", " % 7"), ("STRUCT(a := ", ")"),
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z_]\w*|`[^`]*`")
# What an evaluation may end in: a record that the program refuses, or a program that is too large.
_EVALUATED = ("LSQ431", "LSQ432", "LSQ433")
_RAW = re.compile(r"Python |UDF|Error:|Exception")
_TIMES = (1, 1, 1, 2, 3, 3, 12, 60, 99, 101, 500)
_LONGEST = 40_000


@dataclass(frozen=True, slots=True)
class Origin:
    """A program to begin with, and the topics that it may name."""

    dialect: DialectName
    text: str
    topics: Mapping[str, Topic]


@dataclass(frozen=True, slots=True)
class Fault:
    """A program that breaks a promise; `what` says which."""

    seed: int
    dialect: DialectName
    text: str
    what: str

    def __str__(self) -> str:
        shown = self.text if len(self.text) < 4_000 else f"{self.text[:4_000]} ... ({len(self.text)} characters)"
        return f"seed {self.seed} ({self.dialect}): {self.what}\n{shown!r}"


@dataclass(slots=True)
class Report:
    """What a run has seen. `ends`: how many compiled, were refused (by their first code), were formatted."""

    programs: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    faults: list[Fault] = field(default_factory=list)


class TooLongError(Exception):
    """A program took longer than PATIENCE."""


def _standard(seed: int) -> Origin:
    """A random model in standard SQL."""
    drawn = Programs(seed).draw()
    return Origin("sql", drawn.text, {topic.name: topic for topic in compiled(drawn).inputs})


@cache
def origins() -> tuple[Origin, ...]:
    """The programs that the mutations begin with: those of the fixtures, the documents, the pages of codes and the
    models of this project, and, where it is there, those of the corpus of ksqlDB's cases.
    """
    plans = lsqlc.Project.load(ROOT).plans
    models = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "models").rglob("*.sql"))}
    known = {name: {topic.name: topic for topic in plan.inputs} for name, plan in plans.items()}
    return (
        *(Origin("lenses", text, topics) for text, topics in LENSES),
        *(Origin("lenses", text, known[name]) for name, text in models.items() if name in known and "{" not in text),
        *(Origin("ksql", text, {}) for text in KSQL),
        *map(_standard, range(100)),
    )


def mangled(seed: int) -> Origin:
    """The program of a seed: one of `origins`, with one to four changes, most of them small."""
    random = Random(seed)
    # As many of either dialect, however many programs of it there are.
    language = random.choice(NAMES)
    own = [origin for origin in origins() if origin.dialect == language]
    origin = random.choice(own)
    if random.random() < _RENAMED:
        origin = renamed_to(random, origin, random.choice(ODD_NAMES))
    tokens = _TOKEN.findall(origin.text)
    known = (_MILD, _MILD_WEIGHTS) if random.random() < _MILDLY else (_CHANGES, _WEIGHTS)
    for _ in range(random.choice((1, 1, 1, 1, 2, 3))):
        change = random.choices(*known)[0]
        changed = change(random, tokens or [" "], random.choice(own).text)
        tokens = _TOKEN.findall("".join(changed)[:_LONGEST])
    return Origin(language, "".join(tokens), origin.topics)


# How often a name of a program becomes an odd one wherever it stands, and how often a program only has changes that
# most often leave one that compiles.
_RENAMED, _MILDLY = 0.2, 0.4


def renamed_to(random: Random, origin: Origin, new: str) -> Origin:
    """The program with a name, as it stands in backticks, in place of one that it uses, in the topics too."""
    names = [token for token in _TOKEN.findall(origin.text) if _NAME.fullmatch(token) and not token.isupper()]
    old, written = random.choice(names or [""]), f"`{new}`"
    text = "".join(written if token == old else token for token in _TOKEN.findall(origin.text))
    bare, name = old.strip("`"), new.replace("``", "`")
    topics = (
        [topic_with_name(topic, bare, name) for topic in origin.topics.values()]
        if name and not has_lone_surrogate(name)
        else origin.topics.values()
    )
    return Origin(origin.dialect, text, {topic.name: topic for topic in topics})


Tokens = list[str]


def _drop(random: Random, tokens: Tokens, other: str) -> Tokens:
    place = random.randrange(len(tokens))
    return tokens[:place] + tokens[place + random.choice((1, 1, 2, 5)) :]


def _double(random: Random, tokens: Tokens, other: str) -> Tokens:
    place = random.randrange(len(tokens))
    return [*tokens[: place + 1], " ", *tokens[place:]]


def _swap(random: Random, tokens: Tokens, other: str) -> Tokens:
    one, two = random.randrange(len(tokens)), random.randrange(len(tokens))
    changed = list(tokens)
    changed[one], changed[two] = changed[two], changed[one]
    return changed


def _insert(random: Random, tokens: Tokens, other: str) -> Tokens:
    place = random.randrange(len(tokens) + 1)
    space = random.choice((" ", " ", ""))
    return [*tokens[:place], space, random.choice(WORDS), space, *tokens[place:]]


def _replace(random: Random, tokens: Tokens, other: str) -> Tokens:
    place = random.randrange(len(tokens))
    return [*tokens[:place], random.choice(WORDS), *tokens[place + 1 :]]


def _exchange(random: Random, tokens: Tokens, other: str) -> Tokens:
    """A name for a name, a number for a number, an operator for another: what most often still means something."""
    kinds = [_kind(token) for token in tokens]
    place = random.choice([i for i, kind in enumerate(kinds) if kind != "space"] or [0])
    alike = [t for t in tokens if _kind(t) == kinds[place]]
    alike += [t for t in _TOKEN.findall(other) if _kind(t) == kinds[place]]
    return [*tokens[:place], random.choice(alike), *tokens[place + 1 :]]


def _kind(token: str) -> str:
    if token.isspace() or token.startswith("--"):
        return "space"
    if token[0] in "'\"`" or token[0].isdigit():
        return "value"
    return ("word" if token.isupper() else "name") if token[0].isalnum() else "mark"


def _borrow(random: Random, tokens: Tokens, other: str) -> Tokens:
    """Some tokens of another program, in place of some of this one."""
    lent = _TOKEN.findall(other)
    first, place = random.randrange(len(lent)), random.randrange(len(tokens))
    some = lent[first : first + random.choice((1, 1, 3, 10, 40))]
    return [*tokens[:place], *some, *tokens[place + random.choice((0, 1, len(some))) :]]


def _splice(random: Random, tokens: Tokens, other: str) -> Tokens:
    lent = _TOKEN.findall(other)
    return tokens[: random.randrange(len(tokens) + 1)] + lent[random.randrange(len(lent)) :]


def _character(random: Random, tokens: Tokens, other: str) -> Tokens:
    """One character less, or one more: of the text, of a word of the grammar, or any there is."""
    text = "".join(tokens)
    place = random.randrange(len(text) + 1)
    more = random.choice(("", random.choice(text or " "), random.choice(random.choice(WORDS) or " "),
                          chr(random.randrange(0x110000))))  # fmt: skip
    return _TOKEN.findall(text[:place] + more + text[place + (not more) :])


def _number(random: Random, tokens: Tokens, other: str) -> Tokens:
    places = [i for i, token in enumerate(tokens) if token[0].isdigit()] or [random.randrange(len(tokens))]
    place = random.choice(places)
    return [*tokens[:place], random.choice(NUMBERS), *tokens[place + 1 :]]


def _text(random: Random, tokens: Tokens, other: str) -> Tokens:
    """A text for a text, or for a value or a name where there is none."""
    texts = [i for i, token in enumerate(tokens) if token[0] == "'"]
    place = random.choice(texts or [i for i, token in enumerate(tokens) if _kind(token) in ("name", "value")] or [0])
    return [*tokens[:place], "'" + random.choice(TEXTS).replace("'", "''") + "'", *tokens[place + 1 :]]


def _null(random: Random, tokens: Tokens, other: str) -> Tokens:
    """A name or a value becomes a null without a type."""
    places = [i for i, token in enumerate(tokens) if _kind(token) in ("name", "value")] or [0]
    place = random.choice(places)
    return [*tokens[:place], "NULL", *tokens[place + 1 :]]


def _nest(random: Random, tokens: Tokens, other: str) -> Tokens:
    """A token within many of one kind, or of several."""
    words = [i for i, token in enumerate(tokens) if token[0].isalnum()] or [0]
    place = random.choice(words)
    kinds = [random.choice(NESTS) for _ in range(random.choice((1, 1, 2, 3)))]
    layers = [random.choice(kinds) for _ in range(random.choice(_TIMES))]
    before, behind = "".join(b for b, _ in reversed(layers)), "".join(a for _, a in layers)
    return [*tokens[:place], *_TOKEN.findall(before), tokens[place], *_TOKEN.findall(behind), *tokens[place + 1 :]]


def _repeat(random: Random, tokens: Tokens, other: str) -> Tokens:
    """A stretch many times over."""
    place = random.randrange(len(tokens))
    stretch = tokens[place : place + random.choice((1, 2, 4, 8, 30))]
    return tokens[:place] + stretch * random.choice(_TIMES) + tokens[place:]


_Change = Callable[[Random, Tokens, str], Tokens]
_CHANGES: tuple[_Change, ...] = (
    _drop, _double, _swap, _insert, _replace, _exchange, _borrow, _splice, _character, _number, _nest, _repeat, _text,
    _null,
)  # fmt: skip
_WEIGHTS = (6, 4, 3, 8, 6, 24, 6, 2, 5, 6, 10, 3, 6, 6)
_MILD: tuple[_Change, ...] = (_exchange, _number, _text, _null)
_MILD_WEIGHTS = (1, 3, 4, 5)


def fault_of(origin: Origin, ends: Counter[str]) -> str | None:
    """What a program breaks of what is promised, None where it is all kept. `ends` counts what came of it."""
    language = dialect(origin.dialect)
    parsed = language.parse(origin.text, "program")
    found = parsed.diagnostics
    plan = None
    if parsed.program is not None:
        result = language.bind(parsed.program, origin.topics, name="result")
        found, plan = (*found, *result.diagnostics), result.plan
    wrong = errors(found)
    ends["compiled" if plan is not None else wrong[0].code if wrong else "no reason"] += 1
    if (plan is None) != bool(wrong):
        return f"a plan and errors: {wrong}" if plan is not None else "no plan, and no error"
    unknown = [d.code for d in found if d.code not in codes()]
    if unknown:
        return f"codes without a page: {unknown}"
    shown = render_all(found, {"program": origin.text})
    if any(len(line) > WIDEST for line in shown.split("\n")):
        return "a finding is wider than anybody reads"
    if plan is not None and (what := _unevaluated(plan)) is not None:
        return what
    if parsed.program is None:
        return None
    once = _formatted(origin.text, language)
    ends["left alone" if once is None else "formatted"] += 1
    if once is None:
        return None
    if _formatted(once, language) != once:
        return f"fmt changes what it has written: {once!r}"
    after = language.parse(once, "program").program
    again = language.bind(after, origin.topics, name="result").plan if after is not None else None
    if plan is not None and (again is None or again.fingerprint != plan.fingerprint):
        return f"fmt changes the plan: {once!r}"
    return None


def _unevaluated(plan: Plan) -> str | None:
    """Why a plan has no form on Spark, or DuckDB does not evaluate it over a record of nulls in each topic; None where
    both do. Raises what they raise.
    """
    if not spark.unsupported(plan):
        spark.plan_sql(spark.lower(plan))
    if any(escaped(plan)):
        return "a text or a name becomes SQL"
    if any(topic.files for topic in plan.inputs) or plan.policy != "fail":
        return None
    records = tuple(_empty(topic) for topic in plan.inputs if _may_be_empty(topic))
    try:
        default_session().evaluate(plan, [Case("", (records,))])
    except LsqlcError as error:
        (found,) = error.diagnostics
        if found.code not in _EVALUATED or _RAW.search(found.message):
            return f"the evaluation ends in {found.code}: {found.message}"
    return None


def _may_be_empty(topic: Topic) -> bool:
    type = topic.value.type
    return not isinstance(type, Struct) or all(field.nullable for field in type.fields)


def _empty(topic: Topic) -> Record:
    """A record without a value in any column that may be null."""
    value: dict[str, object] | None = {} if isinstance(topic.value.type, Struct) else None
    return Record(topic.name, None, value, 0)


def _formatted(text: str, language: Dialect) -> str | None:
    """What `fmt` makes of a program that parses, None where it leaves it as it is."""
    return format_model(text, "program", language).text


@contextmanager
def _given_up_after(seconds: int) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLongError(f"nothing after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def attempt(seed: int) -> tuple[Fault | None, Counter[str], float]:
    """The program of a seed: what is wrong, what came of it, and the seconds of the processor that it took."""
    origin, ends = mangled(seed), Counter[str]()
    # What Python looks through meanwhile is the garbage of the programs before.
    gc.disable()
    began = time.thread_time()
    try:
        with _given_up_after(PATIENCE):
            what = fault_of(origin, ends)
    except Exception as error:
        lines = traceback.format_exception(error)
        what = "".join([*lines[:1], *lines[-6:]])
    seconds = time.thread_time() - began
    gc.enable()
    if what is None and seconds > LIMIT:
        what = f"takes {seconds:.1f} s"
    return Fault(seed, origin.dialect, origin.text, what) if what is not None else None, ends, seconds


def mutations(seeds: Sequence[int], *, jobs: int = 1, say: Callable[[str], None] = lambda _: None) -> Report:
    """Try the program of each seed. `jobs`: processes at a time."""
    report = Report()
    origins()
    with get_context("fork").Pool(jobs) if jobs > 1 else nullcontext() as pool:
        tried = pool.imap_unordered(attempt, seeds, chunksize=50) if pool is not None else map(attempt, seeds)
        for fault, ends, seconds in tried:
            report.programs += 1
            report.ends.update(ends)
            report.slowest = max(report.slowest, seconds)
            if fault is not None:
                report.faults.append(fault)
                say(f"{fault}\n")
            if report.programs % 1_000 == 0:
                say(f"{report.programs} programs, {len(report.faults)} faults, slowest {report.slowest:.2f} s")
    return report


def main() -> int:
    """Print what breaks a promise, and what came of the programs. 1 if something does."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.mutations", description=__doc__)
    parser.add_argument("--programs", type=int, default=10_000, help="how many (default: 10,000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the next has the next (default: 0)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (default: 2)")
    options = parser.parse_args()
    found = mutations(
        range(options.seed, options.seed + options.programs), jobs=options.jobs, say=lambda t: print(t, flush=True)
    )
    print(f"what came of them: {dict(found.ends.most_common())}")
    print(f"{found.programs} programs, the slowest {found.slowest:.2f} s: {len(found.faults)} faults")
    if found.faults:
        print(f"seeds: {' '.join(str(f.seed) for f in found.faults)}")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
