"""`lsqlc mcp` as an agent's program meets it: the tools, what they refuse, and the process."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli, everything
from .test_diff import git

pytest.importorskip("mcp.server.mcpserver", reason="the package mcp is not installed")

from mcp import Client, StdioServerParameters

from lsqlc.cli.mcp import served
from lsqlc.cli.mcp_tools import Tools

TOOLS = ["compile", "test", "diff", "explain", "lineage", "show", "query"]
WRONG = {"models/arrivals.sql": "SELECT STREAM bik FROM rides"}


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(coroutine)


def call(root: Path, tool: str, /, **arguments: Any) -> tuple[bool, str]:
    """Whether a tool gave an error, and its text."""

    async def asked() -> tuple[bool, str]:
        async with Client(served(Tools(root, {}))) as client:
            result = await client.call_tool(tool, arguments)
            (content,) = result.content
            return bool(result.is_error), content.text  # type: ignore[union-attr]

    answer: tuple[bool, str] = run(asked())
    return answer


def test_the_tools_say_what_they_do(bikes: Path) -> None:
    """Each has a description, and says that it only reads; only topics may lie outside of the project."""

    async def listed() -> Any:
        async with Client(served(Tools(bikes, {}))) as client:
            return (await client.list_tools()).tools

    tools = run(listed())
    assert [tool.name for tool in tools] == TOOLS
    for tool in tools:
        assert tool.description and "\n" not in tool.description
        hints = tool.annotations
        assert hints.read_only_hint and not hints.destructive_hint
        assert hints.open_world_hint == (tool.name in ("show", "query"))


def test_compile(bikes: Path) -> None:
    """Errors with carets, a text that is not on the disk, and the plans of selected models."""
    assert call(bikes, "compile") == (False, "3 models compiled")
    text = call(bikes, "compile", select=["arrivals"])[1]
    assert text.startswith("model arrivals\nSink arrivals [STREAM]") and text.endswith("1 model compiled")
    wrong = call(bikes, "compile", files=WRONG)[1]
    assert "1 | SELECT STREAM bik FROM rides\n  |               ^^^\n" in wrong and "did you mean 'bike'?" in wrong
    assert wrong.index("error[") < wrong.index("note[LSQ033]")
    more = call(bikes, "compile", files={"models/more.sql": "SELECT STREAM bike FROM rides"}, select=["more"])[1]
    assert more.startswith("model more\n") and not (bikes / "models" / "more.sql").exists()
    assert "LSQ040" in call(bikes, "compile", select=["nothing"])[1]
    (bikes / "lsqlc.yml").write_text("name: [")
    failed, said = call(bikes, "compile")
    assert failed and "error[LSQ003]" in said and "lsqlc.yml:2:1" in said


def test_nothing_is_written(bikes: Path) -> None:
    """Not by a test whose golden files are missing, nor by any other tool."""
    git(bikes, "init", "-q")
    git(bikes, "add", "-A")
    git(bikes, "commit", "-q", "-m", "first")
    (bikes / "golden" / "bikes_at_station" / "plan.txt").unlink()
    before = everything(bikes)
    text = call(bikes, "test")[1]
    assert "error[LSQ513]" in text and "+++ b/golden/bikes_at_station/plan.txt" in text
    changed = {
        "models/bikes_at_station.sql": "SELECT TABLE station, COUNT(*) + 1 AS bikes FROM arrivals GROUP BY station"
    }
    assert "value.bikes  expected 1, found 2" in call(bikes, "test", files=changed)[1]
    assert call(bikes, "diff")[1] == "no model changed"
    assert not call(bikes, "lineage", name="rides.bike")[0]
    assert not call(bikes, "show", name="rides")[0]
    assert not call(bikes, "explain", code="lsq203")[0]
    assert everything(bikes) == before


def test_diff_lineage_and_show(cli: Cli, bikes: Path) -> None:
    """As the commands of these names print them."""
    git(bikes, "init", "-q")
    git(bikes, "add", "-A")
    git(bikes, "commit", "-q", "-m", "first")
    model = bikes / "models" / "arrivals.sql"
    model.write_text(model.read_text().replace("NOT cancelled", "minutes > 3"))
    text = call(bikes, "diff", select=["arrivals"])[1]
    assert text.startswith("~ arrivals: compatible\n") and text.endswith("1 model changed: 1 compatible")
    failed, said = call(bikes, "diff", against="nowhere")
    assert failed and "error[LSQ069]" in said
    assert "arrivals._value.bike  value" in call(bikes, "lineage", name="rides.bike")[1]
    assert cli("seed", "-q").code == 0
    shown = call(bikes, "show", name="rides", limit=1)[1].splitlines()
    assert shown[0].split()[:2] == ["timestamp", "_key"] and len(shown) == 4
    assert shown[3] == "and 59 more"
    asked = call(bikes, "query", text="SELECT count(*) AS n FROM STREAM(rides)", dialect="sql")[1]
    assert asked.splitlines() == [" n", "──", "60", "(1 row)"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("explain", {"code": "LSQ1"}, "error[LSQ065]: unknown code 'LSQ1'"),
        ("lineage", {"name": "ride"}, "help: did you mean 'rides'?"),
        ("show", {"name": "ride"}, "error[LSQ063]"),
        ("show", {"name": "rides", "limit": 0}, "limit must be from 1 to 200, not 0"),
        ("show", {"name": "rides", "target": "nowhere"}, "nowhere"),
        ("query", {"text": "SELECT STREAM * FROM ride"}, "error[LSQ200]"),
        ("query", {"text": "SELECT STREAM * FROM rides", "limit": 201}, "limit must be from 1 to 200, not 201"),
        ("query", {"text": "SELECT 1", "dialect": "mysql"}, "unknown dialect 'mysql'"),
        ("diff", {}, "error[LSQ069]"),
        ("explain", {}, "code"),
    ],
)
def test_what_is_refused(
    bikes: Path, monkeypatch: pytest.MonkeyPatch, tool: str, arguments: dict[str, Any], said: str
) -> None:
    """An error that the agent can read, as the command line has it."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(bikes.parent))
    failed, text = call(bikes, tool, **arguments)
    assert failed and said in text


