"""Which files are watched, and what one save is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from lsqlc.project.discovery import load_project
from lsqlc.tasks.file_watch import Snapshot, Watched, changed, next_save, snapshot, watched

Write = Callable[[], object]


class _Pauses:
    """Pauses in each of which something happens; a test that waits for more than that has missed its save."""

    def __init__(self, *steps: Write | None) -> None:
        self._steps: Iterator[Write | None] = iter(steps)
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        step = next(self._steps)
        if step is not None:
            step()


def saved(root: Path, *steps: Write | None) -> tuple[str, ...]:
    """The files of the next save while these steps happen, one in each pause."""
    before = snapshot(root, Watched((".",)))
    after = next_save(before, lambda: snapshot(root, Watched((".",))), _Pauses(*steps))
    return changed(before, after)


def test_a_save_that_replaces_the_file(tmp_path: Path) -> None:
    """By a rename, at which the file is gone for a moment: it is one save, of one file."""
    model = tmp_path / "a.sql"
    model.write_text("old")

    def remove() -> None:
        model.unlink()

    def replace() -> None:
        (tmp_path / "a.sql~").write_text("new")
        (tmp_path / "a.sql~").rename(model)

    assert saved(tmp_path, None, remove, replace, None) == ("a.sql",)


def test_the_same_size_at_the_same_time(tmp_path: Path) -> None:
    """A file that was renamed into its place is another one, whatever its time and size."""
    import os

    model, other = tmp_path / "a.sql", tmp_path / "b"
    model.write_text("old")
    stat = model.stat()
    other.write_text("new")
    os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    before = snapshot(tmp_path, Watched((".",), outside=("b",)))
    other.rename(model)
    assert changed(before, snapshot(tmp_path, Watched((".",), outside=("b",)))) == ("a.sql",)


def test_many_files_are_one_save(tmp_path: Path) -> None:
    """A checkout writes file after file; it is over once nothing changes between two looks."""

    def write(name: str) -> Write:
        return lambda: (tmp_path / name).write_text(name)

    assert saved(tmp_path, write("a"), write("b"), write("c"), None) == ("a", "b", "c")


def test_what_comes_and_goes_is_no_save(tmp_path: Path) -> None:
    """A file that an editor makes to see whether it can, and one whose name says that it is scratch."""
    probe, real = tmp_path / "probe", tmp_path / "real.sql"
    (tmp_path / "golden").mkdir()

    def swap() -> None:
        for name in (".a.sql.swp", "a.sql~", "#a.sql#", ".#a.sql", "4913", "a.tmp"):
            (tmp_path / name).write_text("")

    steps = (
        lambda: probe.write_text(""),
        probe.unlink,
        None,
        swap,
        lambda: real.write_text(""),
        None,
    )
    assert saved(tmp_path, *steps) == ("real.sql",)


def test_a_file_that_never_rests(tmp_path: Path) -> None:
    """A save is shown in the end, even if something goes on writing."""
    size = 0

    def look() -> Snapshot:
        nonlocal size
        size += 1
        return {"a": (0, size, 0)}

    pauses = _Pauses(*[None] * 100)
    assert next_save({}, look, pauses) and len(pauses.seconds) < 100


def test_what_a_project_is_made_of(tmp_path: Path) -> None:
    """All its folders, files that it names elsewhere, and what lies in its own folder; not its output."""
    files = {
        "lsqlc.yml": "name: p\ndialect: lenses\n",
        "models/m.sql": "SELECT STREAM * FROM t;",
        "models/t.yml": "topics:\n  - {name: t, key: STRING, value: 'n INT', seed: {path: data/t.csv, key: n}}\n"
        "  - {name: f, value: 'n INT', connector: files, files: {path: 'drop/*/x.csv', format: csv}}\n",
        "macros/m.sql": "", "functions/f.py": "", "seeds/s.csv": "", "tests/c.yml": "", "golden/m/a.jsonl": "",
        "data/t.csv": "n\n1\n", "drop/a/x.csv": "n\n1\n", "profiles.yml": "", "other/x.csv": "", "target/out.json": "",
        ".lsqlc/topics/x": "", "out.jsonl": "",
    }  # fmt: skip
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    loaded = load_project(tmp_path)
    assert loaded.project is not None
    seen = snapshot(tmp_path, watched(loaded.project))
    assert seen.keys() == files.keys() - {"other/x.csv", "target/out.json", ".lsqlc/topics/x", "out.jsonl"}
    assert snapshot(tmp_path, watched(None)).keys() == {"lsqlc.yml", "profiles.yml"}
