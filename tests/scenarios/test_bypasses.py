"""What got around the rules in the systems before us fails here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from foureyes.ui.cli.main import cli

from tests.stage.commands import DESTRUCTIVE, Stage
from tests.stage.processes import FakeAgent, People


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command of the command line, by its full name."""

    def walk(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
        if isinstance(command, click.Group):
            context = click.Context(command)
            for below in command.list_commands(context):
                found = command.get_command(context, below)
                assert found is not None
                yield from walk(f"{name} {below}".strip(), found)
        else:
            yield name, command

    return walk("", cli)


def options() -> set[tuple[str, str]]:
    """Every option of every command."""
    return {
        (name, flag)
        for name, command in commands()
        for param in command.params
        for flag in param.opts + param.secondary_opts
    }


# Three known bypasses


def test_bypass_1_create_then_close_is_refused(stage: Stage) -> None:
    task = stage.create(stage.cast.claude)
    stage.no(stage.cast.claude, "close", task, "-m", "done", rules=["C1"])
    stage.no(stage.cast.helper, "close", task, rules=["C1"])
    assert stage.status(task) == "open"


def test_bypass_2_unstart_does_not_wash_an_implementer_clean_P2(stage: Stage) -> None:
    cast = stage.cast
    first = stage.submit_work(cast.codex, stage.create(cast.claude))
    stage.done(cast.alice, "redo", first.task, "-m", "not yet")
    stage.done(cast.codex, "start", first.task)
    stage.done(cast.codex, "unstart", first.task)
    stage.done(cast.gemini, "start", first.task)
    work = stage.submit(cast.gemini, first.task)
    stage.may_not_approve(cast.codex, work, "-m", "fine", rules=["P2"])
    assert set(stage.show(work.task)["authors"]) == {stage.session(cast.codex), stage.session(cast.gemini)}


def test_bypass_3_a_session_in_history_only_is_remembered(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.claude, "start", task)
    stage.done(cast.claude, "unstart", task)
    work = stage.submit_work(cast.codex, task)
    stage.may_not_approve(cast.claude, work, "-m", "fine", rules=["P2"])
    stage.no(cast.claude, "close", task, rules=["C1"])
    stage.no(cast.claude, "redo", task, "-m", "no", rules=["P2"])
    stage.no(cast.claude, "reject", task, "-m", "no", rules=["P2"])


def test_I4_a_released_claim_leaves_the_author_in_the_set(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.claude, "start", task)
    stage.no(cast.gemini, "unstart", task, rules=["T1"])
    stage.done(cast.alice, "unstart", task, "-m", "claude is gone")
    work = stage.submit_work(cast.codex, task)
    stage.may_not_approve(cast.claude, work, "-m", "fine", rules=["P2"])
    assert stage.approve(cast.alice, work)["rule"] == "P3"


def test_I3_P2_a_shared_conversation_joins_two_agents_into_one_origin(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.codex, "start", task, env={"CODEX_THREAD_ID": "thread-1"})
    stage.commit(f"fe/{task}", {"x.txt": "x\n"})
    work = stage.submit(cast.codex, task)
    stage.may_not_approve(cast.gemini, work, "-m", "fine", rules=["P2"], env={"CODEX_THREAD_ID": "thread-1"})
    assert stage.approve(cast.gemini, work, env={"CODEX_THREAD_ID": "thread-2"})["rule"] == "P7"


def test_I3_an_agent_of_which_only_the_environment_tells_is_independent_of_nobody(stage: Stage) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    stage.may_not_approve(stage.cast.alice, work, "-m", "fine", rules=["P2"], env={"CLAUDECODE": "1"})
    assert stage.reviewable(stage.cast.alice, env={"CLAUDECODE": "1"}) == {}


def test_A1_only_the_implementer_its_origin_or_a_person_hands_in(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.claude, "start", task)
    stage.commit(f"fe/{task}", {"x.txt": "x\n"})
    stage.no(cast.gemini, "submit", task, "--branch", f"fe/{task}", rules=["A1"])
    work = stage.submit(cast.helper, task)
    assert stage.session(cast.claude) in stage.show(task)["authors"]
    stage.may_not_approve(cast.helper, work, "-m", "fine", rules=["P2"])


# td


def test_no_command_sets_a_status(stage: Stage) -> None:
    task = stage.create(stage.cast.claude)
    before = stage.head()
    for words in (["--status", "closed"], ["--status=approved"], ["--resolution", "done"]):
        assert stage.no(stage.cast.claude, "update", task, *words, rc=2).code == "usage"
    assert stage.no(stage.cast.claude, "set-status", task, "closed", rc=2).code == "usage"
    assert {name for name, flag in options() if flag == "--status"} == {"list"}
    assert stage.head() == before


def test_nothing_is_in_review_without_an_author_T2(stage: Stage) -> None:
    task = stage.create(stage.cast.claude)
    stage.commit(f"fe/{task}", {"x.txt": "x\n"})
    stage.no(stage.cast.claude, "submit", task, "--branch", f"fe/{task}", rules=["T2"])
    stage.no(stage.cast.claude, "review", task, rc=2)
    stage.done(stage.cast.claude, "start", task)
    work = stage.submit(stage.cast.claude, task)
    assert stage.show(task)["authors"] == [stage.session(stage.cast.claude)]
    stage.may_not_approve(stage.cast.claude, work, "-m", "fine", rules=["P2"])


def test_minor_set_by_the_implementer_or_its_origin_does_not_count(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.alice, cast.claude)
    stage.done(cast.claude, "update", work.task, "--minor")
    stage.may_not_approve(cast.claude, work, rules=["P2"])
    stage.done(cast.alice, "update", work.task, "--no-minor")
    stage.done(cast.helper, "update", work.task, "--minor")
    stage.may_not_approve(cast.claude, work, rules=["P2"])
    stage.done(cast.alice, "update", work.task, "--no-minor")
    stage.done(cast.gemini, "update", work.task, "--minor")
    assert stage.approve(cast.claude, work)["rule"] == "P1"


def test_minor_set_before_the_start_by_who_implements_later_does_not_count(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    stage.done(stage.cast.claude, "update", task, "--minor")
    work = stage.submit_work(stage.cast.claude, task)
    stage.may_not_approve(stage.cast.claude, work, rules=["P2"])


def test_a_label_that_an_author_takes_off_still_asks_for_a_person(stage: Stage) -> None:
    work = stage.in_review(stage.cast.alice, stage.cast.codex, "-l", "security")
    stage.done(stage.cast.codex, "label", "rm", work.task, "security")
    stage.may_not_approve(stage.cast.gemini, work, "-m", "fine", rules=["P6"])
    assert "label security removed" in stage.run(stage.cast.alice, "show", work.task).out
    assert stage.approve(stage.cast.alice, work)["rule"] == "P3"


def test_every_override_is_audited_and_there_is_no_silent_one(stage: Stage) -> None:
    flags = {flag for name, flag in options() if (name, flag) != ("logs", "-f")}  # follows a log
    assert not flags & {"--admin", "--force", "-f", "--override", "--no-verify", "--skip-review", "--no-audit"}
    asked = {name for name, flag in options() if flag == "--yes"}
    assert asked == {"approve", "next", "start", "store restore"}, (
        "--yes only stands for a question at a terminal: each task is judged as ever, who starts is an author, and a "
        "restore keeps the store before it"
    )
    task = stage.create(stage.cast.claude)
    stage.done(stage.cast.claude, "start", task)
    stage.no(stage.cast.claude, "close", task, "--self-close-exception", "  ", rules=["C1"])
    done = stage.done(stage.cast.claude, "close", task, "--self-close-exception", "the server is gone")
    assert done["status"] == "closed"
    (row,) = stage.lines(stage.cast.alice, "security")
    assert (row["kind"], row["rule"], row["task"], row["reason"]) == ("self_close", "C1", task, "the server is gone")
    assert [json.loads(line)["kind"] for line in (stage.folder / "security_events.jsonl").read_text().splitlines()] == [
        "self_close"
    ]
    assert [entry["type"] for entry in stage.show(task)["logs"]] == ["security"]


def test_submit_commit_writes_the_trailers_that_name_the_author(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    stage.done(stage.cast.codex, "start", task)
    stage.git("switch", "-q", "-c", "mine")
    (stage.repo / "new.txt").write_text("new\n")
    stage.done(stage.cast.codex, "submit", task, "--commit", "Add new")
    body = stage.git("log", "-1", "--format=%(trailers)")
    assert f"Task: {task}" in body
    assert f"Foureyes-Session: {stage.session(stage.cast.codex)}" in body


def test_the_record_cannot_be_cleared(stage: Stage) -> None:
    spared = {
        "audit correct-author",
        "checkpoint list",
        "worktree",
        "check environments",
        "sprint undo",
    }  # a row that a trailer was forged (I8); names of commits, no record (K2); tasks to be worked on (X5)
    everything = [name for name, _ in commands() if name not in spared]
    words = {word for name in everything for word in name.split()} | {
        flag.lstrip("-") for name, flag in options() if name not in spared
    }
    assert not words & {"clear", "undo", "prune", "purge", "reset", "forget", "truncate", "wipe"}
    cast = stage.cast
    work = stage.in_review(cast.claude, cast.codex)
    stage.approve(cast.claude, work, "-m", "fine")
    stage.done(cast.claude, "approve", "--withdraw", work.task)
    (kept,) = stage.show(work.task)["approvals"]
    assert (kept["state"], kept["reason"]) == ("withdrawn", "fine")
    assert len(stage.lines(cast.alice, "security")) == 1
    mirror = stage.folder / "security_events.jsonl"
    text = mirror.read_text()
    mirror.write_text(text.replace("fine", "good"))
    named = stage.run(cast.alice, "audit", "verify")
    assert named.rc == 6
    assert "line 1" in named.out + named.err
    mirror.unlink()
    assert stage.run(cast.alice, "audit", "verify").rc == 6
    stage.create(cast.claude)
    assert mirror.read_text() == text
    stage.verify()


def test_an_epic_never_closes_by_itself_and_not_by_who_did_its_work(stage: Stage) -> None:
    cast = stage.cast
    epic = stage.create(cast.claude, "-t", "epic", title="Accounts")
    child = stage.create(cast.claude, "--parent", epic)
    stage.no(cast.claude, "close", epic, rules=["T5"])
    work = stage.submit_work(cast.codex, child)
    stage.done(cast.alice, "close", child)
    assert stage.status(epic) == "open"
    stage.no(cast.codex, "close", epic, rules=["C1"])
    assert stage.done(cast.claude, "close", epic)["status"] == "closed"
    assert work.attempt == 1


def test_an_approval_is_for_one_diff_and_new_commits_are_another(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.alice, cast.codex)
    stage.approve(cast.gemini, work)
    (kept,) = stage.show(work.task)["approvals"]
    assert kept["diff_id"] == work.diff_id
    stage.commit(work.branch, {"sneaked.txt": "in\n"})
    (row,) = stage.lines(cast.alice, "merge")
    assert (row["outcome"], stage.status(work.task)) == ("void", "reviewing")
    assert "is stale" in row["message"]
    assert "sneaked.txt" not in stage.git("ls-tree", "--name-only", "main")
    stage.done(cast.alice, "redo", work.task, "-m", "what is this file?")
    assert [row["state"] for row in stage.show(work.task)["approvals"]] != ["active"]


def test_reject_needs_a_reason_and_somebody_who_could_approve(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.alice, cast.codex)
    for verb in ("reject", "redo"):
        rule = "F1" if verb == "redo" else "T2"
        stage.no(cast.gemini, verb, work.task, rules=[rule])
        stage.no(cast.gemini, verb, work.task, "-m", " ", rules=[rule])
        stage.no(cast.codex, verb, work.task, "-m", "no", rules=["P2"])
        stage.no(cast.job, verb, work.task, "-m", "no", rules=["I5"])
    assert stage.done(cast.gemini, "reject", work.task, "-m", "we do not want this")["status"] == "blocked"
    stage.no(cast.codex, "unblock", work.task, rules=["T2"])
    stage.no(cast.codex, "reopen", work.task, rules=["T2"])
    assert stage.done(cast.gemini, "unblock", work.task)["status"] == "open"


WITH_AN_ID = """
show X | context X | start X | unstart X | submit X --no-code | review X | approve X --seen 12345678 | approve --withdraw X
redo X -m no | reject X -m no | close X | cancel X | delete X | reopen X | block X -m why | unblock X | defer X | undefer X
hold X -m why | resume X -m why | update X --title t | label add X l | label rm X l | dep add X T | dep add T X | dep rm X T
dep rm T X | dep tree X | log X text | handoff X --done it | audit log --task X | list --parent X | list --after X
create t --parent X | create t --depends-on X | update T --parent X | update T --depends-on X | show X --diff
session spawn X --role review | session spawn X --role implement | author clear X ses-1 -m why
check run X | check show X | merge X | merges retry X | merges drop X -m why | plan accept X | checkpoint create a --task X
checkpoint restore a --task X | checkpoint prune --task X | redo X --issue 1 --fresh | start X --worktree
finding list X | finding add X a.py:1 -m t | finding show TL-fe-nosuch-1-001 | finding rule TL-fe-nosuch-1-001 --verified
finding respond TL-fe-nosuch-1-001 --fixed -m x | finding waive TL-fe-nosuch-1-001 -m why | finding apply TL-fe-nosuch-1-001
finding track TL-fe-nosuch-1-001 | finding export X | loop X | lead senior X -m why | prompt X --for review | export handoff X --role qa
import handoff X foureyes.toml | review show X | review request X | review submit X foureyes.toml | validate X
review now X | review list --task X | review request X --ask codex
agent signal DONE --task X | agent emit progress it --task X | pause X -m why | logs X | attach X | stop X
"""


def test_every_command_says_3_for_a_task_that_does_not_exist_and_changes_nothing(stage: Stage) -> None:
    task = stage.create(stage.cast.claude)
    before = stage.head()
    for command in WITH_AN_ID.strip().replace("\n", "|").split("|"):
        words = [{"X": "fe-nosuch", "T": task}.get(word, word) for word in command.split()]
        assert stage.no(stage.cast.alice, *words, rc=3).code == "not_found"
    assert stage.head() == before
    taken = {name for name, command in commands() if any(param.name == "task" for param in command.params)}
    tried = {command.split()[0] for command in WITH_AN_ID.strip().replace("\n", "|").split("|")}
    assert {name.removeprefix("task ").split()[0] for name in taken} <= tried


def test_what_is_listed_what_is_previewed_and_what_happens_are_one_answer(stage: Stage) -> None:
    """The same question through three doors of the product; the expected answers are typed out, not computed."""
    cast = stage.cast
    work = stage.in_review(cast.claude, cast.codex)
    expected = {cast.codex: ("refused", "P2"), cast.claude: ("With a reason.", "P3"), cast.gemini: ("allowed", "P7")}
    for who, (answer, rule) in expected.items():
        listed = stage.reviewable(who).get(work.task)
        shown = stage.show(work.task, who)["you"]
        assert shown["rule"] == rule
        assert shown["may_approve"] == (listed is not None) == (answer != "refused")
        if answer == "allowed":
            assert stage.approve(who, work)["rule"] == rule
        else:
            stage.may_not_approve(who, work, rules=[rule])


# Beads


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[list[FakeAgent]]:
    """Twelve agents, each its own session."""
    with People(tmp_path / "crowd") as people:
        yield [people.agent("claude") for _ in range(12)]


def test_no_error_suggests_to_destroy_anything(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.claude, cast.codex)
    other = stage.create(cast.claude, "--depends-on", work.task)
    (stage.repo / "dirty.txt").write_text("x\n")
    mine = stage.create(cast.claude)
    stage.done(cast.claude, "start", mine)
    said: list[str] = []
    for who, words in [
        (cast.codex, f"approve {work.task}"),
        (cast.codex, f"close {work.task}"),
        (cast.codex, f"cancel {work.task}"),
        (cast.gemini, f"cancel {other}"),
        (cast.gemini, f"start {other}"),
        (cast.gemini, f"start {work.task}"),
        (cast.claude, f"submit {mine}"),
        (cast.claude, f"submit {mine} --no-code"),
        (cast.gemini, f"submit {mine}"),
        (cast.gemini, f"unstart {mine}"),
        (cast.gemini, f"start {mine}"),
        (cast.gemini, f"reopen {other}"),
        (cast.claude, f"dep add {work.task} {other}"),
        (cast.claude, "show nosuch"),
        (cast.claude, "show x/y"),
        (cast.claude, "create --title"),
        (cast.claude, "frobnicate"),
        (cast.claude, "restore none"),
        (cast.alice, "restore none"),
        (cast.alice, "restore README.md"),
        (cast.alice, "backup README.md"),
        (cast.alice, "hold"),
        (cast.claude, "hold x -m y"),
        (cast.alice, f"redo {other} -m x"),
        (cast.alice, f"update {other} --if-version 1 --title x"),
        (cast.job, "next"),
        (cast.claude, f"show {work.task} --since 1"),
        (cast.claude, f"submit {mine} --branch none"),
        (cast.alice, "policy set x y"),
        (cast.alice, "policy set review.policy lax"),
        (cast.alice, "feature set x true"),
        (cast.alice, "list --status odd"),
    ]:
        result = who.fe(*words.split(), cwd=stage.repo)
        assert result.rc in (1, 2, 3, 4, 5), (words, result)
        said.append(result.err + result.out)
    (stage.folder / "store.db").rename(stage.folder / "elsewhere")
    said.append(cast.claude.fe("list", cwd=stage.repo).err)
    (stage.folder / "store.db").write_bytes(b"garbage" * 1000)
    said += [cast.claude.fe("list", cwd=stage.repo).err, cast.alice.fe("doctor", cwd=stage.repo).out]
    assert all(said)
    assert [text for text in said if DESTRUCTIVE.search(text)] == []


def test_prime_is_under_2_KB_and_its_rules_come_first(stage: Stage) -> None:
    text = stage.run(stage.cast.claude, "prime").out
    assert {stage.run(who, "prime").out for who in (stage.cast.alice, stage.cast.job)} == {text}
    assert len(text.encode()) < 2048
    assert text.index("Never approve") < text.index("fe next")
    assert "Never approve" in text[:300]
    assert text.index("RULES") < text.index("WORK") < text.index("REVIEW")
    known = {name.split()[0] for name, _ in commands()}
    used = {line.split()[1] for line in text.splitlines() if line.startswith("  fe ")}
    assert used
    assert used <= known


def test_one_store_from_every_worktree_and_every_directory(stage: Stage, tmp_path: Path) -> None:
    task = stage.create(stage.cast.claude)
    tree = tmp_path / "second"
    stage.git("worktree", "add", "-q", "-b", "second", str(tree))
    (tree / "deep" / "er").mkdir(parents=True)
    for place in (tree, tree / "deep" / "er", stage.repo):
        assert [row["id"] for row in stage.lines(stage.cast.claude, "list", cwd=place)] == [task]
    other = stage.done(stage.cast.codex, "create", "from there", cwd=tree / "deep")["task"]
    assert {row["id"] for row in stage.lines(stage.cast.claude, "list")} == {task, other}
    assert stage.done(stage.cast.codex, "init", cwd=tree)["created"] is False
    assert not (tree / ".foureyes").exists()
    assert stage.session(stage.cast.codex) == stage.done(stage.cast.codex, "whoami", cwd=tree)["session"]
