"""Attacks by looking like somebody else: another agent, a person, a person with a key (I3, I5, I8, I9)."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from foureyes.adapters.identity import sshsig
from foureyes.bootstrap.wiring import open_project
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import SessionId, TaskId, token_hash
from foureyes.errors import Refused

from tests.scenarios.attack_moves import (
    SECRET,
    Through,
    detached,
    detached_at_a_terminal,
    kinds,
    rules_of,
    shell_named,
    typing,
    while_asked,
)
from tests.stage.checkout import copied
from tests.stage.commands import Cast, Stage, SubmissionTime
from tests.stage.namespaces import need


@pytest.fixture
def work(stage: Stage) -> SubmissionTime:
    """What codex made and wants to be approved; planned by another agent."""
    return stage.in_review(stage.cast.claude, stage.cast.codex)


# Another agent


def test_no_variable_branch_worktree_shell_or_session_new_is_a_new_identity_I4(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    codex = stage.cast.codex
    tree = tmp_path / "tree"
    stage.git("worktree", "add", "-q", "-b", "elsewhere", str(tree))
    marks = {
        "CODEX_THREAD_ID": "new",
        "AGENT": "gemini",
        "USER": "bob",
        "LOGNAME": "bob",
        "HOSTNAME": "other",
        "HOME": str(tmp_path),
    }
    stage.may_not_approve(codex, work, "-m", "fine", rules=["P2"], env=marks)
    stage.may_not_approve(codex, work, "-m", "fine", rules=["P2"], cwd=tree)
    stage.may_not_approve(Through(codex, "setsid", "-w", "nohup"), work, "-m", "fine", rules=["P2"])
    stage.git("switch", "-q", "-c", "another")
    stage.may_not_approve(codex, work, "-m", "fine", rules=["P2"])
    before, after = stage.done(codex, "whoami"), stage.done(codex, "session", "new")
    assert (after["session"] != before["session"], after["origins"]) == (True, before["origins"])
    stage.may_not_approve(codex, work, "-m", "fine", rules=["P2"])
    stage.no(codex, "close", work.task, rules=["C1"])
    stage.no(codex, "approve", work.task, "--seen", work.seen, "--as", "gemini#1", rules=["I1"])
    stage.no(codex, "approve", work.task, "--session", "gemini#1", rc=2)


def test_I3_another_agents_program_or_a_shell_of_its_name_below_the_author_is_the_author_P2(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    codex = stage.cast.codex
    shell = shell_named(codex, tmp_path / "gemini")
    assert stage.done(shell, "whoami")["agent"] == "gemini"
    stage.may_not_approve(shell, work, "-m", "fine", rules=["P2"])
    stage.may_not_approve(stage.cast.people.agent("gemini", under=codex), work, "-m", "fine", rules=["P2"])
    stage.may_not_approve(shell_named(shell, tmp_path / "inner" / "claude"), work, "-m", "fine", rules=["P2"])


def test_I3_a_detached_shell_with_an_agents_name_is_that_agent(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    """A limit: docs/threat-model.md has it under "being several agents". The record says who approved, and by which
    rule.
    """
    shell = shell_named(detached(stage.cast.codex), tmp_path / "gemini")
    assert stage.approve(shell, work)["rule"] == "P7"
    assert kinds(stage) == []


def test_I3_who_claims_a_reviewers_conversation_joins_it_and_is_an_author_all_the_same_P2(
    stage: Stage, work: SubmissionTime
) -> None:
    """A limit: it cannot approve, and from then on neither can the reviewer whose conversation it named; nobody can
    undo that.
    """
    codex, gemini = stage.cast.codex, stage.cast.people.agent("gemini")
    theirs = {"AGENT_SESSION_ID": "read from its process"}
    stage.done(gemini, "log", work.task, "I look at it", env=theirs)
    assert work.task in stage.reviewable(gemini)
    stage.may_not_approve(codex, work, "-m", "fine", rules=["P2"], env=theirs)
    assert work.task in stage.reviewable(gemini)
    stage.done(codex, "log", work.task, "we are one", env=theirs)
    stage.may_not_approve(gemini, work, "-m", "fine", rules=["P2"])
    assert stage.approve(stage.cast.alice, work)["rule"] == "P7"


def test_I3_an_authors_process_stays_the_authors_when_it_runs_another_program_P2(stage: Stage, tmp_path: Path) -> None:
    """I3: "a session with an author's process anywhere above it is that author's descendant", whatever it is called by
    now.
    """
    task = stage.create(stage.cast.claude)
    stage.commit(f"fe/{task}", {"x.txt": "x\n"})
    fe = f'"{sys.executable}" -m foureyes'
    after, codex = tmp_path / "after", tmp_path / "codex"
    after.write_text(f"{fe} approve {task} --json\nexit $?\n")
    work = f"{fe} start --here {task} >&2 && {fe} submit {task} --branch fe/{task} >&2"
    codex.write_text(f"{work}\nexec /bin/sh {after}\n")
    result = stage.cast.alice.sh(f"/bin/sh {codex}; exit $?", cwd=stage.repo)
    assert stage.show(task)["history"][-1]["action"] == "submitted", (
        f"the process that made it has approved it: {result.out}"
    )
    assert "P2" in rules_of(result)


# A person


def test_I5_a_detached_process_without_a_terminal_is_a_service_and_neither_it_nor_what_it_spawns_decides(
    stage: Stage, work: SubmissionTime
) -> None:
    codex = detached(stage.cast.codex)
    assert stage.done(codex, "whoami")["kind"] == "service"
    for words in (
        ["approve", "--seen", work.seen],
        ["redo", "-m", "x"],
        ["reject", "-m", "x"],
        ["close"],
        ["approve", "--break-glass", "x"],
    ):
        stage.no(codex, words[0], work.task, *words[1:], rules=["I5"])
    fe = f'"{sys.executable}" -m foureyes'
    command = (
        f"FOUREYES_TOKEN=$({fe} session spawn {work.task} --role review) {fe} approve {work.task} --seen "
        f"{work.seen} -m x --json; exit $?"
    )
    result = codex.sh(command, cwd=stage.repo)
    assert (result.rc, rules_of(result)) == (1, ["I5"]), result


def test_I5_a_detached_process_with_a_terminal_is_a_person(stage: Stage, work: SubmissionTime) -> None:
    """A limit: docs/threat-model.md has it under "looking like a person". The record says that nothing but that was
    seen.
    """
    codex = detached_at_a_terminal(stage.cast.codex)
    assert stage.done(codex, "whoami")["kind"] == "human"
    assert stage.approve(codex, work)["rule"] == "P7"
    (kept,) = stage.show(work.task)["approvals"]
    assert (kept["session"], kept["grade"]) == (stage.session(stage.cast.alice), "human (observed)")
    stage.done(codex, "config", "set", "review.policy", "trusted")


# A person with a key


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where alice keeps her key."""
    return tmp_path_factory.mktemp("alice")


