"""A run that was left to the server: noted where other clients find it, looked at, taken over, stopped.

The note lies where the connector keeps notes, see `lsqlc.tasks.notes`. Who writes it holds the lease.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.detached_queries import end, session_of, standings
from lsqlc.remote.run.detached_run import DetachedQuery, DetachedRun, detached_of, detached_text
from lsqlc.remote.run.query_status import QueryStatus
from lsqlc.remote.run.runner import RunOptions
from lsqlc.remote.session.failures import query_failed
from lsqlc.remote.session.session import Address, parse_address
from lsqlc.tasks.notes import file_note, keep_note, noted
from lsqlc.tasks.run_target import RunTarget

NOTE = "detached"


def check_target(target: Target) -> None:
    """Raise LsqlcError LSQ792 for a target whose server ends with the run, LSQ763 for one whose queries nothing keeps
    alive.
    """
    if target.type == "embedded":
        message = "a run on an embedded server cannot be detached: the server ends with the command"
        help = "name a target of `type: connect`, or leave `--detach` out and keep the command running"
        raise LsqlcError([Diagnostic("LSQ792", message, help=help)])
    if not target.capabilities.needs_python:
        message = "a run with `writers: native` cannot be detached"
        note = "a server ends a session that no client calls for an hour, and its queries; Python there would call it"
        help = "leave `--detach` out and keep the command running, or write `writers: 1` on a server with Python"
        raise LsqlcError([Diagnostic("LSQ763", message, notes=(note,), help=help)])


def read_detached(place: RunTarget, project: str) -> DetachedRun | None:
    """The run of the project that was left to a server; None if there is none. Raises LsqlcError: LSQ789 for a note of
    another release, and as the cluster does.
    """
    return _run_of(noted(place, project, NOTE))


def noted_run(folder: Path) -> DetachedRun | None:
    """The same of topics in folders. `folder`: that of the project's state. Raises LsqlcError LSQ001, LSQ789."""
    return _run_of(file_note(folder, NOTE))


def _run_of(text: str | None) -> DetachedRun | None:
    if text is None:
        return None
    run = detached_of(text)
    if run is None:
        message = "another release of lsqlc has detached a run of this project"
        help = "look at it, stop it or take it over with that release"
        raise LsqlcError([Diagnostic("LSQ789", message, help=help)])
    return run


def note_detached(place: RunTarget, project: str, run: DetachedRun | None) -> None:
    """Write the note, or with None remove it. Raises LsqlcError: LSQ034, and as the cluster does."""
    keep_note(place, project, NOTE, None if run is None else detached_text(run))


def check_detached(place: RunTarget, project: str, *, takes_over: bool) -> DetachedRun | None:
    """The detached run that a new run replaces, None if there is none. Call it with the lease held.

    Raises LsqlcError LSQ787 where that run goes on, and this one does not take it over or cannot reach it.
    """
    run = read_detached(place, project)
    if run is None:
        return None
    if takes_over and place.target.type == "connect":
        # Also from another server than that of the target: that one may be gone, and what its queries write is fenced.
        return run
    if _is_there(place, run) and not any(s.state == "running" for s in detached_standings(place, run)):
        return run
    raise LsqlcError([detached_error(run)])


@dataclass(slots=True)
class Handover:
    """What a run takes over from a detached one, and what it leaves to the server itself. `taken`: the detached run;
    `detach`: whether this one is to be left. `say` and `show` report; `wall`: seconds since 1970.
    """

    place: RunTarget
    project: str
    taken: DetachedRun | None
    detach: bool
    say: Callable[[str], None]
    show: Callable[[Diagnostic], None]
    wall: Callable[[], float]
    is_left: bool = False
    is_noted: bool = False

    def options(self, options: RunOptions, address: Address) -> RunOptions:
        """The options of a run in a session at that address, whose ids it has if the run is to be left."""
        leave = partial(self._leave, address) if self.detach else None
        return replace(options, before_start=partial(self._begin, address), leave=leave)

    def take_over(self) -> None:
        """Stop the queries of the detached run. Where its server cannot be reached any more, LSQ864 is shown, a
        warning. Raises LsqlcError as `connect`.
        """
        if self.taken is None:
            return
        if _is_there(self.place, self.taken):
            ended = stop_queries(self.place, self.taken)
            if ended:
                self.say(f"took over the detached run: stopped {queries_text(ended)}")
        else:
            self.show(unreached(self.taken, "the target has another server now"))
        note_detached(self.place, self.project, None)
        self.taken = None

    def close(self) -> None:
        """Remove the note of a run that was to be left and was not."""
        if self.is_noted and not self.is_left:
            # One that stays names no query, and the next run takes it over.
            with suppress(LsqlcError):
                note_detached(self.place, self.project, None)

    def _begin(self, address: Address) -> None:
        self.take_over()
        if self.detach:
            # With the session, which another client ends if this one is killed before it has left.
            note_detached(self.place, self.project, self._run(address, ()))
            self.is_noted = True

    def _leave(self, address: Address, queries: tuple[DetachedQuery, ...]) -> None:
        note_detached(self.place, self.project, self._run(address, queries))
        self.is_left = True

    def _run(self, address: Address, queries: tuple[DetachedQuery, ...]) -> DetachedRun:
        session, user = address.parameters["session_id"], address.parameters["user_id"]
        name, host = self.place.target.name, socket.gethostname()
        return DetachedRun(name, address.place, session, user, self.wall(), host, queries)


