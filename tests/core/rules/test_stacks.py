"""A7 as a function: what is inside an attempt, and what that means for a decision."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.attempt import Attempt, Below, Commit, How
from foureyes.core.nouns.task import Task
from foureyes.core.rules.facts import Facts, Lower
from foureyes.core.rules.stacks import (
    StackPart,
    found_below,
    found_later,
    in_words,
    passed_over,
    sent_back,
    the_same,
    waits_for,
    why_not_by_rule,
    why_refused,
)
from foureyes.core.words.ids import DiffId, SessionId, Sha, TaskId
from foureyes.core.words.lifecycle import TaskStatus
from foureyes.ui.steps import steps_text

A, B, T = ("a" * 40, "b" * 40, "t" * 40)


def handed(task: str, commits: str, *, n: int = 1, seq: int = 1, other: str = "", blobs: str = "") -> StackPart:
    """An attempt of one-letter commits, each with a diff of its own; `other`: diffs without a commit of that name."""
    return StackPart(
        task=TaskId(task),
        n=n,
        seq=seq,
        commits=tuple(commits),
        diffs=frozenset(f"diff {each.lower()}" for each in commits + other),
        blobs=frozenset(f"blob {each}" for each in (blobs or commits.lower() + other)),
    )


def inside(
    upper: StackPart,
    *others: StackPart,
    own: tuple[StackPart, ...] = (),
    said: str = "",
    named: tuple[str, ...] = (),
) -> dict[str, How]:
    """How each task is inside. `said`: the commits that task b says to be this one's."""
    known = {TaskId("b"): frozenset(said)}
    return {below.task: below.how for below in found_below(upper, others, own, known, [TaskId(task) for task in named])}


@pytest.mark.parametrize(
    ("upper", "other", "how"),
    [
        (handed("b", "ac"), handed("a", "a"), "whole"),
        (handed("b", "Ac"), handed("a", "a"), "whole"),  # the same diff under another commit: rebased, amended
        (handed("b", "acd"), handed("a", "ad"), "whole"),  # merged in
        (handed("b", "ac"), handed("a", "ax"), "part"),
        (handed("b", "a"), handed("a", "ac"), "carved"),
        (handed("b", "x", blobs="acx"), handed("a", "ac"), "copied"),  # squashed
        (handed("b", "x", blobs="ax"), handed("a", "ac"), "quoted"),
        (handed("b", "a"), handed("a", "a"), "whole"),  # the very same: who had it first is inside
    ],
    ids=["on top", "rebased", "merged in", "a part", "carved out", "squashed", "a file", "the same"],
)
def test_work_of_another_task_is_found_by_commit_by_diff_and_by_content_A7(
    upper: StackPart, other: StackPart, how: How
) -> None:
    assert inside(upper, other) == {"a": how}


def test_the_same_words_in_another_file_are_quoted_and_wait_for_nobody_A7() -> None:
    other = replace(handed("a", "a"), paths=frozenset({"one.py"}))
    for path, how in (("one.py", "copied"), ("two.py", "quoted")):
        assert inside(replace(handed("b", "x", blobs="a"), paths=frozenset({path})), other) == {"a": how}


def test_equal_content_in_another_file_is_called_that_A7() -> None:
    quoted = Below(task=TaskId("a"), how="quoted")
    assert in_words(quoted) == "some of its files have the same content as files of a"
    assert in_words(replace(quoted, commits=2)) == "it shares 2 commits with a"


def test_what_has_nothing_of_others_stands_on_nothing_A7() -> None:
    assert inside(handed("b", "bc"), handed("a", "a")) == {}


def test_two_that_stand_on_the_same_task_do_not_stand_on_each_other_A7() -> None:
    assert inside(handed("c", "ac"), handed("a", "a"), handed("b", "ab")) == {"a": "whole"}


def test_every_task_of_a_stack_is_inside_of_what_stands_on_top_A7() -> None:
    assert inside(handed("c", "abc"), handed("a", "a"), handed("b", "ab")) == {"a": "whole", "b": "whole"}


def test_commits_that_the_other_task_took_back_are_no_part_of_it_any_more_A7() -> None:
    first, second = handed("a", "e"), handed("a", "a", n=2)
    assert inside(handed("b", "eab"), first, second) == {"a": "part"}
    (below,) = found_below(handed("b", "eb"), [first, second])
    assert (below.how, below.attempt) == ("whole", 1)


