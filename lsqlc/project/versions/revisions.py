"""The files of a project as a git revision has them. Git is only asked: no network, no work tree, index or hook."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.scan import paths

# Objects that a partial clone lacks are not fetched, nobody is asked for a password, nothing is locked.
_QUIET = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
# What a hook is called with; the repository is the one that the project lies in.
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
_LINK = "120000"
_FILES = ("100644", "100755")
_HELP = "use a branch, tag or commit of this clone, or a manifest.json that a build wrote"
_FETCH = "fetch the whole history with the default branch, or name a revision with --against"


def extract(root: Path, revision: str, folder: Path, environment: Mapping[str, str]) -> str:
    """Write the files of the folder `root` at a revision into an empty folder; returns the commit's hash.

    `environment` is the whole one. Raises LsqlcError LSQ069 if there is no git, repository or such revision, or the
    project was not there then.
    """
    kept = {name: value for name, value in environment.items() if name not in _ELSEWHERE}
    git = _Git(root, revision, kept | _QUIET)
    inside = git.ask("rev-parse", "--show-prefix", why="the project is not in a git repository").decode().rstrip("\n")
    commit = git.ask(
        "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}",
        why=f"unknown revision '{revision}'",
    ).decode().strip()  # fmt: skip
    place = f"{commit}:{inside}"
    missing = f"the project's folder '{inside.rstrip('/')}' is not in the revision '{revision}'"
    listed = git.ask("ls-tree", "-r", "-z", "--full-tree", place, why=missing)
    entries = [_entry(line) for line in listed.split(b"\0") if line]
    wanted = [entry for entry in entries if entry[0] in (*_FILES, _LINK) and paths.within(entry[2])]
    contents = git.contents([name for _, name, _ in wanted])
    # Links last, so that no file is written through one.
    for inner in dict.fromkeys(path.rpartition("/")[0] for _, _, path in wanted):
        (folder / inner).mkdir(parents=True, exist_ok=True)
    base = os.fspath(folder)
    for (mode, _, path), content in sorted(zip(wanted, contents, strict=True), key=lambda pair: pair[0][0] == _LINK):
        if mode == _LINK:
            (folder / path).symlink_to(content.decode("utf-8", "surrogateescape"))
            continue
        with open(f"{base}/{path}", "wb") as file:  # noqa: PTH123 - a thousand files: pathlib takes twice as long
            file.write(content)
    return commit


@dataclass(frozen=True, slots=True)
class Base:
    """A commit's hash, and what it is, in words."""

    commit: str
    words: str


def default_base(root: Path, environment: Mapping[str, str]) -> Base:
    """What a comparison without a revision compares with: the merge base of HEAD and the default branch, which is what
    a pull request shows; HEAD where there is no default branch, or HEAD is at it.

    The default branch is the one that the remote `origin` names, else `main`, `master` or git's `init.defaultBranch`,
    of the remote first. `environment` is the whole one.

    Raises LsqlcError LSQ069 if there is no git, repository or commit, if the default branch and HEAD have no commit in
    common, as in a shallow clone, and if HEAD is of no branch and there is no default branch, as in a job's clone of
    one commit: to compare with HEAD there would find nothing, whatever was changed.
    """
    kept = {name: value for name, value in environment.items() if name not in _ELSEWHERE}
    git = _Git(root, "HEAD", kept | _QUIET)
    git.ask("rev-parse", "--show-prefix", why="the project is not in a git repository")
    head = git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}", why="the repository has no commit")
    commit = head.decode().strip()
    branch = _default_branch(git)
    if branch is None:
        if not git.answer("symbolic-ref", "--quiet", "HEAD"):
            raise git.refused("HEAD is not on a branch, and there is no default branch", "", help=_FETCH)
        return Base(commit, "HEAD, as there is no default branch")
    base = git.answer("merge-base", "HEAD", branch)
    if not base:
        raise git.refused(f"HEAD and '{branch}' have no commit in common in this clone", "", help=_FETCH)
    return Base(base, "HEAD" if base == commit else f"the merge base of HEAD and {branch}")


def _default_branch(git: _Git) -> str | None:
    named = git.answer("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    names = ("main", "master", git.answer("config", "--get", "init.defaultBranch"))
    candidates = (named, *(f"origin/{name}" for name in names if name), *names)
    for name in candidates:
        # `main` may be a tag too.
        where = f"refs/remotes/{name}" if name.startswith("origin/") else f"refs/heads/{name}"
        if name and git.answer("rev-parse", "--verify", "--quiet", f"{where}^{{commit}}"):
            return name
    return None


class _Git:
    """Git in the project's folder; what it refuses becomes a finding."""

    def __init__(self, root: Path, revision: str, environment: Mapping[str, str]) -> None:
        self._root, self._revision, self._environment = root, revision, environment

    def ask(self, *words: str, why: str, given: bytes = b"") -> bytes:
        try:
            ran = subprocess.run(
                ["git", *words], cwd=self._root, env=dict(self._environment), input=given, capture_output=True
            )
        except OSError as error:
            raise self.refused("git cannot be started", str(error.strerror)) from None
        except ValueError:
            raise self.refused(why, "it contains an invalid character") from None
        if ran.returncode:
            raise self.refused(why, ran.stderr.decode("utf-8", "replace").strip())
        return ran.stdout

    def answer(self, *words: str) -> str:
        """What git answers, without the line's end; empty where it has no answer."""
        try:
            return self.ask(*words, why="").decode("utf-8", "surrogateescape").strip()
        except LsqlcError:
            return ""

    def contents(self, names: list[str]) -> list[bytes]:
        """The contents of blobs, in order."""
        given = "".join(f"{name}\n" for name in names).encode()
        answer = self.ask("cat-file", "--batch", why="git cannot read the revision's files", given=given)
        found, at = [], 0
        for _ in names:
            end = answer.index(b"\n", at)
            head = answer[at:end].split()
            if len(head) != 3:
                raise self.refused("git cannot read the revision's files", answer[at:end].decode("utf-8", "replace"))
            size = int(head[2])
            found.append(answer[end + 1 : end + 1 + size])
            at = end + 2 + size
        return found

    def refused(self, why: str, note: str, *, help: str = _HELP) -> LsqlcError:
        message = f"there is nothing to compare with at '{self._revision}'"
        return LsqlcError([Diagnostic("LSQ069", message, notes=(why, *([note] if note else [])), help=help)])


def _entry(line: bytes) -> tuple[str, str, str]:
    """Mode, blob and path of a line of `git ls-tree -z`."""
    about, _, path = line.partition(b"\t")
    mode, _, name = about.split()[:3]
    return mode.decode(), name.decode(), path.decode("utf-8", "surrogateescape")
