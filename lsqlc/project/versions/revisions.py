"""The files of a project at a git revision. The network, the work tree, the index and hooks are not used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.versions.git import GitError, Repository, open_repository
from lsqlc.scan import paths

_LINK = "120000"
_FILES = ("100644", "100755")
_HELP = "use a branch, tag or commit of this clone, or a manifest.json that a build wrote"
_FETCH = "fetch the whole history with the default branch, or name a revision with --against"
# Before a revision in a command, so that it is never read as an option.
_END = "--end-of-options"


def extract(root: Path, revision: str, folder: Path, environment: Mapping[str, str]) -> str:
    """Write the files of the folder `root` at a revision into an empty folder, and return the commit's hash.

    `environment`: all variables. Raises LsqlcError LSQ069 if git, the repository, the revision or the project in
    it is missing, or if the files cannot be written.
    """
    try:
        return _extract(open_repository(root, environment), revision, folder)
    except GitError as error:
        raise _refused(revision, error.reason, error.note) from None


def _extract(repository: Repository, revision: str, folder: Path) -> str:
    unknown = f"unknown revision '{revision}'"
    if revision.startswith("-"):
        raise GitError(unknown, "a revision cannot begin with '-'")
    parse = ("rev-parse", "--verify", "--quiet", _END)
    commit = repository.ask(*parse, f"{revision}^{{commit}}", why=unknown).decode().strip()
    inside = repository.inside
    missing = f"the project's folder '{inside}' is not in the revision '{revision}'"
    output = repository.ask("ls-tree", "-r", "-z", "--full-tree", _END, f"{commit}:{inside}", why=missing)
    entries = [_entry(line) for line in output.split(b"\0") if line]
    entries_to_read = [entry for entry in entries if entry[0] in (*_FILES, _LINK) and paths.within(entry[2])]
    contents = _contents(repository, [name for _, name, _ in entries_to_read])
    try:
        _write(folder, [(mode, path) for mode, _, path in entries_to_read], contents)
    except (OSError, ValueError) as error:
        # A tree that git did not make can contain a file and a folder with the same name, or a link with any bytes.
        raise GitError(
            "the files of the revision cannot be written", getattr(error, "strerror", None) or str(error)
        ) from None
    return commit


def _write(folder: Path, entries: list[tuple[str, str]], contents: list[bytes]) -> None:
    """Write files by mode and path. Links are last, so that no file is written through one."""
    for inner in dict.fromkeys(path.rpartition("/")[0] for _, path in entries):
        (folder / inner).mkdir(parents=True, exist_ok=True)
    base = os.fspath(folder)
    for (mode, path), content in sorted(zip(entries, contents, strict=True), key=lambda pair: pair[0][0] == _LINK):
        if mode == _LINK:
            (folder / path).symlink_to(content.decode("utf-8", "surrogateescape"))
            continue
        with open(f"{base}/{path}", "wb") as file:  # noqa: PTH123 - a thousand files: pathlib takes twice as long
            file.write(content)


@dataclass(frozen=True, slots=True)
class Base:
    """A commit's hash, and its description for messages."""

    commit: str
    words: str


def default_base(root: Path, environment: Mapping[str, str]) -> Base:
    """Return the default base of a comparison.

    It is the merge base of HEAD and the default branch, as in a pull request; HEAD if there is no default branch, or if
    HEAD is at it. The default branch is the one that the remote `origin` names; else `main`, `master` or git's
    `init.defaultBranch`, of the remote first. `environment`: all variables.

    Raises LsqlcError LSQ069 if git, the repository or the commit is missing. It is also raised if the default branch
    and HEAD have no common commit, as in a shallow clone. The same holds if HEAD is not on a branch and there is no
    default branch, as in a job's clone of one commit: a comparison with HEAD would never report a change.
    """
    try:
        repository = open_repository(root, environment)
        head = repository.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}", why="the repository has no commit")
    except GitError as error:
        raise _refused("HEAD", error.reason, error.note) from None
    commit = head.decode().strip()
    branch = _default_branch(repository)
    if branch is None:
        if not repository.answer("symbolic-ref", "--quiet", "HEAD"):
            raise _refused("HEAD", "HEAD is not on a branch, and there is no default branch", help=_FETCH)
        return Base(commit, "HEAD, as there is no default branch")
    base = repository.answer("merge-base", _END, commit, branch.commit)
    if not base:
        raise _refused("HEAD", f"HEAD and '{branch.words}' have no commit in common in this clone", help=_FETCH)
    return Base(base, "HEAD" if base == commit else f"the merge base of HEAD and {branch.words}")


def _default_branch(repository: Repository) -> Base | None:
    """Return the commit and the name of the default branch."""
    remote = repository.answer("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    names = ("main", "master", repository.answer("config", "--get", "init.defaultBranch"))
    candidates = (remote, *(f"origin/{name}" for name in names if name), *names)
    for name in filter(None, candidates):
        # `main` may be a tag too.
        ref = f"refs/remotes/{name}" if name.startswith("origin/") else f"refs/heads/{name}"
        if commit := repository.answer("rev-parse", "--verify", "--quiet", _END, f"{ref}^{{commit}}"):
            return Base(commit, name)
    return None


def _contents(repository: Repository, names: list[str]) -> list[bytes]:
    """Return the contents of blobs, in order."""
    unreadable = "git cannot read the revision's files"
    stdin = "".join(f"{name}\n" for name in names).encode()
    answer = repository.ask("cat-file", "--batch", why=unreadable, stdin=stdin)
    contents, at = [], 0
    for _ in names:
        end = answer.index(b"\n", at)
        head = answer[at:end].split()
        if len(head) != 3:
            raise GitError(unreadable, answer[at:end].decode("utf-8", "replace"))
        size = int(head[2])
        contents.append(answer[end + 1 : end + 1 + size])
        at = end + 2 + size
    return contents


def _refused(revision: str, reason: str, note: str = "", *, help: str = _HELP) -> LsqlcError:
    message = f"there is nothing to compare with at '{revision}'"
    return LsqlcError([Diagnostic("LSQ069", message, notes=(reason, *([note] if note else [])), help=help)])


def _entry(line: bytes) -> tuple[str, str, str]:
    """Return mode, blob and path of a line of `git ls-tree -z`."""
    about, _, path = line.partition(b"\t")
    mode, _, name = about.split()[:3]
    return mode.decode(), name.decode(), path.decode("utf-8", "surrogateescape")
