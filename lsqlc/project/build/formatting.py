"""Formatting of models for `lsqlc fmt`, including templates.

A template is formatted around its tags. A placeholder replaces each `{{ ... }}`: a name, or a duration or a number
where one is expected. Between statements, any tag is treated like a comment. A template that is not a program in this
form is not formatted, and a diagnostic says why. The result always has the same program and the same comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic, Severity, errors
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.dialects import dialect
from lsqlc.dialects.record import Dialect
from lsqlc.project.model import Model
from lsqlc.syntax.tokens import tokenize

_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/|\{#.*?#\}", re.DOTALL)
# Tags and comments on the first lines of a file, without other text.
_HEAD = re.compile(r"(?:(?>\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|--[^\n]*|/\*.*?\*/|[ \t])*\n)*", re.DOTALL)
# The placeholder forms of a tag, in the order in which they are tried.
_FORMS = ("name", "duration", "number", "comment")


@dataclass(frozen=True, slots=True)
class Formatted:
    """The result of formatting. `text`: None after an error, or if the model is not formatted."""

    text: str | None
    diagnostics: tuple[Diagnostic, ...] = ()


def format_model(text: str, path: str, language: Dialect) -> Formatted:
    """Format the text of a model's file. `path`: for diagnostics. Never raises for bad input."""
    if "{{" in text or "{%" in text:
        if not language.formatting.of_templates:
            return Formatted(None, (left_alone(path, f"templates of the dialect '{language.name}' are not formatted"),))
        return _template(text, path, language)
    parsed = language.parse(text, path)
    if parsed.program is None:
        return Formatted(None, errors(parsed.diagnostics))
    formatted = language.formatting.text(parsed.program, None)
    if not language.formatting.is_same(parsed.program, formatted):
        return Formatted(None, (left_alone(path, "it would not be the same program afterwards"),))
    return Formatted(formatted)


def left_alone(path: str, reason: str, at: Extent = (0, 0), text: str = "") -> Diagnostic:
    """Return the warning that a file is not formatted, at an extent of its text."""
    return Diagnostic(
        "LSQ042",
        "this file is not formatted",
        SourceText(path, text).span(at),
        notes=(reason,),
        severity=Severity.WARNING,
    )


def format_file(model: Model, diagnostics: Iterable[Diagnostic]) -> Formatted:
    """Format the file of a model, if the model's rendered text can be parsed. `diagnostics`: of loading the project."""
    language = dialect(model.dialect)
    if model.text is None:
        own_errors = tuple(d for d in errors(diagnostics) if d.span and d.span.path == model.path)
        return Formatted(None, own_errors or (left_alone(model.path, "its template has errors"),))
    if model.text is not model.raw and language.formatting.of_templates:
        wrong = errors(language.parse(model.text, model.path).diagnostics)
        if wrong:
            return Formatted(None, tuple(model.at_home(d) for d in wrong))
    return format_model(model.raw, model.path, language)


@dataclass(frozen=True, slots=True)
class _Hidden:
    """A template with placeholders for its tags.

    `tags`: each with its extent. `words`: the unique placeholders. `extents`: of the placeholders in `text`.
    """

    text: str
    tags: tuple[tuple[str, Extent], ...]
    words: tuple[str, ...]
    extents: tuple[Extent, ...]

    def restore(self) -> Callable[[str], str]:
        """Return the function that replaces placeholders in a text by their tags."""
        tags = {word: tag for word, (tag, _) in zip(self.words, self.tags, strict=True)}
        pattern = re.compile("|".join(map(re.escape, self.words)))
        return lambda piece: pattern.sub(lambda m: tags[m[0]], piece)


