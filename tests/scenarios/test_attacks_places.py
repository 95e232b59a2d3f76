"""Attacks by standing elsewhere: a forged `/proc`, namespaces of one's own, a map of user ids, git (I3, I5).

Everything here is done by real processes in real namespaces. As root the kernel lets us, so nothing is skipped there.
"""

from __future__ import annotations

import os
import shlex
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.attack_moves import PROGRAM, Through, holding, security, shell_named, spawned
from tests.stage.commands import Stage, SubmissionTime
from tests.stage.namespaces import need
from tests.stage.processes import FE, Caller

TERMINAL = (sys.executable, "-I", PROGRAM, "--terminal", "--")
FILTER = str(Path(__file__).with_name("attack_filter.py"))
UNPRIVILEGED = str(Path(__file__).with_name("attack_unprivileged.py"))
MOUNTS = ("unshare", "-m", "true")
MAPPED = ("unshare", "-U", "true")


@pytest.fixture
def work(stage: Stage) -> SubmissionTime:
    """What codex made and wants to be approved; planned by another agent."""
    return stage.in_review(stage.cast.claude, stage.cast.codex)


def inside(who: Caller, script: str, *options: str) -> Through:
    """Commands in a mount namespace of their own, at a terminal, after a script; `$$` is who becomes the command."""
    return Through(who, *TERMINAL, "unshare", *(options or ("-m",)), "sh", "-c", f'{script}\nexec "$@"', "sh")


# A forged /proc

FORGED = {
    "the command line of another process": "mount --bind /proc/self/cmdline /proc/{agent}/cmdline",
    "another process": "mount --bind /proc/1 /proc/{agent}",
    "the stat of another process": "mount --bind /proc/1/stat /proc/$$/stat",
    "a folder": "mount -t tmpfs none /proc",
    "a part of /proc": "mount --bind /proc/$$/task /proc",
    "the boot": "mount --bind {tmp}/kernel/random/boot_id /proc/sys/kernel/random/boot_id",
    "the settings": "mount --bind {tmp} /proc/sys",
    "the namespaces": "mount --bind /proc/1/ns /proc/$$/ns",
    "the map": "mount --bind /proc/1/uid_map /proc/$$/uid_map",
}


@pytest.mark.parametrize("forged", FORGED)
def test_I3_whatever_is_mounted_over_proc_makes_an_agent_neither_a_person_nor_another_agent(
    stage: Stage, work: SubmissionTime, tmp_path: Path, forged: str
) -> None:
    need(*MOUNTS)
    (tmp_path / "kernel/random").mkdir(parents=True)
    (tmp_path / "kernel/random/boot_id").write_text("0a1b2c3d-0000-4000-8000-000000000000\n")
    codex = stage.cast.codex
    agent = inside(codex, FORGED[forged].format(agent=codex.pid, tmp=tmp_path))
    me = stage.done(agent, "whoami")
    assert (me["kind"], me["person"]) == ("service", ""), me
    assert "/proc" in me["why"][0], "it is told why"
    stage.may_not_approve(agent, work, "-m", "fine", rules=["I3"])


def test_I3_a_filter_that_hides_openat2_and_an_old_kernels_name_open_no_other_way(
    stage: Stage, work: SubmissionTime
) -> None:
    need(*MOUNTS)
    codex = stage.cast.codex
    script = f"mount --bind /proc/self/cmdline /proc/{codex.pid}/cmdline"
    agent = Through(inside(codex, script), sys.executable, "-I", FILTER, "437", "--")
    assert stage.done(agent, "whoami")["kind"] == "service"
    stage.may_not_approve(agent, work, "-m", "fine", rules=["I3"])


def test_I3_a_time_namespace_makes_no_other_agent_of_one_though_every_start_is_another(
    stage: Stage, work: SubmissionTime
) -> None:
    need("unshare", "-T", "--boottime", "100000", "true")
    agent = Through(stage.cast.codex, "unshare", "-T", "--boottime", "100000", "-f")
    assert stage.done(agent, "whoami")["proven"] is False
    stage.may_not_approve(agent, work, "-m", "fine", rules=["P2"])


