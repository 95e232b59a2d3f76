"""A remote is asked as often as something new can be heard, and no more (Q6)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from foureyes.app.work.worktrees import make_worktree
from foureyes.core.words.ids import Sha, TaskId
from foureyes.errors import GitProblem

from tests.stage.clones import Clone, Clones
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX

pytestmark = pytest.mark.on("sqlite")


def fetches(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The refs that are asked for from now on, one for each that a call names."""
    remote, named = clone.outside.remotes["origin"], list[str]()
    fetch, tips = remote.fetch, remote.tips

    def fetching(refs: Sequence[str]) -> dict[str, Sha]:
        named.extend(refs)
        return fetch(refs)

    def telling(refs: Sequence[str]) -> dict[str, Sha]:
        named.extend(refs)
        return tips(refs)

    monkeypatch.setattr(remote, "fetch", fetching)
    monkeypatch.setattr(remote, "tips", telling)
    return named


def plant(clone: Clone, task: str) -> None:
    made = clone.checkout.git("commit-tree", "-m", "x", "-p", "main", "main^{tree}").strip()
    clone.checkout.git("branch", f"fe/{task}", made)


def merged(clones: Clones) -> None:
    alpha = clones.alpha
    alpha.approve(BOB, alpha.submitted_task(CLAUDE))
    assert [row.outcome for row in alpha.app.merges.process(ALICE)] == ["merged"]


def test_a_later_attempt_that_waits_asks_for_no_earlier_one_Q6(clones: Clones, monkeypatch: pytest.MonkeyPatch) -> None:
    alpha = clones.alpha
    task = alpha.submitted_task(CLAUDE)
    alpha.app.feedback.redo(BOB, task, "more")
    alpha.start(CLAUDE, task)
    alpha.checkout.switch(f"fe/{task}")
    alpha.checkout.commit("more.py", session=CLAUDE)
    asked = fetches(alpha, monkeypatch)
    alpha.submit(CLAUDE, task)
    assert not [ref for ref in asked if ref.startswith(f"refs/foureyes/attempts/{task}/1")]


def test_a_clone_that_is_behind_asks_once_where_work_begins_K1_Q6(
    clones: Clones, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged(clones)
    beta = clones.beta
    asked, task = fetches(beta, monkeypatch), beta.create()
    beta.app.claims.start(CODEX, task, worktree=True)
    assert asked.count("refs/heads/main") == 1
    assert beta.checkout.head("main") == beta.checkout.head(f"fe/{task}") == clones.refs()["refs/heads/main"]


def test_however_many_tasks_are_passed_over_the_remote_is_asked_once_for_them_T4_Q6(
    clones: Clones, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged(clones)
    alpha = clones.alpha
    alpha.pull()
    for _ in range(3):
        plant(alpha, alpha.create())
    last = alpha.create()
    asked = fetches(alpha, monkeypatch)
    assert alpha.app.claims.next(CODEX, worktree=True).task == last
    assert asked.count("refs/heads/main") == 2, "once for what is passed over, once for where work begins"


def test_who_does_not_ask_asks_not_for_a_branch_of_nobody_either_P2_Q6(
    clones: Clones, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged(clones)
    alpha = clones.alpha
    alpha.pull()
    task = alpha.create()
    plant(alpha, task)
    asked = fetches(alpha, monkeypatch)
    with pytest.raises(GitProblem, match="has no author on record"):
        make_worktree(alpha.app.context, TaskId(task), CODEX.session, asks=False)
    assert not asked
