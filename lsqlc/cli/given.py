"""Parse `--from`, `--skip-record` and `--unskip-record`."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from lsqlc.connectors.skips import Skip, skip_of
from lsqlc.project.declared.starts import FORMS, Start, parse_start


def given_start(text: str | None) -> Start | None:
    """Return the start that a command asks for; None without one."""
    if text is None:
        return None
    start = parse_start(text)
    if start is None:
        raise typer.BadParameter(f"'{text}' is not a start; {FORMS.replace('`', '')}", param_hint="--from")
    return start


def given_records(texts: Sequence[str] | None, option: str, *, with_partitions: bool) -> tuple[Skip, ...]:
    """Return the records that a command names by their places."""
    records = []
    for text in texts or ():
        skip = skip_of(text, with_partitions=with_partitions)
        if skip is None:
            form = "TOPIC:PARTITION:OFFSET, as orders:0:17" if with_partitions else "TOPIC:ORDINAL, as orders:17"
            raise typer.BadParameter(f"'{text}' is not the place of a record: {form}", param_hint=option)
        records.append(skip)
    return tuple(records)
