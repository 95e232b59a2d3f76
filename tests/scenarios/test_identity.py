"""Who is who, as the command line says it (I1, I3, I5), and what a typed name may do."""

from __future__ import annotations

import sys

import pytest

from tests.stage.commands import Cast, Stage
from tests.stage.processes import Caller


def test_I3_an_agent_is_named_after_its_program_and_its_process_is_the_evidence(stage: Stage) -> None:
    me = stage.done(stage.cast.claude, "whoami")
    assert (me["kind"], me["trust"], me["agent"], me["proven"]) == ("agent", "observed", "claude", True)
    assert f"pid {stage.cast.claude.pid}" in " ".join(me["why"])


def test_I3_two_processes_of_one_program_are_two_sessions_and_two_origins(stage: Stage) -> None:
    one, other = stage.done(stage.cast.claude, "whoami"), stage.done(stage.cast.people.agent("claude"), "whoami")
    assert one["session"] != other["session"]
    assert not set(one["origins"]) & set(other["origins"])


def test_I3_an_agent_started_by_an_agent_is_another_session_of_the_same_origin(stage: Stage) -> None:
    stage.create(stage.cast.claude)
    lead, helper = stage.done(stage.cast.claude, "whoami"), stage.done(stage.cast.helper, "whoami")
    assert (helper["kind"], helper["agent"]) == ("agent", "codex")
    assert helper["session"] != lead["session"]
    assert set(lead["origins"]) <= set(helper["origins"])


def test_I5_a_person_is_the_same_person_in_every_terminal(stage: Stage) -> None:
    one, other = (
        stage.done(stage.cast.alice, "whoami"),
        stage.done(stage.cast.people.person("at another desk"), "whoami"),
    )
    assert (one["kind"], one["trust"]) == ("human", "observed")
    assert "@" in one["person"]
    assert one["session"] == other["session"]


def test_I5_without_terminal_and_agent_it_is_a_service(stage: Stage) -> None:
    me = stage.done(stage.cast.job, "whoami")
    assert (me["kind"], me["agent"], me["person"]) == ("service", "", "")


def test_I3_a_mark_in_the_environment_makes_a_person_an_agent_never_the_other_way(stage: Stage) -> None:
    marked = stage.done(stage.cast.alice, "whoami", env={"CLAUDECODE": "1"})
    assert (marked["kind"], marked["proven"]) == ("agent", False)
    plain = stage.done(stage.cast.claude, "whoami")
    dressed = stage.done(
        stage.cast.claude, "whoami", env={"USER": "alice", "CODEX_THREAD_ID": "t-1", "AGENT": "gemini"}
    )
    assert dressed["session"] == plain["session"]


def test_I2_a_token_that_cannot_be_checked_is_refused(stage: Stage) -> None:
    stage.no(stage.cast.claude, "create", "x", rules=["I2"], env={"FOUREYES_TOKEN": "secret"})


def test_I1_whoami_is_a_read_and_leaves_no_session_behind(stage: Stage) -> None:
    before = stage.head()
    assert stage.done(stage.cast.claude, "whoami")["known"] is False
    assert stage.head() == before
    stage.create(stage.cast.claude)
    assert stage.done(stage.cast.claude, "whoami")["known"] is True
    names = {row["name"]: row for row in stage.lines(stage.cast.alice, "session", "list")}
    assert names["claude#1"]["kind"] == "agent"


def test_I1_a_typed_name_may_log_and_is_shown_as_what_it_is(stage: Stage) -> None:
    task = stage.create(stage.cast.claude)
    assert stage.done(stage.cast.claude, "whoami", "--as", "bob")["trust"] == "asserted"
    stage.done(stage.cast.claude, "log", task, "a note", "--as", "bob")
    (entry,) = stage.show(task)["logs"]
    assert entry["text"] == "a note"
    assert entry["session"] not in (stage.session(stage.cast.claude), stage.session(stage.cast.alice))
    (row,) = [row for row in stage.lines(stage.cast.alice, "session", "list") if row["id"] == entry["session"]]
    assert (row["name"], row["trust"]) == ("bob", "asserted")


WITH_A_NAME = """
create x | update T --title y | start T | next | unstart T | block T -m x | unblock T | defer T | undefer T
hold T -m x | resume T -m x | hold --project -m x | close T | cancel T | delete T | reopen T | approve T | approve --withdraw T
redo T -m x | reject T -m x | handoff T --done x | label add T x | label rm T x | dep add T T | dep rm T T
feature set balanced_review_policy false | feature unset balanced_review_policy | policy set review.policy strict
policy unset review.policy | restore none.db
"""


@pytest.mark.parametrize("who", ["alice", "claude", "job"])
def test_I1_everything_else_with_a_typed_name_is_refused_and_changes_nothing(stage: Stage, who: str) -> None:
    task = stage.create(stage.cast.codex)
    before = stage.head()
    caller: Caller = getattr(stage.cast, who)
    for command in WITH_A_NAME.replace("\n", "|").split("|"):
        if command.strip() and (
            who == "alice" or command.split()[0] in ("approve", "start", "create", "close", "redo")
        ):
            stage.no(caller, *[task if word == "T" else word for word in command.split()], "--as", "bob", rules=["I1"])
    assert stage.reviewable(caller) == {}
    assert stage.head() == before


