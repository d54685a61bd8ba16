"""Models as Jinja templates: `ref`, `source`, `var`, `env_var`, `config` and the project's macros.

Three ways, the cheapest that will do: a text without `{` is its own result; one whose only tags are plain calls such as
`{{ ref('orders') }}` is filled in here, so that a thousand models do not wait for Jinja's compiler and every column
stays known; anything else goes through Jinja, sandboxed (see `sandbox`), in a process of its own (see `process`), which
is started when first needed.

What templates become has limits in all of these ways: for each, and for all of a project, so that a few kilobytes in a
pull request do not make gigabytes of SQL.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.project.templates.functions import (
    Functions,
    Rendered,
    Surroundings,
    TemplateFailure,
    problem,
)
from lsqlc.project.templates.limits import MAX_TEXT
from lsqlc.project.templates.positions import joined

if TYPE_CHECKING:
    from lsqlc.project.templates.process import RenderingProcess

_ATOM = r"(?:'[^'\\]*'|\"[^\"\\]*\"|\d{1,18}|True|False)"
_ARGUMENT = rf"(?:\w+\s*=\s*)?(?:{_ATOM}|\[\s*(?:{_ATOM}\s*(?:,\s*{_ATOM}\s*)*)?\])"
_PLAIN = re.compile(rf"\s*\w+\(\s*(?:{_ARGUMENT}\s*(?:,\s*{_ARGUMENT}\s*)*)?\)\s*")


# What all templates of a project may become: so many characters, and for each of their own so many more.
_MOST_RENDERED = 20_000_000
_RENDERED_OF_EACH = 10
# What a piece of a rendered text takes besides its characters, in characters.
_PIECE = 50
# The findings about the tags of one text that are told.
_MOST_PROBLEMS = 100
# The characters of the longest call that is read here: Python's reader takes a hundred bytes and more for each. And
# those of the longest template that is given to Jinja, whose reader takes ten seconds and more for ten times as many.
_LONGEST_CALL, _LONGEST_TEMPLATE = 10_000, 1_000_000


class Renderer:
    """Renders the templates of one project; keeps the process that renders them, and counts what they become."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._process: RenderingProcess | None = None
        self._left = _MOST_RENDERED

    def render(self, text: str, path: str) -> Rendered:
        """Return the text of a model, `path` naming it in diagnostics. Never raises for bad input."""
        if "{" not in text:
            return Rendered(text)
        functions = Functions(self._surroundings)
        filled = _fill(text, path, functions)
        if filled is None and len(text) > _LONGEST_TEMPLATE:
            return _too_long(path, f"the template is longer than {_LONGEST_TEMPLATE:,} characters", Rendered(None))
        return self._counted(filled if filled is not None else self._running().render(text, path), text, path)

    def check_macros(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the macro files."""
        return self._running().check_macros() if self._surroundings.macros else ()

    def _running(self) -> RenderingProcess:
        if self._process is None:
            from lsqlc.project.templates.process import RenderingProcess

            self._process = RenderingProcess(self._surroundings)
        return self._process

    def _counted(self, rendered: Rendered, template: str, path: str) -> Rendered:
        """Return the result, unless the project has become too large with it."""
        positions = rendered.positions
        if positions is None:
            return rendered
        self._left += _RENDERED_OF_EACH * len(template) - len(positions.rendered) - _PIECE * len(positions.pieces)
        if self._left >= 0:
            return rendered
        return _too_long(path, f"the templates of the project become more than {_MOST_RENDERED:,} characters", rendered)


def _too_long(path: str, message: str, rendered: Rendered) -> Rendered:
    help = "the template of a model is for names and repeated columns, not for computations"
    found = Diagnostic("LSQ026", message, Span(path, 1, 1, 1, 1), help=help)
    return Rendered(None, None, rendered.refs, rendered.settings, (found,))


@dataclass(frozen=True, slots=True)
class _Tag:
    """A plain call between braces, which stand at `start` to `end`."""

    start: int
    end: int
    name: str
    arguments: tuple[Any, ...]
    named: dict[str, Any]


def _fill(text: str, path: str, functions: Functions) -> Rendered | None:
    """Return the text with its tags filled in, or None if any of them needs Jinja."""
    table = functions.table()
    tags = _tags(text)
    if tags is None or any(tag.name not in table for tag in tags):
        return None
    chunks: list[tuple[str, int, int | None]] = []
    problems: list[Diagnostic] = []
    at = length = 0
    for tag in tags:
        if length > MAX_TEXT or len(problems) == _MOST_PROBLEMS:
            break
        chunks.append((text[at : tag.start], at, None))
        at = tag.end
        try:
            value = str(table[tag.name](*tag.arguments, **tag.named))
            chunks.append((value, tag.start, tag.end))
            length += len(value)
        except TemplateFailure as failure:
            problems.append(problem(failure, text, path, tag.start, tag.end))
        except (TypeError, AttributeError):
            # Arguments that do not fit: Jinja's message for the same call is the better one.
            return None
    chunks.append((text[at:], at, None))
    refs = tuple(functions.refs)
    if problems:
        return Rendered(None, None, refs, functions.settings, tuple(problems))
    if length > MAX_TEXT:
        message = f"the values in the template are longer than {MAX_TEXT:,} characters"
        return _too_long(path, message, Rendered(None, None, refs, functions.settings))
    positions = joined(chunks, text)
    return Rendered(positions.rendered, positions, refs, functions.settings)


def _tags(text: str) -> list[_Tag] | None:
    """Return the tags of a text, or None if any of them is more than a plain call."""
    if "{%" in text or "{#" in text:
        return None
    tags: list[_Tag] = []
    start = text.find("{{")
    while start >= 0:
        end = text.find("}}", start + 2)
        tag = _plain_call(text[start + 2 : end], start, end + 2) if end >= 0 else None
        if tag is None:
            return None
        tags.append(tag)
        start = text.find("{{", end + 2)
    return tags


def _plain_call(expression: str, start: int, end: int) -> _Tag | None:
    """Return a call whose arguments are texts, numbers, truth values or lists of them, as both Jinja and Python read
    it.
    """
    if len(expression) > _LONGEST_CALL or not _PLAIN.fullmatch(expression):
        return None
    try:
        call = ast.parse(expression.strip(), mode="eval").body
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            arguments = tuple(ast.literal_eval(argument) for argument in call.args)
            named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
            return _Tag(start, end, call.func.id, arguments, named)
    except SyntaxError:
        # A number like 01, a text over two lines, one name twice: Jinja may have an opinion of its own.
        return None
    return None
