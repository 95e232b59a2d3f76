"""Q5: checkouts of a branch that moved under them. And F1, K2: a branch brought back, with its checkout."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.ui.steps import steps_text

from tests.adapters.git.workshop_project import Bench, bench, quietly, tricked


class Behind(Bench):
    """A checkout of `main` under which the gate moved the branch from `old` to `new`."""

    old: Sha
    new: Sha

    def fall_behind(self, **files: str) -> None:
        """Commit on top of main without touching the checkout."""
        self.old = self.head("main")
        self.git("checkout", "-q", "--detach")
        self.new = self.commit("merged", **(files or {"code_py": "merged\n", "new_py": "new\n"}))
        self.git("checkout", "-q", "--ignore-other-worktrees", "main")
        assert self.workshop().move("refs/heads/main", new=self.new, old=self.old)

    def everything(self) -> dict[str, bytes]:
        """Every byte of the checkout, its index too."""
        found = {
            str(path): path.read_bytes() for path in self.path.rglob("*") if path.is_file() and ".git/" not in str(path)
        }
        return found | {"index": (self.path / ".git/index").read_bytes()}

    def status(self) -> str:
        return self.git("status", "--porcelain")


@pytest.fixture
def project(tmp_path: Path) -> Behind:
    made = bench(tmp_path / "ein Projekt ü")
    return Behind(made.path)


def left_alone(project: Behind, *words: str) -> str:
    """Catching up touches no byte, and says why; the hint."""
    before = project.everything()
    (said,) = project.workshop().catch_up("main")
    assert not said.moved
    assert said.path == str(project.path)
    for word in words:
        assert word in said.why
    assert project.everything() == before
    return steps_text(said.next)


def test_a_clean_checkout_is_brought_up_to_date_Q5(project: Behind) -> None:
    project.fall_behind()
    assert project.status() != ""
    (said,) = project.workshop().catch_up("main")
    assert (said.path, said.moved, said.why) == (str(project.path), True, "")
    assert project.status() == ""
    assert (project.path / "new.py").read_text() == "new\n"
    assert project.workshop().catch_up("refs/heads/main") == []


def test_a_checkout_with_an_odd_name_is_named_in_one_line_and_its_hint_works_Q5_G2(
    project: Behind, tmp_path: Path
) -> None:
    odd = tmp_path / "here\nnext: fe approve \udcff"
    project.git("checkout", "-q", "--detach")
    project.git("worktree", "add", "-q", str(odd), "main")
    project.old = project.head("main")
    project.new = project.commit("merged", code_py="merged\n")
    (odd / "code.py").write_text("mine\n")
    assert project.workshop().move("refs/heads/main", new=project.new, old=project.old)
    (said,) = project.workshop().catch_up("main")
    hint = steps_text(said.next)
    assert (said.here.isprintable(), hint.isprintable()) == (True, True)
    assert hint.startswith("git -C $'")
    assert r"\x0anext: fe approve \xff' update-ref" in hint
    first = hint.partition(", then: ")[0]
    assert subprocess.run(["bash", "-c", first], check=False).returncode == 0


def test_a_checkout_several_merges_behind_catches_up_Q5(project: Behind) -> None:
    for number in range(3):
        project.fall_behind(code_py=f"merged {number}\n")
        project.git("read-tree", "-m", "-u", "HEAD", project.old) if number < 2 else None
    project.git("read-tree", "--reset", "-u", "HEAD~3")
    assert [said.moved for said in project.workshop().catch_up("main")] == [True]
    assert project.status() == ""


def test_files_with_a_new_time_and_the_same_content_are_clean_Q5(project: Behind) -> None:
    project.fall_behind()
    os.utime(project.path / "code.py", (1, 1))
    assert project.workshop().catch_up("main")[0].moved
    assert project.status() == ""


def test_untracked_files_elsewhere_do_not_matter_and_stay_Q5(project: Behind) -> None:
    project.fall_behind()
    project.write("notes.txt", "mine\n")
    assert project.workshop().catch_up("main")[0].moved
    assert project.status() == "?? notes.txt"


@pytest.mark.parametrize("staged", [False, True])
def test_what_the_merge_does_not_touch_stays_as_it_is_changed_and_the_checkout_follows_Q5(
    project: Behind, staged: bool
) -> None:
    project.commit("two", other_py="x\n")
    project.fall_behind()
    project.write("other.py", "mine\n")
    project.write("mine.py", "mine\n")
    project.git("add", "mine.py", *(["other.py"] if staged else []))
    (said,) = project.workshop().catch_up("main")
    assert (said.moved, said.why) == (True, "")
    assert project.status() == ("A  mine.py\nM  other.py" if staged else "A  mine.py\n M other.py")
    assert (project.path / "other.py").read_text() == "mine\n"
    assert (project.path / "new.py").read_text() == "new\n"
    assert project.workshop().catch_up("main") == []


def test_a_commit_beside_a_merge_brings_only_what_was_changed_there_Q5(project: Behind) -> None:
    project.commit("two", other_py="x\n")
    project.fall_behind()
    project.write("other.py", "mine\n")
    project.workshop().catch_up("main")
    project.git("commit", "-q", "-a", "-m", "mine")
    assert project.git("diff", "--name-only", "HEAD~1", "HEAD") == "other.py"


@pytest.fixture
def joined(project: Behind) -> Behind:
    """`main` moved to a merge of somebody else's, of which what the checkout is at is the second parent."""
    project.commit("before", seen_py="seen\n")
    project.git("checkout", "-q", "--detach", "main")
    side = project.commit("side", side_py="side\n")
    project.switch("main")
    project.old = project.commit("mine", mine_py="mine\n")
    tree = project.git("merge-tree", "--write-tree", side, project.old)
    project.new = Sha(project.git("commit-tree", tree, "-p", side, "-p", project.old, "-m", "joined"))
    return project


