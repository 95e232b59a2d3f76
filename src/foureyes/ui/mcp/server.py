"""The MCP server over stdin and stdout. Nothing else is written to stdout.

The worker thread performs the verbs, because they block. A problem in a call is the answer of that call and never ends
the server.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Mapping
from typing import Any

import anyio
import msgspec
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from foureyes import __version__
from foureyes.config.primer import RULES
from foureyes.errors import BadInput, FoureyesError
from foureyes.steps import NO_STEP, Steps, prose
from foureyes.ui.mcp import resources
from foureyes.ui.mcp.answers import ToolAnswer, error
from foureyes.ui.mcp.inputs import read
from foureyes.ui.mcp.next_tools import steps_in, tools_of
from foureyes.ui.mcp.tools import MORE, Tool, tools
from foureyes.ui.mcp.worker import Project, ToolWorker

INSTRUCTIONS = f"""{RULES}
task_next claims a task and says where its worktree is: edit there. task_submit with `commit` commits and submits.
task_reviewable, task_diff, then review_submit or task_approve with `seen`: for the work of others.
`next` is a command; `next_tools` are the tools that do the same."""


class Talk:
    """The handlers of one conversation. Each gets what the SDK has parsed, and returns what it writes."""

    def __init__(self, worker: ToolWorker, offered: Mapping[str, Tool]) -> None:
        self._desk, self._offered = worker, offered

    async def list_tools(self, _: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(tool) for tool in self._offered.values()])

    async def call_tool(self, _: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            tool = self._offered.get(params.name)
            if tool is None:
                raise _unknown(params.name, self._offered)
            given = read(params.arguments, tool.input, tool.name)
            return _result(await self._desk.ask(lambda app, actor: self._used(tool, tool.use(app, actor, given))))
        except FoureyesError as problem:
            return _result(error(problem) | self._next(steps_in(problem)), is_error=True)

    def _used(self, tool: Tool, value: object) -> ToolAnswer:
        return tool.answer(value) | self._next(getattr(value, "next", NO_STEP))

    def _next(self, steps: Steps) -> ToolAnswer:
        names = tools_of(steps, self._offered)
        return {"next_tools": names} if names else {}

    async def list_resources(self, _: Any, __: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])

    async def list_templates(self, _: Any, __: Any) -> types.ListResourceTemplatesResult:
        listed = [
            types.ResourceTemplate(
                name=each.name, uri_template=each.template, description=each.help, mime_type=each.type
            )
            for each in resources.RESOURCES
        ]
        return types.ListResourceTemplatesResult(resource_templates=listed)

    async def read_resource(self, _: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        address = str(params.uri)
        try:
            kind, text = await self._desk.ask(lambda app, actor: resources.read(app, actor, address))
        except FoureyesError as problem:
            raise _refused(problem) from problem
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)]
        )

    async def list_prompts(self, _: Any, __: Any) -> types.ListPromptsResult:
        task = types.PromptArgument(name="task", description="The id of the task.", required=True)
        listed = [
            types.Prompt(name=name, description=says, arguments=[task]) for name, says in resources.PROMPTS.items()
        ]
        return types.ListPromptsResult(prompts=listed)

    async def get_prompt(self, _: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        task = (params.arguments or {}).get("task", "")
        try:
            text = await self._desk.ask(lambda app, actor: resources.prompt(app, actor, params.name, task))
        except FoureyesError as problem:
            raise _refused(problem) from problem
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=resources.PROMPTS[params.name], messages=[message])


def make_server(worker: ToolWorker, *, everything: bool = False) -> Server[Any]:
    """Return a server that uses a worker."""
    talk = Talk(worker, tools(everything=everything))
    return Server(
        "foureyes",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=talk.list_tools,
        on_call_tool=talk.call_tool,
        on_list_resources=talk.list_resources,
        on_list_resource_templates=talk.list_templates,
        on_read_resource=talk.read_resource,
        on_list_prompts=talk.list_prompts,
        on_get_prompt=talk.get_prompt,
    )


def _tool(tool: Tool) -> types.Tool:
    only_reads = not tool.verb.writes
    hints = types.ToolAnnotations(read_only_hint=only_reads, destructive_hint=False, open_world_hint=False)
    return types.Tool(name=tool.name, description=tool.help, input_schema=tool.schema, annotations=hints)


def _result(answer: ToolAnswer, *, is_error: bool = False) -> types.CallToolResult:
    """Return the object itself and the same as text. Some programs show a model only one of them."""
    text = msgspec.json.encode(answer).decode()
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=answer, is_error=is_error)


def _unknown(name: str, offered: Mapping[str, Tool]) -> BadInput:
    if name in MORE:
        return BadInput(f"this server does not offer {name}.", next_step=prose("fe mcp --all offers it"))
    return BadInput("there is no tool with that name.", next_step=prose(f"one of: {', '.join(offered)}"))


def _refused(problem: FoureyesError) -> MCPError:
    return MCPError(types.INVALID_PARAMS, problem.message, error(problem))


def serve(project: Project, *, everything: bool = False) -> None:
    """Serve one conversation, until stdin or a signal ends it."""
    gc.enable()  # a short command does without; this one stays
    worker = ToolWorker(project)
    _end_on_signal(worker)
    server = make_server(worker, everything=everything)
    try:
        anyio.run(_serve, server)
    finally:
        worker.close()


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _end_on_signal(worker: ToolWorker) -> None:
    """On SIGTERM, SIGINT and SIGHUP, finish the current call and exit. The thread that reads stdin cannot be woken, so
    it is not waited for.
    """

    def finish() -> None:
        worker.close()
        os._exit(0)

    def on_signal(*_: object) -> None:
        threading.Thread(target=finish, daemon=True).start()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, on_signal)
