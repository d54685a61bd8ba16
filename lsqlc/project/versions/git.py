"""Git, started safely in a work tree that may be hostile. Only this module starts it.

Git looks for a repository in the current folder and above. A folder with `HEAD`, `config`, `objects/` and `refs/` is a
bare repository for it. Any pull request can contain such a folder, with settings that start programs. So lsqlc
determines the repository itself and names it in each call. Only a `.git` counts, which git refuses to commit.

The settings of that repository belong to the user who cloned it. Settings that start programs are disabled all the
same: lsqlc does not need them, and a clone may be an unpacked archive.
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
# On the command line, they override all files. Git ignores settings that its version does not know.
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

# The list of allowed protocols overrides `protocol.NAME.allow` of the repository, unlike `protocol.allow`. So a git
# that does not know GIT_NO_LAZY_FETCH fetches no missing object either. Traces would be written to files.
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
# The user's settings, such as `safe.directory`. Other GIT_ variables belong to another call: those of a hook name its
# own repository, index and objects.
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_EXEC_PATH")
_KEPT_NUMBERED = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
_YES = ("1", "true", "yes", "on")


class GitError(Exception):
    """Git failed. `reason`: one clause; `note`: the message of git, or empty."""

    def __init__(self, reason: str, note: str = "") -> None:
        super().__init__(reason)
        self.reason, self.note = reason, note


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of a project. `inside`: the project's folder in it, with `/`; empty for the repository's top."""

    git: str
    folder: str
    top: str
    inside: str
    environment: Mapping[str, str]

    def ask(self, *words: str, why: str, stdin: bytes = b"") -> bytes:
        """Return the output of a git command. `stdin`: its input. Raises GitError with the reason `why`."""
        return _run(self.git, (f"--git-dir={self.folder}", *words), self.top, self.environment, why, stdin)

    def answer(self, *words: str) -> str:
        """Return the output of a git command, without line ends; empty if it fails."""
        try:
            return self.ask(*words, why="").decode("utf-8", "surrogateescape").strip()
        except GitError:
            return ""


def open_repository(root: Path, environment: Mapping[str, str]) -> Repository:
    """Return the repository of the project in `root`.

    It is the outermost one whose current commit contains that folder, so that repositories in the work tree do not
    count; else the innermost one. `environment`: all variables. Raises GitError if there is no git, or no repository
    that git accepts.
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
    git: str, words: tuple[str, ...], folder: str, environment: Mapping[str, str], why: str, stdin: bytes = b""
) -> bytes:
    """Start git; no other function of the package does."""
    settings = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
    try:
        process = subprocess.run(
            [git, "--no-pager", *settings, *words], cwd=folder, env=dict(environment), input=stdin, capture_output=True
        )
    except OSError as error:
        raise GitError("git cannot be started", str(error.strerror)) from None
    except ValueError:
        raise GitError(why, "it contains an invalid character") from None
    if process.returncode:
        raise GitError(why, process.stderr.decode("utf-8", "replace").strip())
    return process.stdout


def _program(environment: Mapping[str, str], *, within: str) -> str:
    """Return the path of git.

    A folder of PATH that is relative, or in the work tree `within`, is skipped: its git may come from a pull request.
    """
    search_path = environment.get("PATH", os.defpath).split(os.pathsep)
    folders = [folder for folder in search_path if os.path.isabs(folder) and not is_inside(within, folder)]  # noqa: PTH117
    program = shutil.which("git", path=os.pathsep.join(folders)) if folders else None
    if program is None:
        raise GitError("git cannot be started", "no folder of PATH outside of the work tree contains it")
    return program


def _safe(environment: Mapping[str, str]) -> dict[str, str]:
    variables = {
        name: value
        for name, value in environment.items()
        if not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_NUMBERED)
    }
    return variables | _ENVIRONMENT


def _work_trees(real: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folders at and above a real path that contain a `.git`, the outermost first.

    As in git, the search ends at another file system, and at the folders of GIT_CEILING_DIRECTORIES.
    """
    across = environment.get("GIT_DISCOVERY_ACROSS_FILESYSTEM", "").lower() in _YES
    ceiling_texts = environment.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    ceilings = {os.path.realpath(folder) for folder in ceiling_texts if os.path.isabs(folder)}  # noqa: PTH117
    tops: list[str] = []
    try:
        device = os.stat(real).st_dev  # noqa: PTH116
        for folder in (real, *map(str, Path(real).parents)):
            if folder != real and (folder in ceilings or (not across and os.stat(folder).st_dev != device)):  # noqa: PTH116
                break
            if os.path.lexists(os.path.join(folder, _DOT_GIT)):  # noqa: PTH118
                tops.append(folder)
    except OSError:
        # An unreadable folder above contains no repository for this user.
        pass
    return tuple(reversed(tops))


def _open(git: str, top: str, real: str, environment: Mapping[str, str]) -> Repository:
    """Return the repository of a work tree. Git opens it, because git checks the owner, but searches no other folder.

    Raises GitError if git does not accept it.
    """
    expected = _git_folder(Path(top, _DOT_GIT))
    alone = {**environment, "GIT_CEILING_DIRECTORIES": os.path.dirname(top)}  # noqa: PTH120
    why = "the project is not in a git repository"
    answer = _run(git, ("rev-parse", "--absolute-git-dir"), top, alone, why)
    folder = os.path.realpath(os.fsdecode(answer.rstrip(b"\n")))
    if folder != expected:
        # Git did not accept `.git` and used another repository.
        raise GitError(why, f"'{top}/{_DOT_GIT}' is not a repository")
    inside = os.path.relpath(real, top).replace(os.sep, "/")
    return Repository(git, folder, top, "" if inside == "." else inside, environment)


def _git_folder(entry: Path) -> str | None:
    """Return the folder of a `.git`: itself, or the one that its line names, as in a linked work tree."""
    if entry.is_dir():
        return os.path.realpath(entry)
    try:
        content = files.read_bytes(entry, _LONGEST_LINE)
    except OSError:
        # Git reports the error.
        return None
    if not content.startswith(_LINE) or b"\0" in content:
        return None
    return os.path.realpath(entry.parent / os.fsdecode(content.removeprefix(_LINE).strip(b" \r\n")))


def _contains_project(repository: Repository) -> bool:
    """Return whether the current commit has files in the project's folder. A submodule is a separate repository."""
    inside = repository.inside
    if not inside:
        return True
    try:
        output = repository.ask("ls-tree", "-z", "-d", "--full-tree", "HEAD", "--", inside, why="")
    except GitError:
        # The repository has no commit.
        return False
    about, _, path = output.partition(b"\t")
    return about.split()[1:2] == [b"tree"] and path.rstrip(b"\0") == os.fsencode(inside)