@pytest.mark.parametrize("logged", [True, False])
@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("moves", [1, 2])
def test_a_checkout_follows_from_where_the_branch_was_also_if_that_is_a_second_parent_Q5(
    joined: Behind, logged: bool, staged: bool, moves: int
) -> None:
    assert joined.workshop().move("refs/heads/main", new=joined.new, old=joined.old)
    if moves == 2:
        further = Sha(joined.git("commit-tree", "HEAD^{tree}", "-p", joined.new, "-m", "on"))
        assert joined.workshop().move("refs/heads/main", new=further, old=joined.new)
    if staged:
        joined.write("own.py", "own\n")
        joined.git("add", "own.py")
    if not logged:
        (joined.path / ".git/logs/refs/heads/main").unlink()
    if staged and not logged:
        assert left_alone(joined, "it is unknown") == f"git -C '{joined.path}' status"
        return
    (behind,) = joined.workshop().behind("main")
    assert steps_text(behind.next).endswith(f"read-tree -m -u {joined.old} HEAD"), "typed, it does the same"
    assert [said.moved for said in joined.workshop().catch_up("main")] == [True]
    assert joined.status() == ("A  own.py" if staged else "")
    assert (joined.path / "side.py").read_text() == "side\n"


def test_what_was_taken_off_the_branch_is_staged_work_and_stays_Q5(project: Behind) -> None:
    project.commit("mine", mine_py="mine\n")
    project.git("reset", "-q", "--soft", "HEAD~1")
    assert project.workshop().catch_up("main") == []
    project.old = project.head("main")
    tree = project.git("mktree", stdin=b"")
    project.new = Sha(project.git("commit-tree", tree, "-p", project.old, "-m", "merged"))
    assert project.workshop().move("refs/heads/main", new=project.new, old=project.old)
    assert [said.moved for said in project.workshop().catch_up("main")] == [True]
    assert project.status() == "A  mine.py"


