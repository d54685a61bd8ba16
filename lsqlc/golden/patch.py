"""Unified patches of text files, in the form that `git apply` and `patch -p1` take.

Without a `diff --git` line, since git takes the paths after one from the top of the repository: in a project below it,
it would skip them without a message. Line ends count: a line only ends at `\\n`.
"""

from __future__ import annotations

from difflib import unified_diff

_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def patch(path: str, before: str | None, after: str | None) -> str:
    """What turns one text into the other; None is a file that is not there. Empty if there is nothing to do."""
    if before == after:
        return ""
    if not before and not after:
        # A file without lines can only come and go in git's own form.
        what, ids = ("new", "0000000..e69de29") if before is None else ("deleted", "e69de29..0000000")
        return f"diff --git {_name('a/', path)} {_name('b/', path)}\n{what} file mode 100644\nindex {ids}\n"
    old = "/dev/null" if before is None else _name("a/", path)
    new = "/dev/null" if after is None else _name("b/", path)
    # git ends a name that has a space with a tab, to tell it from a time stamp.
    tab = "\t" if " " in path else ""
    lines = list(unified_diff(_lines(before), _lines(after)))[2:]
    head = f"--- {old}{tab if before is not None else ''}\n+++ {new}{tab if after is not None else ''}\n"
    return head + "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str | None) -> list[str]:
    """Return lines with their ends. Not `splitlines`, which also splits at characters that JSON texts may hold."""
    parts = (text or "").split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _name(side: str, path: str) -> str:
    name = side + path
    if not any(c in _ESCAPES or c < " " or c == "\x7f" for c in name):
        return name
    return '"' + "".join(_ESCAPES.get(c) or (c if " " <= c != "\x7f" else f"\\{ord(c):03o}") for c in name) + '"'
