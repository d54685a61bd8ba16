"""The other version of a project to compare with: a git revision, or the manifest of a build."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.versions.comparison import Version
    from lsqlc.project.workspace import Workspace


_MEMORY = "/dev/shm"
_ROOM = 1 << 30
_FILES = 1_000_000
# Bytes. That of ten thousand models has a fifth of it.
LARGEST_MANIFEST = 2**28


@dataclass(frozen=True, slots=True)
class Other:
    """`compilation` is None for a manifest, which has no plans. `against`: the revision or the manifest."""

    version: Version
    compilation: Compilation | None = None
    against: str = ""


@dataclass(frozen=True, slots=True)
class Base:
    """The version that a project is compared with: a git revision, or a manifest.

    `reason`: why this revision, as a clause, if nobody named it. `files` waits for the files of the revision, and
    returns their folder; it raises LsqlcError LSQ069 if there is nothing to compare with. None for a manifest.
    """

    against: str
    reason: str = ""
    files: Callable[[], Path] | None = None


@contextmanager
def base_version(root: Path, against: str | None, environment: Mapping[str, str]) -> Iterator[Base]:
    """Return what to compare a project with, whose files a thread extracts from git meanwhile. They exist inside the
    `with`.

    `against`: a git revision, or the path of a `manifest.json`; None: the merge base of HEAD and the default branch,
    else HEAD. `environment`: that of git. Raises LsqlcError LSQ069 if there is no such merge base.
    """
    reason = ""
    if against is None:
        from lsqlc.project.versions.revisions import default_base

        merge_base = default_base(root, environment)
        against, reason = merge_base.commit, merge_base.words
    if against.endswith(".json"):
        yield Base(against)
        return
    from lsqlc.project.versions.revisions import extract

    with TemporaryDirectory(prefix="lsqlc-version-", dir=_memory()) as name:
        failed: list[BaseException] = []

        def fetch() -> None:
            try:
                extract(root, against, Path(name), environment)
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=fetch)
        thread.start()

        def files() -> Path:
            thread.join()
            if failed:
                raise failed[0]
            return Path(name)

        try:
            yield Base(against, reason, files)
        finally:
            thread.join()


def other_version(base: Base, workspace: Workspace, new: Compilation, release: str) -> Other:
    """Return the other version of a project, which is read with the same variables and environment. `new`: the current
    version, whose unchanged files and models are reused; `release`: that of lsqlc.

    Raises LsqlcError LSQ069 if there is nothing to compare with, LSQ070 for a revision with errors.
    """
    from lsqlc.project.workspace import ProjectError, open_workspace

    if base.files is None:
        return Other(_read_manifest(Path(base.against)), None, base.against)
    vars, environment = workspace.vars, workspace.environment
    try:
        opened = open_workspace(base.files(), vars=vars, environment=environment, like=new.project)
    except ProjectError as error:
        raise _broken(base.against, error.diagnostics) from None
    old = opened.compile(plans=False, entries=new.entries)
    if not old.ok:
        raise _broken(base.against, old.diagnostics)
    return Other(version(old, release), old, base.against)


def _memory() -> str | None:
    """Return a folder in memory, if there is one with enough space for any project. To create a thousand files on a
    disk takes longer than everything else.
    """
    try:
        statistics = os.statvfs(_MEMORY)
    except (AttributeError, OSError):
        # Systems without such a folder, or without the call.
        return None
    roomy = statistics.f_bavail * statistics.f_frsize > _ROOM and statistics.f_favail > _FILES
    return _MEMORY if roomy and os.access(_MEMORY, os.W_OK | os.X_OK) else None


def version(compilation: Compilation, release: str, *, checksums: bool = False) -> Version:
    """Return the version of a compilation. `checksums`: texts are compared by their checksums, as those of a manifest,
    which show fewer kinds of changes.
    """
    from lsqlc.project.versions.comparison import version_from

    texts = None if checksums else {name: entry.source for name, entry in compilation.entries.items()}
    return version_from(compilation.manifest(release), texts)


def states(workspace: Workspace, against: str, new: Compilation) -> Mapping[str, frozenset[str]]:
    """Return the names of models by state, for `state:` in a selection. `new`: all models of the workspace. Raises
    LsqlcError as `other_version`.
    """
    from lsqlc.project.versions import states

    with base_version(workspace.root, against, workspace.environment) as base:
        release = workspace.release or ""
        other = other_version(base, workspace, new, release)
        return states.states(other.version, version(new, release), [model.name for model in new.project.models])


def _read_manifest(file: Path) -> Version:
    from lsqlc.project.files import read_bytes
    from lsqlc.project.versions.comparison import version_from
    from lsqlc.scan.paths import why_unread

    try:
        return version_from(json.loads(read_bytes(file, LARGEST_MANIFEST)))
    except OSError as error:
        reason = why_unread(error, file)
    except KeyError as error:
        reason = f"it is not a manifest of lsqlc: there is no {error}"
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        reason = f"it is not a manifest of lsqlc: {error}"
    help = "use the target/manifest.json that `lsqlc compile` wrote, or a git revision"
    raise LsqlcError(
        [Diagnostic("LSQ069", f"there is nothing to compare with in '{file}'", notes=(reason,), help=help)]
    )


def _broken(revision: str, diagnostics: Iterable[Diagnostic]) -> LsqlcError:
    errors = [d for d in diagnostics if d.is_error]
    notes = [f"{d.span.path}:{d.span.line}: {d.message}" if d.span else d.message for d in errors[:5]]
    if len(errors) > 5:
        notes.append(f"and {len(errors) - 5:,} more errors")
    help = "compare with a revision that compiles"
    return LsqlcError(
        [Diagnostic("LSQ070", f"the project did not compile at '{revision}'", notes=tuple(notes), help=help)]
    )
