"""Attacks with tokens and sessions, by an agent that wants its own work approved (I2, I3, I4)."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from foureyes.bootstrap.wiring import open_project
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import SessionId
from foureyes.errors import Refused, TokenRefused

from tests.scenarios.attack_moves import (
    PROGRAM,
    detached,
    holding,
    kinds,
    read_token,
    rules_of,
    running_with,
    security,
    spawned,
    sub_agents_work,
)
from tests.stage.checkout import copied
from tests.stage.commands import Stage, SubmissionTime
from tests.stage.processes import SOURCE, Caller, Result


@pytest.fixture
def work(stage: Stage) -> SubmissionTime:
    """What codex made and wants to be approved; planned by a person."""
    return stage.in_review(stage.cast.alice, stage.cast.codex)


# A token that was given to somebody else


def test_I2_a_token_used_elsewhere_is_refused_whatever_for_and_recorded(stage: Stage, work: SubmissionTime) -> None:
    cast = stage.cast
    thief = holding(cast.codex, spawned(stage, cast.claude, work.task, "review"))
    stage.no(thief, "whoami", rules=["I2"])
    stage.no(thief, "list", rules=["I2"])
    stage.may_not_approve(thief, work, "-m", "fine", rules=["I2"])
    assert security(stage) == [("token_elsewhere", "I2", work.task, stage.session(cast.codex))] * 3
    assert [entry["type"] for entry in stage.show(work.task)["logs"]] == ["security"] * 3
    assert stage.status(work.task) == "reviewing"


def test_I2_a_reviewers_token_read_from_its_process_is_refused_in_another_tree_and_recorded(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    cast = stage.cast
    reviewer = cast.people.agent("gemini", under=cast.claude)
    with running_with(reviewer, spawned(stage, cast.claude, work.task, "review"), tmp_path) as pid:
        token = read_token(cast.codex, pid)
        assert token.startswith("fe-")
        stage.may_not_approve(holding(cast.codex, token), work, "-m", "fine", rules=["I2"])
        stage.may_not_approve(holding(detached(cast.codex), token), work, "-m", "fine", rules=["I2"])
        assert stage.approve(holding(cast.claude, token), work)["rule"] == "P7"
    assert kinds(stage) == ["token_elsewhere"] * 2


def test_I4_a_siblings_token_read_from_its_process_gives_what_a_sibling_may_P3_by_reason_recorded(
    stage: Stage, tmp_path: Path
) -> None:
    cast = stage.cast
    work, mine = sub_agents_work(stage, cast.claude)
    author = holding(cast.claude, mine)
    sister = cast.people.agent("gemini", under=cast.claude)
    with running_with(sister, spawned(stage, cast.claude, work.task, "review"), tmp_path) as pid:
        stage.may_not_approve(author, work, "-m", "fine", rules=["I2"])
        thief = holding(cast.claude, read_token(author, pid))
        stage.may_not_approve(thief, work, rules=["P3"])
        assert stage.approve(thief, work, "-m", "fine")["exception"] is True
    ((kind, rule, task, _),) = security(stage)
    assert (kind, rule, task) == ("creator_approval", "P3", work.task)


def test_I3_a_siblings_token_in_the_authors_own_process_is_the_author_P2(stage: Stage) -> None:
    cast = stage.cast
    sister = cast.people.agent("gemini", under=cast.claude)
    task = stage.create(cast.alice)
    author = holding(sister, spawned(stage, cast.claude, task, "implement"))
    stage.commit(f"fe/{task}", {"x.txt": "x\n"})
    work = stage.submit(author, task)
    stage.may_not_approve(
        holding(sister, spawned(stage, cast.claude, task, "review")), work, "-m", "fine", rules=["P2"]
    )


def test_I2_only_a_hash_of_a_token_is_kept_and_the_hash_is_no_token(stage: Stage, work: SubmissionTime) -> None:
    token = spawned(stage, stage.cast.claude, work.task, "review")
    stage.no(holding(stage.cast.codex, token), "whoami", rules=["I2"])
    stored = b"".join(path.read_bytes() for path in stage.folder.rglob("*") if path.is_file())
    assert token.encode() not in stored
    hashes = {found.decode() for found in re.findall(rb'"hash":"([0-9a-f]{64})"', stored)}
    assert hashes
    for found in hashes:
        stage.may_not_approve(holding(stage.cast.claude, found), work, rules=["I2"])


def test_I2_a_token_is_not_good_for_another_task(stage: Stage, work: SubmissionTime) -> None:
    cast = stage.cast
    other = stage.in_review(cast.alice, cast.codex)
    reviewer = holding(cast.claude, spawned(stage, cast.claude, other.task, "review"))
    before = stage.head()
    stage.may_not_approve(reviewer, work, "-m", "fine", rules=["I2"])
    for words in ("redo T -m no", "reject T -m no", "log T hi", "handoff T --done x", "session spawn T --role review"):
        stage.no(reviewer, *[work.task if word == "T" else word for word in words.split()], rules=["I2"])
    assert stage.reviewable(reviewer).keys() == {other.task}
    assert stage.head() == before


def test_I2_a_token_is_not_good_in_another_project_nor_outside_of_one(
    stage: Stage, work: SubmissionTime, template: Path, tmp_path: Path
) -> None:
    cast = stage.cast
    reviewer = holding(cast.claude, spawned(stage, cast.claude, work.task, "review"))
    other = Stage(copied(template, tmp_path / "other"), cast)
    theirs = other.in_review(cast.alice, cast.claude)
    other.may_not_approve(reviewer, theirs, rules=["I2"])
    assert kinds(other) == ["token_elsewhere"]
    stage.no(reviewer, "whoami", rules=["I2"], cwd=tmp_path)


def test_I2_a_token_is_void_once_its_session_has_ended_and_using_it_is_recorded(
    stage: Stage, work: SubmissionTime
) -> None:
    cast = stage.cast
    token = spawned(stage, cast.claude, work.task, "review")
    session = stage.done(holding(cast.claude, token), "whoami")["session"]
    stage.no(cast.codex, "session", "end", session, rules=["I4"])
    child = spawned(stage, holding(cast.claude, token), work.task, "review")
    assert len(stage.done(cast.claude, "session", "end", session)["ended"]) == 2
    for void in (token, child):
        stage.may_not_approve(holding(cast.claude, void), work, "-m", "fine", rules=["I2"])
    assert kinds(stage) == ["token_elsewhere"] * 2


def test_I2_a_token_that_ends_between_the_look_and_the_write_is_void(stage: Stage, work: SubmissionTime) -> None:
    cast = stage.cast
    made = stage.done(cast.claude, "session", "spawn", work.task, "--role", "review")
    app = open_project(str(stage.repo), {})
    try:
        seen = app.sessions.recognise(lambda _: _below(cast.claude, made["token"]))
        assert (seen.trust, seen.role) == ("issued", "review")
        stage.done(cast.claude, "session", "end", made["session"])
        with pytest.raises(Refused) as refused:
            app.decisions.approve(seen, work.task, seen=work.seen)
    finally:
        app.close()
    assert [reason.rule for reason in refused.value.reasons] == ["I2"]


def _below(who: Caller, token: str, start: int = 0) -> Actor:
    """What `fe` sees when it runs below somebody's process; `start` moves the moment at which that process was
    started.
    """
    from foureyes.adapters.identity.process_tree import Process, read_tree
    from foureyes.core.words.ids import token_hash

    tree = read_tree(pid=who.pid)
    own = int(Path(f"/proc/{who.pid}/stat").read_text().rpartition(")")[2].split()[19])
    evidence = tree.evidence(Process(pid=who.pid, start=own + start))
    return Actor(
        session=SessionId("ses-seen"),
        kind="agent",
        trust="observed",
        agent=who.name,
        evidence=(evidence,),
        processes=(evidence,),
        ancestors=(evidence,),
        token=token_hash(token),
    )


def test_I2_another_process_that_got_the_number_of_the_one_a_token_was_given_to_is_elsewhere(
    stage: Stage, work: SubmissionTime
) -> None:
    token = spawned(stage, stage.cast.claude, work.task, "review")
    app = open_project(str(stage.repo), {})
    try:
        assert app.sessions.recognise(lambda _: _below(stage.cast.claude, token)).trust == "issued"
        with pytest.raises(TokenRefused) as refused:
            app.sessions.recognise(lambda _: _below(stage.cast.claude, token, start=1))
    finally:
        app.close()
    assert [reason.rule for reason in refused.value.reasons] == ["I2"]
    assert kinds(stage) == ["token_elsewhere"]


GARBAGE = (
    "secret", " ", "x" * 100_000, "fe-\udcff\udc80", "fe-1\nfe-2", "ses-00000000", "fe-abc", "fe-\u202e\u200b",
    "' OR 1=1 --", "0",
)  # fmt: skip


def test_I2_what_was_never_given_out_is_no_token_and_recorded(stage: Stage) -> None:
    task = stage.create(stage.cast.claude)
    before = stage.head()[0]
    for token in GARBAGE:
        stage.no(holding(stage.cast.claude, token), "start", task, rules=["I2"])
    assert stage.head()[0] == before + len(GARBAGE)
    assert kinds(stage) == ["token_elsewhere"] * len(GARBAGE)
    assert max(len(line) for line in (stage.folder / "security_events.jsonl").read_text().splitlines()) < 1000


def test_I2_with_a_token_a_typed_name_is_refused_and_marks_change_nothing(stage: Stage, work: SubmissionTime) -> None:
    reviewer = holding(stage.cast.claude, spawned(stage, stage.cast.claude, work.task, "review"))
    stage.no(reviewer, "log", work.task, "hi", "--as", "bob", rules=["I2"])
    plain = stage.done(reviewer, "whoami")
    marks = {
        "CODEX_THREAD_ID": "t-1",
        "USER": "bob",
        "HOME": "/nowhere",
        "AGENT": "gemini",
        "FOUREYES_REVIEW_POLICY": "trusted",
    }
    dressed = stage.done(reviewer, "whoami", env=marks)
    assert (dressed["session"], dressed["origins"]) == (plain["session"], plain["origins"])


# What a token is good for

NOT_FOR_A_MAKER = """
approve T --seen S | approve T --seen S -m fine | approve T --withdraw | approve T --seen S --record-only | redo T -m no | reject T -m no
merge | close T | close T --self-close-exception why | cancel T | delete T | reopen T | unblock T | block T -m why | unstart T | next
approve T --seen S --break-glass why | approve T --seen S --self-review -m x | create x | create x --minor
"""


def refused_all(stage: Stage, who: Caller, commands: str, work: SubmissionTime) -> None:
    """Every command is refused by I2, and nothing is written."""
    before = stage.head()
    for command in filter(None, (part.strip() for part in commands.replace("\n", "|").split("|"))):
        words = [{"T": work.task, "S": work.seen}.get(word, word) for word in command.split()]
        stage.no(who, *words, rules=["I2"])
    assert stage.head() == before


def test_who_may_implement_writes_no_verdict_of_any_kind_I2(stage: Stage) -> None:
    work, token = sub_agents_work(stage, stage.cast.claude, "-l", "security")
    refused_all(stage, holding(stage.cast.claude, token), NOT_FOR_A_MAKER, work)


VERDICTS = {
    "Approved": "review/decisions findings/auto_decisions", "ApprovalRecorded": "review/decisions",
    "ApprovalFinished": "review/decisions", "ApprovalWithdrawn": "review/decisions",
    "RedoRequested": "review/feedback review/lead", "TaskRejected": "review/feedback",
    "TaskMerged": "gate/merge_candidate gate/landing", "TaskClosed": "review/closing",
    "AttemptSentBack": "findings/auto_decisions findings/rulings", "ApprovalVoided": "gate/merge_candidate findings/findings",
    "MergeFailed": "gate/merge_candidate", "CheckFinished": "gate/checks", "PlanAccepted": "tasks/plans",
    "PolicyAccepted": "project/project_settings gate/landing", "SettingChanged": "project/project_settings",
    "AttributionCleared": "gate/attempts", "KeyAdded": "project/keys", "DecisionSigned": "app/signatures",
}  # fmt: skip


def test_each_verdict_is_written_in_one_place_behind_its_rule() -> None:
    found: dict[str, set[str]] = {name: set() for name in VERDICTS}
    for path in Path(SOURCE, "foureyes").rglob("*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if any(f"{name}(" in text for name in found) else ():
            called = node.func if isinstance(node, ast.Call) else None
            name = (
                called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
            )
            if name in found:
                found[name].add(f"{path.parent.name}/{path.stem}")
    assert found == {name: set(places.split()) for name, places in VERDICTS.items()}


# A token that is dropped


def told(folder: Path, name: str, *commands: str) -> str:
    """A script that an agent of this name runs, as the shell starts it; `fe` in it is this checkout's."""
    script = folder / name
    script.write_text("\n".join([FE, *commands, "exit $?", ""]))
    return f"/bin/sh {script}"


