"""What is measured in a large tree is what it says: every change is really merged, and the programs are counted."""

from __future__ import annotations

from pathlib import Path

from foureyes.adapters import process
from foureyes.adapters.git.client.git import Git
from foureyes.core.words.ids import Sha

from bench.timing import watching_git


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
