"""The port `Repo`, held to by real git and by the script that stands in for it in the tests of the application.

What the script cannot say and is never asked for: a rebase or a new message (A3: it knows the same head and rework),
contents and renames of files, and a merge commit.
"""

from __future__ import annotations

import pytest

from foureyes.core.nouns.attempt import Change
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import DETACHED
from foureyes.errors import GitProblem

from tests.contract.grounds import NOWHERE, Ground
from tests.stage.checkout import SETTINGS

MAIN, BRANCH = "refs/heads/main", "refs/heads/fe/work"


def tip(ground: Ground, ref: str = "main") -> Sha:
    commit = ground.repo.commit_of(ref)
    assert commit is not None
    return commit


def change(ground: Ground, *, ref: str = BRANCH, since: Sha | None = None, covering: Sha | None = None) -> Change:
    return ground.repo.change(target="main", ref=ref, since=since, covering=covering)


# Refs


@pytest.mark.parametrize("name", ["fe/work", BRANCH, "HEAD", DETACHED])
def test_a_commit_is_meant_by_a_short_name_a_full_one_and_where_the_caller_stands(ground: Ground, name: str) -> None:
    made = ground.commit("fe/work")
    assert ground.repo.commit_of(name) == made


def test_a_commit_is_meant_by_its_own_id_also_one_that_no_branch_ends_at(ground: Ground) -> None:
    first, second = ground.commit("fe/work"), ground.commit("fe/work")
    assert [ground.repo.commit_of(sha) for sha in (first, second)] == [first, second]


@pytest.mark.parametrize("name", ["fe/other", "refs/heads/fe/other", NOWHERE, "main~0", "refs/tags/main", "no such"])
def test_what_is_not_there_is_none_and_no_exception(ground: Ground, name: str) -> None:
    assert ground.repo.commit_of(name) is None
    assert ground.repo.branch_ref(name) is None
    assert ground.repo.file_at(name, "foureyes.toml") is None


def test_heads_are_every_branch_by_its_full_name(ground: Ground) -> None:
    root, first, second = tip(ground), ground.commit("fe/work"), ground.commit("fe/more")
    assert ground.repo.heads() == {MAIN: root, BRANCH: first, "refs/heads/fe/more": second}


def test_the_current_ref_is_the_branch_that_is_checked_out(ground: Ground) -> None:
    assert ground.repo.current_ref() == MAIN
    ground.commit("fe/work")
    assert ground.repo.current_ref() == BRANCH


def test_a_branch_ref_is_found_by_short_and_full_name(ground: Ground) -> None:
    ground.commit("fe/work")
    assert [ground.repo.branch_ref(name) for name in ("fe/work", BRANCH, "main", MAIN)] == [BRANCH, BRANCH, MAIN, MAIN]


def test_uncommitted_files_are_those_where_the_ref_is_checked_out(ground: Ground) -> None:
    ground.commit("fe/work")
    assert ground.repo.uncommitted(BRANCH) == []
    ground.leave("a.txt", "b.txt")
    assert ground.repo.uncommitted(BRANCH) == ground.repo.uncommitted(DETACHED) == ["a.txt", "b.txt"]
    assert ground.repo.uncommitted(MAIN) == []


# The change


def test_a_change_is_what_is_on_the_branch_and_not_on_the_target_K4(ground: Ground) -> None:
    root = tip(ground)
    first = ground.commit("fe/work", sessions=["ses-one"], lines=3)
    second = ground.commit("fe/work", sessions=["ses-one", "ses-two"], lines=2)
    made = change(ground)
    assert (made.base, made.head, made.ref, made.landed, made.is_empty) == (root, second, BRANCH, False, False)
    assert [(each.sha, each.sessions) for each in made.commits] == [
        (first, ("ses-one",)),
        (second, ("ses-one", "ses-two")),
    ]
    assert (len(made.files), made.added, made.removed) == (2, 5, 0)


