"""The figures of engines side by side, as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.bench.peers.measure import Watched

_LSQLC = "lsqlc"


@dataclass(frozen=True, slots=True)
class Figures:
    """One query of one engine. `rows`: of its topics; `reading`: when it began to read them, in seconds since 1970;
    None: it did not say.
    """

    query: str
    engine: str
    rows: int
    looks: Watched
    reading: float | None

    @property
    def start(self) -> float:
        """Seconds from the start of the process until it reads."""
        return self._reads - self.looks.began

    @property
    def first(self) -> float:
        """Seconds from the start of the process until something of the result can be read."""
        return self.looks.first - self.looks.began

    @property
    def complete(self) -> float:
        """Seconds from the start of the process until the whole result can be read."""
        return self.looks.complete - self.looks.began

    @property
    def rate(self) -> float:
        """Rows a second, from when it reads until the whole result can be read."""
        return self.rows / max(self.looks.complete - self._reads, 0.05)

    @property
    def processor(self) -> float:
        """Processor seconds from the start until the whole result can be read."""
        return self.looks.processor(self.looks.began, self.looks.complete)

    @property
    def by_core(self) -> float:
        """Rows for a processor second, from when it reads."""
        return self.rows / max(self.looks.processor(self._reads, self.looks.complete), 0.05)

    @property
    def line(self) -> str:
        return (
            f"{self.query} {self.engine}: {self.rate:,.0f} rows/s, {self.by_core:,.0f} a processor second, "
            f"reads after {self.start:.1f} s, complete after {self.complete:.1f} s"
        )

    @property
    def _reads(self) -> float:
        return self.looks.began if self.reading is None else self.reading


def table(found: Sequence[Figures]) -> Iterator[str]:
    """A line for each query and engine; lsqlc is 1 x where engines are compared."""
    ratio = "of lsqlc's"
    rates = f"rows/s | {ratio} | rows/s a core | {ratio}"
    yield f"| query | engine | {rates} | reads | first | complete | processor | memory |"
    yield "| --- | --- |" + " ---: |" * 9
    ours = {figures.query: figures for figures in found if figures.engine == _LSQLC}
    for each in found:
        own = ours.get(each.query)
        rate, by_core = (
            (f"{each.rate / own.rate:.1f} x", f"{each.by_core / own.by_core:.1f} x")
            if own is not None and own is not each
            else ("", "")
        )
        yield (
            f"| {each.query} | {each.engine} | {each.rate:,.0f} | {rate} | {each.by_core:,.0f} | {by_core} "
            f"| {each.start:.1f} s | {each.first:.1f} s | {each.complete:.1f} s | {each.processor:.1f} s "
            f"| {each.looks.memory / 1e6:,.0f} MB |"
        )