def unprivileged(who: Caller, *words: str, user: str = "1000") -> dict[str, Any]:
    """Who somebody is that makes namespaces of its own without root."""
    done = who.run([sys.executable, UNPRIVILEGED, user, *words], cwd="/")
    assert done.rc == 0, done
    return dict(done.json)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a /proc that hides")
def test_I5_hidden_processes_make_a_service(stage: Stage) -> None:
    me = unprivileged(stage.cast.alice, "hide", user="65534")
    assert (me["kind"], me["why"][-1]) == ("service", "Not every ancestor of this process can be read.")


# Namespaces of one's own


def test_I3_in_a_pid_namespace_of_its_own_an_agent_at_a_terminal_is_a_service_and_is_told_why(
    stage: Stage, work: SubmissionTime
) -> None:
    need("unshare", "-pf", "--mount-proc", "true")
    agent = Through(stage.cast.codex, "unshare", "-pf", "--mount-proc", *TERMINAL)
    me = stage.done(agent, "whoami")
    assert (me["kind"], me["why"][0].partition(" (")[0]) == ("service", "This runs in a pid namespace")
    assert me["next"].endswith("a person outside runs: fe config set identity.home container")
    stage.may_not_approve(agent, work, "-m", "fine", rules=["I3"])
    stage.no(agent, "config", "set", "identity.home", "container", rules=["I3"])
    stage.no(agent, "config", "accept", rules=["I3"])
    stage.no(agent, "key", "new", "--human", rules=["I3"])
    without = Through(stage.cast.codex, "unshare", "-pf", *TERMINAL)
    stage.may_not_approve(without, work, "-m", "fine", rules=["I3"])


def test_I3_an_agent_that_is_pid_1_of_its_own_sandbox_works_as_one_session_and_decides_nothing(
    stage: Stage, tmp_path: Path
) -> None:
    """As codex runs every command by default: its own program is pid 1, and a variable names the conversation."""
    need("unshare", "-pf", "--mount-proc", "true")
    thread = {"CODEX_THREAD_ID": "0199"}
    box = Through(stage.cast.codex, "unshare", "-pf", "--mount-proc")
    sandboxed = shell_named(box, tmp_path / "codex")
    first, second = (stage.done(sandboxed, "whoami", env=thread) for _ in range(2))
    assert (first["kind"], first["agent"], first["proven"]) == ("agent", "codex", False)
    assert first["session"] == second["session"]
    assert "cannot approve" in " ".join(first["why"])
    work = stage.submit_work(Through(sandboxed, env=thread), stage.create(stage.cast.claude))
    for env in (thread, {}):
        said = stage.may_not_approve(sandboxed, work, "-m", "mine", rules=["I3"], env=env)
        assert "submit from here" in said.text
    assert work.task not in stage.reviewable(sandboxed)
    assert security(stage) == []
    assert stage.approve(stage.cast.alice, work)["rule"] == "P7"


