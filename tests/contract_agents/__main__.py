"""`make test-agents`: the real programs take a task, edit, hand in, answer a finding and are refused their own approval,
all over MCP, from inside of their sandbox.

Everything happens in a network namespace that has nothing but loopback; it takes root, or a user who may make one.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path

from tests.contract_agents.programs import COMMANDS, FE, QUIET, install
from tests.contract_agents.scripted_model import Script, Step, serving
from tests.stage.commands import git, new_repository
from tests.stage.processes import People

INSIDE = "inside"
PATIENCE = 300
FINDS = {
    "task": r'"task":"(fe-[a-z0-9]+)"',
    "seen": r'"seen":"(\d+\.[0-9a-f]{8})"',
    "finding": r'"id":"(TL-[A-Za-z0-9-]+)"',
}


def main(arguments: list[str]) -> int:
    """Install what is missing, go where there is no network, and play."""
    if INSIDE in arguments:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        return 1 if any([not played(name) for name in arguments if name != INSIDE]) else 0
    names = arguments or list(COMMANDS)
    missing = {name: why for name in names if (why := install(name))}
    for name, why in missing.items():
        print(f"NOT RUN  {name}: it cannot be installed: {why}", flush=True)
    there = [name for name in names if name not in missing]
    inside = ["unshare", "-n", sys.executable, "-m", "tests.contract_agents", INSIDE, *there]
    return subprocess.run(inside, check=False).returncode if there else 1


def played(name: str) -> bool:
    """Whether a program does what it should, said in a line."""
    with tempfile.TemporaryDirectory(prefix="foureyes-agents-") as folder:
        try:
            with People(Path(folder) / "people") as people:
                implements(name, Path(folder), people)
                reviews_read_only(name, Path(folder), people)
        except Exception:
            traceback.print_exc()
            print(f"FAIL     {name}", flush=True)
            return False
    print(f"ok       {name}", flush=True)
    return True


def implements(name: str, folder: Path, people: People) -> None:
    """Next, edit, submit with a commit message, a refused self-approval, an answer to a finding, submit again."""
    repo = project(folder, people)
    reviewer = people.agent("gemini")

    def find_fault(found: Mapping[str, str]) -> None:
        said = reviewer.fe("finding", "add", found["task"], "hello.py:1", "-m", "it greets nobody", cwd=repo)
        assert said.rc == 0, said

    work = ".foureyes/worktrees/$task"
    script = Script(
        [
            Step("task_next"),
            Step(shell=f"echo 'print(1)' > {work}/hello.py"),
            Step(shell=f"git -C {work} add -A && git -C {work} commit -qm mine && echo committed"),
            Step("task_submit", {"task": "$task", "commit": "Say hello", "message": "done"}),
            Step("task_approve", {"task": "$task", "seen": "$seen", "reason": "it is mine, and good"}),
            Step("finding_list", {"task": "$task", "open_only": True}, before=find_fault),
            Step(shell=f"echo 'print(2)' > {work}/hello.py"),
            Step(
                "finding_respond", {"answers": [{"finding": "$finding", "action": "FIXED", "text": "greets you now"}]}
            ),
            Step("task_submit", {"task": "$task", "commit": "Greet you", "message": "answered"}),
            Step(text="DONE"),
        ],
        FINDS,
    )
    run(name, repo, folder, script, "workspace-write")
    results = script.results
    if name == "codex":
        assert "Read-only file system" in results[2], results[2]
    assert "P2" in results[4], results[4]
    assert '\\"attempt\\":2' in results[8], results[8]
    log = git(repo, "log", "--format=%s|%(trailers:key=Foureyes-Session,valueonly)", "--all", "--", "hello.py")
    subjects = {line.partition("|")[0] for line in log.splitlines() if line}
    assert {"Say hello", "Greet you"} <= subjects if name == "codex" else "Greet you" in subjects, log
    sessions = [line for line in reviewer.fe("session", "list", cwd=repo).out.splitlines() if f"{name}#" in line]
    assert len(sessions) == 1, sessions


def reviews_read_only(name: str, folder: Path, people: People) -> None:
    """Another conversation looks at the work of others and decides, without a right to write anything."""
    repo = project(folder, people)
    author = people.agent("gemini")
    task = author.fe("next", "--json", cwd=repo).json["task"]
    (repo / f".foureyes/worktrees/{task}/hello.py").write_text("print(3)\n")
    handed = author.fe("submit", task, "--commit", "hello", cwd=repo / f".foureyes/worktrees/{task}")
    assert handed.rc == 0, handed
    script = Script(
        [
            Step("task_reviewable"),
            Step("task_diff", {"task": task}),
            Step("task_approve", {"task": task, "seen": "$seen", "reason": "read all of it"}),
            Step(text="DONE"),
        ],
        FINDS,
    )
    run(name, repo, folder, script, "read-only")
    assert "print(3)" in script.results[1], script.results
    assert "P7" in script.results[2], script.results
    assert author.fe("show", task, "--json", cwd=repo).json["task"]["status"] == "approved"


def project(folder: Path, people: People) -> Path:
    """A repository with a project and a task."""
    repo = new_repository(folder / f"shop-{len(list(folder.iterdir()))}")
    alice = people.person("alice")
    for command in (["init"], ["create", "Say hello"]):
        done = alice.fe(*command, cwd=repo)
        assert done.rc == 0, done
    return repo


def run(name: str, repo: Path, folder: Path, script: Script, sandbox: str) -> None:
    """Start the program with a prompt, and wait for its end."""
    home = folder / "home" / name
    home.mkdir(parents=True, exist_ok=True)
    (home / ".gitconfig").write_text("[user]\n\tname = Dev\n\temail = dev@example.org\n")
    with serving(script) as model:
        command = COMMANDS[name](model, sandbox)
        path = f"{Path(FE).parent}:/usr/local/bin:/usr/bin:/bin"
        env = QUIET | dict(command.env) | {"PATH": path, "HOME": str(home), "TMPDIR": str(folder)}
        child = subprocess.Popen(
            command.argv, cwd=repo, env=env, text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            out, err = child.communicate("Do what there is to do.", timeout=PATIENCE)
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
    whole = len(script.results) == len(script.steps) - 1
    assert child.returncode == 0 and whole, f"{out[-3000:]}\n{err[-2000:]}\n{script.results}\n{script.tools}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