def stop_detached(place: RunTarget, project: str, run: DetachedRun, show: Callable[[Diagnostic], None]) -> int:
    """Stop the queries of a detached run and remove its note; how many ran. Where nothing listens at the address of the
    server any more LSQ864 is shown, a warning. Call it with the lease held. Raises LsqlcError as `stop_queries`.
    """
    try:
        stopped = stop_queries(place, run)
    except LsqlcError as error:
        if {found.code for found in error.diagnostics} != {"LSQ655"}:
            raise
        stopped = 0
        show(unreached(run, "nothing listens there: the queries have ended with the server, unless it has moved"))
    note_detached(place, project, None)
    return stopped


def stop_queries(place: RunTarget, run: DetachedRun) -> int:
    """Stop the queries after their current batches and close their session; how many ran. Raises LsqlcError as
    `connect`, LSQ791 for a run on the server of another target.
    """
    session = session_of(run, _address(place, run))
    return 0 if session is None else end(session)


def detached_standings(place: RunTarget, run: DetachedRun) -> tuple[QueryStatus, ...]:
    """What each query of a detached run does. Raises as `stop_queries`."""
    session = session_of(run, _address(place, run))
    transport = place.streams()

    def explain(query: DetachedQuery, error: str) -> Diagnostic:
        known = transport.explain(error, query.model, query.topic, query.reads)
        return known.diagnostic if known else query_failed(query.model, query.query, error, query.reads)

    try:
        return standings(session, run.queries, explain)
    finally:
        if session is not None:
            # Not `stop`, which would close the session on the server.
            session.client.close()


def queries_text(count: int) -> str:
    """`1 query`, `2 queries`."""
    return "1 query" if count == 1 else f"{count:,} queries"


def _is_there(place: RunTarget, run: DetachedRun) -> bool:
    """Whether the target is the server that the run was left to."""
    address = place.target.address
    return place.target.type == "connect" and address is not None and parse_address(address).place == run.server


def _address(place: RunTarget, run: DetachedRun) -> str:
    if not _is_there(place, run):
        message = f"the detached run is on the server '{run.server}', which is not that of the target"
        note = f"the target is '{place.target.name}'"
        help = f"name the target that it was started with: `--target {run.target}`"
        raise LsqlcError([Diagnostic("LSQ791", message, notes=(note,), help=help)])
    assert place.target.address is not None
    return place.target.address


def detached_error(run: DetachedRun) -> Diagnostic:
    """LSQ787: what is asked for does not go together with a detached run."""
    return Diagnostic(
        "LSQ787",
        f"a detached run of this project continues on the server '{run.server}'",
        notes=(f"it was detached on '{run.host}' from the target '{run.target}'",),
        help=f"stop it with `lsqlc stop --target {run.target}`, or take it over with `lsqlc run --continuous`",
    )


def unreached(run: DetachedRun, why: str) -> Diagnostic:
    """LSQ864, a warning: the note of a detached run is removed, and its queries have not been stopped."""
    return Diagnostic(
        "LSQ864",
        f"the queries of the detached run on '{run.server}' could not be stopped",
        severity=Severity.WARNING,
        notes=(why, "a query that is started again elsewhere ends with its next batch there"),
        help=f"stop the session '{run.session}' on that server, if the server still runs",
    )
