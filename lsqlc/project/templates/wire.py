"""Rendered templates as JSON: the answers of the rendering process to the waiting process.

Requests are pickled. Answers are not: a template that escapes from the sandbox must not reach the waiting process.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from lsqlc.diagnostics import Diagnostic, Severity, Span
from lsqlc.project.templates.functions import ModelSettings, Rendered
from lsqlc.project.templates.positions import Piece, Positions, unix_lines


def to_json(rendered: Rendered) -> dict[str, Any]:
    positions = rendered.positions
    return {
        "text": rendered.text,
        "pieces": None if positions is None else [(p.rendered, p.start, p.end) for p in positions.pieces],
        "refs": rendered.refs,
        "settings": asdict(rendered.settings),
        "diagnostics": findings_to_json(rendered.diagnostics),
    }


def from_json(data: dict[str, Any], template: str) -> Rendered:
    """Return the result of a template from JSON.

    `template`: the text that was rendered.
    """
    text, pieces, settings = data["text"], data["pieces"], data["settings"]
    positions = None
    if pieces is not None:
        positions = Positions(text, unix_lines(template), tuple(Piece(*piece) for piece in pieces))
    settings = {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
    return Rendered(
        text, positions, tuple(data["refs"]), ModelSettings(**settings), findings_from_json(data["diagnostics"])
    )


def findings_to_json(diagnostics: tuple[Diagnostic, ...]) -> list[dict[str, Any]]:
    """Return the diagnostics of templates as JSON. They have no fixes."""
    return [
        {
            "code": d.code, "message": d.message, "span": d.span and asdict(d.span), "notes": d.notes, "help": d.help,
            "severity": d.severity.value,
        }
        for d in diagnostics
    ]  # fmt: skip


def findings_from_json(data: list[dict[str, Any]]) -> tuple[Diagnostic, ...]:
    return tuple(
        Diagnostic(
            d["code"],
            d["message"],
            Span(**d["span"]) if d["span"] else None,
            tuple(d["notes"]),
            d["help"],
            Severity(d["severity"]),
        )
        for d in data
    )
