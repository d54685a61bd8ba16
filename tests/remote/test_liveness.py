"""When a server counts as lost: at once where nobody listens, and after a while where somebody is silent."""

from __future__ import annotations

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.run.liveness import SILENCE, Liveness
from lsqlc.remote.session.probe import Answer
from lsqlc.remote.session.session import parse_address

PLAIN = "sc://localhost:15002"
WITH_TLS = "sc://spark.example.com:443/;use_ssl=true"


class Server:
    """A server that gives the same answer until it is changed, and a clock."""

    def __init__(self, address: str = PLAIN) -> None:
        self.answer: Answer = "serving"
        self.now = 100.0
        self.asked = 0
        self.liveness = Liveness(parse_address(address), lambda: self.now, lambda _: self.greet())

    def greet(self) -> Answer:
        self.asked += 1
        return self.answer

    def silent_for(self, seconds: float) -> list[bool]:
        """What the contact says at each second, the last included."""
        self.answer = "silent"
        answers = []
        for _ in range(int(seconds)):
            self.now += 1
            answers.append(self.liveness.answers())
        return answers


def test_a_server_that_serves_is_asked_once_a_second() -> None:
    """However often its run looks."""
    server = Server()
    for _ in range(100):
        assert server.liveness.answers()
        server.now += 0.125
    assert server.asked == 13


def test_a_refused_connection_is_the_end() -> None:
    """At the first greeting: no server of another session would begin to listen there."""
    server = Server()
    assert server.liveness.answers()
    server.answer = "refused"
    server.now += 1
    with pytest.raises(LsqlcError, match=r"LSQ663.*'localhost:15002' has ended"):
        server.liveness.answers()


def test_a_pause_is_borne() -> None:
    """Nothing is asked of the server meanwhile, and the next silence counts from its last answer."""
    server = Server()
    for _ in range(3):
        server.answer = "serving"
        server.now += 1
        assert server.liveness.answers()
        assert server.silent_for(SILENCE - 1) == [False] * int(SILENCE - 1)


def test_a_silence_that_lasts_is_the_end() -> None:
    """The message does not say that the queries have ended, which nobody knows."""
    server = Server()
    assert server.liveness.answers()
    with pytest.raises(LsqlcError) as error:
        server.silent_for(SILENCE + 1)
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, server.now) == ("LSQ663", 100 + 1 + SILENCE)
    assert diagnostic.message == "the Spark server at 'localhost:15002' has not answered for 30 seconds"


def test_a_call_that_takes_long_is_no_silence() -> None:
    """Nobody asks the server meanwhile: its silence counts from the first greeting that it does not answer."""
    server = Server()
    assert server.liveness.answers()
    server.now += 10 * SILENCE
    assert server.silent_for(SILENCE) == [False] * int(SILENCE)


def test_silence_behind_tls_says_nothing() -> None:
    """A TLS server need not answer a plain greeting; one that refuses the connection is gone all the same."""
    server = Server(WITH_TLS)
    assert server.silent_for(2 * SILENCE) == [True] * int(2 * SILENCE)
    server.answer = "refused"
    server.now += 1
    with pytest.raises(LsqlcError, match="LSQ663"):
        server.liveness.answers()
