"""Git, started safely over a work tree that a stranger wrote. This is the only module that starts it.

Git looks for a repository in the current folder and above. A folder that contains `HEAD`, `config`, `objects/` and
`refs/` is a bare repository for it, and any pull request can contain such a folder, with settings that start programs.
So lsqlc determines the repository itself and names it in each call. Only a `.git` counts, which git refuses to commit.

The settings of the repository that is used belong to whoever cloned it. Those that start programs have no effect all
the same, as nothing here needs them: a clone may be an unpacked archive.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lsqlc.project import files
from lsqlc.scan.paths import is_inside

_DOT_GIT = ".git"
_LINE = b"gitdir:"
# A path has at most 4,096 bytes.
_LONGEST_LINE = 8_192

_NOTHING = os.devnull
# Given on the command line, they take precedence over all files. Git ignores those that its version does not know.
SETTINGS = {
    "safe.bareRepository": "explicit",
    "protocol.allow": "never",
    "core.fsmonitor": "false",
    "core.hooksPath": _NOTHING,
    "core.attributesFile": _NOTHING,
    "core.pager": "cat",
    "core.editor": ":",
    "core.askPass": "",
    "core.sshCommand": "false",
    "core.gitProxy": "",
    "core.alternateRefsCommand": "false",
    "credential.helper": "",
    "diff.external": "",
    "sequence.editor": ":",
    "interactive.diffFilter": "",
    "log.showSignature": "false",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}

# Unlike `protocol.allow`, the list of allowed protocols takes precedence over `protocol.NAME.allow` of the repository,
# so that a git that does not know GIT_NO_LAZY_FETCH fetches no missing object either. Traces would be written to files.
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
    "GIT_ASKPASS": "false",
    "GIT_SSH_COMMAND": "false",
    "GIT_TRACE2": "0",
    "GIT_TRACE2_EVENT": "0",
    "GIT_TRACE2_PERF": "0",
    "LC_ALL": "C",
}
# Where the user keeps settings, such as `safe.directory`. Any other GIT_ variable is for another call: that of a hook
# names its own repository, index and objects.
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_EXEC_PATH")
_KEPT_NUMBERED = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
_YES = ("1", "true", "yes", "on")


class GitError(Exception):
    """What git refused. `reason`: one clause; `note`: the message of git, or nothing."""

    def __init__(self, reason: str, note: str = "") -> None:
        super().__init__(reason)
        self.reason, self.note = reason, note


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of a project. `inside`: the project's folder in it, with `/`, empty for the repository's top."""

    git: str
    folder: str
    top: str
    inside: str
    environment: Mapping[str, str]

    def ask(self, *words: str, why: str, given: bytes = b"") -> bytes:
        """Return what a command of git prints; `given` is its input. Raises GitError with the reason `why`."""
        return _run(self.git, (f"--git-dir={self.folder}", *words), self.top, self.environment, why, given)

    def answer(self, *words: str) -> str:
        """Return what a command of git prints, without line ends; nothing if it fails."""
        try:
            return self.ask(*words, why="").decode("utf-8", "surrogateescape").strip()
        except GitError:
            return ""


def open_repository(root: Path, environment: Mapping[str, str]) -> Repository:
    """Return the repository of the project in `root`: the outermost one whose current commit contains that folder, so
    that no repository within the work tree counts; else the innermost one. `environment` is the whole one.

    Raises GitError if there is no git, or no repository that git accepts.
    """
    real = os.path.realpath(root)
    tops = _work_trees(real, environment)
    if not tops:
        raise GitError("the project is not in a git repository")
    git = _program(environment, within=tops[-1])
    for top in tops:
        try:
            repository = _open(git, top, real, _safe(environment))
        except GitError:
            if top == tops[-1]:
                raise
            continue
        if top == tops[-1] or _contains_project(repository):
            return repository
    raise AssertionError("the innermost work tree is returned or raises")