@pytest.fixture(scope="module")
def keyed_template(tmp_path_factory: pytest.TempPathFactory, template: Path, cast: Cast, home: Path) -> Path:
    """A repository in which alice has made the first key, and every decision of a person needs one. Copy it, never use
    it.
    """
    stage = Stage(copied(template, tmp_path_factory.mktemp("keyed") / "shop"), cast)
    assert stage.done(typing(cast.alice, SECRET, SECRET, home=home), "key", "new", "--human")["registered"] is True
    stage.done(typing(cast.alice, SECRET, home=home), "config", "set", "review.human_proof", "key")
    assert kinds(stage) == ["key_added"]
    return stage.repo


@pytest.fixture
def keyed(tmp_path: Path, keyed_template: Path, cast: Cast) -> Stage:
    return Stage(copied(keyed_template, tmp_path / "keyed"), cast)


@pytest.fixture
def signed_work(keyed: Stage) -> SubmissionTime:
    """What codex made, where people sign."""
    return keyed.in_review(keyed.cast.claude, keyed.cast.codex)


def test_I9_agents_and_services_make_no_keys(stage: Stage) -> None:
    before = stage.head()
    for who in (
        stage.cast.claude,
        typing(stage.cast.claude, SECRET, SECRET),
        stage.cast.job,
        detached(stage.cast.claude),
    ):
        stage.no(who, "key", "new", "--human", rules=["I9"])
    assert stage.head() == before