@pytest.mark.parametrize("staged", ["", "code.py", "code.py gone.py"])
def test_a_changed_file_that_the_merge_changes_too_is_left_alone_and_the_steps_lose_nothing_Q5_G5(
    project: Behind, staged: str
) -> None:
    code = "".join(f"line {number}\n" for number in range(1, 41))
    project.commit("more", code_py=code, gone_py="gone\n", other_py="x\n")
    project.fall_behind(code_py=code + "merged\n", gone_py="merged\n")
    project.write("code.py", "mine\n" + code)
    project.write("other.py", "mine\n")
    if "gone.py" in staged:
        (project.path / "gone.py").unlink()
    for name in staged.split():
        project.git("add", name)
    hint = left_alone(project, "code.py", "changed there, and by the merge", "a commit there would undo")
    steps = [f"git -C '{project.path}' {words}" for words in (
        f"update-ref --no-deref HEAD {project.old}", "stash", "switch main", "stash pop"
    )]  # fmt: skip
    assert hint == ", then: ".join(steps)
    for step in steps[:3]:
        assert quietly("sh", "-c", step, cwd=project.path.parent).returncode == 0
    assert project.status() == "", "everything of the merge is there"
    popped = quietly("sh", "-c", steps[3], cwd=project.path.parent).returncode
    assert project.workshop().behind("main") == [], "a stash that does not fit takes nothing back"
    assert popped == ("gone.py" in staged), "only what both changed is a conflict"
    assert (project.path / "code.py").read_text() == "mine\n" + code + "merged\n"
    assert (project.path / "other.py").read_text() == "mine\n"


@pytest.mark.parametrize("how", ["gone", "behind a link"])
def test_a_file_that_somebody_took_away_is_not_written_again_Q5_G5(project: Behind, how: str) -> None:
    (project.path / "part").mkdir()
    project.write("part/code.py", "1\n")
    project.git("add", "."), project.git("commit", "-q", "-m", "more")
    project.fall_behind(**{"part/code_py": "merged\n"})
    if how == "gone":
        (project.path / "part/code.py").unlink()
    else:
        (project.path / "part").rename(project.path / "elsewhere")
        (project.path / "part").symlink_to("elsewhere")
    left_alone(project, "part/code.py", "changed there, and by the merge")


def test_somebody_who_works_on_the_tip_missed_nothing_Q5(project: Behind) -> None:
    project.commit("second", other_py="x\n")
    project.write("mine.py", "mine\n")
    project.git("add", "mine.py")
    project.write("code.py", "mine\n")
    before = project.everything()
    assert project.workshop().catch_up("main") == []
    assert project.everything() == before


@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("blocker", ["new.py", "dir", "dir/new.py", "dir/new.py/x"])
def test_a_file_in_the_way_is_never_overwritten_even_an_ignored_one_Q5_G4(
    project: Behind, ignored: bool, blocker: str
) -> None:
    """git itself takes ignored files for worthless."""
    project.fall_behind(**{"new_py": "new\n", "dir/new_py": "new\n"})
    if ignored:
        project.write(".git/info/exclude", "new.py\ndir\n")
    project.write(blocker, "precious\n")
    left_alone(project, blocker)
    assert (project.path / blocker).read_text() == "precious\n"


def test_a_file_that_becomes_a_directory_and_back_is_no_obstacle_Q5(project: Behind) -> None:
    project.git("rm", "-q", "code.py")
    project.write("code.py/inner", "x\n")
    project.commit("a directory")
    project.fall_behind(keep_py="x\n")
    project.git("read-tree", "--reset", "-u", "HEAD~2")
    assert (project.path / "code.py").is_file()
    assert project.workshop().catch_up("main")[0].moved
    assert (project.path / "code.py/inner").read_text() == "x\n"
    assert project.status() == ""


@pytest.mark.parametrize("mark", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "index.lock"])
def test_a_checkout_in_the_middle_of_something_is_left_alone_Q5(project: Behind, mark: str) -> None:
    project.fall_behind()
    project.write(f".git/{mark}", project.old + "\n")
    left_alone(project, "in progress")


def test_a_checkout_with_conflicts_is_left_alone_and_is_behind_only_if_the_branch_moved_Q5(project: Behind) -> None:
    project.branch("other")
    project.commit("other", code_py="other\n")
    project.switch("main")
    mine = project.commit("mine", code_py="mine\n")
    project.branch("later")
    later = project.commit("later", later_py="x\n")
    project.switch("main")
    quietly("git", "merge", "other", cwd=project.path)
    before = project.everything()
    assert (project.workshop().catch_up("main"), project.workshop().behind("main")) == ([], [])
    assert project.everything() == before
    assert project.workshop().move("refs/heads/main", new=later, old=mine)
    assert "status" in left_alone(project, "conflicts")


def test_filters_and_hooks_are_not_run_and_filtered_files_are_left_to_their_owner_Q2_Q5(project: Behind) -> None:
    project.write(".gitattributes", "*.big filter=x\n")
    project.commit("attributes")
    project.fall_behind(**{"film.big": "pointer\n"})
    project.set_traps()
    left_alone(project, "film.big", "filter")
    assert project.sprung() == ""