FE = f'fe() {{ "{sys.executable}" -m foureyes "$@"; }}; seen() {{ sed "s/.*sha256:\\([0-9a-f]\\{{64\\}}\\).*/\\1/"; }}'


def drops_its_token(stage: Stage, folder: Path, start: str) -> tuple[str, Result]:
    """A person gives codex a token in a shell; codex submits with it, and approves without it."""
    task = stage.create(stage.cast.gemini)
    stage.commit(f"fe/{task}", {"x.txt": "x\n"})
    codex = told(
        folder,
        "codex",
        f"SEEN=$(fe submit {task} --branch fe/{task} --json | seen)",
        "unset FOUREYES_TOKEN",
        f"fe approve {task} --seen $SEEN -m fine --json",
    )
    given = (
        f"{FE}; export FOUREYES_TOKEN=$(fe session spawn {task} --role implement --agent codex 2>/dev/null); "
        f"{start} {codex}"
    )
    return task, stage.cast.alice.sh(f"{given}; exit $?" if not start else given, cwd=stage.repo)


def test_I3_a_token_that_is_dropped_by_an_agent_that_took_the_shells_place_leaves_the_process_P2(
    stage: Stage, tmp_path: Path
) -> None:
    """`exec codex`: the agent is the very process that the token was bound to."""
    task, result = drops_its_token(stage, tmp_path, "exec")
    assert stage.status(task) == "reviewing", f"codex approved its own work: {result.out}"
    assert rules_of(result) == ["P2"]


