"""The jars that are downloaded, kept in the user's cache: each set is complete and checked, or absent.

A set is fetched once, into a folder beside its place, compared with the checksums that lsqlc carries, and then renamed.
Processes that want it at once wait for each other. What is there already is only compared by names and sizes.
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

# Seconds to wait for another process that fetches the same.
_PATIENCE = 1800.0


def jars(
    name: SetName, environment: Mapping[str, str], say: Callable[[str], None] = lambda _: None
) -> tuple[Path, ...]:
    """The paths of the jars of a set, which are fetched if they are not there. `say` is given a line of words for
    people before anything is fetched.

    Raises LsqlcError as `ensure` does.
    """
    return ensure(pinned(name), environment, say)


def ensure(
    wanted: ArtifactSet, environment: Mapping[str, str], say: Callable[[str], None] = lambda _: None
) -> tuple[Path, ...]:
    """The paths of the jars of any set. `environment` says where the cache is (`LSQLC_CACHE`), whether anything may be
    fetched (not with `LSQLC_OFFLINE=1`), and what `ivy.fetch` looks up.

    Raises LsqlcError: LSQ700 for what cannot be fetched, LSQ701 for a jar that is not the one that is wanted, LSQ703
    for a cache that cannot be written, and what `ivy.fetch` raises.
    """
    place = _place(wanted, environment)
    cache = place.parent
    if not _is_whole(wanted, place):
        try:
            cache.mkdir(parents=True, exist_ok=True)
            with FileLock(cache / f"{wanted.key}.lock", timeout=_PATIENCE):
                if not _is_whole(wanted, place):
                    _fill(wanted, place, environment, say)
        except Timeout:
            raise ivy.not_fetched(wanted, [f"another process has been downloading them for {_PATIENCE:g} s"]) from None
        except OSError as error:
            message = f"cannot write the cache '{cache}': {(error.strerror or str(error)).lower()}"
            help = f"make the folder writable, with space on its disk, or set {CACHE} to another folder"
            raise LsqlcError([Diagnostic("LSQ703", message, help=help)]) from None
    return _paths(wanted, place)


def fetched(name: SetName, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The paths of the jars of a set that is in the cache; none, and nothing is fetched, where it is not."""
    wanted = pinned(name)
    place = _place(wanted, environment)
    return _paths(wanted, place) if _is_whole(wanted, place) else ()


def _place(wanted: ArtifactSet, environment: Mapping[str, str]) -> Path:
    """The folder of a set in the cache."""
    return cache_folder(environment) / "jars" / wanted.key


def _paths(wanted: ArtifactSet, place: Path) -> tuple[Path, ...]:
    return tuple(place / artifact.file for artifact in wanted.artifacts)


def _is_whole(wanted: ArtifactSet, place: Path) -> bool:
    """A look at names and sizes: the folder got its name when all checksums had been compared."""
    try:
        return all((place / artifact.file).stat().st_size == artifact.size for artifact in wanted.artifacts)
    except OSError:
        return False


def _fill(wanted: ArtifactSet, place: Path, environment: Mapping[str, str], say: Callable[[str], None]) -> None:
    if environment.get(OFFLINE) == "1":
        raise _offline(wanted, place)
    # pyspark has the program that downloads them.
    spark_home()
    say(f"downloading {len(wanted.artifacts)} jars ({wanted.size / 1e6:.0f} MB) of '{wanted.name}' into '{place}'")
    aside = place.with_name(f"{place.name}.part")
    # What a process left that was killed as it fetched; nobody else has the lock.
    shutil.rmtree(aside, ignore_errors=True)
    try:
        fetched, chosen = aside / "fetched", aside / "chosen"
        fetched.mkdir(parents=True)
        chosen.mkdir()
        ivy.fetch(wanted, fetched, environment)
        for artifact in wanted.artifacts:
            _check(wanted, artifact, fetched / artifact.file)
            (fetched / artifact.file).rename(chosen / artifact.file)
        # One that was there is not whole.
        shutil.rmtree(place, ignore_errors=True)
        chosen.rename(place)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _check(wanted: ArtifactSet, artifact: Artifact, path: Path) -> None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ivy.not_fetched(wanted, [f"the repository did not return '{artifact.file}'"]) from None
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


def _offline(wanted: ArtifactSet, place: Path) -> LsqlcError:
    return LsqlcError(
        [
            Diagnostic(
                "LSQ700",
                f"the jars '{wanted.name}' are not in the cache, and {OFFLINE}=1 disables downloads",
                help=f"copy the folder '{place}' from a machine that has it, or unset {OFFLINE}",
            )
        ]
    )
