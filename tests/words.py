"""The words of the code: names and phrases that are not standard technical English, and what to write instead.

`ROOMS` are the folders that keep these rules, and the list only grows. `python -m tests.words lsqlc/tasks` prints the
findings of another room.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = (
    "lsqlc/api.py",
    "lsqlc/bind",
    "lsqlc/cli",
    "lsqlc/connectors",
    "lsqlc/diagnostics",
    "lsqlc/editor",
    "lsqlc/formats",
    "lsqlc/functions",
    "lsqlc/golden",
    "lsqlc/imports",
    "lsqlc/lint",
    "lsqlc/lower/duckdb",
    "lsqlc/lower/spark/__init__.py",
    "lsqlc/lower/spark/aggregates.py",
    "lsqlc/lower/spark/arrays_by_key.py",
    "lsqlc/lower/spark/before_state.py",
    "lsqlc/lower/spark/both_sides.py",
    "lsqlc/lower/spark/bounds.py",
    "lsqlc/lower/spark/builder.py",
    "lsqlc/lower/spark/checkpoint_parts.py",
    "lsqlc/lower/spark/common.py",
    "lsqlc/lower/spark/counts.py",
    "lsqlc/lower/spark/dead_letters.py",
    "lsqlc/lower/spark/elements.py",
    "lsqlc/lower/spark/engine.py",
    "lsqlc/lower/spark/evolution.py",
    "lsqlc/lower/spark/expressions.py",
    "lsqlc/lower/spark/history.py",
    "lsqlc/lower/spark/identity.py",
    "lsqlc/lower/spark/join_sides.py",
    "lsqlc/lower/spark/layouts.py",
    "lsqlc/lower/spark/meetings.py",
    "lsqlc/lower/spark/merge_order.py",
    "lsqlc/lower/spark/native_writers.py",
    "lsqlc/lower/spark/printing.py",
    "lsqlc/lower/spark/ranked_values.py",
    "lsqlc/lower/spark/ranks.py",
    "lsqlc/lower/spark/real_time.py",
    "lsqlc/lower/spark/record_lines.py",
    "lsqlc/lower/spark/row_versions.py",
    "lsqlc/lower/spark/rows.py",
    "lsqlc/lower/spark/scan_decoding.py",
    "lsqlc/lower/spark/skips.py",
    "lsqlc/lower/spark/source_changes.py",
    "lsqlc/lower/spark/source_names.py",
    "lsqlc/lower/spark/stages.py",
    "lsqlc/lower/spark/state_bounds.py",
    "lsqlc/lower/spark/steps.py",
    "lsqlc/lower/spark/stream_stream.py",
    "lsqlc/lower/spark/stream_stream_eager.py",
    "lsqlc/lower/spark/stream_table.py",
    "lsqlc/lower/spark/structure.py",
    "lsqlc/lower/spark/sums.py",
    "lsqlc/lower/spark/support.py",
    "lsqlc/lower/spark/validity.py",
    "lsqlc/lower/spark/values_left.py",
    "lsqlc/lower/spark/versions.py",
    "lsqlc/lower/spark/wire/__init__.py",
    "lsqlc/lower/spark/wire/encodings.py",
    "lsqlc/lower/spark/wire/json_forms.py",
    "lsqlc/lower/spark/wire/records.py",
    "lsqlc/lower/spark/wire/typed.py",
    "lsqlc/plan",
    "lsqlc/project",
    "lsqlc/remote",
    "lsqlc/report",
    "lsqlc/search",
    "lsqlc/syntax",
    "lsqlc/tables",
    "lsqlc/tasks/__init__.py",
    "lsqlc/tasks/absent_fields.py",
    "lsqlc/tasks/artifacts.py",
    "lsqlc/tasks/build.py",
    "lsqlc/tasks/check.py",
    "lsqlc/tasks/clean.py",
    "lsqlc/tasks/compare.py",
    "lsqlc/tasks/compile.py",
    "lsqlc/tasks/data_test_failures.py",
    "lsqlc/tasks/debug.py",
    "lsqlc/tasks/deploy/__init__.py",
    "lsqlc/tasks/deploy/deployment.py",
    "lsqlc/tasks/diff_gate.py",
    "lsqlc/tasks/docs.py",
    "lsqlc/tasks/environment_diff.py",
    "lsqlc/tasks/environment_note.py",
    "lsqlc/tasks/environments.py",
    "lsqlc/tasks/failed_models.py",
    "lsqlc/tasks/fmt.py",
    "lsqlc/tasks/follow.py",
    "lsqlc/tasks/function_lock.py",
    "lsqlc/tasks/golden.py",
    "lsqlc/tasks/growing.py",
    "lsqlc/tasks/history_lines.py",
    "lsqlc/tasks/idle_run.py",
    "lsqlc/tasks/kafka_topics.py",
    "lsqlc/tasks/lint.py",
    "lsqlc/tasks/local_checkpoints.py",
    "lsqlc/tasks/locks.py",
    "lsqlc/tasks/model_files.py",
    "lsqlc/tasks/native_writers.py",
    "lsqlc/tasks/new_files.py",
    "lsqlc/tasks/notes.py",
    "lsqlc/tasks/placement.py",
    "lsqlc/tasks/produce.py",
    "lsqlc/tasks/query.py",
    "lsqlc/tasks/query_tests.py",
    "lsqlc/tasks/real_time.py",
    "lsqlc/tasks/recording.py",
    "lsqlc/tasks/registry.py",
    "lsqlc/tasks/run.py",
    "lsqlc/tasks/run_context.py",
    "lsqlc/tasks/run_plan.py",
    "lsqlc/tasks/run_target.py",
    "lsqlc/tasks/run_verification.py",
    "lsqlc/tasks/scaffold.py",
    "lsqlc/tasks/selection.py",
    "lsqlc/tasks/show.py",
    "lsqlc/tasks/site.py",
    "lsqlc/tasks/skipped_records.py",
    "lsqlc/tasks/spark_cases.py",
    "lsqlc/tasks/starts.py",
    "lsqlc/tasks/table_sync.py",
    "lsqlc/tasks/tables.py",
    "lsqlc/tasks/topic_check.py",
    "lsqlc/tasks/unreviewed.py",
    "lsqlc/tasks/versions.py",
    "lsqlc/yaml",
)
"""Folders and modules, by their paths in the repository."""

LONGEST_SENTENCE = 25
"""Words of a sentence in a docstring."""

_NOUN = "a noun for the data"
NAMES: dict[str, str] = {
    "announced": _NOUN,
    "arrived": _NOUN,
    "asked": "request, query",
    "begun": "start, or is_started for a flag",
    "brought": _NOUN,
    "called": _NOUN,
    "chosen": "selection, candidates",
    "counted": "counts",
    "described": "descriptions",
    "done": "result, or is_done for a flag",
    "drawn": _NOUN,
    "fed": _NOUN,
    "folded": _NOUN,
    "forgotten": _NOUN,
    "found": "matches, columns, diagnostics, result",
    "given": "arguments, request, value",
    "gone": "removed_topics, or is_removed for a flag",
    "handed": _NOUN,
    "headed": _NOUN,
    "heard": "event, response",
    "held": _NOUN,
    "hidden": _NOUN,
    "judged": "results, verdicts",
    "kept": "remaining, retained",
    "known": "names, options, or is_known for a flag",
    "laid": _NOUN,
    "learned": _NOUN,
    "lettered": "dead_letters",
    "listed": "names, items",
    "lived": _NOUN,
    "lost": _NOUN,
    "lowered": "spark_plan, statements",
    "made": "created, outputs",
    "meant": "candidates, target",
    "met": "visited",
    "moved": _NOUN,
    "named": "names, or has_name for a flag",
    "needed": "requirements",
    "noted": "notes",
    "offered": "candidates, options",
    "placed": _NOUN,
    "reached": _NOUN,
    "refused": "errors, rejected_models",
    "said": "message, reason, response",
    "seen": "visited, names",
    "settled": _NOUN,
    "shown": "text, label, rows",
    "sought": "target",
    "spelled": "text, name",
    "spoken": _NOUN,
    "staged": "staged_deployment, stages",
    "stated": _NOUN,
    "taken": "existing_names, count",
    "timed": "has_time, timestamps",
    "told": "reported, messages",
    "touched": _NOUN,
    "traced": "lineage",
    "wanted": "expected, selection",
    "written": "output, text, topics",
}
"""Names of local variables and parameters: participles are not nouns. A flag with the annotation bool may have one."""

MODULES: dict[str, str] = {
    "halves": "parallel_compile",
    "letters": "dead_letters",
    "readings": "scan_decoding",
    "seen_checkpoints": "local_checkpoints",
    "spots": "cursor_target",
}
"""Names of modules."""

RENAMED: dict[str, str] = {
    "keep_alive": "heartbeat",
    "may_stand_alone": "may_be_unmatched",
    "patience": "call_timeout",
    "place_of": "open_target",
    "rehearsal": "preflight",
}
"""Names of modules, functions and classes."""

PHRASES: tuple[tuple[str, str], ...] = (
    (r"\bas though\b", "as if"),
    (r"\bcounts? no more\b", "is retracted, is ignored"),
    (r"\bthat ever was\b", "name the state"),
    (r"\bno (?:part|matter) of ours\b|\bnone of ours\b", "not lsqlc's, ignored"),
    (r"\bwhat is written\b", "the output"),
    (r"\bwhat was (?:said|told|given|found|made|written|asked)\b", "the message, the request, the result"),
    (r"\bis (?:told|said)\b|\bare (?:told|said)\b|\bwas (?:told|said)\b", "is reported, is printed"),
    (r"\bwhat is wrong\b", "the errors, the problems"),
    (r"\bhanded (?:in|back|over)\b", "passed, returned"),
    (r"\bgoes nowhere\b|\bwent nowhere\b", "is dropped"),
    (r"\bin somebody else's\b|\bsomebody else's\b", "untrusted, of another user"),
    (r"\bstands? (?:behind|before|beside|for itself)\b", "follows, precedes, is next to"),
    (r"\bof (?:no|none) (?:such|other)\b", "without, not a"),
    (r"\b(?:DESIGN|LANGUAGE|GLOSSARY)\.md\b", "state the rule, or refer to docs/"),
)
"""Regular expressions for docstrings, comments and messages."""

OPENINGS: tuple[tuple[str, str], ...] = (
    (r"What(?:ever)?\b", "begin with the noun that is described"),
    (r"Of\b", "normal order: 'X has ...', 'For X, ...'"),
    (r"Nor\b", "a sentence with its own subject"),
    (r"Nothing (?:but|else)\b", "'Only X ...'"),
)
"""Beginnings of sentences in docstrings and comments."""

SUMMARIES: tuple[tuple[str, str], ...] = (
    (
        r"(?:Whether|Where|How|Why|When|Which|Who|As|By|For|From|Without|Those|That|These|To|In|If|Only|Its|Their)\b",
        "begin with a verb in the imperative: Return ..., Parse ..., Report ...",
    ),
    (r"(?:The|A|An|All|Every|Each|One|Both)\b", "begin with a verb: Return the ..., Yield each ..."),
    (r"`", "begin with a verb, and describe arguments in a second paragraph"),
)
"""Beginnings of docstrings of functions; properties are described by a noun."""

_SENTENCE_END = re.compile(r"(?<=[.:;!?])\s+|\n\s*(?:\n|- )")
_CODE = re.compile(r"^\s*(?:>>>|\.\.\.).*$|^ {8}.*$", re.MULTILINE)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_PHRASES = [(re.compile(pattern), advice) for pattern, advice in PHRASES]
_ANY_PHRASE = re.compile("|".join(f"(?:{pattern})" for pattern, _ in PHRASES))
_OPENINGS = [(re.compile(pattern), advice) for pattern, advice in OPENINGS]
_SUMMARIES = [(re.compile(pattern), advice) for pattern, advice in SUMMARIES]


@dataclass(frozen=True, slots=True)
class Finding:
    """A word or phrase to replace. `path`: relative to the root of the repository."""

    path: str
    line: int
    word: str
    advice: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: '{self.word}': {self.advice}"


def findings_of(room: str) -> list[Finding]:
    """Return the findings in a folder or a file."""
    root = ROOT / room
    files = sorted(root.rglob("*.py")) if root.is_dir() else [root]
    return [finding for file in files for finding in findings_in(file.relative_to(ROOT).as_posix(), file.read_text())]


def findings_in(path: str, text: str) -> list[Finding]:
    """Return the findings in the text of a module, ordered by line."""
    findings = [*_module_name(path), *_tree(path, ast.parse(text)), *_comments(path, text)]
    return sorted(findings, key=lambda finding: finding.line)


def _module_name(path: str) -> Iterator[Finding]:
    stem = Path(path).stem
    names = MODULES | RENAMED
    # A module of the command line has the name of its verb.
    if stem in names and Path(path).parent.name != "cli":
        yield Finding(path, 1, stem, f"rename the module to {names[stem]}")


def _tree(path: str, tree: ast.Module) -> Iterator[Finding]:
    docstrings, fields = set[ast.AST](), set[ast.AST]()
    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                for statement in node.body:
                    if isinstance(node, ast.ClassDef) and isinstance(statement, ast.AnnAssign):
                        fields.add(statement.target)
                    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                        docstrings.add(statement.value)
                        if isinstance(statement.value.value, str):
                            yield from _docstring(path, statement.lineno, statement.value.value, node)
                if not isinstance(node, ast.Module) and node.name.strip("_") in RENAMED:
                    yield Finding(path, node.lineno, node.name, f"rename it to {RENAMED[node.name.strip('_')]}")
            case ast.arg(arg=name, annotation=annotation):
                if name.strip("_") in NAMES and not (isinstance(annotation, ast.Name) and annotation.id == "bool"):
                    yield Finding(path, node.lineno, name, f"name the data: {NAMES[name.strip('_')]}")
            case ast.Name(id=name, ctx=ast.Store()) if name in NAMES and node not in fields:
                yield Finding(path, node.lineno, name, f"name the data: {NAMES[name]}")
            case ast.Constant(value=str(text)) if " " in text and node not in docstrings:
                yield from _phrases(path, node.lineno, text)


def _docstring(path: str, line: int, text: str, owner: ast.AST) -> Iterator[Finding]:
    yield from _phrases(path, line, text)
    prose = _CODE.sub("", text)
    if isinstance(owner, _Function) and not any(_is_property(decorator) for decorator in owner.decorator_list):
        yield from (
            Finding(path, line, match[0], advice)
            for pattern, advice in _SUMMARIES
            if (match := pattern.match(prose.lstrip()))
        )
    for sentence in _SENTENCE_END.split(prose):
        words = sentence.split()
        if len(words) > LONGEST_SENTENCE:
            start = " ".join(words[:5])
            yield Finding(path, line, f"{start} ...", f"{len(words)} words: at most {LONGEST_SENTENCE} in a sentence")
        yield from _opening(path, line, sentence)


def _comments(path: str, text: str) -> Iterator[Finding]:
    for number, line in enumerate(text.split("\n"), 1):
        comment = line.lstrip()
        if comment.startswith("# "):
            yield from _phrases(path, number, comment)
            yield from _opening(path, number, comment[2:])


def _opening(path: str, line: int, sentence: str) -> Iterator[Finding]:
    sentence = sentence.lstrip()
    for pattern, advice in _OPENINGS:
        if match := pattern.match(sentence):
            yield Finding(path, line, " ".join(sentence.split()[:4]), f"no sentence begins with {match[0]}: {advice}")


def _phrases(path: str, line: int, text: str) -> Iterator[Finding]:
    if _ANY_PHRASE.search(text):
        for pattern, advice in _PHRASES:
            yield from (Finding(path, line, match[0], f"write: {advice}") for match in pattern.finditer(text))


def _is_property(decorator: ast.expr) -> bool:
    name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
    return "property" in name


if __name__ == "__main__":
    for room in sys.argv[1:] or ROOMS:
        for finding in findings_of(room):
            print(finding)