def test_a_model_with_errors(bikes: Path) -> None:
    """Tools that need the whole project show its errors with their carets."""
    (bikes / "models" / "arrivals.sql").write_text(WRONG["models/arrivals.sql"])
    git(bikes, "init", "-q")
    git(bikes, "commit", "-q", "--allow-empty", "-m", "first")
    for tool in ("show", "diff"):
        failed, text = call(bikes, tool, **({"name": "rides"} if tool == "show" else {}))
        assert failed and "  |               ^^^\n" in text


def test_the_process(bikes: Path) -> None:
    """`lsqlc mcp` speaks the protocol on its streams, from any folder."""

    async def asked() -> tuple[list[str], str]:
        environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": os.environ["PATH"]}
        words = ["-m", "lsqlc", "mcp", "--project-dir", str(bikes)]
        process = StdioServerParameters(command=sys.executable, args=words, env=environment, cwd=bikes.parent)
        async with Client(process) as client:
            tools = (await client.list_tools()).tools
            result = await client.call_tool("compile", {})
            return [tool.name for tool in tools], result.content[0].text  # type: ignore[union-attr]

    assert run(asked()) == (TOOLS, "3 models compiled")


def test_without_the_package(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the command that installs it; an older release of the package is refused likewise."""
    for missing in ("mcp.server.mcpserver", "mcp"):
        monkeypatch.setitem(sys.modules, missing, None)
        ran = cli("mcp")
        assert ran.code == 1 and "error[LSQ099]" in ran.err and "pip install 'lsqlc[mcp]'" in ran.err


def test_without_a_project(cli: Cli, tmp_path: Path) -> None:
    """There is nothing to serve."""
    assert "error[LSQ008]" in cli("mcp", "--project-dir", str(tmp_path)).err


OWN = """from typing import Annotated
import pyarrow as pa
open("executed", "w").close()

def same(text: Annotated[pa.Array, "STRING"]) -> Annotated[pa.Array, "STRING"]:
    return text
"""


def test_a_call_brings_no_code_that_is_executed(cli: Cli, bikes: Path) -> None:
    """Code in Python runs if the lock file has its hash; a call cannot bring both."""
    files = {"functions/same.py": OWN, "models/bikes_at_station.sql": "SELECT TABLE same(station) AS s FROM arrivals\n"}
    (bikes / "functions").mkdir()
    (bikes / "functions/same.py").write_text(OWN)
    assert cli("functions", "lock").code == 0
    lock = (bikes / "lsqlc.lock.yml").read_text()
    (bikes / "lsqlc.lock.yml").unlink()
    (bikes / "functions/same.py").unlink()
    for path in ("lsqlc.lock.yml", "./lsqlc.lock.yml", "LSQLC.lock.yml"):
        failed, text = call(bikes, "test", files={**files, path: lock})
        assert failed and "'lsqlc.lock.yml' cannot be given" in text
    failed, text = call(bikes, "test", files=files)
    assert "its code is not in the lock file" in text
    assert not (bikes / "executed").exists()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"models/x.sql": f"SELECT STREAM {'nix, ' * 20_000}bike FROM rides"}, "the answer is cut after 100,000"),
        ({"models/x.sql": f"SELECT STREAM {'(' * 100_000}bike FROM rides"}, "more than 100 levels"),
        ({"models/a\0b.sql": "SELECT STREAM bike FROM rides"}, "is not a valid name of a model"),
        ({"models/x.sql": "SELECT STREAM `a\x1b[2J` FROM rides"}, "a\u241b[2J"),
        ({"../x.sql": "SELECT", "/etc/x.sql": "SELECT", "profiles.yml": "x"}, "3 models compiled"),
    ],
)
def test_files_that_are_meant_ill(bikes: Path, files: dict[str, str], message: str) -> None:
    """Each call has an answer of bounded length without controls."""
    _, text = call(bikes, "compile", files=files)
    assert message in text and len(text) < 101_000 and "\x1b" not in text
    assert "3 models compiled" in call(bikes, "compile")[1]


def test_what_cannot_be_encoded_is_answered(bikes: Path) -> None:
    """Half of a pair of UTF-16 is no text, in a file and in its name."""
    tools = Tools(bikes, {})
    assert "UTF-8" in tools.compile(files={"models/x.sql": "SELECT '\ud800'"})
    tools.compile(files={"models/\ud800.sql": "SELECT 1"}).encode()


@pytest.mark.parametrize("against", ["/etc/passwd", "--output=x", "HEAD:../x", "\0", "secret.json"])
def test_a_comparison_tells_nothing_of_other_files(bikes: Path, against: str) -> None:
    """What is no revision and no manifest is refused without its content."""
    (bikes / "secret.json").write_text('{"password": "hunter2"}')
    failed, text = call(bikes, "diff", against=against)
    assert failed and "LSQ069" in text and "hunter2" not in text and "root:" not in text
