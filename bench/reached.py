"""Commands of a run: by the socket of their runner, over the same command that opens the store itself; a call of a tool
over MCP, over the verb in the same process.

Both ways take turns. A command of a run on PostgreSQL has no address to open the store with: here it is given one.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from mcp.client.client import Client

from tests.bootstrap.runs import House
from tests.stage.checkout import copy_of, template_in
from tests.ui.mcp.office import Conversation, Office, build

TIMES, CALLS = 15, 60
COMMANDS = ("log", "show")


def ratios(folder: Path, address: str = "") -> dict[str, tuple[float, float]]:
    """Milliseconds by the socket, and without it, by command."""
    folder.mkdir()
    store = {"FOUREYES_STORE": address} if address else {}
    house = House(copy_of(template_in(folder / "template"), folder / "project"), store)
    lodge = house.run()
    socket, away = Path(lodge.directory, "socket"), Path(lodge.directory, "away")
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), **lodge.environ}
    found = {}
    for command in COMMANDS:
        words = [sys.executable, "-m", "foureyes", command, lodge.run.task, *(["a line"] if command == "log" else [])]
        by_socket, by_store = [], []
        for _ in range(TIMES):
            by_socket.append(timed(words, house.root, env))
            socket.rename(away)
            by_store.append(timed(words, house.root, env | store))
            away.rename(socket)
        found[command] = statistics.median(by_socket), statistics.median(by_store)
    house.close()
    return found


def by_mcp(folder: Path) -> tuple[float, float]:
    """Milliseconds of a tool call by the SDK's client to a server in this process, and of the verb itself."""
    folder.mkdir()
    office = Office(build(folder / "template"), folder / "project")
    task = office.create()
    talk = Conversation(office)
    called: list[float] = []

    async def ask(client: Client) -> None:
        for _ in range(CALLS):
            start = time.perf_counter()
            await client.call_tool("task_show", {"task": task})
            called.append((time.perf_counter() - start) * 1000)

    talk.do(ask)
    talk.close()
    direct = []
    for _ in range(CALLS):
        start = time.perf_counter()
        office.status(task)
        direct.append((time.perf_counter() - start) * 1000)
    return statistics.median(called), statistics.median(direct)


def timed(words: list[str], cwd: str, env: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(words, cwd=cwd, env=env, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1000
