"""A real repository with a real project for the gate's benchmarks: so many attempts on main already, and as many
waiting.

What lies there before anything is measured is written in bulk: the commits by `git fast-import`, the tables through the
journal. Files and history on main are of one size apart from the merges themselves, each attempt has its kept ref, and
each one that waits its branch. `plain` is a copy of the same repository in which plain git works.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from foureyes.app.application import Application
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.wiring import open_project
from foureyes.core import events as e
from foureyes.core.events.decision import Approved, AttemptSubmitted, TaskMerged
from foureyes.core.nouns.attempt import Author, ChangedFile, Commit
from foureyes.core.words.ids import DiffId, Sha, TaskId, length_for, task_id
from foureyes.core.words.refs import attempt_ref

from bench.places import ADA, PREFIX, TARGET, agent

MAKER, REVIEWER, WORKER = agent("maker"), agent("reviewer"), agent("worker")
FILES, LINES = 60, 40
LONG_FILES, LONG_LINES = 20, 1_000
PORTION = 500


class Workplace:
    """One repository and its store, with the copy for plain git beside it; `fill` may put more files into it."""

    def __init__(self, folder: Path, attempts: int, fill: Callable[[Path], None] | None = None) -> None:
        self.attempts = attempts
        self._fill = fill
        self.repo, self.plain, self.home = folder / "repo", folder / "plain", folder / "home"
        for path in (self.repo, self.home):
            path.mkdir(parents=True)
        self._begin()
        self._live(attempts)
        shutil.copytree(self.repo, self.plain, symlinks=True)
        self.git("update-index", "-q", "--refresh", at=self.plain)

    def environment(self) -> dict[str, str]:
        """What git and fe find; nobody's configuration."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "LC_ALL": "C.UTF-8"}

    def git(self, *arguments: str, at: Path | None = None, stdin: str = "") -> str:
        """Run git, which must succeed; what it says."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=at or self.repo,
            env=self.environment(),
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"git {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def open(self, at: Path | None = None) -> Application:
        """The Application, standing in the main checkout or in a worktree."""
        return open_project(str(at or self.repo), self.environment())

    def _begin(self) -> None:
        """The first commit, and the project; a person's approval settles at once, because nobody wants to measure the
        wait (Q0).
        """
        self.git("init", "-q", "-b", TARGET)
        for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org"), ("gc.auto", "0")):
            self.git("config", key, value)
        for number in range(FILES):
            write(
                self.repo,
                f"src/part{number % 6}/file{number}.py",
                [f"line {line} of {number}" for line in range(LINES)],
            )
        for number in range(LONG_FILES):
            write(self.repo, long_file(number), long_lines(number))
        if self._fill is not None:
            self._fill(self.repo)
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")
        if self._fill is not None:
            self.git("gc", "-q")
        create_project(str(self.repo), self.environment(), ADA, prefix=PREFIX, target=TARGET, commit=True)
        app = self.open()
        app.policy.set(ADA, "review.human.settle_seconds", "0")
        app.close()

    def _live(self, attempts: int) -> None:
        """All that was submitted before: in git, then in the store."""
        merged = [_id(f"merged {number}", attempts) for number in range(attempts)]
        waiting = [_id(f"waiting {number}", attempts) for number in range(attempts)]
        self.git("fast-import", "--quiet", stdin="".join(_history(merged, waiting)))
        self.git("reset", "-q", "--hard")
        known = {
            words[0]: words[1:]
            for line in self.git("log", "--all", "--format=%H %T %P").splitlines()
            if (words := line.split())
        }
        refs = self.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/foureyes").splitlines()
        heads = dict(line.split() for line in refs)

        def handed(task: TaskId) -> Handed:
            head = heads[attempt_ref(task, 1)]
            tree, base = known[head][:2]
            return Handed(task, Sha(base), Sha(head), Sha(tree), known[base][0])

        app = self.open()
        try:
            _sessions(app)
            for tasks, closed in ((merged, True), (waiting, False)):
                for first in range(0, len(tasks), PORTION):
                    _tell(app, [handed(task) for task in tasks[first : first + PORTION]], closed=closed)
        finally:
            app.close()


class Work(NamedTuple):
    """A change in a worktree that waits to be submitted; by plain git its task is its branch."""

    task: str
    place: Path


def begin(at: Workplace, title: str) -> Work:
    """A task that is started, with its worktree."""
    app = at.open()
    task = app.tasks.create(ADA, title).task
    app.claims.start(WORKER, task)
    place = Path(app.worktrees.open(WORKER, task).path)
    app.close()
    return Work(task, place)


class Handed(NamedTuple):
    """An attempt as git has it."""

    task: TaskId
    base: Sha
    head: Sha
    tree: Sha
    base_tree: str

    def frozen(self) -> AttemptSubmitted:
        return AttemptSubmitted(
            n=1,
            implementer=MAKER.session,
            base=self.base,
            head=self.head,
            tree=self.tree,
            base_tree=self.base_tree,
            diff_id=DiffId("sha256:" + hashlib.sha256(self.task.encode()).hexdigest()),
            ref=f"refs/heads/fe/{self.task}",
            files=(ChangedFile(f"src/part0/{self.task}.py", 1, LINES),),
            added=1,
            removed=LINES,
            commits=(Commit(self.head, "a change", "Ada"),),
            authors=(Author(MAKER.session, "claim"),),
        )


def write(root: Path, name: str, lines: Sequence[str]) -> None:
    """A file of these lines."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def long_file(number: int) -> str:
    return f"data/long{number}.txt"