def test_a_change_has_the_trees_that_the_workshop_names(ground: Ground) -> None:
    root, head = tip(ground), ground.commit("fe/work")
    made = change(ground)
    assert (made.base_tree, made.tree) == (ground.workshop.tree_of(root), ground.workshop.tree_of(head))
    assert made.tree != made.base_tree


def test_a_diff_id_is_the_same_for_the_same_change_and_another_for_another_A2(ground: Ground) -> None:
    ground.commit("fe/work")
    once, again = change(ground), change(ground)
    ground.commit("fe/work")
    assert once == again
    assert once.diff_id.startswith("sha256:")
    assert change(ground).diff_id != once.diff_id


def test_a_branch_without_a_commit_of_its_own_is_an_empty_change(ground: Ground) -> None:
    made = change(ground, ref=MAIN)
    assert (made.is_empty, made.commits, made.base, made.landed) == (True, (), made.head, False)


def test_a_change_that_is_on_the_target_is_what_landed_since(ground: Ground) -> None:
    root = tip(ground)
    ground.commit("fe/work")
    head = ground.commit("fe/work")
    before = change(ground)
    ground.land("fe/work")
    after = change(ground, since=root)
    assert (after.landed, after.base, after.head) == (True, root, head)
    assert (after.diff_id, after.commits, after.tree) == (before.diff_id, before.commits, before.tree)


@pytest.mark.parametrize("since", ["none", "head"])
def test_what_is_on_the_target_and_is_not_younger_than_since_is_empty(ground: Ground, since: str) -> None:
    head = ground.commit("fe/work")
    ground.land("fe/work")
    made = change(ground, since=head if since == "head" else None)
    assert (made.is_empty, made.landed, made.base) == (True, False, head)


def test_a_change_covers_what_the_target_has_a_part_of_already(ground: Ground) -> None:
    root, first = tip(ground), ground.commit("fe/work")
    ground.land("fe/work")
    second = ground.commit("fe/work")
    assert change(ground).base == first
    whole = change(ground, covering=root)
    assert (whole.base, whole.landed, [each.sha for each in whole.commits]) == (root, False, [first, second])


def test_what_landed_since_a_commit_of_another_branch_begins_where_that_branch_left(ground: Ground) -> None:
    root, beside = tip(ground), ground.commit("fe/beside")
    head = ground.commit("fe/work")
    ground.land("fe/work")
    made = change(ground, since=beside)
    assert (made.landed, made.base, made.head) == (True, root, head)


@pytest.mark.parametrize(("target", "ref"), [("main", "refs/heads/gone"), ("gone", MAIN)])
def test_a_change_of_a_branch_or_onto_a_target_that_is_gone_is_gits_problem(
    ground: Ground, target: str, ref: str
) -> None:
    with pytest.raises(GitProblem):
        ground.repo.change(target=target, ref=ref, since=None)


# History


def test_an_ancestor_is_what_can_be_reached_and_unknown_commits_are_none(ground: Ground) -> None:
    root, first, second = tip(ground), ground.commit("fe/work"), ground.commit("fe/work")
    beside = ground.commit("fe/beside")
    is_ancestor = ground.repo.is_ancestor
    assert all(is_ancestor(commit, second) for commit in (root, first, second))
    assert not any(is_ancestor(commit, first) for commit in (second, beside, NOWHERE))
    assert not is_ancestor(first, NOWHERE)


def test_a_relation_is_the_same_head_or_rework_A3(ground: Ground) -> None:
    root, head, later = tip(ground), ground.commit("fe/work"), ground.commit("fe/work")
    beside = ground.commit("fe/beside", lines=7)
    for new_head, relation in ((head, "same"), (later, "rework"), (beside, "rework"), (NOWHERE, "rework")):
        assert ground.repo.relation(base=root, head=head, new_head=new_head, target="main") == relation


def test_reached_leaves_out_what_is_known_and_not_on_the_target(ground: Ground) -> None:
    root, landed = tip(ground), ground.commit("fe/work")
    ground.land("fe/work")
    waiting = ground.commit("fe/more")
    beyond = ground.commit("fe/more")
    assert ground.repo.reached([root, landed, waiting, beyond], "main") == {root, landed}
    assert ground.repo.reached([], "main") == set()


