"""Words that a shell completes: models, topics, targets, tags, selectors and codes.

A shell shows nothing but words, so that a project that cannot be read offers none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lsqlc.cli.commands import WORDS

if TYPE_CHECKING:
    from lsqlc.project.model import Project

# Bash cuts words at colons, and completes the text behind the last one.
_COLON = ":"


def models(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of models."""
    return _beginning(_models(ctx), incomplete)


def topics(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of topics that are declared, and of those that models write."""
    return _beginning(_topics(ctx), incomplete)


def topics_and_models(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of topics and of models."""
    return _beginning([*_topics(ctx), *_models(ctx)], incomplete)


def targets(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the targets of profiles.yml."""
    from lsqlc.project.declared.profiles import target_names

    root = _root(ctx)
    return _beginning(target_names(root) if root else (), incomplete)


def selectors(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the values of `--select`: models, `tag:x` and `selector:x`, each with a `+` before it if one is typed."""
    names = list(_selectors(ctx))
    method, typed = _behind_colon(ctx.meta.get(WORDS, []), incomplete)
    if method:
        begins = f"{method}{_COLON}"
        return [_COLON * (incomplete == _COLON) + name.removeprefix(begins)
                for name in _beginning(names, begins + typed)]  # fmt: skip
    plus = "+" if incomplete.startswith("+") else ""
    return [plus + name for name in _beginning(names, incomplete.removeprefix("+"))]


def codes(incomplete: str) -> list[str]:
    """Return the codes of findings."""
    from lsqlc.diagnostics.catalogue import codes as all_codes

    return _beginning(all_codes(), incomplete)


def codes_and_selectors(ctx: typer.Context, incomplete: str) -> list[str]:
    """Codes, or models as for other verbs."""
    return [*(codes(incomplete) if incomplete else ()), *selectors(ctx, incomplete)]


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete)})


def _behind_colon(words: Sequence[str], incomplete: str) -> tuple[str, str]:
    """Return the method of a selector that bash has cut at its colon, and the text behind the colon.

    Both are empty for any other word. `words`: those before the incomplete one.
    """
    if incomplete == _COLON and words:
        return words[-1].lstrip("+"), ""
    if len(words) > 1 and words[-1] == _COLON:
        return words[-2].lstrip("+"), incomplete
    return "", incomplete


def _root(ctx: typer.Context) -> Path | None:
    """Return the folder of the project; None without a project."""
    from lsqlc.project.declared.config import PROJECT_FILE

    folder = ctx.params.get("project_dir")
    start = Path(folder).absolute() if folder else Path.cwd()
    return next((f for f in (start, *(() if folder else start.parents)) if os.path.lexists(f / PROJECT_FILE)), None)


def _models(ctx: typer.Context) -> list[str]:
    project = _project(ctx)
    return [model.name for model in project.models] if project else []


def _topics(ctx: typer.Context) -> list[str]:
    from lsqlc.dialects import dialect

    project = _project(ctx)
    if project is None:
        return []
    output_topics = (
        name for model in project.models for name in dialect(model.dialect).written_topics(model.name, model.raw)
    )
    return [*(declared.topic.name for declared in project.topics), *output_topics]


def _selectors(ctx: typer.Context) -> Iterator[str]:
    project = _project(ctx)
    if project is not None:
        yield from (model.name for model in project.models)
        yield from (f"tag{_COLON}{tag}" for model in project.models for tag in model.tags)
        yield from (f"selector{_COLON}{name}" for name in project.config.selectors)


def _project(ctx: typer.Context) -> Project | None:
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.project.workspace import open_workspace

    root = _root(ctx)
    try:
        return open_workspace(root, environment=dict(os.environ)).project if root else None
    except LsqlcError:
        return None