def test_I9_a_key_that_an_agent_could_sign_with_silently_is_no_persons_key(stage: Stage, tmp_path: Path) -> None:
    public = sshsig.public_of(Ed25519PrivateKey.generate())
    (tmp_path / "id.pub").write_text(f"{public} me\n")
    (tmp_path / "id").write_text("private\n")
    (tmp_path / "id").chmod(0o600)
    stage.no(stage.cast.alice, "key", "new", "--human", "--ssh", str(tmp_path / "id"), rules=["I9"])
    stage.no(
        stage.cast.alice,
        "key",
        "new",
        "--human",
        "--ssh",
        str(tmp_path / "id"),
        rules=["I9"],
        env={"SSH_AUTH_SOCK": "/nowhere"},
    )
    assert stage.lines(stage.cast.alice, "key", "list") == []


def test_I9_with_human_proof_key_a_person_without_one_is_told_how_to_get_it(stage: Stage, work: SubmissionTime) -> None:
    stage.done(stage.cast.alice, "config", "set", "review.human_proof", "key")
    refused = stage.may_not_approve(stage.cast.alice, work, rules=["I9"])
    assert "fe key add --new" in refused.hints
    stage.no(stage.cast.alice, "config", "unset", "review.human_proof", rules=["I9"])
    stage.may_not_approve(stage.cast.alice, work, rules=["I9"], env={"FOUREYES_REVIEW_HUMAN_PROOF": "observed"})


def test_I9_a_persons_approval_with_their_key_is_shown_as_that(
    keyed: Stage, signed_work: SubmissionTime, home: Path
) -> None:
    alice = typing(keyed.cast.alice, "not it, a slip", SECRET, home=home)
    assert keyed.approve(alice, signed_work)["rule"] == "P7"
    (key,) = keyed.lines(keyed.cast.alice, "key", "list")
    assert f"human (key {key['fingerprint']})" in keyed.run(keyed.cast.alice, "show", signed_work.task).out
    keyed.verify()


def test_D4_a_branch_that_moves_while_the_person_types_is_not_approved(
    keyed: Stage, signed_work: SubmissionTime, tmp_path: Path, home: Path
) -> None:
    """D4: the attempt is current when it is approved, not only when the question was asked."""
    with while_asked(keyed, keyed.cast.alice, tmp_path, "approve", signed_work.task, home=home) as results:
        keyed.commit(signed_work.branch, {"sneaked.txt": "in\n"})
    assert keyed.status(signed_work.task) == "reviewing", f"approved after the branch had moved: {results[0].out}"
    assert rules_of(results[0]) == ["D4"]


def test_P10_M6_who_looks_like_a_person_may_call_work_minor_and_where_people_have_keys_it_counts_for_nothing(
    keyed: Stage, signed_work: SubmissionTime
) -> None:
    """What loosens counts only signed there (I9)."""
    keyed.done(detached_at_a_terminal(keyed.cast.codex), "update", signed_work.task, "--minor")
    keyed.may_not_approve(keyed.cast.codex, signed_work, rules=["P2"])
    assert kinds(keyed) == ["key_added"]