def long_lines(number: int, changed: str = "") -> list[str]:
    """A long file; or the same with every second line changed."""
    return [f"{changed if line % 2 else ''}row {line} of the long file {number}" for line in range(LONG_LINES)]


def _id(text: str, attempts: int) -> TaskId:
    return task_id(
        PREFIX, int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"), length_for(2 * attempts, 6)
    )


def _history(merged: Sequence[str], waiting: Sequence[str]) -> Iterator[str]:
    """For `git fast-import`: each merged attempt is a commit and its merge on main; the waiting ones all begin at the
    last of those.
    """
    who, main = "Ada <ada@example.org> 1760000000 +0000", f"refs/heads/{TARGET}"
    yield f"reset refs/bench/tip\nfrom {main}^0\n\n"
    for number, task in enumerate([*merged, *waiting]):
        kept, content = attempt_ref(task, 1), f"attempt {number} of {task}\n"
        path = f"src/part0/file{number % 10 * 6}.py"
        yield f"commit {kept}\ncommitter {who}\ndata {len(content)}\n{content}from refs/bench/tip\n"
        yield f"M 100644 inline {path}\ndata {len(content)}\n{content}\n"
        if number < len(merged):
            said = f"Merge {task}\n\nTask: {task}\n"
            yield f"commit refs/bench/tip\ncommitter {who}\ndata {len(said)}\n{said}merge {kept}\n"
            yield f"M 100644 inline {path}\ndata {len(content)}\n{content}\n"
        else:
            yield f"reset refs/heads/fe/{task}\nfrom {kept}\n\n"
    yield f"reset {main}\nfrom refs/bench/tip\n\n"


def _sessions(app: Application) -> None:
    with app.context.store.write() as tx:
        for actor in (MAKER, REVIEWER):
            begun = e.SessionStarted(
                kind="agent", trust="observed", agent="claude", name=actor.session, evidence=actor.evidence
            )
            tx.append(actor.session, app.context.now(), [("", begun)])


def _tell(app: Application, attempts: list[Handed], *, closed: bool) -> None:
    """The journal's side of attempts, in one transaction."""
    now = app.context.now()
    with app.context.store.write() as tx:
        for one in attempts:
            change = one.frozen()
            tx.append(ADA.session, now, [(one.task, e.TaskCreated(title=f"Task {one.task}"))])
            tx.append(MAKER.session, now, [(one.task, e.TaskStarted(target_head=one.base)), (one.task, change)])
            if closed:
                agreed = Approved(
                    attempt=1, diff_id=change.diff_id, rule="P7", status="approved", seen=change.diff_id[7:15]
                )
                tx.append(REVIEWER.session, now, [(one.task, agreed), (one.task, TaskMerged(sha=one.head))])
