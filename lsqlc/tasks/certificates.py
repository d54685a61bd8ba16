"""Certificates of `lsqlc diff --search`: written as files, read, and checked again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.search.certificates import Certificate, unproved

if TYPE_CHECKING:
    from lsqlc.project.workspace import Workspace
    from lsqlc.report.diff_report import Difference
    from lsqlc.tasks.versions import Base

# Bytes. A certificate has about two thousand.
_LARGEST = 1 << 20
_HELP = "use a file that `lsqlc diff --search 10 --certificates FOLDER` wrote"


def write_certificates(folder: Path, differences: Iterable[Difference]) -> tuple[Path, ...]:
    """Write a file for each model with a certificate, named after the model. Returns the paths.

    Raises LsqlcError LSQ068 for a file that cannot be written.
    """
    from lsqlc.project.build import cache

    paths, problems = list[Path](), list[Diagnostic]()
    for each in differences:
        certificate = each.search.certificate if each.search is not None else None
        if certificate is not None:
            path = folder / f"{certificate.model}.json"
            content = msgspec.json.format(msgspec.json.encode(certificate), indent=1) + b"\n"
            problems += cache.write(path, content, str(path))
            paths.append(path)
    if problems:
        raise LsqlcError(Diagnostic("LSQ068", d.message, help="choose a writable folder") for d in problems)
    return tuple(paths)


def read_certificate(file: Path) -> Certificate:
    """Return the certificate of a file. Raises LsqlcError LSQ581 for a file that is none."""
    from lsqlc.project.files import read_bytes
    from lsqlc.scan.paths import why_unread

    try:
        return msgspec.json.decode(read_bytes(file, _LARGEST), type=Certificate)
    except OSError as error:
        reason = why_unread(error, file)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        reason = f"it is not a certificate: {error}"
    message = f"the certificate '{file}' cannot be read"
    raise LsqlcError([Diagnostic("LSQ581", message, notes=(reason,), help=_HELP)])


def check_certificate(workspace: Workspace, base: Base, certificate: Certificate, release: str) -> None:
    """Compile both versions of the model of a certificate, and compute their normal form again.

    `base`: the older version; `release`: that of lsqlc. Raises LsqlcError LSQ582 if the certificate does not hold, and
    as `diff_models` for a project or a revision that does not compile.
    """
    from lsqlc.tasks.compare import plans_of
    from lsqlc.tasks.selection import sound_selection
    from lsqlc.tasks.versions import other_version

    new = sound_selection(workspace, plans=False)
    other = other_version(base, workspace, new, release)
    if other.compilation is None:
        reason: str | None = "a manifest has no plans: use a revision"
    elif certificate.model not in new.models or certificate.model not in other.compilation.models:
        reason = "the model is not in both versions"
    else:
        before, after = (plans_of(each, (certificate.model,)) for each in (other.compilation, new))
        reason = unproved(certificate, before[certificate.model], after[certificate.model])
    if reason is not None:
        message = f"the certificate of '{certificate.model}' does not hold against '{base.against}'"
        help = "compare the versions again: `lsqlc diff --search 10`"
        raise LsqlcError([Diagnostic("LSQ582", message, notes=(reason,), help=help)])