def test_what_a_task_had_first_others_took_from_it_A7() -> None:
    own = handed("b", "a", seq=1)
    assert inside(handed("b", "a", n=2), handed("a", "a", seq=2), own=(own,)) == {}
    assert inside(handed("b", "ab", n=2), handed("a", "a", seq=2), own=(own,)) == {}
    assert inside(handed("b", "ab", n=2), handed("a", "a", seq=2), own=(own,), named=("a",)) == {"a": "whole"}
    begun = replace(handed("a", "a", seq=3), begun=1)
    assert inside(handed("b", "ab", n=2), begun, own=(replace(own, seq=2),)) == {"a": "quoted"}
    on_top = replace(handed("a", "ac", seq=3), begun=1)
    assert inside(handed("b", "ab", n=2), on_top, own=(replace(own, seq=2),)) == {}


def test_a_task_that_is_known_to_be_below_is_not_carved_out_of_what_stands_on_it_A7() -> None:
    assert inside(handed("a", "a"), handed("b", "ab"), said="a") == {}
    assert inside(handed("a", "ab"), handed("b", "ab"), said="a") == {"b": "whole"}


def test_what_is_handed_in_later_than_what_stands_on_it_is_found_then_A7() -> None:
    below = found_later(handed("b", "ab"), [handed("a", "a")], named=True)
    assert below is not None
    assert (below.task, below.how, below.top) == ("a", "whole", "a")
    assert found_later(handed("b", "ab"), [handed("a", "ax")], named=True) is None
    assert found_later(handed("b", "a"), [handed("a", "a")], named=True) is None


def test_whose_work_was_first_is_made_a_stack_of_nobody_who_comes_later_A7() -> None:
    first = handed("b", "ab", seq=5)
    assert found_later(first, [replace(handed("a", "a", seq=6), begun=5)], named=False) is None
    begun_before = found_later(first, [replace(handed("a", "a", seq=6), begun=4)], named=False)
    assert begun_before is not None
    assert begun_before.how == "quoted"  # its strictness counts, and nothing else


def test_what_was_sent_back_counts_as_far_as_it_did_not_land_A7() -> None:
    upper, back = handed("b", "eb"), handed("a", "ae")
    landed = frozenset({"diff a", "blob a"})
    (left,) = sent_back([back], landed, frozenset("a"), upper)
    assert (left.commits, left.pieces) == (("e",), frozenset({"diff e", "blob e"}))
    assert inside(upper, left) == {"a": "whole"}
    assert inside(handed("b", "x", blobs="ex"), *sent_back([back], landed, frozenset("a"), upper)) == {"a": "copied"}
    assert sent_back([handed("a", "a")], landed, frozenset("a"), upper) == []


def test_what_another_task_handed_in_and_nothing_besides_is_that_tasks_A5() -> None:
    assert the_same(handed("b", "a"), [handed("a", "a")], []) == ["a"]
    assert the_same(handed("b", "A"), [handed("a", "a")], []) == []  # other commits: somebody made them
    assert the_same(handed("b", "ab"), [handed("a", "a")], []) == []
    assert the_same(handed("b", "a"), [handed("a", "a"), handed("a", "ax", n=2)], []) == []
    assert the_same(handed("b", "a", n=2), [handed("a", "a", seq=2)], [handed("b", "a", seq=1)]) == []


def facts(how: How, attempt: int = 1, *, lower: Task, landed: bool = False) -> Facts:
    """A task in review with another one inside."""
    sha = Sha("b" * 40)
    mine = Attempt(
        n=1,
        base=sha,
        head=sha,
        tree=sha,
        ref="refs/heads/fe/b",
        diff_id=DiffId("sha256:1"),
        submitted_by=SessionId("ses-1"),
        submitted_at="1",
        landed=landed,
    )
    below = Below(task=lower.id, how=how, attempt=attempt, commits=1, top="a" * 40 if how == "whole" else "")
    return Facts(task=task("b"), attempt=mine, below=(Lower(inside=below, facts=Facts(task=lower)),))


def task(
    name: str, status: TaskStatus = "reviewing", *, iteration: int = 1, resolution: str = "", rejected: bool = False
) -> Task:
    return Task(
        id=TaskId(name),
        title=name,
        creator=SessionId("ses-0"),
        status=status,
        iteration=iteration,
        resolution=resolution,
        rejected_by=SessionId("ses-2") if rejected else None,
        version=1,
        created_at="1",
        updated_at="1",
    )


MERGED = task("a", "closed", resolution="merged")
AGAIN = task("a", iteration=2)


