"""TLS of kafka-python from the contents of PEM files, which need not be on the machine where Python runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsqlc.connectors.kafka.settings import PEM_TEXTS
from lsqlc.remote.connectors.publish import placeless


def with_tls(properties: Mapping[str, Any]) -> Any:
    """A function that gives the arguments of kafka-python with a TLS context in place of `PEM_TEXTS`, if these are
    there. It travels to the server pickled by value.
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
            # It is only read from a file, which nobody else can open and which is gone at once.
            handle, path = tempfile.mkstemp(prefix="lsqlc-", suffix=".pem")
            try:
                with os.fdopen(handle, "w", encoding="ascii") as file:
                    file.write(f"{key}\n{certificate}\n")
                context.load_cert_chain(path, password=rest.get("ssl_password"))
            finally:
                Path(path).unlink()
        return {**rest, "ssl_context": context}

    return placeless(completed)
