"""A project with everything real in it: git, a store, a check, worktrees of tasks, and a person's checkout of the
target.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foureyes.adapters.git.client.locate import locate
from foureyes.app.results.attempt import MergeRow, SubmitOutcome
from foureyes.bootstrap.services import LazyOutside
from foureyes.core.nouns.session import Actor

from tests.stage.checkout import Checkout, copy_of
from tests.stage.people import ALICE, BOB, CI, CLAUDE
from tests.stage.places import Desk, Place

SETTINGS = """[project]
id = "{project}"

[review.human]
settle_seconds = 0

[[checks]]
name = "tests"
run = "sh check.sh"
report = "junit"
"""
CHECK = """\
grep -rq RED --include=*.py . && bad='<failure message="red"/>'
[ -e left.py ] && [ -e right.py ] && bad='<failure message="both"/>'
echo "<testsuite><testcase classname='all' name='fine'>$bad</testcase></testsuite>" > "$FOUREYES_REPORT"
[ -z "$bad" ]
"""
"""Red where somebody wrote RED; and where left.py meets right.py, each of which is green alone."""

CODE = "code.py"
EDITED = "# somebody is in the middle of something\n"
UNTRACKED = "notes.txt"


class Floor(Desk):
    """A desk with a real repository, a real workshop and a real pipeline, as `bootstrap` plugs them together."""

    def __init__(self, place: Place, template: Path) -> None:
        shutil.rmtree(place.root)
        self.checkout: Checkout = copy_of(template, place.root)
        shared = self.checkout.shared_git()
        super().__init__(place, lambda: self.checkout.port(shared=shared))
        place.folder.mkdir()
        (place.folder / ".gitignore").write_text("*\n")
        self.checkout.write("check.sh", CHECK)
        self.checkout.commit("foureyes.toml", SETTINGS.format(project=place.project), message="settings")
        self.base = self.checkout.head()
        where = locate(place.root)
        assert where is not None
        environ = {name: os.environ[name] for name in ("PATH", "TMPDIR")}
        self.outside = LazyOutside(where, str(place.folder), environ, shared)
        self.found()
        self.app.policy.accept(ALICE)

    # What people and agents do

    def worked(self, actor: Actor = CLAUDE, *, name: str = "", text: str = "fine\n", labels: Sequence[str] = ()) -> str:
        """A task with a commit on its branch, in its worktree."""
        task = self.started(actor, labels=tuple(labels))
        self.work(actor, task, name=name, text=text)
        return task

    def work(self, actor: Actor, task: str, *, name: str = "", text: str = "fine\n") -> None:
        """One more commit in the worktree of a task."""
        desk = Checkout(Path(self.app.worktrees.open(actor, task).path))
        desk.commit(name or f"{task.replace('-', '_')}.py", text, session=actor)

    def submit(self, actor: Actor, task: str, **options: Any) -> SubmitOutcome:
        """What lies on the task's branch, from wherever it is called."""
        return super().submit(actor, task, branch=f"fe/{task}", **options)

    def delivered(
        self, actor: Actor = CLAUDE, *, name: str = "", text: str = "fine\n", labels: Sequence[str] = ()
    ) -> str:
        """A task in review."""
        task = self.worked(actor, name=name, text=text, labels=labels)
        self.submit(actor, task)
        return task

    def agreed(self, actor: Actor = CLAUDE, *, by: Actor = BOB, name: str = "", text: str = "fine\n") -> str:
        """A task that is approved, its checks green."""
        task = self.delivered(actor, name=name, text=text)
        self.app.checks.run(CI, task)
        self.approve(by, task)
        return task

    def merge(self, actor: Actor = ALICE) -> list[MergeRow]:
        return self.app.merges.process(actor)

    def edit(self) -> None:
        """The person at the checkout of the target has begun something."""
        self.checkout.write(CODE, EDITED)
        self.checkout.write(UNTRACKED, EDITED)

    def is_edited(self) -> bool:
        """Not a byte of that is lost."""
        root = self.checkout.path
        return (root / CODE).read_text() == EDITED and (root / UNTRACKED).read_text() == EDITED
