"""`lsqlc mcp`: a Model Context Protocol server for agents, over stdin and stdout."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from lsqlc import __version__
from lsqlc.cli import options, project
from lsqlc.cli.shell import shell

if TYPE_CHECKING:
    from collections.abc import Callable

    from lsqlc.cli.mcp_tools import Tools

_INSTRUCTIONS = (
    "lsqlc compiles a project of streaming SQL models, proves them by golden cases on DuckDB and runs them on Spark. "
    "These tools read the project and write nothing: edit the files yourself, then call compile and test. A finding "
    "has a code; explain shows its page. Call diff before you propose a change."
)


def command(vars: options.Vars = None, project_dir: options.ProjectDir = None) -> None:
    """Start a Model Context Protocol server for agents, on stdin and stdout.

    The agent's program starts it. It has tools to compile, test, diff, explain, lineage and show. They only read: no
    model, golden file or topic is written, and nothing runs on Spark.
    """
    with shell("mcp", "text", False) as sh:
        from lsqlc.diagnostics.extras import require

        # Version 2 and newer have this module.
        require("mcp.server.mcpserver")
        from lsqlc.cli.mcp_tools import Tools

        root = project.find(sh, project_dir)
        tools = Tools(root, project.variables(sh, vars))
        served(tools).run()


def served(tools: Tools) -> Any:
    """Return an `MCPServer` with the tools."""
    from mcp.server.mcpserver import MCPServer
    from mcp.types import ToolAnnotations

    server = MCPServer("lsqlc", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING")
    for tool in (tools.compile, tools.test, tools.diff, tools.explain, tools.lineage, tools.show, tools.query):
        # Topics of a target may be in a cluster; everything else is in the project.
        hints = ToolAnnotations(
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=tool in (tools.show, tools.query),
        )
        description = " ".join((tool.__doc__ or "").split())
        server.tool(description=description, annotations=hints, structured_output=False)(_refusing(tool))
    return server


def _refusing(tool: Callable[..., str]) -> Callable[..., str]:
    """Return a tool whose refusals are answers to the agent, and not failures of the server."""
    from mcp.server.mcpserver.exceptions import ToolError

    from lsqlc.cli.mcp_tools import Refused

    @wraps(tool)
    def answer(*arguments: Any, **keywords: Any) -> str:
        try:
            return tool(*arguments, **keywords)
        except Refused as refused:
            raise ToolError(str(refused)) from None

    return answer
