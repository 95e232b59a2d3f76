"""A project on disk behind a server in the test's own process: who calls is said plainly (I10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from foureyes.app.application import Application
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.wiring import open_project
from foureyes.core.nouns.session import Actor
from foureyes.ui.mcp.server import make_server
from foureyes.ui.mcp.worker import ToolWorker

from tests.stage.checkout import Checkout
from tests.stage.copies import copy_tree
from tests.stage.people import ALICE, CLAUDE


def build(root: Path) -> Path:
    """A project to be copied."""
    checkout = Checkout(root)
    root.mkdir(parents=True)
    checkout.git("init", "-q", "-b", "main")
    checkout.git("config", "user.name", "Alice")
    checkout.git("config", "user.email", "alice@example.org")
    checkout.write("app.py", "print(0)\n")
    checkout.git("add", "-A")
    checkout.git("commit", "-q", "-m", "begin")
    create_project(str(root), environ(root), ALICE, prefix="fe", target="main", commit=True)
    return root


def environ(root: Path) -> dict[str, str]:
    return {"HOME": str(root.parent), "PATH": "/usr/local/bin:/usr/bin:/bin"}


class Office:
    """The project, and whoever calls next. What a server is started over, too."""

    def __init__(self, template: Path, root: Path) -> None:
        copy_tree(template, root)
        self.root, self.checkout = root, Checkout(root)
        self.actor = CLAUDE
        self.traces: list[str] = []

    @contextmanager
    def call(self) -> Iterator[tuple[Application, Actor]]:
        app = open_project(str(self.root), environ(self.root))
        try:
            yield app, self.actor
        finally:
            app.close()

    def keep_trace(self, name: str, text: str) -> str:
        self.traces.append(text)
        return f".foureyes/logs/{name}"

    def create(self, title: str = "Say hello") -> str:
        with self.call() as (app, _):
            return app.tasks.create(ALICE, title).task

    def status(self, task: str) -> str:
        with self.call() as (app, _):
            return app.lists.show(ALICE, task).task.status

    def rows(self) -> int:
        with self.call() as (app, _):
            return app.events.head()

    def worktree(self, task: str) -> Path:
        return self.root / ".foureyes" / "worktrees" / task


class Answer:
    """What a tool answered."""

    def __init__(self, result: Any) -> None:
        self.is_error: bool = result.is_error
        self.value: Any = result.structured_content
        self.text: str = result.content[0].text

    @property
    def rules(self) -> list[str]:
        return [reason["rule"] for reason in self.value["error"]["reasons"]]

    @property
    def code(self) -> str:
        code: str = self.value["error"]["code"]
        return code


class Conversation:
    """The SDK's own client, and a server in the same process; each call is a conversation of its own."""

    def __init__(self, office: Office, *, everything: bool = False) -> None:
        self._desk = ToolWorker(office)
        self._server = make_server(self._desk, everything=everything)

    def close(self) -> None:
        self._desk.close()

    def do(self, work: Any) -> Any:
        """Something that is done with the client."""

        async def talk() -> Any:
            async with Client(self._server) as client:
                return await work(client)

        return anyio.run(talk)

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> Answer:
        given = dict(arguments or {}) | more
        return Answer(self.do(lambda client: client.call_tool(tool, given)))

    def good(self, tool: str, **arguments: Any) -> Any:
        answer = self.call(tool, arguments)
        assert not answer.is_error, answer.value
        return answer.value

    def refused(self, work: Any) -> MCPError:
        """The problem that a request ends with which is no tool call."""

        async def attempt(client: Client) -> MCPError:
            try:
                await work(client)
            except MCPError as problem:
                return problem
            raise AssertionError("it was not refused")

        problem: MCPError = self.do(attempt)
        return problem


def submitted_task(office: Office, talk: Conversation, text: str = "print(1)\n") -> tuple[str, str]:
    """A task in review, by MCP alone; and what its change is called."""
    office.create()
    claimed = talk.good("task_next")
    (office.worktree(claimed["task"]) / "hello.py").write_text(text)
    done = talk.good("task_submit", task=claimed["task"], commit="Say hello", message="done")
    return claimed["task"], done["seen"]
