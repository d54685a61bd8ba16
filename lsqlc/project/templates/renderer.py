"""Models as Jinja templates: `ref`, `source`, `var`, `env_var`, `config` and the project's macros.

There are three ways to render, and the cheapest possible one is used. A text without `{` is its own result. A text
whose only tags are plain calls such as `{{ ref('orders') }}` is rendered here: a thousand models do not wait for
Jinja's compiler, and every column remains known. Any other text is rendered by Jinja, sandboxed (see `sandbox`), in a
separate process (see `process`) that is started when it is first needed.

Rendered templates have limits in all three ways, for each and for all of a project. Otherwise a few kilobytes in a
pull request could make gigabytes of SQL.
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


# The characters that all templates of a project may render to, and additional characters for each of their own.
_MOST_RENDERED = 20_000_000
_RENDERED_OF_EACH = 10
# The additional memory of a piece of rendered text, in characters.
_PIECE = 50
# The maximal number of reported findings about the tags of one text.
_MOST_PROBLEMS = 100
# The longest call that is parsed here, in characters: Python's parser takes a hundred bytes or more for each. The
# longest template for Jinja: its parser takes ten seconds or more for ten times as many.
_LONGEST_CALL, _LONGEST_TEMPLATE = 10_000, 1_000_000


class Renderer:
    """Renders the templates of one project, with one process, and counts their results."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._process: RenderingProcess | None = None
        self._left = _MOST_RENDERED

    def render(self, text: str, path: str) -> Rendered:
        """Render the text of a model. `path`: its name in diagnostics. Never raises for invalid input."""
        if "{" not in text:
            return Rendered(text)
        functions = Functions(self._surroundings)
        filled = _fill(text, path, functions)
        if filled is None and len(text) > _LONGEST_TEMPLATE:
            return _too_long(path, f"the template is longer than {_LONGEST_TEMPLATE:,} characters", Rendered(None))
        return self._counted(filled if filled is not None else self._running().render(text, path), text, path)

    def check_macros(self) -> tuple[Diagnostic, ...]:
        """Return the errors of the macro files."""
        return self._running().check_macros() if self._surroundings.macros else ()

    def _running(self) -> RenderingProcess:
        if self._process is None:
            from lsqlc.project.templates.process import RenderingProcess

            self._process = RenderingProcess(self._surroundings)
        return self._process

    def _counted(self, rendered: Rendered, template: str, path: str) -> Rendered:
        """Return the result, unless the project becomes too large with it."""
        positions = rendered.positions
        if positions is None:
            return rendered
        self._left += _RENDERED_OF_EACH * len(template) - len(positions.rendered) - _PIECE * len(positions.pieces)
        if self._left >= 0:
            return rendered
        return _too_long(path, f"the templates of the project become more than {_MOST_RENDERED:,} characters", rendered)


def _too_long(path: str, message: str, rendered: Rendered) -> Rendered:
    help = "the template of a model is for names and repeated columns, not for computations"
    diagnostic = Diagnostic("LSQ026", message, Span(path, 1, 1, 1, 1), help=help)
    return Rendered(None, None, rendered.refs, rendered.settings, (diagnostic,))


@dataclass(frozen=True, slots=True)
class _Tag:
    """A plain call in braces, at `start` to `end`."""

    start: int
    end: int
    name: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


def _fill(text: str, path: str, functions: Functions) -> Rendered | None:
    """Return the text with the results of its tags, or None if any of them needs Jinja."""
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
            value = str(table[tag.name](*tag.arguments, **tag.keywords))
            chunks.append((value, tag.start, tag.end))
            length += len(value)
        except TemplateFailure as failure:
            problems.append(problem(failure, text, path, tag.start, tag.end))
        except (TypeError, AttributeError):
            # Invalid arguments: Jinja's message for the same call is better.
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
    """Return a call that Jinja and Python parse alike: its arguments are texts, numbers, truth values or lists
    of them.
    """
    if len(expression) > _LONGEST_CALL or not _PLAIN.fullmatch(expression):
        return None
    try:
        call = ast.parse(expression.strip(), mode="eval").body
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            arguments = tuple(ast.literal_eval(argument) for argument in call.args)
            keywords = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
            return _Tag(start, end, call.func.id, arguments, keywords)
    except SyntaxError:
        # A number like 01, a text over two lines, a repeated name: Jinja may accept them.
        return None
    return None
