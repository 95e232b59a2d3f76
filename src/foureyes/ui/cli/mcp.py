"""`fe mcp`: starts the MCP server."""

from __future__ import annotations

import os

import click

from foureyes.core.nouns.session import RUN_DIR
from foureyes.errors import BadInput
from foureyes.steps import fe
from foureyes.ui.cli.command import Session, verb


@verb("mcp", example="fe mcp\nclaude mcp add foureyes -- fe mcp")
@click.option(
    "--run", "directory", default="", metavar="DIR", help="The directory of the agent's run, which identifies it. (I2)"
)
@click.option("--all", "everything", is_flag=True, help="Every tool for agents, not only those of its role.")
def mcp(session: Session, directory: str, everything: bool) -> None:
    """Serve the commands as MCP tools, over stdin and stdout. The agent program starts it."""
    if session.asserted:
        raise BadInput("a server has no typed name.", next_step=fe("mcp"))
    from foureyes.bootstrap.tool_server import Served

    named = {RUN_DIR: os.path.abspath(directory)} if directory else {}
    project = Served(session.cwd, {**os.environ, **named})  # first, so that the caller is identified now (I5)
    from foureyes.ui.mcp.server import serve

    serve(project, everything=everything)
