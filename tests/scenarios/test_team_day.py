"""A day of a team, by real processes: two people, four agents, two machines, one remote, one server (Q6, D4, K1, J4).

In the morning a plan, by noon a review across machines, then what goes wrong: a forced push, a server that is started
again, a machine that is lost.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage.checkout import AT_ONCE
from tests.stage.commands import git
from tests.stage.machines import Machine, Team, cloned, has_hosts, team
from tests.stage.processes import Caller
from tests.stage.server import Server, running_server
from tests.stage.shop import commit_in

pytestmark = pytest.mark.scenario

PLAN = """# The shop: what is labelled so waits for a person (M1)

## Task 1: Prices
Labels: security

## Task 2: Orders
Labels: security

## Task 3: Stock
Labels: security

## Task 4: Mail
Labels: security

## Task 5: Invoices
Labels: security

Depends on: Task 1, Task 2
"""
SETTINGS = f'{AT_ONCE}\n[[checks]]\nname = "lint"\nrun = "! grep -rn MESSY src"\n'


@pytest.fixture
def server() -> Iterator[Server]:
    """One of its own: it is stopped."""
    with running_server() as made:
        yield made


@pytest.fixture
def day(tmp_path: Path, server: Server) -> Iterator[Team]:
    with team(tmp_path, server.url, SETTINGS) as made:
        yield made


def take(machine: Machine, who: Caller) -> tuple[str, Path]:
    """The next task, and where to work on it."""
    begun = machine.done(who, "next", "--worktree")
    return begun["task"], Path(begun["worktree"])


def submit_work(machine: Machine, who: Caller, task: str, place: Path, text: str = "fine\n") -> None:
    commit_in(machine, place, {f"src/{task}.py": text}, message=f"Work on {task}")
    handed = machine.done(who, "submit", task, cwd=place)
    assert handed["sent"] == "pushed to origin"


def read_and_approve(machine: Machine, who: Caller, task: str) -> None:
    """A person reads and checks on one machine what was made on the other."""
    machine.checked(who, task)
    shown = machine.run(who, "show", task, "--diff")
    assert (shown.rc, f"src/{task}.py" in shown.out) == (0, True), shown
    machine.done(who, "approve", task, "-m", "read it")


def test_a_day_of_a_team_ends_with_one_main_and_everything_on_it(day: Team, server: Server, tmp_path: Path) -> None:
    tasks = morning(day.alpha, tmp_path)
    made = noon(day, tasks)
    forced_push(day, made[0])
    last = restarted_server(day, server, tasks[4])
    again = lost_clone(day, tmp_path)
    done = Team(day.alpha, again)
    done.check_one_main([*made, last, *closed_later(done)])
    people = {row["session"] for row in done.rows() if row["kind"] == "Approved"}
    assert len(people) == (2 if has_hosts() else 1)


def morning(alpha: Machine, folder: Path) -> list[str]:
    """Alice plans."""
    (folder / "plan.md").write_text(PLAN)
    return [row["task"] for row in alpha.lines(alpha.cast.alice, "plan", "import", str(folder / "plan.md"))]


def noon(day: Team, tasks: list[str]) -> list[str]:
    """Four agents on two machines take what is ready; each is read on the other machine, and one is sent back."""
    alpha, beta = day.alpha, day.beta
    workers = [(alpha, alpha.cast.claude), (alpha, alpha.cast.codex), (beta, beta.cast.gemini), (beta, beta.cast.qwen)]
    taken = [take(machine, who) for machine, who in workers]
    assert sorted(task for task, _ in taken) == sorted(tasks[:4]), "each has one, and nobody what has to wait"
    for (machine, who), (task, place) in zip(workers, taken, strict=True):
        submit_work(machine, who, task, place)
    first, second, third, fourth = (task for task, _ in taken)
    alice, bob = alpha.cast.alice, beta.cast.alice
    read_and_approve(beta, bob, first)
    beta.done(bob, "redo", second, "-m", "say more")
    for task in (third, fourth):
        read_and_approve(alpha, alice, task)
    (codex, (_, place)) = alpha.cast.codex, taken[1]
    alpha.done(codex, "start", second, "--worktree")
    submit_work(alpha, codex, second, place, "fine, and more\n")
    read_and_approve(beta, bob, second)
    assert set(beta.merge(bob).values()) == {"merged"}
    assert day.merged() == sorted([first, second, third, fourth])
    return [first, second, third, fourth]


def forced_push(day: Team, merged: str) -> None:
    """Somebody pushes an old main over the new one: nothing is merged until it is back, by what is printed."""
    alpha, beta = day.alpha, day.beta
    tip = git(day.remote, "rev-parse", "main")
    git(beta.repo, "push", "-q", "-f", "origin", f"{tip}~2:refs/heads/main")
    for machine in (alpha, beta):
        told = machine.no(machine.cast.alice, "merge", rules=["Q6"])
        assert "and does not contain " in told.text
        assert "and does not contain " in machine.run(machine.cast.alice, "doctor").out
    assert "and does not contain " in beta.run(beta.cast.alice, "status").out
    hints = beta.no(beta.cast.alice, "merge", rules=["Q6"]).hints
    push = shlex.split(next(hint for hint in hints if "git push" in hint).partition(", or ")[0])
    git(beta.repo, *push[push.index("git") + 1 :])
    assert git(day.remote, "rev-parse", "main") == tip
    assert alpha.status(merged) == "closed"


def restarted_server(day: Team, server: Server, task: str) -> str:
    """The server goes away in the middle of work and comes back: who typed something is told, and types it again."""
    alpha, claude = day.alpha, day.alpha.cast.claude
    found, place = take(alpha, claude)
    assert found == task, "what it waited for is merged"
    assert len(list((place / "src").iterdir())) == 4, "it begins on what was merged on the other machine"
    commit_in(alpha, place, {f"src/{task}.py": "fine\n"}, message="Invoices")
    server.stop()
    away = alpha.run(claude, "submit", task, cwd=place)
    assert (away.rc != 0, "Traceback" in away.err) == (True, False), away
    server.start()
    assert alpha.done(claude, "submit", task, cwd=place)["sent"] == "pushed to origin"
    read_and_approve(day.beta, day.beta.cast.alice, task)
    assert alpha.merge(alpha.cast.alice) == {task: "merged"}
    return task


def lost_clone(day: Team, folder: Path) -> Machine:
    """What was submitted on a machine is merged without it; what was only there begins again in another clone."""
    alpha, beta, alice = day.alpha, day.beta, day.alpha.cast.alice
    titles, label = ("Returns", "Search"), ("--label", "security")
    handed, unfinished = (beta.create(beta.cast.alice, *label, title=title) for title in titles)
    beta.done(beta.cast.gemini, "start", handed, "--worktree")
    submit_work(beta, beta.cast.gemini, handed, beta.repo / ".foureyes/worktrees" / handed)
    beta.done(beta.cast.qwen, "start", unfinished, "--worktree")
    shutil.rmtree(beta.repo)
    read_and_approve(alpha, alice, handed)
    assert alpha.merge(alice) == {handed: "merged"}
    again = Machine(cloned(day.remote, folder / "again"), beta.cast, day.remote)
    joined = again.run(again.cast.alice, "store", "join", again.cast.people.env["FOUREYES_STORE"])
    assert joined.rc == 0, joined
    again.done(again.cast.alice, "unstart", unfinished, "-m", "the machine is lost")
    again.done(again.cast.qwen, "start", unfinished, "--worktree")
    submit_work(again, again.cast.qwen, unfinished, again.repo / ".foureyes/worktrees" / unfinished)
    read_and_approve(alpha, alice, unfinished)
    assert again.merge(again.cast.alice) == {unfinished: "merged"}
    return again


def closed_later(day: Team) -> list[str]:
    """What was made around the loss of a machine."""
    rows = day.alpha.lines(day.alpha.cast.alice, "list", "--all")
    return [row["id"] for row in rows if row["title"] in ("Returns", "Search")]
