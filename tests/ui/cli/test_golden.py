"""What the main commands print, to the letter; ids, sessions, times and hashes replaced by names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.stage.checkout import copied
from tests.stage.commands import Cast, Stage, SubmissionTime
from tests.stage.processes import Caller


class Shop(NamedTuple):
    """A project with three tasks: planned, waiting, in review."""

    stage: Stage
    login: str
    limit: str
    pages: SubmissionTime
    alice: str

    def text(self, who: Caller, *args: str, rc: int = 0) -> str:
        """What a command printed, where it belongs: results on stdout, errors on stderr."""
        result = self.stage.run(who, *args)
        assert result.rc == rc, result
        assert not (result.err if rc == 0 else result.out)
        return self.named(result.out + result.err)

    def named(self, text: str) -> str:
        """With everything that differs from run to run replaced."""
        cast = self.stage.cast
        for name, value in (
            ("LOGIN", self.login),
            ("LIMIT", self.limit),
            ("PAGES", self.pages.task),
            ("SEEN", self.pages.seen),
            ("HEAD", self.pages.head[:7]),
            ("BASE", self.stage.git("rev-parse", "main")[:7]),
            ("CLAUDE", self.stage.session(cast.claude)),
            ("CODEX", self.stage.session(cast.codex)),
            ("ALICE", self.alice),
        ):
            text = text.replace(value, name)
        return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME", text)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, template: Path, cast: Cast) -> Shop:
    stage = Stage(copied(template, tmp_path_factory.mktemp("golden") / "shop"), cast)
    words = ["-p", "0", "-l", "security", "-l", "api", "-d", "with refresh tokens\nand logout", "-a", "logs in"]
    login = stage.create(cast.alice, *words, title="Add login")
    limit = stage.create(cast.claude, "--depends-on", login, "--minor", title="Rate limit the endpoints")
    pages = stage.submit_work(cast.codex, stage.create(cast.claude, title="Page the order list"))
    return Shop(stage, login, limit, pages, stage.done(cast.alice, "whoami")["person"])


def test_status(shop: Shop) -> None:
    assert shop.text(shop.stage.cast.alice, "status") == (
        "shop on main · policy balanced (from foureyes.toml)\n"
        "  open 2 (1 ready, 1 waiting)   in progress 0   reviewing 1   approved 0   closed 0\n"
        "next: fe list --reviewable      1 waits for your review\n"
    )


def columns(text: str) -> list[list[str]]:
    """The words of a table; what pads them depends on the length of the ids."""
    return [re.split(r"  +", line) for line in text.splitlines()]


def test_list(shop: Shop) -> None:
    assert columns(shop.text(shop.stage.cast.alice, "list"))[:4] == [
        ["ID", "P", "STATUS", "IT", "WHO", "MODE", "WAITS FOR", "TITLE", "LABELS"],
        ["LOGIN", "P0", "open", "per-task", "Add login", "api security"],
        ["LIMIT", "P2", "open (minor)", "batch", "LOGIN", "Rate limit the endpoints"],
        ["PAGES", "P2", "reviewing", "1", "codex#1", "batch", "Page the order list"],
    ]


def test_ready_lists_what_can_be_started(shop: Shop) -> None:
    assert [row[0] for row in columns(shop.text(shop.stage.cast.codex, "ready"))[:2]] == ["ID", "LOGIN"]


def test_reviewable_marks_where_a_reason_is_needed_P13(shop: Shop) -> None:
    head = ["ID", "P", "DIFF", "IT", "FOR YOU", "TITLE"]
    assert columns(shop.text(shop.stage.cast.alice, "reviewable")) == [
        head,
        ["PAGES", "P2", "SEEN", "1", "P7", "Page the order list"],
        ["next: fe show PAGES --diff"],
    ]
    assert columns(shop.text(shop.stage.cast.claude, "reviewable"))[1] == [
        "PAGES", "P2", "SEEN", "1", "P3, needs -m reason", "Page the order list",
    ]  # fmt: skip
    assert shop.text(shop.stage.cast.codex, "reviewable") == "no tasks for you to approve\n"


def test_show_a_planned_task(shop: Shop) -> None:
    assert shop.text(shop.stage.cast.alice, "show", shop.login) == (
        "LOGIN  Add login\n"
        "  open · P0 · task · version 4\n"
        "  labels      api, security\n"
        "  created     TIME by ALICE\n"
        "  awaited by  LIMIT\n"
        "  description\n"
        "    with refresh tokens\n"
        "    and logout\n"
        "  acceptance\n"
        "    logs in\n"
        "  mode        per-task: label security is per-task\n"
        "next: an agent runs: fe start LOGIN\n"
    )


def test_show_a_task_in_review_says_what_you_could_do(shop: Shop) -> None:
    assert shop.text(shop.stage.cast.alice, "show", shop.pages.task) == (
        "PAGES  Page the order list\n"
        "  reviewing · P2 · task · version 10\n"
        "  created     TIME by claude#1 (CLAUDE)\n"
        "  made by     codex#1 (CODEX)   authors: 1 session\n"
        "  attempt 1   base BASE  head HEAD  on fe/PAGES  1 file +1 -0  diff SEEN  submitted TIME\n"
        "  files       +1 -0  PAGES.txt\n"
        "  mode        batch: project default\n"
        "  for you     approve: allowed (P7)\n"
        "next: fe show PAGES --diff      then   fe approve PAGES --seen SEEN\n"
    )
    mine = shop.text(shop.stage.cast.codex, "show", shop.pages.task).splitlines()
    assert mine[-3:] == [
        "  for you     approve: refused (P2)",
        "              P2  you are its implementer, so someone else must approve it",
        "next: someone else runs: fe approve PAGES --seen SEEN",
    ]
    creators = shop.text(shop.stage.cast.claude, "show", shop.pages.task).splitlines()
    assert creators[-2:] == [
        "  for you     approve: allowed (P3) with a reason",
        'next: fe show PAGES --diff      then   fe approve PAGES --seen SEEN -m "why it is fine"',
    ]


def test_show_diff(shop: Shop) -> None:
    text = shop.text(shop.stage.cast.alice, "show", shop.pages.task, "--diff")
    assert re.search(r"diff --git a/PAGES.txt b/PAGES.txt\nnew file mode 100644\n.*\n\+1 0\n\Z", text, re.DOTALL)


def test_a_refusal_lists_all_reasons_with_rule_and_next_step(shop: Shop) -> None:
    assert shop.text(shop.stage.cast.codex, "approve", shop.pages.task, rc=1) == (
        "refused: PAGES was not approved. 2 reasons:\n"
        "  - an agent must name the diff that it reviewed, and --seen ATTEMPT.DIFF is missing (D7)\n"
        "    next: fe show PAGES --diff\n"
        "  - you are its implementer, so someone else must approve it (P2)\n"
        "    next: someone else runs: fe approve PAGES --seen SEEN\n"
        "nothing was changed\n"
    )


def test_a_missing_reason_says_what_to_type(shop: Shop) -> None:
    assert shop.text(shop.stage.cast.claude, "approve", shop.pages.task, "--seen", shop.pages.seen, rc=1) == (
        "refused: PAGES was not approved. 1 reason:\n"
        "  - you can approve PAGES only with a reason, because you created PAGES (P3)\n"
        '    next: fe approve PAGES --seen SEEN -m "why it is fine"\n'
        "nothing was changed\n"
    )


def test_a_lost_claim_names_the_winner(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    stage.done(stage.cast.claude, "start", task)
    lost = stage.run(stage.cast.codex, "start", task)
    assert lost.rc == 4
    assert re.fullmatch(
        rf"fe: {task} was started by claude#1 \(ses-\w{{8}}\) .*\.\n  next: fe next. If the claim is abandoned: .*\n",
        lost.err,
    )


def test_from_create_to_merge_first_the_answer_then_the_next_step(stage: Stage) -> None:
    cast = stage.cast
    said = stage.run(cast.alice, "create", "Add login").out
    task = said.split()[1]
    assert said == f"created {task}\n  review  batch (project default)\nnext: fe list --ready\n"
    assert stage.run(cast.codex, "start", task).out == (
        f'started {task}: Add login\nnext: work on a branch, commit, then: fe submit {task} -m "what you did"\n'
    )
    stage.commit("mine", {"x.txt": "x\n"})
    handed = stage.run(cast.codex, "submit", task, "--branch", "mine", "-m", "done").out.splitlines()
    assert re.fullmatch(rf"submitted {task}, attempt 1: 1 commit, 1 file \+1 -0, diff 1\.[0-9a-f]{{8}}", handed[0])
    assert handed[-1].startswith("next: fe next")
    approved = stage.run(cast.alice, "approve", task).out.splitlines()
    assert approved[1].endswith(", approved without --seen")
    assert approved[0] == f"approved {task}: a person may approve a task they created but did not work on (P3)"
    assert approved[-1].endswith(f"to withdraw: fe approve --withdraw {task}")
    settling = (
        rf"waits    {task}  its approval can be withdrawn until \d\d:\d\d:\d\d \(Q0\)\n         next: fe merge --wait\n"
    )
    assert re.fullmatch(settling, stage.run(cast.alice, "merge").out)
    stage.git("merge", "-q", "--no-ff", "-m", "merge", "mine")
    assert re.fullmatch(rf"closed   {task}  on main as [0-9a-f]{{7}}\n", stage.run(cast.alice, "merge").out)
    assert stage.run(cast.alice, "show", task).out.splitlines()[1].startswith("  closed (merged) · P2 · task")


def test_what_an_agent_approved_is_merged_at_once_and_the_queue_is_empty_then(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.alice, cast.codex)
    stage.approve(cast.gemini, work)
    queue = columns(stage.run(cast.alice, "merge", "--list").out)
    assert queue == [
        ["#", "ID", "P", "STATE", "WAITS FOR", "TITLE"], ["1", work.task, "P2", "waiting", "ready", "Add login"],
        ["next: fe merge"],
    ]  # fmt: skip
    said = stage.run(cast.alice, "merge").out
    assert said == f"merged   {work.task}  main is at {stage.git('rev-parse', '--short=7', 'main')}\n"
    for command in (["merge"], ["merge", "--list"]):
        assert stage.run(cast.alice, *command).out == "nothing to merge\n"


def test_audit_verify_and_doctor(shop: Shop) -> None:
    verified = shop.text(shop.stage.cast.alice, "audit", "verify").splitlines()
    assert verified[0] == "10 rows verified: the chain is intact, the tables match the journal, mirror complete"
    assert re.fullmatch("head [0-9a-f]{64}", verified[1])
    doctor = shop.text(shop.stage.cast.alice, "doctor").splitlines()
    warned = [line for line in doctor if line.startswith("warn")]
    assert [
        line.startswith("warn  no checks are configured, so nothing is approved automatically (M4)") for line in warned
    ] == [True], doctor
    assert {line.split()[0] for line in doctor[:-1] if line not in warned} <= {"ok", "next:"}, doctor
    assert doctor[-1].endswith(" checked, 1 warning, 0 failures"), doctor


def test_whoami_says_why(shop: Shop) -> None:
    assert shop.text(shop.stage.cast.claude, "whoami") == (
        f"claude#1 (CLAUDE): agent, observed, origin CLAUDE\n  claude (pid {shop.stage.cast.claude.pid}) is "
        "an ancestor of this process.\n"
        "  You may plan, work and submit, and review and approve the work of others.\n"
        "  You may not approve what this process or its conversation made.\n"
    )


KEYS = {
    "list": "id title status priority type labels parent implementer iteration version minor held rejected "
    "created_at updated_at",
    "ready": "id title status priority labels version",
    "reviewable": "id title status priority labels iteration version attempt diff_id you",
    "show PAGES": "task depends_on dependents children attempts authors history approvals feedback logs handoff names "
    "you",
    "context PAGES": "task depends_on attempts authors history feedback logs handoff",
    "status": "project target policy policy_source counts reviewable hold notes",
    "doctor": "check result message next",
    "whoami": "session name kind trust agent person origins proven known why",
    "session list": "id kind trust name agent person host origin started_at last_seen_at",
    "config show": "key value source",
    "config show balanced_review_policy": "key value source",
    "audit log": "seq at project task session kind payload prev hash",
    "audit export": "seq at project task session kind payload prev hash",
    "audit verify": "ok rows head findings",
    "dep tree LIMIT": "depth id status title",
    "prime": "prime",
}


@pytest.mark.parametrize("command", KEYS)
def test_json_is_one_object_or_one_per_line_with_these_keys_at_least(shop: Shop, command: str) -> None:
    words = [{"PAGES": shop.pages.task, "LIMIT": shop.limit}.get(word, word) for word in command.split()]
    found = shop.stage.lines(shop.stage.cast.alice, *words)
    assert found
    for line in found:
        assert set(KEYS[command].split()) - set(line) == set()


def test_json_of_what_changes_something(stage: Stage) -> None:
    cast = stage.cast
    outcome = {"task", "status", "version", "changed", "message", "next", "notes"}
    task = stage.create(cast.alice)
    for command in (
        ["start", task],
        ["log", task, "x"],
        ["update", task, "--title", "y"],
        ["label", "add", task, "z"],
        ["unstart", task],
    ):
        assert outcome <= set(stage.done(cast.codex, *command))
    work = stage.submit_work(cast.codex, task)
    submitted = "task attempt base head ref diff_id status files added removed commits landed no_code"
    assert set(submitted.split()) <= set(stage.done(cast.codex, "submit", task, "--branch", work.branch))
    done = stage.done(cast.alice, "approve", task)
    assert {"approved", "attempt", "diff_id", "rule", "exception", "security_event", "status", "seen"} <= set(done)
    (row,) = stage.lines(cast.alice, "merge")
    assert {"task", "attempt", "outcome", "sha", "message", "notes"} <= set(row)
    error = stage.run(cast.codex, "start", task, "--json").json["error"]
    assert {"code", "message", "reasons", "next", "task"} <= set(error)
    assert {"rule", "message", "next"} == set(error["reasons"][0])
