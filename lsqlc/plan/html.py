"""A plan as HTML, for notebooks."""

from __future__ import annotations

from html import escape


def plan_html(tree: str) -> str:
    """Return the tree of a plan as HTML, with operator names in bold."""
    lines = []
    for line in tree.rstrip("\n").split("\n"):
        words = line.lstrip(" ")
        name, space, rest = words.partition(" ")
        indent = line[: len(line) - len(words)]
        lines.append(f"{indent}<b>{escape(name)}</b>{space}{escape(rest)}")
    text = "\n".join(lines)
    return f'<pre style="line-height:1.35">{text}</pre>'