def _template(text: str, path: str, language: Dialect) -> Formatted:
    prefix = _unused(text)
    head = _HEAD.match(text)
    above = head.end() if head else 0
    forms = [_FORMS[-1] if m[0].startswith("{%") or m.end() <= above else _FORMS[0] for m in _TAG.finditer(text)]
    reason = "a tag that is not part of an expression is inside a statement"
    while True:
        placeholders = _hide(text, prefix, forms)
        misplaced = _inside_a_statement(placeholders, forms, path, language)
        if misplaced is not None:
            return Formatted(None, (left_alone(path, reason, misplaced, text),))
        parsed = language.parse(placeholders.text, path)
        if parsed.program is not None:
            break
        error = errors(parsed.diagnostics)[0]
        reason = f"it cannot be parsed without its tags: {placeholders.restore()(error.message)}"
        number = _tag_at(placeholders, error)
        if number is None and (first := _leading(placeholders, forms)) is not None:
            forms[first] = _FORMS[-1]
            continue
        if number is None or forms[number] == _FORMS[-1]:
            at = placeholders.tags[number][1] if number is not None else (0, 0)
            return Formatted(None, (left_alone(path, reason, at, text),))
        forms[number] = _FORMS[_FORMS.index(forms[number]) + 1]
    formatted = language.formatting.text(parsed.program, placeholders.restore())
    again = _hide(formatted, prefix, forms)
    if [t for t, _ in again.tags] != [t for t, _ in placeholders.tags] or not language.formatting.is_same(
        parsed.program, again.text
    ):
        return Formatted(None, (left_alone(path, "it would not be the same program afterwards"),))
    return Formatted(formatted)


def _unused(text: str) -> str:
    """Return a prefix that does not occur in the text."""
    prefix = "TAG"
    while prefix in text.upper():
        prefix += "_"
    return prefix


def _hide(text: str, prefix: str, forms: list[str]) -> _Hidden:
    tags, words, extents, parts = [], [], [], []
    at = length = 0
    for number, match in enumerate(_TAG.finditer(text)):
        word = _word(number, prefix, forms[number], text)
        parts += [text[at : match.start()], word]
        length += match.start() - at
        tags.append((match[0], match.span()))
        words.append(word)
        extents.append((length, length + len(word)))
        length += len(word)
        at = match.end()
    return _Hidden("".join([*parts, text[at:]]), tuple(tags), tuple(words), tuple(extents))


def _word(number: int, prefix: str, form: str, text: str) -> str:
    if form == "comment":
        return f"/*{prefix}{number}_*/"
    if form == "name":
        return f"{prefix}{number}_"
    # Digits that do not occur in the text, and are no prefix of other placeholders.
    digits = next(d for d in (f"{first}{number:04}9" for first in range(1, 1_000_000)) if d not in text)
    return f"{digits}s" if form == "duration" else digits


def _inside_a_statement(placeholders: _Hidden, forms: list[str], path: str, language: Dialect) -> Extent | None:
    """Return the first comment placeholder inside a statement, or directly before its semicolon."""
    numbers = [n for n, form in enumerate(forms) if form == "comment"]
    tokens, faults = tokenize(SourceText(path, placeholders.text), language.name) if numbers else ((), ())
    if faults:
        return None
    for number in numbers:
        start, end = placeholders.extents[number]
        before = next((t for t in reversed(tokens) if t.start < start), None)
        after = next(t for t in tokens if t.start >= end)
        if (before and (before.text != ";" or before.end > start)) or after.text == ";":
            return placeholders.tags[number][1]
    return None


def _leading(placeholders: _Hidden, forms: list[str]) -> int | None:
    """Return the first tag that is not a comment placeholder, if only comments precede it."""
    number = next((n for n, form in enumerate(forms) if form != _FORMS[-1]), None)
    if number is None or _COMMENT.sub("", placeholders.text[: placeholders.extents[number][0]]).strip():
        return None
    return number


def _tag_at(placeholders: _Hidden, finding: Diagnostic) -> int | None:
    """Return the tag that a diagnostic is about."""
    if finding.span is None:
        return None
    rows = placeholders.text.split("\n")
    start = sum(len(row) + 1 for row in rows[: finding.span.line - 1]) + finding.span.column - 1
    end = sum(len(row) + 1 for row in rows[: finding.span.end_line - 1]) + finding.span.end_column - 1
    return next((n for n, (a, b) in enumerate(placeholders.extents) if a < max(end, start + 1) and start < b), None)
