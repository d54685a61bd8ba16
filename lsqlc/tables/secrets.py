"""Secrets in the settings of stores, which must come from the environment."""

from __future__ import annotations

import re
from typing import Any

from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.nodes import KeyPath, path_text

# Names of properties with secrets.
_NAME = re.compile(r"secret|token|password|credential|account[_.-]?key|access[_.-]?key$|sas", re.IGNORECASE)
_FROM_ENVIRONMENT = re.compile(r"\{\{.*\}\}", re.DOTALL)


def check_secrets(decoder: Decoder, key_path: KeyPath, properties: Any) -> None:
    """Report each property that has the name of a secret, and a value that is written in the file.

    `properties`: the mapping before variables of the environment were replaced.
    """
    if not isinstance(properties, dict):
        return
    for name, value in properties.items():
        if isinstance(value, str) and _NAME.search(str(name)) and not _FROM_ENVIRONMENT.fullmatch(value.strip()):
            where = (*key_path, name)
            help = f"write `{name}: \"{{{{ env_var('NAME') }}}}\"`"
            message = f"'{name}' is a secret, which must come from the environment @ {path_text(where)}"
            decoder.report("LSQ007", message, decoder.document.span(where), help=help)