def test_I3_P12_a_container_that_the_accepted_configuration_calls_home_has_people_and_agents_a_sandbox_in_it_has_not(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    need("unshare", "-pf", "--mount-proc", "true")
    box = Through(stage.cast.job, "unshare", "-pf", "--mount-proc", "sh", "-c", '"$@"; exit $?', "sh")
    person, agent = Through(box, *TERMINAL), shell_named(box, tmp_path / "gemini")
    stage.done(stage.cast.alice, "config", "set", "identity.home", "container")
    assert stage.done(person, "whoami")["kind"] == "human"
    assert stage.done(agent, "whoami")["proven"]
    assert stage.approve(agent, work)["rule"] == "P7"
    launcher = tmp_path / "bwrap"
    sandbox = shell_named(Through(stage.cast.job, "unshare", "-pf", "--mount-proc"), launcher)
    assert stage.done(Through(sandbox, *TERMINAL), "whoami")["why"][0].endswith("its pid 1 is bwrap.")
    mapped = Through(box, *TERMINAL, "unshare", "-Ur")
    assert "mapped differently" in stage.done(mapped, "whoami")["why"][0]
    assert stage.done(Through(person, env={"FOUREYES_IDENTITY_HOME": "host"}), "whoami")["kind"] == "service"


def test_I3_init_in_a_container_writes_and_accepts_that_it_is_home_and_in_a_sandbox_not(
    stage: Stage, tmp_path: Path
) -> None:
    need("unshare", "-pf", "--mount-proc", "true")
    box = ("unshare", "-pf", "--mount-proc")
    inner = Through(stage.cast.job, *box, "sh", "-c", '"$@"; exit $?', "sh", *TERMINAL)
    sandbox = Through(shell_named(Through(stage.cast.job, *box), tmp_path / "bwrap"), *TERMINAL)
    for name, who, home in (("container", inner, True), ("sandbox", sandbox, False)):
        repo = tmp_path / name
        repo.mkdir()
        for command in (["git", "init", "-q", "-b", "main"], ["git", "commit", "-q", "--allow-empty", "-m", "first"]):
            assert stage.cast.job.run(command, cwd=repo, env=GIT).rc == 0
        made = who.fe("init", "--json", cwd=repo, env=GIT)
        assert made.rc == 0, made
        assert ('home = "container"' in (repo / "foureyes.toml").read_text()) == home
        assert bool(made.json["commit"]) == home
        assert who.fe("whoami", "--json", cwd=repo).json["kind"] == ("human" if home else "service")


GIT = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}


# Without root, a map of user ids


@pytest.mark.parametrize("uid_map", ["1001 1000 1", "0 1000 1", "1000 1000 1", ""])
def test_I3_a_map_of_user_ids_makes_nobody_of_a_person_not_a_second_one(stage: Stage, uid_map: str) -> None:
    need(*MAPPED)
    me = unprivileged(stage.cast.alice, own_map(uid_map))
    assert (me["kind"], me["person"]) == ("service", ""), me
    assert "User ids are remapped here" in me["why"][0]


FORGED_WITHOUT_ROOT = {
    "the map": ("/proc/PID/stat", "/proc/PID/uid_map"),
    "a folder": ("tmpfs", "/proc"),
    "itself": ("/proc/1", "/proc/PID"),
    "nothing": (),
}


@pytest.mark.parametrize("forged", FORGED_WITHOUT_ROOT)
def test_I3_without_root_a_forged_proc_and_a_forged_map_make_no_person(stage: Stage, forged: str) -> None:
    need(*MAPPED)
    for who in (stage.cast.codex, stage.cast.alice):
        me = unprivileged(who, own_map("0 1000 1"), *FORGED_WITHOUT_ROOT[forged])
        is_nobody = me["kind"] == "service" or (me["kind"] == "agent" and not me["proven"])
        assert is_nobody, me


def own_map(text: str) -> str:
    """A map of the user whom the tests run as, if that is not root."""
    return text.replace(" 1000 ", f" {os.getuid() or 1000} ")


# What git starts


def approve_line(work: SubmissionTime, to: Path) -> str:
    """A shell line that approves, and writes what came of it."""
    return f"{shlex.join([*FE, 'approve', work.task, '--seen', work.seen, '-m', 'fine', '--json'])} > {to}"


