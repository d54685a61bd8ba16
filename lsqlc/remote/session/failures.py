"""Errors of Spark as diagnostics: the error class and the message, the model, and a help; never a JVM stack."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lsqlc.connectors.skips import Skip
from lsqlc.connectors.timeless import NO_EVENT_TIME, timeless
from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.functions.own_faults import fault
from lsqlc.lower.spark.merge_order import CLOCK_SET_BACK
from lsqlc.plan.policies import skip_help
from lsqlc.types.error_policy import SKIP_IN_CONFIG

_CLASS = re.compile(r"\[(?P<name>[A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*)\]\s*(?P<message>.*)", re.DOTALL)
# Text that follows the message in Spark's errors.
_TAIL = re.compile(r"\s*(?:SQLSTATE: |=== Streaming Query ===|JVM stacktrace:|\n\s*at |\nDriver stacktrace:|== SQL)")
# Text before the error of the Python process that writes a batch, and before the error of a task.
_TRACEBACK = re.compile(
    r"\A.*Traceback \(most recent call last\):\n(?:[ \t]+[^\n]*\n)*(?:pyspark\.[\w.]+: )?", re.DOTALL
)
_TASK = re.compile(r"Job aborted due to stage failure: .*?most recent failure: Lost task [^\n]*?\): ", re.DOTALL)
_JAVA = re.compile(r"^(?:(?:[a-z]\w*\.)+[A-Z][\w$]*(?:Exception|Error)?:?\s*)+")
# The text of gRPC for an error of the JVM that Spark does not handle.
_UNKNOWN = re.compile(r'status = StatusCode\.UNKNOWN\s+details = "(?P<details>.*?)"\s+debug_error_string', re.DOTALL)
# The whole message of the JVM for a missing class that another class refers to.
_MISSING_CLASS = re.compile(r"[\w$]+(?:/[\w$]+)+")
_REFUSED = re.compile(
    r"the record (?P<ordinal>\[[^\]]*\]|\S+) of '(?P<topic>.*?)' cannot be read: (?P<why>[^\n]*?)(?= SQLSTATE|\n|$)"
)
# Spark's text for a record that it could read in part: the fields, the ordinal first.
_PARTLY = re.compile(r"in record parsing: \[(?P<ordinal>null|-?\d+|\[[^\]]*\])")
# Errors of the transport, of the session, and of a server that is shutting down.
_LOST = (
    "StatusCode.UNAVAILABLE", "StatusCode.DEADLINE_EXCEEDED", "RPC deadline exceeded", "RETRIES_EXCEEDED",
    "Connection refused", "Connection reset", "failed to connect to all addresses", "Socket closed", "Channel closed",
    "closed channel",
    "NO_ACTIVE_SESSION", "INVALID_HANDLE.SESSION", "SESSION_CLOSED", "SESSION_CHANGED",
    "incorrect server side session identifier",
    "stopped SparkContext", "SparkContext was shut down", "SparkContext has been shutdown",
    # The text of gRPC for an exception of a server that is shutting down.
    "Application error processing RPC",
)  # fmt: skip
# The server waits ten seconds for a Python process that it has started.
_SLOW = "failed to connect back"
# An error of the socket between the server and the worker that writes a batch. The server itself is alive: it has
# reported this error.
_WORKER_RESET = "foreach batch sink. Reason: Connection reset"
# Errors of a worker that died, or of an executor that a cluster removed: the same query can succeed on another one.
_WORKER_LOST = (
    _SLOW, _WORKER_RESET,
    "Python worker exited unexpectedly", "Python worker process terminated", "Python worker faulted",
    "STREAMING_PYTHON_RUNNER_INITIALIZATION", "java.io.EOFException", "ExecutorLostFailure", "Executor lost",
    "ExecutorDeadException", "FetchFailed", "MetadataFetchFailed", "Broken pipe",
    # A helper process of the server, killed while it started: often the server itself is just being killed.
    "Failed to exec spawn helper",
)  # fmt: skip
# A bug of the Kafka connector of Spark 4.1: it fails after it has repeated a batch. The batch is complete by then.
_BEHIND_A_REPEATED_BATCH = (
    'Cannot invoke "scala.collection.IterableOps.map(scala.Function1)" because the return value of'
    ' "scala.Option.get()" is null'
)
# Errors that every other worker has as well.
_UNFIT = ("PYTHON_VERSION_MISMATCH", "ModuleNotFoundError", "No module named", "ImportError")
# The message of Java for an interpreter that does not exist, or must not be executed. Java 25 has another text.
_NO_PYTHON = re.compile(r'Cannot run program "[^"]*py(thon|py)[^"/]*"[^\n]*?error(=(2|13),|: (2|13) )')
_UNWRITTEN = (
    "No space left on device", "Disk quota exceeded", "Read-only file system", "Permission denied", "PermissionError",
    "AccessControlException", "AccessDeniedException",
)  # fmt: skip
_HELPS = (
    (
        _SLOW,
        "the server's machine is too busy to start Python within ten seconds: run again, with fewer `--threads`; if "
        "none ever starts, the server's log names the package of `pyspark[connect]` that its Python lacks",
    ),
    ("STATE_STORE", "run with `--full-refresh` to rebuild the state from the topics"),
    ("CHECKPOINT", "run with `--full-refresh` to start from a new checkpoint"),
    ("FAILED_READ_FILE", "a topic's file was removed or is damaged: run with `--full-refresh`"),
    (
        "org.apache.datasketches.memory",
        "a library of Spark refuses Java 22 and newer: run the server with Java 17 or 21, or with the jar of"
        " spark-catalyst before that of datasketches-memory on its class path",
    ),
    ("OUT_OF_MEMORY", "give the server more memory, or read fewer segments per batch"),
    ("OutOfMemoryError", "give the server more memory, or read fewer segments per batch"),
    (
        "No module named 'google",
        "records in PROTOBUF need the package protobuf in the Python of the executors: it comes with pyspark[connect]",
    ),
    *(
        (sign, "the server needs the same minor version of Python as this one, with pyspark and pyarrow")
        for sign in _UNFIT
    ),
)


def cause(text: str) -> tuple[str | None, str]:
    """Return Spark's error class, or None, and its message in one line. `text`: that of an exception of pyspark.

    >>> cause("[STREAM_FAILED] Query terminated with exception: [DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012")
    ('DIVIDE_BY_ZERO', 'Division by zero.')
    >>> cause('<... status = StatusCode.UNKNOWN details = "org/tool/Missing" debug_error_string = "...">')
    (None, "the class 'org.tool.Missing' is missing: a jar is not on the server's class path")
    """
    name: str | None = None
    unknown = _UNKNOWN.search(text)
    inner = (unknown["details"] if unknown else text).strip()
    if _MISSING_CLASS.fullmatch(inner):
        return None, f"the class '{inner.replace('/', '.')}' is missing: a jar is not on the server's class path"
    while match := _CLASS.search(inner):
        # The innermost class is the most specific one. A cause below it without a class belongs to its message.
        name, inner = match["name"], match["message"]
        nested = inner.partition("terminated with exception:")[2].strip()
        if not nested:
            deeper = _CLASS.search(_TAIL.split(inner, maxsplit=1)[0])
            if deeper is None:
                break
            continue
        inner = nested
    inner = _TASK.sub("", _TRACEBACK.sub("", inner))
    text_of_cause = _TAIL.split(inner, maxsplit=1)[0]
    # For an error of Java without a message, keep its class and the first line of its stack.
    message = " ".join((_JAVA.sub("", text_of_cause) or " ".join(inner.splitlines()[:2])).split())
    return name, (message[:497] + "..." if len(message) > 500 else message) or "no message"


def is_lost(error: BaseException | str) -> bool:
    """Return whether the error means that the server has ended, or the session on it."""
    text = str(error).replace(_WORKER_RESET, "")
    return any(sign in text for sign in _LOST)


def is_slow(error: BaseException) -> bool:
    """Return whether the server's Python process did not start in time. Nothing has run then."""
    return _SLOW in str(error)