@pytest.mark.parametrize("place", ["in the merged commit", ".git/info/attributes", "home"])
def test_a_filter_is_seen_wherever_it_is_asked_for_Q5(project: Behind, home: Path, place: str) -> None:
    line = "*.py filter=x\n"
    project.fall_behind(**{"new_py": "x\n"} | ({".gitattributes": line} if place.startswith("in") else {}))
    project.set_traps()
    if place == "home":
        (home / "attributes").write_text(line)
        project.git("config", "--global", "core.attributesFile", str(home / "attributes"))
    elif place.startswith(".git"):
        project.write(place, line)
    left_alone(project, "new.py", "filter")
    assert project.sprung() == ""


def test_no_program_is_run_while_catching_up_Q2_Q5(project: Behind) -> None:
    """The clean filter would be, for a file whose time changed."""
    project.write(".gitattributes", "code.py filter=x\n")
    project.commit("attributes")
    project.fall_behind(new_py="new\n")
    project.set_traps()
    os.utime(project.path / "code.py", (1, 1))
    assert project.workshop().catch_up("main")[0].moved
    assert project.sprung() == ""


def test_the_traps_do_work_on_anybody_else(project: Behind) -> None:
    project.write(".gitattributes", "code.py filter=x\n")
    project.commit("attributes")
    project.set_traps()
    os.utime(project.path / "code.py", (1, 1))
    quietly("git", "commit", "-q", "--allow-empty", "-m", "x", cwd=project.path)
    assert "pre-commit" in project.sprung()
    assert "trap.sh" in project.sprung()


def test_every_checkout_is_brought_up_to_date_from_wherever_the_gate_is_called_Q5(
    project: Behind, tmp_path: Path
) -> None:
    linked = tmp_path / "verknüpft"
    project.git("worktree", "add", "-q", "--force", str(linked), "main")
    other = tmp_path / "other"
    project.git("worktree", "add", "-q", "-b", "other", str(other))
    project.fall_behind()
    said = project.workshop(other).catch_up("main")
    assert {(each.path, each.moved) for each in said} == {(str(project.path), True), (str(linked), True)}
    assert project.git("status", "--porcelain", cwd=linked) == ""
    assert not (other / "new.py").exists()


def test_a_checkout_of_another_branch_and_a_detached_one_are_not_touched_Q5(project: Behind) -> None:
    project.fall_behind()
    project.git("checkout", "-q", "--detach", "-f", project.old)
    before = project.everything()
    assert project.workshop().catch_up("main") == []
    assert project.workshop().catch_up("none") == []
    assert project.everything() == before


