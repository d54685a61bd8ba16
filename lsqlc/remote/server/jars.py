"""The user's cache of downloaded jars: each set in it is complete and verified, or absent.

A set is downloaded into a temporary folder, compared with the checksums that lsqlc contains, and then renamed.
Concurrent processes wait for each other. For a set in the cache, only names and sizes are compared.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from filelock import FileLock, Timeout

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.user_cache import CACHE, cache_folder
from lsqlc.remote.server import ivy
from lsqlc.remote.server.artifacts import Artifact, ArtifactSet, SetName, pinned
from lsqlc.remote.server.home import spark_home

OFFLINE = "LSQLC_OFFLINE"

# Seconds to wait for another process that downloads the same set.
_TIMEOUT = 1800.0


def jars(
    name: SetName, environment: Mapping[str, str], say: Callable[[str], None] = lambda _: None
) -> tuple[Path, ...]:
    """Return the paths of the jars of a set, which are downloaded if they are not in the cache.

    `say`: called with a line for the user before a download. Raises LsqlcError as `ensure` does.
    """
    return ensure(pinned(name), environment, say)


def ensure(
    jar_set: ArtifactSet, environment: Mapping[str, str], say: Callable[[str], None] = lambda _: None
) -> tuple[Path, ...]:
    """Return the paths of the jars of any set, which are downloaded if they are not in the cache.

    `environment`: may have the folder of the cache (`LSQLC_CACHE`), `LSQLC_OFFLINE=1`, which disables downloads, and
    the variables of `ivy.fetch`.

    Raises LsqlcError: LSQ700 a download failed, LSQ701 a jar has another checksum, LSQ703 the cache cannot be written,
    and the errors of `ivy.fetch`.
    """
    folder = _folder(jar_set, environment)
    cache = folder.parent
    if not _is_complete(jar_set, folder):
        try:
            cache.mkdir(parents=True, exist_ok=True)
            with FileLock(cache / f"{jar_set.key}.lock", timeout=_TIMEOUT):
                if not _is_complete(jar_set, folder):
                    _download(jar_set, folder, environment, say)
        except Timeout:
            raise ivy.not_fetched(jar_set, [f"another process has been downloading them for {_TIMEOUT:g} s"]) from None
        except OSError as error:
            message = f"cannot write the cache '{cache}': {(error.strerror or str(error)).lower()}"
            help = f"make the folder writable, with space on its disk, or set {CACHE} to another folder"
            raise LsqlcError([Diagnostic("LSQ703", message, help=help)]) from None
    return _paths(jar_set, folder)


def fetched(name: SetName, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the paths of the jars of a set in the cache; none if it is not there. Never downloads."""
    jar_set = pinned(name)
    folder = _folder(jar_set, environment)
    return _paths(jar_set, folder) if _is_complete(jar_set, folder) else ()


def _folder(jar_set: ArtifactSet, environment: Mapping[str, str]) -> Path:
    """Return the folder of a set in the cache."""
    return cache_folder(environment) / "jars" / jar_set.key


def _paths(jar_set: ArtifactSet, folder: Path) -> tuple[Path, ...]:
    return tuple(folder / artifact.file for artifact in jar_set.artifacts)


def _is_complete(jar_set: ArtifactSet, folder: Path) -> bool:
    """Compare names and sizes. The folder got its name after all checksums were compared."""
    try:
        return all((folder / artifact.file).stat().st_size == artifact.size for artifact in jar_set.artifacts)
    except OSError:
        return False


def _download(jar_set: ArtifactSet, folder: Path, environment: Mapping[str, str], say: Callable[[str], None]) -> None:
    if environment.get(OFFLINE) == "1":
        raise _offline(jar_set, folder)
    # pyspark contains the program for downloads.
    spark_home()
    say(f"downloading {len(jar_set.artifacts)} jars ({jar_set.size / 1e6:.0f} MB) of '{jar_set.name}' into '{folder}'")
    temporary = folder.with_name(f"{folder.name}.part")
    # It may be left by a process that was killed: no other process has the lock.
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        downloads, verified = temporary / "downloads", temporary / "verified"
        downloads.mkdir(parents=True)
        verified.mkdir()
        ivy.fetch(jar_set, downloads, environment)
        for artifact in jar_set.artifacts:
            _check(jar_set, artifact, downloads / artifact.file)
            (downloads / artifact.file).rename(verified / artifact.file)
        # A folder that exists is incomplete.
        shutil.rmtree(folder, ignore_errors=True)
        verified.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _check(jar_set: ArtifactSet, artifact: Artifact, path: Path) -> None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ivy.not_fetched(jar_set, [f"the repository did not return '{artifact.file}'"]) from None
    digest = hashlib.sha256(content).hexdigest()
    if digest != artifact.sha256:
        raise LsqlcError(
            [
                Diagnostic(
                    "LSQ701",
                    f"the jar '{artifact.file}' has another checksum than expected",
                    notes=(f"its SHA-256 is {digest}, but must be {artifact.sha256}", "it was deleted"),
                    help=f"check the repository of {ivy.MIRROR} or {ivy.SETTINGS}: it has another file",
                )
            ]
        )


def _offline(jar_set: ArtifactSet, folder: Path) -> LsqlcError:
    return LsqlcError(
        [
            Diagnostic(
                "LSQ700",
                f"the jars '{jar_set.name}' are not in the cache, and {OFFLINE}=1 disables downloads",
                help=f"copy the folder '{folder}' from a machine that has it, or unset {OFFLINE}",
            )
        ]
    )
