"""Models as Jinja templates: `ref`, `source`, `var`, `env_var`, `config` and the project's macros.

Three ways, the cheapest that will do: a text without `{` is its own result; one whose only tags are plain calls such as
`{{ ref('orders') }}` is filled in here, so that a thousand models do not wait for Jinja's compiler and every column
stays known; anything else goes through Jinja, sandboxed (see `sandbox`), which is loaded when first needed.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsqlc.diagnostics import Diagnostic
from lsqlc.project.templates.functions import (
    Functions,
    Rendered,
    Surroundings,
    TemplateFailure,
    problem,
)
from lsqlc.project.templates.positions import joined

if TYPE_CHECKING:
    from lsqlc.project.templates.jinja import Jinja

_ATOM = r"(?:'[^'\\]*'|\"[^\"\\]*\"|\d{1,18}|True|False)"
_ARGUMENT = rf"(?:\w+\s*=\s*)?(?:{_ATOM}|\[\s*(?:{_ATOM}\s*(?:,\s*{_ATOM}\s*)*)?\])"
_PLAIN = re.compile(rf"\s*\w+\(\s*(?:{_ARGUMENT}\s*(?:,\s*{_ARGUMENT}\s*)*)?\)\s*")


class Renderer:
    """Renders the templates of one project; keeps Jinja and the macros between them."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._jinja: Jinja | None = None

    def render(self, text: str, path: str) -> Rendered:
        """The text of a model, `path` naming it in diagnostics. Never raises for bad input."""
        if "{" not in text:
            return Rendered(text)
        functions = Functions(self._surroundings)
        filled = _fill(text, path, functions)
        return filled if filled is not None else self._with_jinja(text, path)

    def check_macros(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the macro files."""
        return self._engine().diagnostics if self._surroundings.macros else ()

    def _with_jinja(self, text: str, path: str) -> Rendered:
        return self._engine().render(text, path)

    def _engine(self) -> Jinja:
        if self._jinja is None:
            from lsqlc.project.templates.jinja import Jinja

            self._jinja = Jinja(self._surroundings)
        return self._jinja


@dataclass(frozen=True, slots=True)
class _Tag:
    """A plain call between braces, which stand at `start` to `end`."""

    start: int
    end: int
    name: str
    arguments: tuple[Any, ...]
    named: dict[str, Any]


def _fill(text: str, path: str, functions: Functions) -> Rendered | None:
    """The text with its tags filled in, or None if any of them needs Jinja."""
    table = functions.table()
    tags = _tags(text)
    if tags is None or any(tag.name not in table for tag in tags):
        return None
    chunks: list[tuple[str, int, int | None]] = []
    problems: list[Diagnostic] = []
    at = 0
    for tag in tags:
        chunks.append((text[at : tag.start], at, None))
        at = tag.end
        try:
            chunks.append((str(table[tag.name](*tag.arguments, **tag.named)), tag.start, tag.end))
        except TemplateFailure as failure:
            problems.append(problem(failure, text, path, tag.start, tag.end))
        except (TypeError, AttributeError):
            # Arguments that do not fit: Jinja's message for the same call is the better one.
            return None
    chunks.append((text[at:], at, None))
    refs = tuple(functions.refs)
    if problems:
        return Rendered(None, None, refs, functions.settings, tuple(problems))
    positions = joined(chunks, text)
    return Rendered(positions.rendered, positions, refs, functions.settings)


def _tags(text: str) -> list[_Tag] | None:
    """The tags of a text, or None if any of them is more than a plain call."""
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
    """A call whose arguments are texts, numbers, truth values or lists of them, as both Jinja and Python read it."""
    if not _PLAIN.fullmatch(expression):
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