def test_I1_a_typed_name_hands_nothing_in_and_commits_nothing(stage: Stage) -> None:
    task = stage.create(stage.cast.claude)
    stage.no(stage.cast.claude, "submit", task, "--no-code", "--as", "bob", rules=["I1"])
    stage.done(stage.cast.claude, "start", task)
    (stage.repo / "new.txt").write_text("not committed\n")
    before = stage.git("rev-parse", "HEAD")
    stage.no(stage.cast.claude, "submit", task, "--commit", "by bob", "--as", "bob", rules=["I1"])
    assert stage.git("rev-parse", "HEAD") == before


def test_I1_a_typed_name_merges_nothing(stage: Stage) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    stage.approve(stage.cast.alice, work)
    stage.no(stage.cast.alice, "merge", "--as", "bob", rules=["I1"])
    stage.git("merge", "-q", "--no-ff", "-m", "merge", work.branch)
    stage.no(stage.cast.alice, "merge", "--as", "bob", rules=["I1"])
    assert stage.status(work.task) == "approved"


def test_I1_a_typed_name_writes_no_files_either(stage: Stage) -> None:
    stage.no(stage.cast.alice, "setup", "agents-md", "--as", "bob", rules=["I1"])
    assert not (stage.repo / "AGENTS.md").exists()
    stage.no(stage.cast.alice, "backup", "copy.db", "--as", "bob", rules=["I1"])
    assert not (stage.repo / "copy.db").exists()


def test_I5_a_service_may_create_log_and_submit_and_nothing_that_starts_closes_or_decides(stage: Stage) -> None:
    job = stage.cast.job
    task = stage.create(job)
    stage.done(job, "log", task, "from CI")
    stage.no(job, "start", task, rules=["I5"])
    stage.no(job, "next", rules=["I5"])
    stage.no(job, "close", task, rules=["I5"])
    stage.no(job, "cancel", task, rules=["I5"])
    stage.no(job, "config", "set", "balanced_review_policy", "false", rules=["P12"])
    work = stage.submit_work(stage.cast.codex, task)
    stage.commit(work.branch, {"more.txt": "more\n"})
    again = stage.submit(job, task)
    assert again.attempt == 2
    entry = stage.show(task)["history"][-1]
    assert (entry["action"], entry["session"], entry["via"]) == (
        "submitted",
        stage.session(stage.cast.codex),
        stage.session(job),
    )
    before = stage.head()
    for command in (["approve", task, "--seen", again.seen], ["redo", task, "-m", "no"], ["reject", task, "-m", "no"]):
        stage.no(job, *command, rules=["I5"])
    assert stage.head() == before


def test_I7_what_a_person_submits_for_an_agent_is_the_agents_work(stage: Stage, cast: Cast) -> None:
    task = stage.create(cast.claude)
    stage.done(cast.codex, "start", task)
    stage.commit(f"fe/{task}", {"x.txt": "x\n"})
    work = stage.submit(cast.alice, task)
    assert stage.show(task)["authors"] == [stage.session(cast.codex)]
    assert stage.approve(cast.alice, work)["rule"] == "P7"


READS = (
    "status|doctor|whoami|session list|key list|policy show|feature list|security|stats security|list|ready|reviewable"
    "|audit log|audit verify|prime"
)


def test_everything_that_only_looks_answers_everybody_as_text_and_as_JSON(stage: Stage) -> None:
    for command in READS.split("|"):
        for who in (stage.cast.alice, stage.cast.claude, stage.cast.job):
            for form in ([], ["--json"]):
                done = stage.run(who, *command.split(), *form)
                assert done.rc == 0, f"{who.name}: fe {command}: {done}"
    text = stage.run(stage.cast.alice, "config", "show").out
    assert "claude: program claude, vendor anthropic" in text
    assert "security: mode per-task, auto_approve false, independence human" in text


def test_an_empty_name_ends_no_session(stage: Stage) -> None:
    assert stage.no(stage.cast.claude, "session", "end", "", rc=2).code == "usage"


def test_what_a_person_gives_out_is_said_to_be_of_one_origin_I4(stage: Stage) -> None:
    task = stage.create(stage.cast.claude)
    spawn = f'"{sys.executable}" -m foureyes session spawn {task} --role review; exit $?'  # below a shell, as at a desk
    done = stage.cast.alice.sh(spawn, cwd=stage.repo)
    assert done.rc == 0, done
    assert "all sessions that you start share your origin" in done.err
    assert "agent#1" in done.err
    stage.done(stage.cast.claude, "cancel", task)
    assert stage.no(stage.cast.claude, "session", "spawn", task, "--role", "review").rules == ("T2",)
