"""Where the remote of a clone is (Q6): on record by the first push, and elsewhere once a person says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.app.results.attempt import MergesGoOn
from foureyes.core.words.refs import attempt_ref
from foureyes.errors import BadInput, RemoteProblem
from foureyes.ui.steps import steps_text

from tests.stage.clones import Clone, Clones
from tests.stage.gated import approved, merge
from tests.stage.people import ALICE, CI, CLAUDE, CODEX

pytestmark = pytest.mark.on("sqlite")


def another(clones: Clones, name: str = "evil.git") -> str:
    """A repository in the remote's place, with a commit that nobody saw."""
    place = clones.remote.path.with_name(name)
    clones.remote.git("clone", "-q", "--bare", ".", str(place))
    return str(place)


def again(clone: Clone) -> Clone:
    """The next process in that clone."""
    return Clone(clone.checkout.path, clone)


def accept(clone: Clone, why: str) -> MergesGoOn:
    """A person accepts the address that the refusal showed."""
    return clone.app.merges.address(ALICE, why, clone.outside.remotes["origin"].address().shown)


def addressed(clones: Clones) -> list[str]:
    return [row.kind for row in clones.alpha.app.audit.log(limit=500) if row.kind == "RemoteAddressed"]


def test_the_first_push_from_a_clone_puts_the_address_on_record_and_no_later_one_Q6(clones: Clones) -> None:
    clones.alpha.submitted_task(CLAUDE)
    assert len(addressed(clones)) == 1
    clones.alpha.checkout.switch("main")
    clones.alpha.submitted_task(CLAUDE, text="other\n")
    assert len(addressed(clones)) == 1


@pytest.mark.parametrize("key", ["url", "pushurl"])
def test_another_address_stops_merging_and_sending_until_a_person_accepts_it_Q6(clones: Clones, key: str) -> None:
    task = approved(clones.alpha, by=CODEX)
    evil = another(clones)
    clones.alpha.checkout.git("config", f"remote.origin.{key}", evil)
    alpha = again(clones.alpha)
    with pytest.raises(RemoteProblem, match=r"evil\.git.* is recorded"):
        merge(alpha)
    alpha.checkout.switch("main")
    other = alpha.work(CLAUDE, alpha.create(), name="other.py")
    handed = alpha.submit(CLAUDE, other)
    assert "is recorded" in handed.sent
    first, then = steps_text(handed.next).split(", then: ")
    assert first.startswith("a person runs: fe target accept --address --seen "), "nothing else helps"
    assert first.endswith(' -m "why it is there now"')
    assert then.startswith(f"to try again: fe submit {other}")
    assert attempt_ref(other, 1) not in clones.refs()
    assert alpha.status(task) == "approved"
    said = accept(alpha, "the forge moved")
    assert evil in said.message
    assert any("remote.git" in note for note in said.notes)
    (row,) = alpha.app.audit.exceptions()
    assert (row.kind, row.rule, row.reason) == ("remote_moved", "Q6", "the forge moved")
    assert merge(alpha)[task] == "merged"
    assert not accept(alpha, "once more").changed


def test_an_address_to_push_to_that_differs_is_refused_at_first_use_too_Q6(clones: Clones) -> None:
    clones.alpha.checkout.git("config", "remote.origin.pushurl", another(clones))
    alpha = again(clones.alpha)
    task = alpha.work(CLAUDE, alpha.create())
    assert "is pushed to a different address" in alpha.submit(CLAUDE, task).sent
    assert addressed(clones) == []


@pytest.mark.parametrize("actor", [CLAUDE, CI])
def test_only_a_person_says_that_the_remote_is_elsewhere_Q6(clones: Clones, actor: object) -> None:
    with clones.alpha.refused("Q6"):
        clones.alpha.app.merges.address(actor, "because")  # type: ignore[arg-type]


def test_no_password_of_an_address_is_on_record_Q6(clones: Clones) -> None:
    clones.alpha.submitted_task(CLAUDE)
    clones.alpha.checkout.git("config", "remote.origin.url", "https://joe:secret@example.org/x.git")
    alpha = again(clones.alpha)
    accept(alpha, "it moved")
    rows = [row.payload for row in alpha.app.audit.log(limit=500)]
    assert any("example.org/x.git" in row for row in rows)
    assert not any("secret" in row for row in rows)


