"""TLS for kafka-python from the contents of PEM files, which need not exist on the machine of the Python process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsqlc.connectors.kafka.settings import PEM_TEXTS
from lsqlc.remote.connectors.publish import placeless


def with_tls(properties: Mapping[str, Any]) -> Any:
    """Return a function that returns the arguments of kafka-python with a TLS context instead of `PEM_TEXTS`.

    The function is pickled by value and sent to the server.
    """
    ca, certificate, key = (properties.get(name) for name in PEM_TEXTS)
    rest = {name: value for name, value in properties.items() if name not in PEM_TEXTS}

    def completed() -> dict[str, Any]:
        if ca is None and certificate is None:
            return dict(rest)
        import os
        import ssl
        import tempfile
        from pathlib import Path

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = str(rest.get("ssl_check_hostname", True)).lower() != "false"
        if ca is None:
            context.load_default_certs()
        else:
            context.load_verify_locations(cadata=ca)
        if certificate is not None:
            # Python can read the certificate only from a file. No other user can open it, and it is removed at once.
            handle, path = tempfile.mkstemp(prefix="lsqlc-", suffix=".pem")
            try:
                with os.fdopen(handle, "w", encoding="ascii") as file:
                    file.write(f"{key}\n{certificate}\n")
                context.load_cert_chain(path, password=rest.get("ssl_password"))
            finally:
                Path(path).unlink()
        return {**rest, "ssl_context": context}

    return placeless(completed)