def test_I5_an_unused_token_does_not_hide_who_is_behind_a_service(stage: Stage, tmp_path: Path) -> None:
    """The agent is nobody until it uses the token, so the service is taken for any agent."""
    cast = stage.cast
    task = stage.create(cast.gemini)
    stage.commit(f"fe/{task}", {"x.txt": "x\n"})
    service = f'"{sys.executable}" -I {PROGRAM} --detach -- env -u FOUREYES_TOKEN "{sys.executable}" -m foureyes'
    codex = told(
        tmp_path,
        "codex",
        f"SEEN=$({service} submit {task} --branch fe/{task} --json | seen)",
        "unset FOUREYES_TOKEN",
        f"fe approve {task} --seen $SEEN --json",
    )
    given = (
        f"{FE}; export FOUREYES_TOKEN=$(fe session spawn {task} --role implement --agent codex 2>/dev/null); "
        f"{codex}; exit $?"
    )
    assert rules_of(cast.alice.sh(given, cwd=stage.repo)) == ["P2"]
    assert [entry["via"] for entry in stage.show(task)["history"] if entry["action"] == "submitted"] == [
        stage.session(cast.job)
    ]


def test_I3_a_reviewers_token_read_from_its_process_in_the_same_terminal_is_the_authors_P2(
    stage: Stage, tmp_path: Path
) -> None:
    """A person's tokens are good below their shell, and the author runs there too; its process says who it is."""
    task = stage.create(stage.cast.gemini)
    stage.commit(f"fe/{task}", {"x.txt": "x\n"})
    codex = told(
        tmp_path,
        "codex",
        f"fe start {task} --here --json >/dev/null",
        f"SEEN=$(fe submit {task} --branch fe/{task} --json | seen)",
        "read_token() { TOKEN=$(tr '\\0' '\\n' < /proc/$1/environ | sed -n 's/^FOUREYES_TOKEN=//p'); }",
        'read_token $1; until test -n "$TOKEN"; do kill -0 $1 || exit 9; read_token $1; done',
        f"FOUREYES_TOKEN=$TOKEN fe approve {task} --seen $SEEN -m fine --json",
    )
    reviewer = f"FOUREYES_TOKEN=$(fe session spawn {task} --role review 2>/dev/null) sleep 600 &"
    result = stage.cast.alice.sh(f"{FE}; {reviewer} {codex} $!; RC=$?; kill $!; exit $RC", cwd=stage.repo)
    assert (result.rc, rules_of(result)) == (1, ["P2"]), result