def is_passing(error: BaseException | str) -> bool:
    """Return whether the query may succeed when it is started again.

    This is so if a worker of the server has ended, or if the connector failed after a complete batch. All other errors
    come from the data, the plan or the machine, and would occur again.
    """
    text = str(error)
    lasting = (*_UNFIT, *_UNWRITTEN, "FAILED_READ_FILE")
    passing = (*_WORKER_LOST, _BEHIND_A_REPEATED_BATCH)
    return any(sign in text for sign in passing) and not any(sign in text for sign in lasting)


class LastingError(LsqlcError):
    """An error that ends a run at once: it would occur again in a second attempt."""


class PassingError(LsqlcError):
    """An error after which a query is started again; see `is_passing`."""


def query_failed(
    model: str,
    query: str,
    error: BaseException | str,
    topics: Iterable[str] = (),
    skip_setting: str = SKIP_IN_CONFIG,
) -> Diagnostic:
    """Return the diagnostic for a query that ended with an error.

    LSQ667: it cannot read a record. LSQ431: a record has no time. LSQ669: the server cannot write. LSQ670: the clock of
    the server was set back. LSQ761: the server has no Python. LSQ661: any other error. `topics`: those that the query
    reads; `skip_setting`: that of the plan.
    """
    text = str(error)
    if "MALFORMED_RECORD_IN_PARSING" in text or _REFUSED.search(text):
        return _unreadable(model, query, text, topics, skip_setting)
    if (of_python := fault(model, text)) is not None:
        return of_python
    name, message = cause(text)
    # The text of an error may contain the whole plan, with every error that the query can raise.
    if NO_EVENT_TIME in message:
        return timeless(model, topics, skip_setting, (f"the query is '{query}'",))
    notes = (f"Spark's error class is {name}" if name else "Spark gives no error class", f"the query is '{query}'")
    if any(sign in text for sign in _UNWRITTEN):
        help = "give it disk space, and permission to write the topics and the checkpoints: `lsqlc debug` checks this"
        why = next(sign for sign in _UNWRITTEN if sign in text)
        message = f"the query of model '{model}' cannot write: {message if why in message else f'{why}: {message}'}"
        return Diagnostic("LSQ669", message, notes=notes, help=help)
    if _NO_PYTHON.search(text):
        return _no_python(model, query, text)
    if CLOCK_SET_BACK in message:
        message = f"the model '{model}' cannot continue: the clock of the Spark server was set back"
        help = "`lsqlc run --full-refresh` recomputes the model; keep the clock of the server from being set back"
        return Diagnostic("LSQ670", message, notes=(f"the query is '{query}'",), help=help)
    usual = "fix the cause and run again: the query continues where it stopped"
    help = next((h for sign, h in _HELPS if sign in text), usual)
    return Diagnostic("LSQ661", f"the query of model '{model}' failed: {message}", notes=notes, help=help)


