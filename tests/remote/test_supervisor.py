"""What is borne before a run is given up, and how its queries stand meanwhile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.run.events import QuerySummary, Started
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.query_status import QueryStatus, QueryStatuses, RunStatus, after, status_data, status_of
from lsqlc.remote.run.supervisor import Restarting, RestartPolicy, supervise


class Attempts:
    """Each entry is what one attempt does: the code it fails with, or None for success; and the batches it gets
    through before.
    """

    def __init__(self, *script: tuple[str | None, int], stopped: bool = False) -> None:
        self._script = list(script)
        self._stopped = stopped
        self.batches = 0
        self.pauses: list[float] = []
        self.told: list[Restarting] = []

    def __call__(self) -> str:
        code, batches = self._script.pop(0)
        self.batches += batches
        if code:
            raise LsqlcError([Diagnostic(code, "went wrong")])
        return "done"

    def run(self, limit: int = 2) -> str:
        def wait(seconds: float) -> bool:
            self.pauses.append(seconds)
            return self._stopped

        return supervise(
            self, RestartPolicy(limit=limit, progress=lambda: self.batches, wait=wait, report=self.told.append)
        )


def test_trouble_that_passes_is_borne() -> None:
    """A lost server and a failed query are tried again, after pauses that double."""
    attempts = Attempts(("LSQ663", 0), ("LSQ661", 0), (None, 1))
    assert attempts.run() == "done"
    assert attempts.pauses == [1.0, 2.0]
    assert [(t.failures, t.limit, t.found[0].code) for t in attempts.told] == [(1, 2, "LSQ663"), (2, 2, "LSQ661")]


def test_failures_in_a_row_end_it() -> None:
    """One failure more than the limit, with nothing done in between, is told as it was."""
    attempts = Attempts(("LSQ661", 0), ("LSQ661", 0), ("LSQ661", 0), (None, 0))
    with pytest.raises(LsqlcError) as raised:
        attempts.run()
    assert raised.value.diagnostics[0].code == "LSQ661"
    assert len(attempts.pauses) == 2


def test_progress_starts_the_count_anew() -> None:
    """A run that gets on between its failures is never given up."""
    attempts = Attempts(*(("LSQ661", 1) for _ in range(9)), (None, 1))
    assert attempts.run(limit=1) == "done"
    assert attempts.pauses == [1.0] * 9


def test_what_no_second_try_changes() -> None:
    """A record that cannot be read ends the run at once, and so does an address where nobody ever was."""
    for code in ("LSQ667", "LSQ655", "LSQ653", "LSQ711"):
        attempts = Attempts((code, 0), (None, 0))
        with pytest.raises(LsqlcError):
            attempts.run()
        assert not attempts.pauses


@pytest.mark.parametrize("code", ["LSQ655", "LSQ656", "LSQ657", "LSQ659", "LSQ711"])
def test_a_server_that_is_away_is_waited_for(code: str) -> None:
    """A server that refuses for minutes, once it has been there, is no failure: it is tried for, every eight seconds
    in the end, so that it is soon noticed when it is back. So is a registry.
    """
    attempts = Attempts(("LSQ663", 1), *((code, 0) for _ in range(9)), ("LSQ663", 0), (None, 0))
    assert attempts.run() == "done"
    assert attempts.pauses == [1.0, 2.0, 4.0, *[8.0] * 7, 2.0]
    assert [t.failures for t in attempts.told] == [1] * 10 + [2]
    assert [t.away for t in attempts.told][:4] == [0.0, 2.0, 6.0, 14.0]


def test_a_server_that_stays_away() -> None:
    """After a quarter of an hour of pauses it is given up, with what was wrong the last time."""
    attempts = Attempts(("LSQ663", 1), *(("LSQ655", 0) for _ in range(199)))
    with pytest.raises(LsqlcError) as raised:
        attempts.run()
    assert raised.value.diagnostics[0].code == "LSQ655"
    assert 900 <= sum(attempts.pauses) < 1_000


def test_a_server_of_ours_that_does_not_start_again() -> None:
    """It is tried as often as a failing query, and no longer."""
    attempts = Attempts(("LSQ663", 1), *(("LSQ653", 0) for _ in range(9)))
    with pytest.raises(LsqlcError):
        attempts.run()
    assert len(attempts.pauses) == 2


def test_nothing_is_borne() -> None:
    """With a limit of 0 the first failure is the last."""
    attempts = Attempts(("LSQ663", 3), (None, 0))
    with pytest.raises(LsqlcError):
        attempts.run(limit=0)


def test_asked_to_stop_while_it_waits() -> None:
    """Who stops a run that waits for its restart is told what was wrong."""
    with pytest.raises(LsqlcError):
        Attempts(("LSQ663", 1), (None, 0), stopped=True).run()


def test_standings_add_up_over_restarts() -> None:
    """Batches, rows and counts are sums over all starts; rate, latency and state are those of the last batch."""
    events = (
        Started("q", "m", "t", resumed=False),
        BatchProgress("q", 0, 100, 2.0, 7, 70, counts={"null key": 2}),
        Started("q", "m", "t", resumed=True),
        BatchProgress("q", 1, 50, 0.5, 9, 90, 1, counts={"null key": 1, "late": 4}),
        QuerySummary("q", "m", "t", 1, 50, finished=True),
    )
    standings: QueryStatuses = {}
    for event in events:
        standings = after(standings, event)
    found = standings["q"]
    assert found == QueryStatus(
        "q", "m", "t", "finished", True, 2, 2, 150, 100.0, 0.5, 9, 90, 1, {"null key": 3, "late": 4}, seconds=2.5
    )
    status = RunStatus(7, 1.0, 2.0, "restarting", 1, "the server is gone", (found, replace(found, query="r")))
    assert status_of(status_data(status)) == status
    newer = status_data(status) | {
        "later": 1,
        "queries": [{**data, "later": 1} for data in status_data(status)["queries"]],
    }
    assert status_of(newer) == status


@pytest.mark.parametrize("data", [None, [], {}, {"version": 0}, {"version": 1}, {"version": 1, "queries": [{}]}])
def test_a_status_of_another_version(data: object) -> None:
    """What cannot be read as a status is none, and not an error."""
    assert status_of(data) is None


def test_brokers_that_are_away_are_waited_for() -> None:
    """As often as it takes, where somebody waits for them; other failures count as ever, and a signal ends it."""
    script = [("LSQ732", 0), ("LSQ766", 0), ("LSQ732", 0), ("LSQ732", 0), ("LSQ661", 0), (None, 0)]

    def run(limit: int, stopped: bool = False, waits: bool = True) -> tuple[list[float], list[str]]:
        attempts, waited = Attempts(*script), []

        def back(found: tuple[Diagnostic, ...], seconds: float) -> bool:
            waited.append(seconds)
            return stopped

        def wait(seconds: float) -> bool:
            return False

        try:
            supervise(
                attempts,
                RestartPolicy(
                    limit=limit,
                    progress=lambda: 0,
                    wait=wait,
                    report=attempts.told.append,
                    back=back if waits else None,
                ),
            )
        except LsqlcError as error:
            return waited, [found.code for found in error.diagnostics]
        return waited, [event.found[0].code for event in attempts.told]

    assert run(1) == ([1.0, 2.0, 4.0, 8.0], ["LSQ661"])
    assert run(1, stopped=True) == ([1.0], ["LSQ732"])
    assert run(0) == run(1, waits=False) == ([], ["LSQ732"])


@pytest.mark.parametrize(
    ("stopped", "waits", "code"), [(False, True, None), (True, True, "LSQ663"), (False, False, "LSQ732")]
)
def test_brokers_that_are_away_with_the_server(stopped: bool, waits: bool, code: str | None) -> None:
    """As when the network is down: the pause before a restart ends with what the lease says, and is waited for too."""
    attempts = Attempts(("LSQ663", 0), (None, 0))
    waited: list[str] = []

    def wait(seconds: float) -> bool:
        raise LsqlcError([Diagnostic("LSQ732", "no broker answers")])

    def back(found: tuple[Diagnostic, ...], seconds: float) -> bool:
        waited.append(found[0].code)
        return stopped

    def run() -> str:
        return supervise(
            attempts,
            RestartPolicy(
                limit=1, progress=lambda: 0, wait=wait, report=attempts.told.append, back=back if waits else None
            ),
        )

    if code is None:
        assert run() == "done"
    else:
        with pytest.raises(LsqlcError) as raised:
            run()
        assert raised.value.diagnostics[0].code == code
    assert waited == ["LSQ732"] * waits