def test_a_push_that_would_bring_what_no_task_brought_is_not_proposed_but_listed_Q5_Q6(clones: Clones) -> None:
    approved(clones.alpha, by=CODEX)
    evil, alpha = another(clones), clones.alpha
    alpha.checkout.git("switch", "-q", "main")
    alpha.checkout.commit("backdoor.py", message="tidy")
    alpha.checkout.git("push", "-q", evil, "HEAD:main")
    alpha.checkout.git("reset", "-q", "--hard", "HEAD~1")
    alpha.checkout.git("config", "remote.origin.url", evil)
    there = again(alpha)
    accept(there, "taken in")
    (row,) = there.app.merges.process(CI)
    assert row.outcome == "merged"
    there.checkout.git("config", "remote.origin.url", "../remote.git")
    back = again(there)
    accept(back, "found out")
    with back.refused("Q6") as caught:
        merge(back)
    (reason,) = caught[0].reasons
    assert "belong to no task" in reason.message
    assert " tidy" in reason.message
    assert not any("push" in step.argv for step in reason.next.steps)


def test_an_address_that_nobody_was_shown_is_not_accepted_Q6(clones: Clones) -> None:
    clones.alpha.submitted_task(CLAUDE)
    git = clones.alpha.checkout.git
    seen, later = another(clones, "moved.git"), another(clones)
    git("config", "remote.origin.url", seen)
    with pytest.raises(RemoteProblem) as told:
        merge(again(clones.alpha))
    assert f"fe target accept --address --seen {seen} -m" in steps_text(told.value.next_step)
    git("config", "remote.origin.url", later)
    alpha = again(clones.alpha)
    with pytest.raises(BadInput) as refused:
        alpha.app.merges.address(ALICE, "it moved", seen)
    assert refused.value.reasons[0].message == f"origin is at {later}, but you named {seen}"
    with pytest.raises(BadInput, match="you must name what you saw"):
        alpha.app.merges.address(ALICE, "it moved")
    assert len(addressed(clones)) == 1


RULES = {
    "one for everything": '[url "{evil}"]\n\tinsteadOf = ""\n',
    "two for one": '[url "../evil-"]\n\tinsteadOf = ../remote\n[url "../remote"]\n\tinsteadOf = ../remote\n',
    "one for pushes": '[url "{evil}"]\n\tpushInsteadOf = ""\n',
}


@pytest.mark.parametrize("rule", RULES)
def test_what_git_rewrites_an_address_to_is_another_one_Q6(clones: Clones, rule: str) -> None:
    task = approved(clones.alpha, by=CODEX)
    place, home = clones.remote.path.parent, Path(os.environ["HOME"])
    before = (home / ".gitconfig").read_text() if (home / ".gitconfig").exists() else ""
    (home / ".gitconfig").write_text(RULES[rule].format(evil=f"{place}/evil-") + before)
    alpha = again(clones.alpha)
    with pytest.raises(RemoteProblem, match=r"evil-.* is recorded"):
        merge(alpha)
    assert alpha.status(task) == "approved"


def test_git_goes_to_the_address_that_was_compared_whatever_the_configuration_says_by_then_Q6(clones: Clones) -> None:
    task = approved(clones.alpha, by=CODEX)
    alpha, evil = again(clones.alpha), another(clones)
    assert alpha.outside.remotes["origin"].address().shown == str(clones.remote.path), "whole, not as it was typed"
    for old in (str(clones.remote.path), "../remote.git", ""):
        alpha.checkout.git("config", "--global", "--add", f"url.{evil}.insteadOf", old)
        alpha.checkout.git("config", "--global", "--add", f"url.{evil}.pushInsteadOf", old)
    assert merge(alpha) == {task: "merged"}
    assert clones.remote.head("main") == alpha.checkout.head("main")


def test_an_address_that_only_looks_like_the_one_on_record_is_neither_gone_to_nor_accepted_Q6(clones: Clones) -> None:
    """curl goes to what stands before the `?`; who takes all before the `@` for a login sees the other one."""
    task = approved(clones.alpha, by=CODEX)
    clones.alpha.checkout.git("config", "remote.origin.url", "http://127.0.0.1:9?@forge.example/remote.git")
    alpha = again(clones.alpha)
    with pytest.raises(RemoteProblem, match="in more than one way") as problem:
        merge(alpha)
    assert "git remote set-url origin ADDRESS" in steps_text(problem.value.next_step)
    with pytest.raises(RemoteProblem, match="in more than one way"):
        alpha.app.merges.address(ALICE, "it looks right", "http://forge.example/remote.git")
    assert alpha.status(task) == "approved"