@pytest.mark.parametrize(
    ("about", "by_rule", "first", "refused"),
    [
        (facts("whole", lower=task("a")), False, True, ""),
        (facts("whole", lower=task("a", "approved")), False, True, ""),
        (facts("whole", lower=MERGED), True, False, ""),
        (facts("whole", lower=AGAIN), False, True, "other commits"),
        (facts("whole", lower=task("a", "closed", iteration=2, resolution="merged")), False, False, "other commits"),
        (facts("carved", lower=task("a", "closed", iteration=2, resolution="merged")), False, False, "other commits"),
        (facts("quoted", lower=task("a", "closed", iteration=2, resolution="merged")), False, False, ""),
        (facts("whole", lower=task("a", "blocked", rejected=True)), False, True, "rejected"),
        (facts("whole", lower=task("a", "open")), False, True, "sent back"),
        (facts("whole", lower=task("a", "in_progress")), False, True, "sent back"),
        (facts("whole", lower=task("a", "closed", resolution="closed")), False, True, "without an approval"),
        (facts("part", lower=task("a")), False, True, "only in part"),
        (facts("carved", lower=task("a")), False, False, ""),
        (facts("carved", lower=task("a", "blocked", rejected=True)), False, False, "rejected"),
        (facts("copied", lower=task("a", "blocked", rejected=True)), False, True, "rejected"),
        (facts("quoted", lower=task("a", "blocked", rejected=True)), False, False, ""),
        (facts("branch", 0, lower=task("a", "in_progress", iteration=0)), False, True, ""),
        (facts("branch", 0, lower=task("a")), False, True, "other commits"),
        (facts("trailer", 0, lower=task("a", "closed", iteration=0, resolution="cancelled")), True, False, ""),
    ],
)
def test_how_the_other_task_stands_decides_what_becomes_of_the_upper_one_A7(
    about: Facts, by_rule: bool, first: bool, refused: str
) -> None:
    assert (not why_not_by_rule(about)) is by_rule
    assert (waits_for(about) == ["a"]) is first
    reasons = why_refused(about)
    assert [reason.rule for reason in reasons] == (["A7"] if refused else [])
    assert refused in "".join(reason.message for reason in reasons)


def test_a_refusal_names_the_rebase_that_takes_the_other_work_out_A7() -> None:
    (reason,) = why_refused(facts("whole", lower=task("a", "blocked", rejected=True)))
    assert steps_text(reason.next) == f"git rebase --onto {B} {A} fe/b, then: fe submit b"


def test_who_breaks_the_glass_passes_over_what_cannot_stay_inside_and_over_nothing_else_A7_N3() -> None:
    about = facts("whole", lower=task("a", "blocked", rejected=True))
    assert passed_over(about) == ("a",)
    assert why_refused(about, passed=("a",)) == []
    assert waits_for(about, passed=("a",)) == []
    assert passed_over(facts("whole", lower=task("a"))) == ()


@pytest.mark.parametrize(
    ("ref", "steps"),
    [
        ("refs/heads/work", f"git rebase --onto {B} {A} work, then: fe submit b"),
        (
            "refs/heads/fe/a",
            f"git branch fe/b.2 '{B}^{{commit}}', then: git rebase --onto {B} {A} fe/b.2, then: "
            "fe submit b --branch fe/b.2",
        ),
    ],
)
def test_the_rebase_leaves_the_branch_of_another_task_alone_A7(ref: str, steps: str) -> None:
    about = facts("whole", lower=task("a", "blocked", rejected=True))
    assert about.attempt is not None
    (reason,) = why_refused(replace(about, attempt=replace(about.attempt, ref=ref)))
    assert steps_text(reason.next) == steps


@pytest.mark.parametrize(
    ("how", "commits", "steps"),
    [
        ("trailer", "ta", f"git rebase --onto {B} {T} fe/b, then: fe submit b"),
        ("trailer", "ota", "take the work of a out of fe/b and commit, then: fe submit b"),
        ("branch", "ota", "take the work of a out of fe/b and commit, then: fe submit b"),
        ("branch", "ta", f"git rebase --onto {B} {T} fe/b, then: fe submit b"),
    ],
)
def test_the_own_commits_stay_A7(how: How, commits: str, steps: str) -> None:
    about = facts("whole", lower=task("a"))
    assert about.attempt is not None
    made = [Commit(Sha(each * 40), "s", "x", (), ("a",) if each == "t" else ()) for each in commits]
    below = Below(task=TaskId("a"), how=how, attempt=0, commits=1, top="t" * 40)
    lower = replace(about.below[0], inside=below)
    (reason,) = why_refused(replace(about, attempt=replace(about.attempt, commits=made), below=(lower,)))
    assert steps_text(reason.next) == steps


def test_what_landed_before_its_review_cannot_be_rebased_A7_K4() -> None:
    about = facts("whole", lower=task("a", "blocked", rejected=True), landed=True)
    assert why_refused(about) == []
    assert why_not_by_rule(about) != []
