"""Unified patches of text files for `git apply` and `patch -p1`.

There is no `diff --git` line: git would resolve its paths from the top of the repository, and silently skip a project
in a subfolder. Only `\\n` ends a line.
"""

from __future__ import annotations

from difflib import unified_diff

_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def patch(path: str, before: str | None, after: str | None) -> str:
    """Return the patch from one text to the other, empty if they are equal. None: the file does not exist."""
    if before == after:
        return ""
    if not before and not after:
        # Only git's own form can create or delete an empty file.
        what, ids = ("new", "0000000..e69de29") if before is None else ("deleted", "e69de29..0000000")
        return f"diff --git {_name('a/', path)} {_name('b/', path)}\n{what} file mode 100644\nindex {ids}\n"
    old = "/dev/null" if before is None else _name("a/", path)
    new = "/dev/null" if after is None else _name("b/", path)
    # git writes a tab after a name with a space, to separate it from a time stamp.
    tab = "\t" if " " in path else ""
    lines = list(unified_diff(_lines(before), _lines(after)))[2:]
    head = f"--- {old}{tab if before is not None else ''}\n+++ {new}{tab if after is not None else ''}\n"
    return head + "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str | None) -> list[str]:
    """Return lines with their ends. `splitlines` would also split at characters that are valid in JSON."""
    parts = (text or "").split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _name(side: str, path: str) -> str:
    name = side + path
    if not any(c in _ESCAPES or c < " " or c == "\x7f" for c in name):
        return name
    return '"' + "".join(_ESCAPES.get(c) or (c if " " <= c != "\x7f" else f"\\{ord(c):03o}") for c in name) + '"'
