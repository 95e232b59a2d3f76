"""`make demo` plays its story to the end, wherever it is run, and says so when it cannot."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foureyes.demo.shop import CENTS, CURRENCY, DISCOUNT, GREET, LOGIN, ORDER, RECEIPT

from tests.stage.processes import People
from tests.stage.terminal import Terminal
from tests.stage.theatre import processes_of, wait_for

DEMO = [sys.executable, "-P", "-m", "foureyes", "demo"]
SLOWEST = 300.0
"""Seconds; about 25 on two cores that have nothing else to do."""
KEY_LINES = (
    r"alice\$ fe init --try\n(.*\n)*? +Foureyes project created\.\n(.*\n)+? +checks +tests ",
    r"alice\$ fe plan import .*\n(.*\n)+? +planned 7 tasks",
    r"alice\$ fe run --agents 3 --until-idle\n(.*\n)+?.* fe-\w+ +started: dev",
    r"checked: tests passed, lint passed \(approved\)",
    r"alice\$ fe sprint status\n +s-01  7/7 tasks, ended ",
    r"checked: tests failed, lint passed \(sent back\)",
    r"fe-\w+ conflict: .*prices\.py",
    r"fe-\w+ +started: senior",
    r"M4, automatically by a rule: .*2/2 checks, iteration 1, signal DONE",
    r"refused: approve is not allowed here\. 1 reason:\n +- ",
    r"is held by a reviewer: critic[^:]* reported a blocker: .* \(R1\)\n(.*\n)+?.* started: dev",
    r"PAUSED +fe-\w+ · critic reported a blocker \(R1\)",
    r"alice\$ fe review show\n.* R4: all 2 approve .*\n.* R3: critic has concerns .*\n.* R1: critic reported a blocker ",
    r"HIGH +resolved .* VERIFIED\n +0 open blocking of 1",
    r"alice\$ fe queue\n +2 tasks wait in review(.*\n)+? +security label",
    r"rows verified",
)
MERGED = (GREET, DISCOUNT, CURRENCY, CENTS, ORDER)
WAITING = (LOGIN, RECEIPT)


def kept_in(text: str) -> Path:
    """Where the demo says that it is kept: its last line."""
    last = re.fullmatch(r"Kept in (\S+)\. To look around: cd \1 && fe", text.splitlines()[-1])
    assert last, text[-300:]
    return Path(last.group(1))


class Kept:
    """The repository of a demo that has ended, looked at by somebody else."""

    def __init__(self, repo: Path, people: People) -> None:
        self.repo = repo
        self._eve = people.person("eve")
        self.tasks = {row["title"]: row for row in self.fe_lines("list", "--all")}

    def fe(self, *args: str) -> str:
        done = self._eve.fe(*args, cwd=self.repo)
        assert done.rc == 0, done
        return done.out

    def fe_lines(self, *args: str) -> list[Any]:
        return [json.loads(line) for line in self.fe(*args, "--json").splitlines()]

    def kinds(self, title: str) -> list[str]:
        """What the journal says happened to a task, oldest first."""
        rows = self.fe_lines("audit", "log", "--task", self.tasks[title]["id"], "--limit", "1000")
        return [row["kind"] for row in sorted(rows, key=lambda row: int(row["seq"]))]

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", *args], cwd=self.repo, capture_output=True, text=True, check=True)
        return done.stdout.strip()


def below_an_agent(people: People, temporary: str) -> str:
    """No terminal, no input, an agent above and an agent's environment: what CI has, and more that could be in the
    way.
    """
    agents = {"TMPDIR": temporary, "CLAUDECODE": "1", "CODEX_THREAD_ID": "t-1"}
    done = people.agent("claude").run(DEMO, env=agents, timeout=SLOWEST)
    assert done.rc == 0, done.out + done.err
    assert "\033" not in done.out
    return done.out


def on_a_desk(people: People, temporary: str) -> str:
    """A terminal with colours, too small for the app."""
    env = {"TMPDIR": temporary, "TERM": "xterm", "LINES": "10"}
    done = people.person("alice").run(DEMO, env=env, tty=True, timeout=SLOWEST)
    assert done.rc == 0, done.out
    assert "\033[1m1. " in done.out
    return re.sub(r"\033\[\d*m", "", done.out).replace("\r\n", "\n")


@pytest.mark.scenario
@pytest.mark.parametrize("played", [below_an_agent, on_a_desk])
def test_the_demo_tells_its_whole_story_wherever_it_is_run_and_leaves_what_it_tells(
    tmp_path: Path, played: Callable[[People, str], str]
) -> None:
    with People(tmp_path) as people:
        text = played(people, str(tmp_path))
        missing = [line for line in KEY_LINES if not re.search(line, text)]
        assert not missing, "\n".join([*missing, text])
        kept = Kept(kept_in(text), people)
        check_the_tasks(kept)
        check_the_journal(kept)
        check_the_repository(kept)
        check_the_way_in(kept, people)


YOUR_TURN = "Your turn. R opens the queue; nothing merges without you now."


def leave(terminal: Terminal) -> int:
    """By the key that leaves it, when the sprint is over; then plain commands prove something."""
    terminal.until(YOUR_TURN)
    terminal.type("q")
    assert terminal.end() == 0, terminal.text
    text = terminal.bytes.decode()
    for line in (
        r"alice\$ fe approve fe-\w+ --seen",
        r"alice\$ fe merge --wait\s(.*\s)+?.*fe-\w+",
        r"alice\$ fe audit verify      \(exit 6\)\s(.*\s)+?.*row \d+ \(TaskCreated of fe-\w+\) was changed",
        r"Kept in (\S+)\. To look around: cd \1 && fe\s*\Z",
    ):
        assert re.search(line, text), f"{line}\n{text[-4000:]}"
    return 0


def kill_the_app(terminal: Terminal) -> int:
    """With the one signal that lets it put nothing back, when the sprint is over."""
    terminal.until(YOUR_TURN)
    (app,) = Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children").read_text().split()
    os.kill(int(app), signal.SIGKILL)
    terminal.until("The demo failed. the app ended with -9")
    return 1


def close_the_window(terminal: Terminal) -> int:
    """While agents are at work."""
    terminal.signal(signal.SIGHUP)
    return 130


@pytest.mark.scenario
@pytest.mark.parametrize("ended", [close_the_window, leave, kill_the_app])
def test_at_a_terminal_the_app_opens_on_the_running_demo_and_nothing_of_it_is_left_running(
    tmp_path: Path, ended: Callable[[Terminal], int]
) -> None:
    with (
        People(tmp_path) as people,
        Terminal(people.service(), DEMO, cwd=tmp_path, size=(120, 40), env={"TMPDIR": str(tmp_path)}) as terminal,
    ):
        terminal.until("IN PROGRESS")
        expected = ended(terminal)
        assert terminal.end() == expected
        assert terminal.modes == terminal.before
        assert terminal.bytes.rfind(b"\033[?1049l") > terminal.bytes.rfind(b"\033[?1049h")
        (folder,) = tmp_path.glob("foureyes-demo-*")
        wait_for(lambda: processes_of(folder) == [])


def check_the_way_in(kept: Kept, people: People) -> None:
    """`fe` where the demo is kept: R Enter D Space… A, and one of the two that wait can be merged."""
    with Terminal(people.service(), cwd=kept.repo) as terminal:
        terminal.until("REVIEW PENDING │ 2 tasks │ Press [R] to review")
        terminal.press("r", "REVIEW SUMMARY")
        terminal.press("enter", "IF YOU APPROVE")
        terminal.press("d", "DIFF fe-")
        while not re.search(r"unseen 0/", terminal.read()):
            terminal.type("space")
        terminal.type("a")
        terminal.until("approved (P")
        terminal.type("ctrl+q")
        assert terminal.end() == 0
    (approved,) = [row["id"] for row in kept.fe_lines("list", "--status", "approved")]
    assert re.search(r"merged +" + approved, kept.fe("merge", "--wait"))
    assert approved in kept.git("log", "-1", "--format=%(trailers:key=Task,valueonly)", "main")
    (row,) = [
        row for row in kept.fe_lines("audit", "log", "--task", approved, "--limit", "99") if row["kind"] == "Approved"
    ]
    look = json.loads(row["payload"])["viewed"]
    assert look["face"] == "tui"
    assert look["shown"]


def check_the_tasks(kept: Kept) -> None:
    namespaces = {title: row["status"] for title, row in kept.tasks.items()}
    assert namespaces == dict.fromkeys(MERGED, "closed") | dict.fromkeys(WAITING, "reviewing")
    again = {title: row["iteration"] for title, row in kept.tasks.items() if row["iteration"] > 1}
    assert {DISCOUNT, ORDER, RECEIPT} < set(again)
    assert len({CURRENCY, CENTS} & set(again)) == 1, "one of the two that do not fit together"
    queue = {row["title"]: row for row in kept.fe_lines("queue")}
    assert set(queue) == set(WAITING)
    assert all(set(row["checks"].values()) == {"passed"} for row in queue.values())


def check_the_journal(kept: Kept) -> None:
    """Every decision of the story is on record, by whom the story says, and the chain is whole; nothing is left."""
    assert "rows verified" in kept.fe("audit", "verify")
    assert [row["rule"] for row in kept.fe_lines("review", "list")] == ["R4", "R3", "R1"]
    assert {title for title in kept.tasks if "TaskMerged" in kept.kinds(title)} == set(MERGED)
    assert "AttemptSentBack" in kept.kinds(DISCOUNT)
    assert "TaskEscalated" in kept.kinds(ORDER)
    assert ("MergeFailed" in kept.kinds(CURRENCY)) != ("MergeFailed" in kept.kinds(CENTS))
    loop = ("ReviewSubmitted", "FindingsRaised", "AttemptSentBack", "FindingsAnswered", "FindingRuled")
    assert list(dict.fromkeys(kind for kind in kept.kinds(RECEIPT) if kind in loop)) == list(loop)
    for title in kept.tasks:
        kinds = kept.kinds(title)
        assert kinds.count("RunReserved") == kinds.count("RunBound") == kinds.count("RunEnded") >= 1, title
    assert kept.fe_lines("session", "list"), "and each was a session of its own"


def check_the_repository(kept: Kept) -> None:
    """main has what was approved and nothing else, each merge says for which task, and the checkout followed."""
    merges = kept.git("log", "--first-parent", "--merges", "--format=%(trailers:key=Task,valueonly)", "main").split()
    assert sorted(merges) == sorted(kept.tasks[title]["id"] for title in MERGED)
    assert ':.2f} EUR"' in kept.git("show", "main:prices.py"), "what both wanted"
    assert "login.py" not in kept.git("ls-tree", "--name-only", "main")
    assert kept.git("status", "--porcelain") == ""
    attempts = kept.git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/foureyes/attempts").splitlines()
    assert sorted(attempts) == sorted(
        f"{row['id']}/{n}" for row in kept.tasks.values() for n in range(1, row["iteration"] + 1)
    )
    worktrees = sorted(
        path.name for path in (kept.repo / ".foureyes" / "worktrees").iterdir() if (path / ".git").exists()
    )
    assert worktrees == sorted(kept.tasks[title]["id"] for title in WAITING)


def broken_demo(tmp_path: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The demo where git is too old for it, so that it is over at once."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").write_text("#!/bin/sh\necho git version 2.20.0\n", encoding="utf-8")
    (tools / "git").chmod(0o755)
    env = {**os.environ, "TMPDIR": str(tmp_path), "PATH": f"{tools}:{os.environ.get('PATH', os.defpath)}"}
    return subprocess.run(
        DEMO, env=env, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SLOWEST, check=False
    )


@pytest.mark.scenario
def test_the_demo_fails_loudly_when_a_step_does_something_else(tmp_path: Path) -> None:
    done = broken_demo(tmp_path, tmp_path)
    assert done.returncode == 1
    assert "The demo failed." in done.stderr
    assert "Kept in" not in done.stdout


def test_I5_a_package_named_like_ours_where_the_demo_is_typed_is_not_run(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "foureyes").mkdir(parents=True)
    (checkout / "foureyes" / "__init__.py").write_text("print('planted')\n", encoding="utf-8")
    (checkout / "foureyes" / "demo.py").write_text("print('planted')\n", encoding="utf-8")
    done = broken_demo(tmp_path, checkout)
    assert "planted" not in done.stdout
    assert "The demo failed." in done.stderr