def test_I9_a_key_makes_a_person_anywhere_for_what_it_signs_and_can_call_a_container_home_I3(
    keyed: Stage, signed_work: SubmissionTime, home: Path
) -> None:
    need("unshare", "-pf", "--mount-proc", "true")
    box = Through(keyed.cast.job, "unshare", "-pf", "--mount-proc", "sh", "-c", '"$@"; exit $?', "sh")
    inner, other = typing(box, SECRET, home=home), typing(box, "wrong horse", "wrong", "wrong", home=home)
    me = keyed.done(inner, "whoami")
    assert (me["kind"], me["person"][:4]) == ("human", "key:"), me
    keyed.no(other, "approve", signed_work.task, rules=["I9"])
    for verb in (("start", signed_work.task), ("session", "spawn", signed_work.task, "--role", "review"), ("merge",)):
        keyed.no(inner, *verb, rules=["I9"])
    assert keyed.approve(inner, signed_work)["rule"] == "P7"
    assert keyed.done(keyed.cast.alice, "whoami")["session"] != me["session"], "a name is nobody's in there"
    keyed.done(inner, "config", "set", "identity.home", "container")
    assert keyed.done(inner, "whoami")["person"] == keyed.done(keyed.cast.alice, "whoami")["person"]


# The Application, imported in Python


def test_I2_a_made_up_actor_is_believed_unless_it_claims_a_token(stage: Stage, work: SubmissionTime) -> None:
    """A limit: docs/threat-model.md has it under "changing the judge". Who imports the Application says who is calling.

    A live token's hash is enough there, and lies in the store; `fe` itself takes no hash for a token
    (test_attacks_tokens.py).
    """
    issued = stage.done(stage.cast.gemini, "session", "spawn", work.task, "--role", "review")
    made_up = Actor(
        session=SessionId(issued["session"]), kind="agent", trust="issued", role="review", task=TaskId(work.task)
    )
    observed = Actor(
        session=SessionId("ses-madeup00"),
        kind="agent",
        trust="observed",
        agent="gemini",
        evidence=("x",),
        processes=("x",),
    )
    app = open_project(str(stage.repo), {})
    try:
        for token in ("", "0" * 64, issued["token"]):
            with pytest.raises(Refused) as refused:
                app.decisions.approve(msgspec.structs.replace(made_up, token=token), work.task, seen=work.seen)
            assert [reason.rule for reason in refused.value.reasons] == ["I2"]
        for actor in (observed, msgspec.structs.replace(made_up, token=token_hash(issued["token"]))):
            assert app.decisions.approve(actor, work.task, seen=work.seen).rule == "P7"
            app.decisions.withdraw(actor, work.task)
    finally:
        app.close()


# Clocks


FAST = (
    "from datetime import timedelta; from foureyes.adapters.clock import SystemClock; now = SystemClock.now\n"
    "SystemClock.now = lambda self: now(self) + timedelta(hours=3)\n"
    "from foureyes.ui.cli.entry import main; main()"
)


def test_a_claim_that_is_freed_by_a_clock_three_hours_fast_leaves_dates_that_verify_and_doctor_name_J2(
    stage: Stage,
) -> None:
    alice, claude, codex = stage.cast.alice, stage.cast.claude, stage.cast.codex
    task = stage.create(alice)
    stage.done(claude, "start", task)
    stage.no(codex, "unstart", task, rules=["T1"])
    freed = codex.run([sys.executable, "-c", FAST, "unstart", task], cwd=stage.repo)
    assert freed.rc == 0, freed.err
    fast = stage.lines(alice, "audit", "log")[-1]
    stage.done(claude, "log", task, "and on by the right clock")
    right = stage.lines(alice, "audit", "log")[-1]
    back = f"row {right['seq']} is dated {right['at']}, before row {fast['seq']} ({fast['at']})"
    verified = stage.run(alice, "audit", "verify")
    assert (verified.rc, back in verified.err) == (0, True), verified.err
    assert f"row {fast['seq']} is dated {fast['at']}, later than now (" in verified.err
    assert back in stage.run(alice, "doctor").out