def test_I5_a_hook_that_a_persons_own_command_starts_is_no_person_nor_what_it_leaves_behind(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    alice, answer, late, gone = stage.cast.alice, tmp_path / "answer", tmp_path / "late", tmp_path / "gone"
    os.mkfifo(gone)
    hook = stage.repo / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    left = f"( cat {gone}; {approve_line(work, late)}; echo > {gone} )"
    hook.write_text(f"#!/bin/sh\n{approve_line(work, answer)}\n{left} > /dev/null 2>&1 &\n")
    hook.chmod(0o755)
    done = alice.sh(f"git switch -q -c mine; echo > {gone}; cat {gone}", cwd=stage.repo)
    assert done.rc == 0, done
    for file, says in ((answer, "git (pid"), (late, "a command that has ended left this")):
        assert says in file.read_text()
        assert '"rule":"I5"' in file.read_text().replace(" ", "")
    assert stage.status(work.task) == "reviewing"
    assert stage.approve(alice, work)["rule"] == "P7", "the person themselves may"


def test_I5_an_alias_an_editor_and_a_pager_of_git_are_no_person_either(stage: Stage) -> None:
    me = shlex.join([*FE, "whoami", "--json"])
    alias = stage.cast.alice.run(["git", "-c", f"alias.fe=!{me}", "fe"], cwd=stage.repo)
    edited = stage.cast.alice.run(
        ["git", "commit", "--allow-empty", "-q"], cwd=stage.repo, env={"GIT_EDITOR": f"{me} >&2; echo x >"}
    )
    for text in (alias.out, edited.err):
        assert '"kind": "service"' in text or '"kind":"service"' in text, (alias, edited)


def test_I5_a_hook_decides_as_no_agent_either_though_it_may_log_as_the_agent_whose_git_it_is(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    """codex plants a hook; gemini, who could approve, only runs git."""
    gemini, answer = stage.cast.gemini, tmp_path / "answer"
    hook = stage.repo / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    log = shlex.join([*FE, "log", work.task, "switched"])
    hook.write_text(f"#!/bin/sh\n{log}\n{approve_line(work, answer)}\n")
    hook.chmod(0o755)
    gemini.run(["git", "switch", "-q", "-c", "theirs"], cwd=stage.repo)
    assert '"rule":"I5"' in answer.read_text().replace(" ", "")
    assert stage.show(work.task)["logs"][-1]["session"] == stage.session(gemini)
    assert stage.approve(gemini, work)["rule"] == "P7"


def test_I2_I5_a_hook_decides_with_no_token_of_the_agent_whose_git_it_is(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    """codex plants a monitor; the reviewer that gemini spawned only looks at the state of the checkout. What it starts
    is no agent of the reviewer's, whatever it is called.
    """
    gemini, answer, called = stage.cast.gemini, tmp_path / "answer", tmp_path / "called"
    reviewer = holding(gemini, spawned(stage, gemini, work.task, "review"))
    agent = tmp_path / "claude"
    agent.write_text(f"#!/bin/sh\n{approve_line(work, called)}\ntrue\n")
    monitor = tmp_path / "monitor"
    log, end = (shlex.join([*FE, *words]) for words in (("log", work.task, "looked"), ("session", "end")))
    monitor.write_text(f"#!/bin/sh\n({log}; {end}; {approve_line(work, answer)}; {agent}) > {tmp_path}/all 2>&1\n")
    for file in (agent, monitor):
        file.chmod(0o755)
    stage.cast.codex.run(["git", "config", "core.fsmonitor", str(monitor)], cwd=stage.repo)
    reviewer.run(["git", "status"], cwd=stage.repo)
    stage.cast.codex.run(["git", "config", "--unset", "core.fsmonitor"], cwd=stage.repo)
    for file in (answer, called):
        assert '"rule":"I5"' in file.read_text().replace(" ", ""), file.read_text()
    assert stage.status(work.task) == "reviewing"
    assert "looked" in stage.show(work.task)["logs"][-1].values(), "it may log"
    assert stage.done(reviewer, "whoami")["role"] == "review", "its session goes on"
    assert stage.approve(reviewer, work)["task"] == work.task


# What stays possible


def test_I3_who_writes_into_another_agents_pipe_speaks_with_its_voice(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    """A limit: docs/threat-model.md has it under "speaking for another process"."""
    here, gate = tmp_path / "here", tmp_path / "gate"
    os.mkfifo(here)
    os.mkfifo(gate)
    gemini, answer = stage.cast.gemini, tmp_path / "answer"
    reading = f"cat {gate} | sh -c 'echo $$ > {here}; read line; eval \"$line\"'"
    waiting = threading.Thread(target=gemini.sh, args=(reading,), kwargs={"cwd": stage.repo})
    waiting.start()
    pid = int(here.read_text())
    stage.cast.codex.sh(f"echo {shlex.quote(approve_line(work, answer))} > /proc/{pid}/fd/0")
    gate.write_text("")
    waiting.join()
    assert '"rule":"P7"' in answer.read_text().replace(" ", "")
    (kept,) = stage.show(work.task)["approvals"]
    assert kept["session"] == stage.session(gemini)