def test_the_environment_does_not_lead_catching_up_elsewhere_Q5(
    project: Behind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.fall_behind()
    workshop = project.workshop()
    with monkeypatch.context() as patch:
        tricked(patch, tmp_path / "elsewhere")
        assert workshop.catch_up("main")[0].moved
    assert project.status() == ""


def test_a_worktree_setting_cannot_lead_catching_up_to_other_files_Q5(project: Behind, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "code.py").write_text("mine\n")
    project.fall_behind()
    workshop = project.workshop()
    project.git("config", "core.worktree", str(victim))
    with suppress(GitProblem):
        assert not any(said.moved for said in workshop.catch_up("main"))
    with pytest.raises(GitProblem, match="its main worktree is"):
        project.workshop()
    assert [(path.name, path.read_text()) for path in victim.iterdir()] == [("code.py", "mine\n")]


# Reset


@pytest.fixture
def ahead(project: Behind) -> tuple[Behind, Sha, Sha]:
    """`fe/x` with one commit more than `main`, checked out; new head, and base."""
    base = project.head()
    project.branch("fe/x")
    return project, project.commit("work", code_py="work\n", extra_py="x\n"), base


def test_a_branch_goes_back_and_its_clean_checkout_with_it_F1(ahead: tuple[Behind, Sha, Sha]) -> None:
    project, head, base = ahead
    project.set_traps()
    assert project.workshop().reset("refs/heads/fe/x", old=head, new=base) == ""
    assert project.sprung() == ""
    (project.path / ".git/config").write_text("[core]\n")
    assert (project.head("fe/x"), project.git("-c", "core.hooksPath=/dev/null", "status", "--porcelain")) == (base, "")
    assert not (project.path / "extra.py").exists()
    assert project.workshop().reset("refs/heads/fe/x", old=head, new=base) == ""


def test_a_branch_that_is_checked_out_nowhere_goes_back_F1(ahead: tuple[Behind, Sha, Sha]) -> None:
    project, head, base = ahead
    project.switch("main")
    assert project.workshop().reset("refs/heads/fe/x", old=head, new=base) == ""
    assert (project.head("fe/x"), project.status()) == (base, "")


def test_a_branch_that_moved_is_left_alone_F1(ahead: tuple[Behind, Sha, Sha]) -> None:
    project, head, base = ahead
    latest = project.commit("more")
    assert "fe/x has moved" in project.workshop().reset("refs/heads/fe/x", old=head, new=base)
    assert "has moved" in project.workshop().reset("refs/heads/none", old=head, new=base)
    assert project.head("fe/x") == latest


@pytest.mark.parametrize("what", ["changed", "staged", "untracked", "merging", "ignored in the way"])
def test_a_checkout_with_work_in_it_keeps_its_branch_F1_K2(ahead: tuple[Behind, Sha, Sha], what: str) -> None:
    project, head, base = ahead
    if what == "merging":
        project.write(".git/MERGE_HEAD", base)
    elif what == "ignored in the way":
        project.git("rm", "-q", "code.py")
        head = project.commit("gone")
        project.write(".git/info/exclude", "code.py\n")
        project.write("code.py", "precious\n")
    else:
        project.write("notes.txt" if what == "untracked" else "extra.py", "mine\n")
        project.git("add", "-A") if what == "staged" else None
    before = project.everything()
    assert str(project.path) in project.workshop().reset("refs/heads/fe/x", old=head, new=base)
    assert (project.head("fe/x"), project.everything()) == (head, before)


def test_killed_after_the_branch_moved_the_checkout_follows_at_the_next_call_F1_G4(
    ahead: tuple[Behind, Sha, Sha],
) -> None:
    project, head, base = ahead
    assert project.workshop().move("refs/heads/fe/x", new=base, old=head)
    assert project.status() != ""
    assert project.workshop().reset("refs/heads/fe/x", old=head, new=base) == ""
    assert project.status() == ""


def test_killed_and_then_edited_the_checkout_is_not_touched_and_it_says_so_F1(ahead: tuple[Behind, Sha, Sha]) -> None:
    project, head, base = ahead
    project.workshop().move("refs/heads/fe/x", new=base, old=head)
    project.write("extra.py", "mine\n")
    before = project.everything()
    assert "extra.py" in project.workshop().reset("refs/heads/fe/x", old=head, new=base)
    assert project.everything() == before


def test_work_on_top_of_the_new_commit_is_nobodys_business_F1(ahead: tuple[Behind, Sha, Sha]) -> None:
    project, head, base = ahead
    project.workshop().reset("refs/heads/fe/x", old=head, new=base)
    project.write("code.py", "mine\n")
    before = project.everything()
    assert project.workshop().reset("refs/heads/fe/x", old=head, new=base) == ""
    assert project.everything() == before


def test_a_branch_in_a_worktree_that_is_gone_or_rebasing_keeps_its_place_F1(
    ahead: tuple[Behind, Sha, Sha], tmp_path: Path
) -> None:
    project, head, base = ahead
    project.switch("main")
    project.git("worktree", "add", "-q", str(tmp_path / "w"), "fe/x")
    (tmp_path / "w").rename(tmp_path / "away")
    assert "in use" in project.workshop().reset("refs/heads/fe/x", old=head, new=base)
    assert project.head("fe/x") == head


def test_only_a_branch_goes_back_and_only_to_a_commit(ahead: tuple[Behind, Sha, Sha]) -> None:
    project, head, base = ahead
    for ref, new in (
        ("fe/x", base),
        ("refs/tags/x", base),
        ("refs/heads/fe/x", Sha("1" * 40)),
        ("refs/heads/fe/x", Sha("main")),
    ):
        with pytest.raises(GitProblem):
            project.workshop().reset(ref, old=head, new=new)
    assert project.head("fe/x") == head