def query_refused(model: str, query: str, step: str, error: BaseException | str) -> Diagnostic:
    """Return LSQ665: Spark rejects a step of a query's plan before anything has run. LSQ761: it has no Python."""
    if _NO_PYTHON.search(str(error)):
        return _no_python(model, query, str(error))
    name, message = cause(str(error))
    if name == "DATA_SOURCE_NOT_FOUND" and "kafka" in message:
        return no_connector()
    notes = (
        f"Spark's error class is {name}" if name else "Spark gives no error class",
        f"at {step} of query '{query}'",
    )
    help = "the compiled SQL is in `target/compiled/spark`; an older server may lack a function that it uses"
    return Diagnostic("LSQ665", f"Spark rejects the query of model '{model}': {message}", notes=notes, help=help)


def _no_python(model: str, query: str, text: str) -> Diagnostic:
    """Return LSQ761: the server, or an executor, has no Python that can write the query's output."""
    return Diagnostic(
        "LSQ761",
        f"the model '{model}' cannot be written: the Spark server has no Python",
        notes=(f"Spark says: {cause(text)[1]}", f"the query is '{query}'"),
        help="install Python with pyspark on the server and set PYSPARK_PYTHON, or write `writers: native` in `kafka:`"
        " of the target: Spark's own sink then writes, and records of a STREAM at least once",
    )


def no_connector() -> Diagnostic:
    """Return LSQ754: the server has no data source for Kafka."""
    return Diagnostic(
        "LSQ754",
        "the Spark server has no connector for Kafka",
        notes=("a client cannot provide it: it must be on the server's class path when the server starts",),
        help="start the server with `--packages org.apache.spark:spark-sql-kafka-0-10_2.13:` and its own version",
    )


def _unreadable(model: str, query: str, text: str, topics: Iterable[str], skip_setting: str) -> Diagnostic:
    message, partly = _REFUSED.search(text), _PARTLY.search(text)
    place = message["ordinal"] if message else partly["ordinal"] if partly else None
    names = [message["topic"]] if message else list(topics)
    # An ordinal with further numbers other than 0 is of a join. Its records may have the first number in common.
    number = re.fullmatch(r"\[?(\d+)(?:, ?0)*\]?", place or "")
    help = f"`lsqlc show {names[0] if len(names) == 1 else 'TOPIC'}` shows the error; "
    if number and len(names) == 1:
        help += f"`{Skip(names[0], None, int(number[1])).command}` skips it; or "
    help += skip_help("record", skip_setting)
    why = message["why"] if message else "its line does not match the fields that are read"
    where = f"its ordinal is {place}" if place and place != "null" else "its line has no ordinal"
    return Diagnostic(
        "LSQ667",
        f"the model '{model}' cannot read a record of {listing(names) or 'its topics'}",
        notes=(why, where, f"the query is '{query}', and the model's error policy is to fail"),
        help=help,
    )


def server_lost(place: str, embedded: bool) -> Diagnostic:
    """Return LSQ663: no server listens at the address any more, or a call to it failed."""
    notes = ("its streaming queries have ended with it; what they committed is kept",)
    first = "check the server's log in the work folder" if embedded else "restart the server"
    help = f"{first}; the next run continues from the checkpoints"
    return Diagnostic("LSQ663", f"the Spark server at '{place}' has ended", notes=notes, help=help)


def server_silent(place: str, seconds: float) -> Diagnostic:
    """Return LSQ663: the server has not answered for that many seconds. It may still run."""
    return Diagnostic(
        "LSQ663",
        f"the Spark server at '{place}' has not answered for {seconds:.0f} seconds",
        notes=("its streaming queries have ended with it, or still run; what they committed is kept",),
        help="check the server's load and memory, and the network; the next run continues from the checkpoints",
    )


def query_taken(model: str, query: str) -> Diagnostic:
    """Return LSQ662: a query is inactive, without an error, and this run did not stop it."""
    return Diagnostic(
        "LSQ662",
        f"the query of model '{model}' was stopped by another client",
        notes=(f"'{query}' ended without an error, as when its checkpoint is started from another session",),
        help="find the other run of this project, and stop one of them",
    )