def test_what_went_in_by_a_fast_forward_was_merged_by_itself(ground: Ground) -> None:
    head = ground.commit("fe/work")
    assert ground.repo.merged_by(head, "main") is None
    ground.land("fe/work")
    assert ground.repo.merged_by(head, "main") == head
    assert ground.repo.merged_by(NOWHERE, "main") is None


def test_there_is_no_anchor_where_nothing_was_anchored_J3(ground: Ground) -> None:
    assert ground.repo.last_anchor("main") is None


def test_what_is_kept_is_found_again_and_what_is_missing_is_said_A1(ground: Ground) -> None:
    head = ground.commit("fe/work")
    ref = "refs/foureyes/attempts/fe-1/1"
    ground.workshop.keep(ref, head)
    assert ground.repo.kept("refs/foureyes/attempts/") == {ref: head}
    tree = ground.workshop.tree_of(head)
    assert tree is not None
    assert ground.repo.missing([head, tree, NOWHERE]) == {NOWHERE}


# Files


def test_a_diff_to_read_is_empty_between_a_commit_and_itself_only(ground: Ground) -> None:
    root, head = tip(ground), ground.commit("fe/work")
    assert ground.repo.diff_text(root, head) != ""
    assert ground.repo.diff_text(head, head) == ""
    with pytest.raises(GitProblem):
        ground.repo.diff_text(root, NOWHERE)


def test_a_change_has_the_files_that_were_counted_and_a_hunk_in_each_A1(ground: Ground) -> None:
    root, head = tip(ground), ground.commit("fe/work", lines=3)
    files = ground.repo.file_diffs(root, head)
    counted = ground.repo.change(target="main", ref="refs/heads/fe/work", since=None).files
    assert [(file.path, file.added, file.removed) for file in files] == [
        (file.path, file.added, file.removed) for file in counted
    ]
    assert [[line.new for line in file.hunks[0].lines] for file in files] == [[1, 2, 3]]
    assert ground.repo.file_diffs(head, head) == ()
    with pytest.raises(GitProblem):
        ground.repo.file_diffs(root, NOWHERE)


def test_a_file_is_read_at_a_branch_or_a_commit_and_is_none_where_it_is_not(ground: Ground) -> None:
    head = ground.commit("fe/work")
    assert [ground.repo.file_at(ref, "foureyes.toml") for ref in ("main", BRANCH, head)] == [SETTINGS] * 3
    assert ground.repo.file_at("main", "no/such.file") is None


def test_texts_leave_out_what_is_not_there(ground: Ground) -> None:
    head = ground.commit("fe/work")
    assert ground.repo.texts(head, ["foureyes.toml", "no/such.file"]) == {"foureyes.toml": SETTINGS}
    assert ground.repo.texts(head, []) == {}


def test_nothing_is_renamed_where_files_were_only_added(ground: Ground) -> None:
    root, head = tip(ground), ground.commit("fe/work")
    assert ground.repo.renames(root, head) == {}


def test_an_attempt_has_a_piece_of_each_of_its_commits_A6(ground: Ground) -> None:
    root = tip(ground)
    ground.commit("fe/work")
    one = ground.repo.pieces(root, tip(ground, BRANCH))
    ground.commit("fe/work", lines=4)
    two = ground.repo.pieces(root, tip(ground, BRANCH))
    own = [[piece for piece in pieces if piece.startswith("diff ")] for pieces in (one, two)]
    assert [len(each) for each in own] == [1, 2]
    assert set(own[0]) < set(own[1])
    assert list(two) == sorted(two)
    assert ground.repo.pieces(root, root) == ()


def test_a_repository_can_be_asked_again_after_it_was_closed(ground: Ground) -> None:
    before = change(ground, ref=MAIN)
    ground.repo.close()
    ground.repo.close()
    assert change(ground, ref=MAIN) == before
