"""What is measured in a large tree is what it says: every change is really merged, and the programs are counted."""

from __future__ import annotations

from pathlib import Path

from foureyes.adapters import process
from foureyes.adapters.git.client.git import Git
from foureyes.core.words.ids import Sha

from bench.large_tree import LargeTree
from bench.places import TARGET
from bench.timing import watching_git

SIZES = (3,)


def test_every_change_is_merged_onto_a_target_that_moved_and_the_programs_are_counted(tmp_path: Path) -> None:
    tree = LargeTree(tmp_path, folders=2, in_each=4)
    tree.round(SIZES)
    for place in (tree.at.repo, tree.at.plain):
        changed = tree.at.git("diff", "--name-only", "HEAD^", "HEAD", at=place).splitlines()
        assert len(changed) == SIZES[0]
        assert tree.at.git("status", "--porcelain", at=place) == ""
        assert tree.at.git("rev-list", "--count", f"{TARGET}^2..{TARGET}", at=place) != "1", "it was a fast-forward"
    *steps, programs = tree.figures(SIZES)
    assert [figure.what.partition(",")[0] for figure in steps] == ["submit", "merge"]
    assert 10 < int(programs.value) <= 30


def test_programs_that_feed_each_other_or_answer_questions_count_too(tmp_path: Path) -> None:
    process.run(["git", "init", "-q", "--bare", str(tmp_path)])
    git = Git(str(tmp_path), str(tmp_path))
    git.real("rev-parse", "--git-dir")
    with watching_git() as started:
        git.lookup.reader.sizes([])
        git.lookup.reader.read([Sha("0" * 40)])
        git.real("rev-parse", "--git-dir")
    git.close()
    assert (started.programs, started.ms > 0) == (2, True)