def _run(
    git: str, words: tuple[str, ...], folder: str, environment: Mapping[str, str], why: str, given: bytes = b""
) -> bytes:
    """Start git; no other function of the package does."""
    settings = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
    try:
        done = subprocess.run(
            [git, "--no-pager", *settings, *words], cwd=folder, env=dict(environment), input=given, capture_output=True
        )
    except OSError as error:
        raise GitError("git cannot be started", str(error.strerror)) from None
    except ValueError:
        raise GitError(why, "it contains an invalid character") from None
    if done.returncode:
        raise GitError(why, done.stderr.decode("utf-8", "replace").strip())
    return done.stdout


def _program(environment: Mapping[str, str], *, within: str) -> str:
    """Return the path of git. A folder of PATH that is relative, or in the work tree `within`, is skipped: the git in
    there may be the pull request's.
    """
    listed = environment.get("PATH", os.defpath).split(os.pathsep)
    folders = [folder for folder in listed if os.path.isabs(folder) and not is_inside(within, folder)]  # noqa: PTH117
    program = shutil.which("git", path=os.pathsep.join(folders)) if folders else None
    if program is None:
        raise GitError("git cannot be started", "no folder of PATH outside of the work tree contains it")
    return program


def _safe(environment: Mapping[str, str]) -> dict[str, str]:
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_NUMBERED)
    }
    return kept | _ENVIRONMENT


def _work_trees(real: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folders at and above a real path that contain a `.git`, the outermost first. As for git, the search
    ends at another file system, and at the folders of GIT_CEILING_DIRECTORIES.
    """
    across = environment.get("GIT_DISCOVERY_ACROSS_FILESYSTEM", "").lower() in _YES
    listed = environment.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    ceilings = {os.path.realpath(folder) for folder in listed if os.path.isabs(folder)}  # noqa: PTH117
    tops: list[str] = []
    try:
        device = os.stat(real).st_dev  # noqa: PTH116
        for folder in (real, *map(str, Path(real).parents)):
            if folder != real and (folder in ceilings or (not across and os.stat(folder).st_dev != device)):  # noqa: PTH116
                break
            if os.path.lexists(os.path.join(folder, _DOT_GIT)):  # noqa: PTH118
                tops.append(folder)
    except OSError:
        # A folder above that cannot be read contains no repository for this user.
        pass
    return tuple(reversed(tops))


def _open(git: str, top: str, real: str, environment: Mapping[str, str]) -> Repository:
    """Return the repository of a work tree. Git itself opens it, as it checks the owner, but it looks nowhere else.

    Raises GitError if git does not accept it.
    """
    expected = _git_folder(Path(top, _DOT_GIT))
    alone = {**environment, "GIT_CEILING_DIRECTORIES": os.path.dirname(top)}  # noqa: PTH120
    why = "the project is not in a git repository"
    answer = _run(git, ("rev-parse", "--absolute-git-dir"), top, alone, why)
    folder = os.path.realpath(os.fsdecode(answer.rstrip(b"\n")))
    if folder != expected:
        # Git did not accept `.git` and took another repository.
        raise GitError(why, f"'{top}/{_DOT_GIT}' is not a repository")
    inside = os.path.relpath(real, top).replace(os.sep, "/")
    return Repository(git, folder, top, "" if inside == "." else inside, environment)


def _git_folder(entry: Path) -> str | None:
    """Return the folder that a `.git` stands for: itself, or the one that its line names, as in a linked work tree."""
    if entry.is_dir():
        return os.path.realpath(entry)
    try:
        content = files.read_bytes(entry, _LONGEST_LINE)
    except OSError:
        # Git says what is wrong with it.
        return None
    if not content.startswith(_LINE) or b"\0" in content:
        return None
    return os.path.realpath(entry.parent / os.fsdecode(content.removeprefix(_LINE).strip(b" \r\n")))


def _contains_project(repository: Repository) -> bool:
    """Return whether the current commit has files in the project's folder. A submodule is a repository of its own."""
    inside = repository.inside
    if not inside:
        return True
    try:
        listed = repository.ask("ls-tree", "-z", "-d", "--full-tree", "HEAD", "--", inside, why="")
    except GitError:
        # It has no commit.
        return False
    about, _, path = listed.partition(b"\t")
    return about.split()[1:2] == [b"tree"] and path.rstrip(b"\0") == os.fsencode(inside)
