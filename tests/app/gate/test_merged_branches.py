"""The branches of merged tasks at the remote: they go, if they are what was merged (K1, Q6)."""

from __future__ import annotations

import pytest

from foureyes.app.results.project import News
from foureyes.core.words.refs import attempt_ref
from foureyes.errors import RemoteProblem

from tests.stage.gated import merge, merge_rows
from tests.stage.people import ALICE
from tests.stage.wires import Wired

DENIED = "error: denying ref deletion for refs/heads/fe"

pytestmark = pytest.mark.on("sqlite")


def branches(clones: Wired) -> list[str]:
    return [ref.removeprefix("refs/heads/fe/") for ref in clones.refs() if ref.startswith("refs/heads/fe/")]


def test_the_branch_of_a_merged_task_goes_at_the_remote_and_its_attempt_stays_K1_Q6(clones: Wired) -> None:
    here, there = clones.approved(clones.alpha), clones.approved(clones.beta)
    assert branches(clones) == sorted([here, there])
    rows = merge_rows(clones.alpha)
    assert {task: row.notes for task, row in rows.items()} == {
        task: (f"fe/{task} was deleted on origin",) for task in (here, there)
    }
    assert branches(clones) == []
    assert {attempt_ref(task, 1) for task in (here, there)} <= set(clones.refs())
    assert merge(clones.beta) == {}
    assert branches(clones) == [], "nobody brings it back"


def test_a_branch_with_anybodys_commits_stays_and_that_is_told_once_K1(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = clones.approved(alpha)
    theirs = beta.checkout.commit("theirs.py")
    beta.checkout.git("push", "-q", "-f", "origin", f"HEAD:refs/heads/fe/{task}")
    row = merge_rows(alpha)[task]
    assert (row.outcome, row.notes) == ("merged", (f"fe/{task} stays on origin: it is at {theirs[:7]} there",))
    assert clones.refs()[f"refs/heads/fe/{task}"] == theirs
    said: list[News] = []
    alpha.app.merges.process(ALICE, said.append)
    clones.wire(beta).fetch([f"refs/heads/fe/{task}"])
    beta.app.merges.process(ALICE, said.append)
    assert not [news for news in said if "stays" in news.text]


def test_a_remote_that_takes_no_branch_away_is_quoted_and_the_merge_stands_K1_Q3(clones: Wired) -> None:
    clones.remote.git("config", "receive.denyDeletes", "true")
    task = clones.approved(clones.alpha)
    row = merge_rows(clones.alpha)[task]
    assert (row.outcome, row.notes) == ("merged", (f"fe/{task} stays on origin: {DENIED}/{task}; deletion prohibited",))


def merged_while_cut_off(clones: Wired, monkeypatch: pytest.MonkeyPatch) -> str:
    """A merge after which the remote could not be asked any more."""
    task, wire = clones.approved(clones.alpha), clones.wire(clones.alpha)

    def cut(_: object) -> None:
        raise RemoteProblem("no way", kind="unreachable")

    with monkeypatch.context() as context:
        context.setattr(wire, "take_away", cut)
        row = merge_rows(clones.alpha)[task]
    assert (row.outcome, row.notes) == ("merged", ())
    return task


def test_what_could_not_be_asked_goes_with_the_next_merge_K1_Q4(clones: Wired, monkeypatch: pytest.MonkeyPatch) -> None:
    task = merged_while_cut_off(clones, monkeypatch)
    assert branches(clones) == [task]
    said: list[News] = []
    clones.alpha.app.merges.process(ALICE, said.append)
    assert News(f"{task}  fe/{task} was deleted on origin") in said
    assert branches(clones) == []


def test_a_branch_whose_work_the_target_lacks_by_now_stays_K1(clones: Wired, monkeypatch: pytest.MonkeyPatch) -> None:
    before = clones.main()
    task = merged_while_cut_off(clones, monkeypatch)
    clones.remote.git("update-ref", "refs/heads/main", before)
    clones.alpha.app.merges.accept(ALICE, "it had a secret", before)
    merge(clones.alpha)
    assert branches(clones) == [task]
