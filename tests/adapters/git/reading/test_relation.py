"""A3: what a new head is to an approved one."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.attempt import Relation
from foureyes.core.words.ids import Sha

from tests.adapters.git.conftest import Project
from tests.stage.checkout import CODE

FIVE = CODE.replace("line 5\n", "line five\n")
THIRTY = CODE.replace("line 30\n", "line thirty\n")
BOTH = FIVE.replace("line 30\n", "line thirty\n")


class Approved:
    """`work` with one approved commit that changes line 5; `main` may move on."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.base = project.head()
        project.branch("work")
        self.head = project.commit("approved", code_py=FIVE)

    def relation(self, new_head: Sha | None = None) -> Relation:
        new = new_head or self.project.head("work")
        return self.project.port().relation(base=self.base, head=self.head, new_head=new, target="main")

    def target_moves(self, **files: str) -> Sha:
        self.project.switch("main")
        moved = self.project.commit("on the target", **files)
        self.project.switch("work")
        return moved


@pytest.fixture
def approved(project: Project) -> Approved:
    return Approved(project)


def test_the_same_commit_is_the_same_A3(approved: Approved) -> None:
    assert approved.relation() == "same"


def test_the_same_commit_is_the_same_when_the_target_moved_A3(approved: Approved) -> None:
    approved.target_moves(code_py=THIRTY)
    assert approved.relation() == "same"


def test_another_message_on_the_same_tree_keeps_the_approval_A3(approved: Approved) -> None:
    approved.project.git("commit", "-q", "--amend", "-m", "better words")
    assert approved.relation() == "message_only"


def test_a_new_line_ends_the_approval_A3(approved: Approved) -> None:
    approved.project.commit("one more", code_py=FIVE + "more\n")
    assert approved.relation() == "rework"


def test_a_rebase_without_a_conflict_keeps_the_approval_A3(approved: Approved) -> None:
    approved.target_moves(code_py=THIRTY, other_py="x\n")
    approved.project.git("rebase", "-q", "main")
    assert approved.relation() == "trivial_rebase"


def test_merging_the_target_into_the_branch_keeps_the_approval_A3(approved: Approved) -> None:
    approved.target_moves(code_py=THIRTY)
    approved.project.git("merge", "-q", "--no-edit", "main")
    assert approved.relation() == "trivial_rebase"


def test_something_slipped_into_a_rebase_ends_the_approval_A3(approved: Approved) -> None:
    approved.target_moves(code_py=THIRTY)
    approved.project.git("rebase", "-q", "main")
    approved.project.write("evil.py", "x\n")
    approved.project.git("add", "-A")
    approved.project.git("commit", "-q", "--amend", "--no-edit")
    assert approved.relation() == "rework"


def test_something_dropped_in_a_rebase_ends_the_approval_A3(project: Project) -> None:
    base = project.head()
    project.branch("work")
    project.commit("kept", a_py="x\n")
    head = project.commit("dropped", b_py="x\n")
    project.switch("main")
    project.commit("on the target", c_py="x\n")
    project.git("rebase", "-q", "main", "work")
    project.git("reset", "-q", "--hard", "HEAD~1")
    assert project.port().relation(base=base, head=head, new_head=project.head(), target="main") == "rework"


def test_a_resolved_conflict_ends_the_approval_A3(approved: Approved) -> None:
    approved.target_moves(code_py=CODE.replace("line 5\n", "line 5.0\n"))
    approved.project.git("reset", "-q", "--hard", "main")
    approved.project.commit("resolved", code_py=FIVE)
    assert approved.relation() == "rework"


def test_the_same_diff_at_another_repeated_block_ends_the_approval_A3(project: Project) -> None:
    """An equal diff id is not enough: three equal blocks, and the edit moved from the first to the third."""
    block = "".join(f"step {number}\n" for number in range(9)) + "stop\n"
    edited = block.replace("step 4", "step four")
    base = project.commit("blocks", blocks_py=block * 3)
    project.branch("work")
    head = project.commit("first block", blocks_py=edited + block * 2)
    approved_id = project.diff_id()
    project.switch("main")
    project.commit("target", other_py="x\n")
    project.git("checkout", "-q", "-B", "work", "main")
    new_head = project.commit("third block", blocks_py=block * 2 + edited)
    assert project.diff_id() == approved_id
    assert project.port().relation(base=base, head=head, new_head=new_head, target="main") == "rework"


