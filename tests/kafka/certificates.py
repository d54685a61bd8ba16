"""Authorities for tests, and what they sign, by the `openssl` of the machine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from lsqlc.remote.server.broker_settings import Certificate

_DAYS = "2"


def _openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def authority(folder: Path) -> Path:
    """Make an authority in a new folder: its certificate. Skips the test where there is no openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make certificates with")
    folder.mkdir(parents=True)
    _openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={folder.name}", "-days", _DAYS,
             "-keyout", "ca.key", "-out", "ca.pem")  # fmt: skip
    return folder / "ca.pem"


def signed(ca: Path, name: str, *validity: str) -> Certificate:
    """A certificate for 127.0.0.1 that the authority signs. `validity`: options of openssl; by default some days from
    now.
    """
    folder = ca.parent
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    _openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key",
             "-out", f"{name}.csr")  # fmt: skip
    _openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
             "-extfile", "names", "-out", f"{name}.pem", *(validity or ("-days", _DAYS)))  # fmt: skip
    return Certificate((folder / f"{name}.pem").read_text(), (folder / f"{name}.key").read_text())
