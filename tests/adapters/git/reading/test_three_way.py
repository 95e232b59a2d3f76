"""A2, A3, Q2: where a change begins when history offers several places, and the merge by that place alone."""

from __future__ import annotations

import pytest

from foureyes.core.words.ids import Sha

from tests.adapters.git.conftest import Project
from tests.stage.checkout import CODE

LATE, EARLY = "@2000000000 +0000", "@1000000000 +0000"


class Lines(Project):
    """A repository in which commits are made on branches by name, dated at will."""

    def on(self, branch: str, *parents: str, date: str = "", **files: str) -> Sha:
        """A commit on top of a branch (made where the first parent is), with these files in it."""
        if parents:
            self.git("checkout", "-q", "-B", branch, parents[0])
        else:
            self.git("checkout", "-q", branch)
        for other in parents[1:]:
            self.git("merge", "-q", "--no-commit", "-s", "ours", other)
        for name, content in files.items():
            self.write(name.replace("_", "."), content)
        self.git("add", "-A")
        tree = self.git("write-tree")
        stamp = (f"--date={date}",) if date else ()
        self.git("commit", "-q", "--allow-empty", "-m", f"on {branch}", *stamp)
        assert self.git("rev-parse", "HEAD^{tree}") == tree
        return self.head()

    def bases(self, head: str) -> list[str]:
        return self.git("merge-base", "--all", "main", head).split()

    def merged(self, head: str) -> str:
        """What the gate makes of a branch: by the base that it shows."""
        change = self.port().change(target="main", ref=f"refs/heads/{head}", since=None)
        merged = self.workshop().merge(base=change.base, tip=self.head("main"), head=change.head)
        assert merged.diff_id == change.diff_id
        return merged.tree or ""

    def by_git(self, head: str) -> str:
        """What git makes of it."""
        return self.git("merge-tree", "--write-tree", "main", head).split()[0]


@pytest.fixture
def lines(project: Project) -> Lines:
    return Lines(project.path)


def test_a_stack_that_took_in_the_target_before_its_lower_task_landed_is_merged_as_git_does_A2_Q2(
    lines: Lines,
) -> None:
    lines.on("lower", "main", low_py="low\n")
    lines.on("upper", "lower", up_py="up\n")
    lines.on("main", code_py=CODE.replace("line 3\n", "three\n"))
    lines.git("checkout", "-q", "upper")
    lines.git("merge", "-q", "--no-edit", "main")
    lines.on("upper", more_py="more\n")
    lines.git("checkout", "-q", "main")
    lines.git("merge", "-q", "--no-ff", "--no-edit", "lower")
    assert len(lines.bases("upper")) == 2
    assert lines.merged("upper") == lines.by_git("upper") != ""


def test_a_branch_that_went_on_after_its_first_attempt_was_merged_is_merged_as_git_does_A2_Q2(lines: Lines) -> None:
    lines.on("work", "main", work_py="one\n")
    lines.on("main", other_py="other\n")
    lines.git("checkout", "-q", "work")
    lines.git("merge", "-q", "--no-edit", "main")
    first = lines.head("work~1")
    lines.git("checkout", "-q", "main")
    lines.git("merge", "-q", "--no-ff", "--no-edit", first)
    lines.on("work", work_py="one\ntwo\n")
    assert len(lines.bases("work")) == 2
    assert lines.merged("work") == lines.by_git("work") != ""


@pytest.mark.parametrize("dates", [(LATE, EARLY), (EARLY, LATE)])
def test_of_several_bases_the_smallest_change_is_shown_whatever_their_dates_say_A2(
    lines: Lines, dates: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    many = "".join(f"{number}\n" for number in range(100))
    monkeypatch.setenv("GIT_COMMITTER_DATE", dates[0])
    large = lines.on("large", "main", large_py=many)
    monkeypatch.setenv("GIT_COMMITTER_DATE", dates[1])
    lines.on("small", "main", small_py="small\n")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    lines.on("work", "large", "small", work_py="work\n", small_py="small\n")
    lines.on("main", "large", "small", small_py="small\n")
    assert len(lines.bases("work")) == 2
    change = lines.change()
    assert change.base == large
    assert sorted(file.path for file in change.files) == ["small.py", "work.py"]


def test_the_merge_of_three_trees_reads_no_history_and_moves_nothing_Q2(lines: Lines) -> None:
    base = lines.head()
    tip = lines.on("main", a_py="a\n")
    head = lines.on("work", base, b_py="b\n")
    before = lines.git("for-each-ref")
    merged = lines.workshop().merge(base=base, tip=tip, head=head)
    assert merged.tree == lines.by_git("work")
    assert [file.path for file in merged.effect.files] == ["b.py"]
    assert lines.git("for-each-ref") == before


def test_what_the_merge_does_to_the_target_names_the_file_that_the_target_renamed_A4(lines: Lines) -> None:
    base = lines.head()
    lines.on("work", base, code_py=CODE + "more\n")
    lines.git("checkout", "-q", "main")
    lines.git("mv", "code.py", "AGENTS.md")
    tip = lines.on("main")
    merged = lines.workshop().merge(base=base, tip=tip, head=lines.head("work"))
    assert [file.path for file in merged.effect.files] == ["AGENTS.md"]