@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes"])
def test_neither_attributes_nor_drivers_make_a_conflict_disappear_A3(project: Project, place: str) -> None:
    """With `merge=union` the caller's git merges without a conflict; nobody looked at what came out."""
    project.write(place, "*.py merge=union\n")
    approved_on_top = Approved(project) if place.startswith(".git/") else Approved(_committed(project))
    approved_on_top.target_moves(code_py=CODE.replace("line 5\n", "line 5.0\n"))
    project.git("checkout", "-q", "-B", "work", "main")
    project.git("merge", "-q", "--no-edit", approved_on_top.head)
    assert approved_on_top.relation() == "rework"


def _committed(project: Project) -> Project:
    project.commit("attributes")
    return project


def test_replace_refs_do_not_make_a_rework_look_the_same_A3(approved: Approved) -> None:
    project = approved.project
    evil = project.commit("evil", code_py=FIVE + "evil\n")
    project.git("replace", evil, approved.head)
    assert approved.relation(evil) == "rework"


def test_extra_work_that_landed_on_the_target_is_no_rebase_A3_K4(project: Project) -> None:
    """Its merge base with the target is itself; taken for the new base, anything would pass."""
    base = project.head()
    head = project.commit("landed and approved", code_py=FIVE)
    more = project.commit("landed on top", evil_py="x\n")
    assert project.port().relation(base=base, head=head, new_head=more, target="main") == "rework"


def test_landed_work_with_another_message_keeps_the_approval_A3_K4(project: Project) -> None:
    base = project.head()
    head = project.commit("landed", code_py=FIVE)
    project.git("commit", "-q", "--amend", "-m", "better words")
    assert project.port().relation(base=base, head=head, new_head=project.head(), target="main") == "message_only"


def test_a_part_that_the_target_took_and_reverted_must_still_be_there_A3(project: Project) -> None:
    """By history alone git would leave the reverted part out and call the rest the merge."""
    base = project.head()
    project.branch("work")
    first = project.commit("first", a_py="x\n")
    head = project.commit("second", b_py="x\n")
    project.switch("main")
    project.git("merge", "-q", "--no-ff", "--no-edit", first)
    project.git("revert", "--no-edit", "-m", "1", "HEAD")
    project.git("checkout", "-q", "-B", "work", "main")
    half = project.commit("only the second", b_py="x\n")
    whole = project.commit("and the first", a_py="x\n")
    relation = [project.port().relation(base=base, head=head, new_head=new, target="main") for new in (half, whole)]
    assert relation == ["rework", "trivial_rebase"]


def test_a_new_head_that_adds_nothing_is_not_the_approved_change_A3(approved: Approved) -> None:
    approved.target_moves(code_py=FIVE)
    approved.project.git("checkout", "-q", "-B", "work", "main")
    assert approved.relation(approved.project.commit("empty")) == "rework"


def test_a_rebase_onto_an_older_commit_is_rework_A3(project: Project) -> None:
    old = project.head()
    base = project.commit("newer", other_py="x\n")
    project.branch("work")
    head = project.commit("approved", code_py=FIVE)
    project.git("rebase", "-q", "--onto", old, base, "work")
    assert project.port().relation(base=base, head=head, new_head=project.head(), target="main") == "rework"


@pytest.mark.parametrize("unknown", ["0" * 40, "not a commit", "--help", ""])
def test_an_unknown_commit_is_rework_A3_G1(approved: Approved, unknown: str) -> None:
    repo, odd = approved.project.port(), Sha(unknown)
    base, head = approved.base, approved.head
    answers = {
        repo.relation(base=odd, head=head, new_head=head, target="main"),
        repo.relation(base=base, head=odd, new_head=head, target="main"),
        repo.relation(base=base, head=head, new_head=odd, target="main"),
        repo.relation(base=base, head=odd, new_head=odd, target="main"),
    }
    assert answers == {"rework"}
