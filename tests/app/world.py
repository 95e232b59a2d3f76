"""A small world for the verbs: a store of either engine, a clock that stands, who calls is said plainly (I10)."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foureyes.adapters.exchange import reports, sarif_log
from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.repo import GitRepo
from foureyes.adapters.git.workshop import GitWorkshop
from foureyes.adapters.identity import sshsig
from foureyes.adapters.store.feedback_files import FeedbackFiles, Written
from foureyes.adapters.store.store import Store
from foureyes.app.application import Application
from foureyes.app.call.context import Context
from foureyes.app.ports import CaughtUp, Merged, Repo, Workshop
from foureyes.app.views.attempt import SubmitOutcome
from foureyes.app.views.audit import AuditReport
from foureyes.app.views.outcome import Outcome
from foureyes.app.views.review import ApprovalOutcome
from foureyes.app.views.task import TaskDetail
from foureyes.app.views.task_list import ListQuery
from foureyes.app.views.work import CheckpointView
from foureyes.bootstrap import outside
from foureyes.core.documents.unified_diff import FileDiff, parse
from foureyes.core.nouns.attempt import DETACHED, Change, ChangedFile, Commit, Relation
from foureyes.core.nouns.check import CheckRule, Ran, TestResult
from foureyes.core.nouns.finding import Finding, Found
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task
from foureyes.core.words.ids import DiffId, SessionId, Sha, token_hash
from foureyes.errors import Conflict, FoureyesError, GitProblem, Refused

from tests import engines

IDENTITY = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
CODE = "".join(f"line {number}\n" for number in range(1, 41))
PROJECT = "0123456789abcdef"
SETTINGS = f'[project]\nid = "{PROJECT}"\n'
"""The foureyes.toml that ties the target branch to the project (P12)."""


# Who calls


def agent(name: str = "claude", n: int = 1, *, evidence: Sequence[str] = (), parent: Actor | None = None) -> Actor:
    """An agent process of its own; `evidence` adds pieces that others may share."""
    process = f"process:boot:ns:{name}-{n}"
    return Actor(
        session=SessionId(f"ses-{name}{n}"),
        kind="agent",
        trust="observed",
        agent=name,
        host="box",
        evidence=(process, *evidence),
        processes=(process,),
        parent=parent.session if parent else None,
    )


def child_of(parent: Actor, n: int = 1) -> Actor:
    """A session with its own evidence and its parent on record (I4), free of what a token allows: see `World.spawn`."""
    return agent(f"{parent.session[4:]}child", n, parent=parent)


def marked(name: str = "cursor") -> Actor:
    """An agent that only the environment tells of (I3): nothing shows its origin."""
    return Actor(
        session=SessionId(f"ses-{name}-env"), kind="agent", trust="observed", agent=name, evidence=(f"envonly:{name}",)
    )


def person(name: str = "alice") -> Actor:
    """A person at a terminal."""
    who = f"{name}@box"
    return Actor(
        session=SessionId(f"ses-{name}"),
        kind="human",
        trust="observed",
        person=who,
        host="box",
        evidence=(f"person:{who}",),
    )


def service(name: str = "ci") -> Actor:
    """No terminal and no agent."""
    return Actor(session=SessionId(f"ses-{name}"), kind="service", trust="observed", evidence=(f"service:{name}@box",))


def asserted(actor: Actor, name: str = "root") -> Actor:
    """A name that somebody typed with --as."""
    return msgspec.structs.replace(actor, session=SessionId(f"ses-as-{name}"), trust="asserted", asserted_name=name)


CLAUDE, CODEX, GEMINI = agent("claude"), agent("codex"), agent("gemini")
ALICE, BOB, CI = person("alice"), person("bob"), service()


# The ports


class FixedClock:
    """Stands still until it is told to go on, or somebody waits; `during` happens while they do."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
        self.waited: list[float] = []
        self.during: Callable[[], None] | None = None

    def now(self) -> datetime:
        return self.time

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        end = self.time + timedelta(seconds=seconds)
        if self.during is not None:
            self.during()
        self.time = max(self.time, end)

    def advance(self, *, hours: float = 0, minutes: float = 0, seconds: float = 0) -> None:
        self.time += timedelta(hours=hours, minutes=minutes, seconds=seconds)


class CountedIds:
    """The same numbers in every run, spread like random ones."""

    def __init__(self) -> None:
        self.count = 0

    def number(self) -> int:
        self.count += 1
        return int.from_bytes(hashlib.sha256(str(self.count).encode()).digest()[:16], "big")


class DeskKeys:
    """A key ring without a terminal: real keys and signatures, and the person always types the right passphrase."""

    def __init__(self) -> None:
        self.private: dict[str, Any] = {}
        self.signed: list[bytes] = []

    def make(self) -> str:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        private = Ed25519PrivateKey.generate()
        public = sshsig.public_of(private)
        self.private[sshsig.fingerprint(public)] = (public, private)
        return public

    def adopt(self, path: str) -> str:
        raise NotImplementedError

    def held(self) -> dict[str, str]:
        return {fingerprint: public for fingerprint, (public, _) in self.private.items()}

    def sign(self, fingerprint: str, statement: bytes) -> str:
        self.signed.append(statement)
        public, private = self.private[fingerprint]
        return sshsig.sign_with(private, public, statement)

    def verify(self, public: str, statement: bytes, signature: str) -> str:
        return sshsig.verify(public, statement, signature)

    def fingerprint(self, public: str) -> str:
        return sshsig.fingerprint(public)

    def forget(self, fingerprint: str) -> None:
        self.private.pop(fingerprint)


class ScriptedRepo:
    """A repository that says what the test says: branches with lines on them, no git process."""

    def __init__(self) -> None:
        self.branches: dict[str, list[Sha]] = {"refs/heads/main": [sha("root")]}
        self.here = "refs/heads/main"
        self.dirty: list[str] = []
        self.files: dict[str, str] = {"foureyes.toml": SETTINGS}
        self.sessions: dict[Sha, tuple[str, ...]] = {}
        self.lines: dict[Sha, int] = {}
        self._count = 0

    def commit(self, branch: str, *, sessions: Sequence[str] = (), lines: int = 1) -> Sha:
        """Add a commit to a branch, which grows out of main when it is new."""
        self._count += 1
        made = sha(f"commit {self._count}")
        ref = f"refs/heads/{branch}"
        self.branches.setdefault(ref, list(self.branches["refs/heads/main"])).append(made)
        self.sessions[made], self.lines[made] = tuple(sessions), lines
        self.here = ref
        return made

    def land(self, branch: str) -> None:
        """Merge a branch into main."""
        main = self.branches["refs/heads/main"]
        main += [each for each in self.branches[f"refs/heads/{branch}"] if each not in main]

    def commit_of(self, ref: str) -> Sha | None:
        branch = self.here if ref in ("HEAD", DETACHED) else self.branch_ref(ref)
        if branch:
            return self.branches[branch][-1]
        return Sha(ref) if self.knows(Sha(ref)) else None

    def knows(self, commit: Sha) -> bool:
        return any(commit in line for line in self.branches.values())

    def reachable(self, commit: Sha) -> set[Sha]:
        """A commit and all before it; nothing for an unknown one."""
        lines = [line for line in self.branches.values() if commit in line]
        return {each for line in lines for each in line[: line.index(commit) + 1]}

    def heads(self) -> dict[str, Sha]:
        return {name: commits[-1] for name, commits in self.branches.items()}

    def current_ref(self) -> str:
        return self.here

    def branch_ref(self, name: str) -> str | None:
        ref = name if name.startswith("refs/") else f"refs/heads/{name}"
        return ref if ref in self.branches else None

    def uncommitted(self, ref: str) -> list[str]:
        return list(self.dirty) if ref in (self.here, DETACHED) else []

    def change(self, *, target: str, ref: str, since: Sha | None, covering: Sha | None = None) -> Change:
        main, mine = self._line(f"refs/heads/{target}"), self._line(ref)
        base = _last_shared(mine, main)
        landed = base == mine[-1] and since is not None
        if landed and since is not None:
            base = _last_shared(mine, self.reachable(since))
        elif covering is not None:
            base = _last_shared(mine, self.reachable(covering))
        new = mine[mine.index(base) + 1 :]
        files = tuple(ChangedFile(f"{each[:6]}.py", self.lines.get(each, 1), 0) for each in new)
        commits = tuple(Commit(each, "a change", "Ada", self.sessions.get(each, ())) for each in new)
        return Change(
            base=base,
            head=mine[-1],
            tree=tree_of(mine[-1]),
            base_tree=tree_of(base),
            ref=ref,
            landed=landed and bool(new),
            diff_id=DiffId("sha256:" + hashlib.sha256(" ".join(new).encode()).hexdigest()),
            files=files,
            commits=commits,
        )

    def _line(self, ref: str) -> list[Sha]:
        if ref not in self.branches:
            raise GitProblem(f"{ref} has no commit")
        return self.branches[ref]

    def is_ancestor(self, commit: Sha, of: Sha) -> bool:
        return commit in self.reachable(of)

    def relation(self, *, base: Sha, head: Sha, new_head: Sha, target: str) -> Relation:
        return "same" if head == new_head else "rework"

    def reached(self, commits: Sequence[Sha], target: str) -> set[Sha]:
        return {each for each in commits if each in self.branches[f"refs/heads/{target}"] or not self.knows(each)}

    def merged_by(self, head: Sha, target: str) -> Sha | None:
        return head if head in self.branches[f"refs/heads/{target}"] else None

    def diff_text(self, base: Sha, head: Sha) -> str:
        if not (self.knows(base) and self.knows(head)):
            raise GitProblem("a commit is not in this repository")
        return f"{base}..{head}" if base != head else ""

    def file_diffs(self, base: Sha, head: Sha) -> tuple[FileDiff, ...]:
        self.diff_text(base, head)
        line = next((line for line in self.branches.values() if base in line and head in line), [])
        new = line[line.index(base) + 1 : line.index(head) + 1] if line else []
        return parse("".join(new_file(f"{each[:6]}.py", self.lines.get(each, 1)) for each in new).encode())

    def last_anchor(self, target: str) -> str | None:
        return None

    def file_at(self, ref: str, path: str) -> str | None:
        return self.files.get(path) if self.commit_of(ref) else None

    def texts(self, commit: Sha, paths: Sequence[str]) -> dict[str, str]:
        return {path: self.files[path] for path in paths if path in self.files}

    def renames(self, old: Sha, new: Sha) -> dict[str, str]:
        return {}

    def pieces(self, base: Sha, head: Sha) -> tuple[str, ...]:
        line = next((line for line in self.branches.values() if base in line and head in line), [])
        new = line[line.index(base) + 1 : line.index(head) + 1] if line else []
        return tuple(sorted(f"diff {hashlib.sha256(each.encode()).hexdigest()}" for each in new))

    def close(self) -> None:
        """Nothing was made."""


def new_file(path: str, lines: int) -> str:
    """The patch that adds a file of so many lines, as git writes it."""
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\nindex {'0' * 40}..{'1' * 40}\n"
    return head + f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n" + "+line\n" * lines


class ScriptedWorkshop:
    """A workshop without git: it remembers what is kept and where checkpoints are; what a test does not script, it must
    not call.
    """

    def __init__(self, repo: ScriptedRepo | None = None) -> None:
        self.repo = repo or ScriptedRepo()
        self.kept: dict[str, Sha] = {}
        self.programs: list[str] = []
        self.marks: dict[tuple[str, str], Sha] = {}
        self.patches: list[str] = []
        self.misfit = ""

    def commit_all(self, message: str, trailers: Sequence[tuple[str, str]]) -> Sha:
        self.repo.dirty = []
        branch = self.repo.here.removeprefix("refs/heads/")
        return self.repo.commit(branch, sessions=[value for key, value in trailers if key == "Foureyes-Session"])

    def commit_file(self, path: str, message: str) -> Sha:
        self.repo.dirty = [each for each in self.repo.dirty if each != path]
        return self.repo.commit(self.repo.here.removeprefix("refs/heads/"))

    def export(self, tree: Sha, path: str) -> None:
        raise AssertionError(f"export of {tree} to {path}")

    def keep(self, ref: str, commit: Sha) -> None:
        self.kept[ref] = commit

    def merge(self, *, tip: Sha, head: Sha) -> Merged:
        raise AssertionError(f"merge of {head} into {tip}")

    def commit(self, *, tree: Sha, parents: Sequence[Sha], message: str) -> Sha:
        raise AssertionError(f"commit of {tree}")

    def tree_of(self, commit: Sha) -> Sha | None:
        return tree_of(commit) if self.repo.knows(commit) else None

    def move(self, ref: str, *, new: Sha, old: Sha) -> bool:
        raise AssertionError(f"move of {ref}")

    def programs_named(self) -> list[str]:
        return list(self.programs)

    def catch_up(self, target: str) -> list[CaughtUp]:
        return []

    def behind(self, target: str) -> list[CaughtUp]:
        return []

    def add_worktree(self, task: str, *, branch: str, base: Sha, session: str) -> str:
        raise AssertionError(f"worktree of {task}")

    def worktrees(self) -> list[str]:
        return []

    def drop_worktree(self, task: str) -> str:
        return ""

    def delete_merged(self, branch: str, *, target: str) -> bool:
        repo, ref, onto = self.repo, self.repo.branch_ref(branch), f"refs/heads/{target}"
        if ref is None or ref in (repo.here, onto) or repo.branches[ref][-1] not in repo.branches[onto]:
            return False
        del repo.branches[ref]
        return True

    def reset(self, ref: str, *, old: Sha, new: Sha) -> str:
        raise AssertionError(f"reset of {ref}")

    def apply_patch(self, patch: str, *, only_try: bool) -> str:
        """Every patch fits, unless the test says why not (`misfit`)."""
        if not self.misfit and not only_try:
            self.patches.append(patch)
        return self.misfit

    def add_checkpoint(self, task: str, name: str, commit: Sha, *, at: datetime) -> None:
        if self.marks.setdefault((task, name), commit) != commit:
            raise Conflict(f"there is a checkpoint {name} already, at another commit")

    def checkpoints(self) -> list[CheckpointView]:
        return [CheckpointView(task, name, commit, "", "") for (task, name), commit in reversed(self.marks.items())]

    def drop_checkpoint(self, task: str, name: str, sha: Sha) -> bool:
        return self.marks.get((task, name)) == sha and self.marks.pop((task, name)) == sha

    def close(self) -> None:
        """Nothing was made."""


def _last_shared(mine: Sequence[Sha], other: Collection[Sha]) -> Sha:
    """Where a line left another one."""
    for commit in reversed(mine):
        if commit in other:
            return commit
    raise GitProblem(f"{mine[-1]} has no common history with the other")


def tree_of(commit: Sha) -> Sha:
    """The tree of a commit of the script."""
    return sha(f"tree of {commit}")


def sha(text: str) -> Sha:
    return Sha(hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


class Checkout:
    """A real repository and short words for what people do in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", *args], cwd=self.path, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(
        self, name: str = "work.py", text: str = "work\n", *, message: str = "a change", session: Actor | None = None
    ) -> Sha:
        """Write a file and commit everything, with a trailer if a session is named."""
        self.write(name, text)
        self.git("add", "-A")
        trailer = [f"--trailer=Foureyes-Session={session.session}"] if session else []
        self.git("commit", "-q", "-m", message, *trailer)
        return self.head()

    def head(self, ref: str = "HEAD") -> Sha:
        return Sha(self.git("rev-parse", ref))

    def branch(self, name: str) -> None:
        self.git("switch", "-q", "-c", name)

    def switch(self, name: str) -> None:
        self.git("switch", "-q", name)

    def port(self) -> GitRepo:
        place = locate(self.path)
        assert place is not None
        return GitRepo(place.worktree, place.git_dir, place.common_dir, place.root)

    def workshop(self) -> GitWorkshop:
        place = locate(self.path)
        assert place is not None
        return GitWorkshop(
            place.worktree, place.git_dir, place.common_dir, place.root, os.path.join(place.root, ".foureyes")
        )


def make_template(path: Path, settings: str = "") -> Path:
    """A repository on `main` with one commit, to be copied: `git init` in every test would cost most of the time."""
    path.mkdir()
    checkout = Checkout(path)
    checkout.git("init", "-q", "-b", "main")
    if settings:
        checkout.write("foureyes.toml", settings)
    checkout.commit("code.py", CODE, message="first")
    return path


def copy_of(template: Path, path: Path) -> Checkout:
    shutil.copytree(template, path, symlinks=True)
    return Checkout(path)


def quiet_home(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home with a name in it, and nothing in the environment that tells git something."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "FOUREYES_", "TD_FEATURE_")):
            monkeypatch.delenv(name)
    path.mkdir(parents=True, exist_ok=True)
    (path / ".gitconfig").write_text(IDENTITY)
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


class ScriptedChecks:
    """A check runner that runs nothing: it answers what the test says, by the check's name, and counts."""

    def __init__(self) -> None:
        self.answers: dict[str, Ran] = {}
        self.ran: list[str] = []
        self.during: Callable[[], None] | None = None

    def says(self, name: str, *, exit_code: int | None = 0, **fields: Any) -> None:
        """From now on the check ends like this; `passing` and `failing` are test names of its report."""
        passing, failing = fields.pop("passing", None), fields.pop("failing", ())
        if passing is not None:
            tests = [TestResult(test, "passed") for test in passing] + [TestResult(test, "failed") for test in failing]
            fields["tests"] = tuple(tests)
        self.answers[name] = Ran(exit_code=exit_code, **fields)

    def program(self, rule: CheckRule) -> str:
        return ""

    def run(self, rule: CheckRule, export: Callable[[str], None], progress: Callable[[str], None] | None = None) -> Ran:
        self.ran.append(rule.name)
        if self.during is not None:
            self.during()
        return self.answers.get(rule.name, Ran(exit_code=0))


class DeskOutside:
    """What few commands need of the world, in reach of the test."""

    def __init__(self, workshop: Callable[[], Workshop]) -> None:
        self._workshop = workshop
        self.runner = ScriptedChecks()
        self.own = "process:test"
        self.gone: set[str] = set()

    def workshop(self) -> Workshop:
        return self._workshop()

    def checks(self) -> ScriptedChecks:
        return self.runner

    def read_findings(self, document: bytes, name: str) -> tuple[str, list[Found]]:
        return reports.read(document, name)

    def write_sarif(self, findings: Sequence[Finding]) -> bytes:
        return sarif_log.write(findings)

    def template(self, name: str) -> str:
        return outside.template(name)

    def process(self) -> str:
        return self.own

    def is_gone(self, process: str) -> bool:
        return process in self.gone


class KeptFiles(FeedbackFiles):
    """Mirror files (F2) that are kept in mind and not on a disk; `note` is what there is to say about each."""

    def __init__(self) -> None:
        super().__init__("nowhere")
        self.documents: dict[str, bytes] = {}
        self.note = ""

    def owe(self, tasks: Iterable[str]) -> None:
        """Nobody is killed here."""

    def put(self, task: str, document: bytes) -> Written:
        self.documents[task] = document
        return Written(not self.note, self.note)


# The world


class Count(msgspec.Struct, frozen=True):
    n: int


class World:
    """An Application over an empty store, with everything in reach that a test wants to turn."""

    def __init__(
        self,
        repo: Callable[[], Repo],
        environ: Mapping[str, str] | None = None,
        store: Store | None = None,
        workshop: Callable[[], Workshop] | None = None,
    ) -> None:
        self.workshop = ScriptedWorkshop()
        self.outside = DeskOutside(workshop or (lambda: self.workshop))
        self.clock, self.ids = FixedClock(), CountedIds()
        self.environ: dict[str, str] = dict(environ or {})
        self.store = store or engines.new_store(PROJECT)
        self.mirrors = KeptFiles()
        self.store.feedback = self.mirrors
        self.keys = DeskKeys()
        context = Context(
            self.store,
            repo,
            self.clock,
            self.ids,
            self.environ,
            keys=lambda: self.keys,
            outside=self.outside,
        )
        self.app = Application(context)
        self.app.projects.create(ALICE, "project", "fe", "main")

    def spawn(self, actor: Actor, task: str, role: str, *, agent: str = "", below: Sequence[str] = ()) -> Actor:
        """A session with a real token (I2): given out by `actor`, used in agent processes `below` the one it is bound
        to.
        """
        if not actor.processes and not actor.leader and not actor.token:
            actor = msgspec.structs.replace(actor, leader=f"process:boot:ns:shell-of-{actor.session}")
        made = self.app.sessions.spawn(actor, task, role, agent=agent)
        return self.show_token(made.token, (*below, *(actor.processes or actor.ancestors or (actor.leader,))), below)

    def show_token(self, token: str, ancestors: Sequence[str], agents: Sequence[str] = ()) -> Actor:
        """Whoever shows a token below these processes; `agents` are those of them that are agents."""
        seen = Actor(
            session=SessionId(f"ses-seen-{len(ancestors)}"),
            kind="agent" if agents else "service",
            trust="observed",
            host="box",
            evidence=tuple(agents) or ("service:somebody@box",),
            processes=tuple(agents),
            ancestors=tuple(ancestors),
            token=token_hash(token),
        )
        return self.app.sessions.recognise(lambda _: seen)

    # Shorter words for what nearly every test does

    def create(self, actor: Actor = ALICE, title: str = "a task", **fields: Any) -> str:
        return self.app.tasks.create(actor, title, **fields).task

    def start(self, actor: Actor, task: str) -> Outcome:
        return self.app.claims.start(actor, task)

    def submit(self, actor: Actor, task: str, **options: Any) -> SubmitOutcome:
        return self.app.attempts.submit(actor, task, **options)

    def approve(self, actor: Actor, task: str, *, reason: str = "", seen: str | None = None) -> ApprovalOutcome:
        """Approve what is handed in now."""
        attempts = self.show(task).attempts
        shown = seen if seen is not None else attempts[-1].diff_id if attempts else ""
        return self.app.decisions.approve(actor, task, seen=shown, reason=reason)

    def show(self, task: str, actor: Actor = BOB) -> TaskDetail:
        return self.app.lists.show(actor, task)

    def task(self, task: str) -> Task:
        return self.show(task).task

    def status(self, task: str) -> str:
        return self.task(task).status

    def ids_of(self, **query: Any) -> list[str]:
        return [row.id for row in self.app.lists.page(ListQuery(**query))]

    def counts(self) -> dict[str, int]:
        return self.app.status.show(BOB).counts

    # Looking

    def rows(self) -> int:
        """How many rows the journal has."""
        with self.store.read() as tx:
            found = tx.one("journal.count", Count)
        assert found is not None
        return found.n

    def kinds(self, task: str = "") -> list[str]:
        return [row.kind for row in self.app.audit.log(task=task or None, limit=1000)]

    def sound(self) -> AuditReport:
        """J2 holds."""
        report = self.store.audit()
        assert report.findings == ()
        return report

    def sql(self, statement: str, *values: object) -> list[Any]:
        """What a plain SQL client would do to the store; `?` is a value on both engines."""
        return engines.plain_sql(self.store.engine, statement, *values)

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """G4: whatever happens inside leaves no row behind."""
        before = self.rows()
        yield
        assert self.rows() == before

    @contextmanager
    def refused(self, *rules: str, error: type[FoureyesError] = Refused) -> Iterator[list[FoureyesError]]:
        """The call inside is refused, by these rules among others, with a next step somewhere, and changes nothing (G2,
        G4).
        """
        caught: list[FoureyesError] = []
        with self.unchanged():
            with pytest.raises(error) as found:
                yield caught
            caught.append(found.value)
        given = [reason.rule for reason in found.value.reasons]
        assert set(rules) <= set(given), (given, found.value.message, found.value.reasons)


class GitWorld(World):
    """A world with a real repository in it."""

    def __init__(self, checkout: Checkout, environ: Mapping[str, str] | None = None) -> None:
        self.checkout = checkout
        super().__init__(checkout.port, environ, workshop=checkout.workshop)

    def work(self, actor: Actor, task: str, *, branch: str = "", text: str = "work\n", name: str = "work.py") -> str:
        """Start a task and commit something for it on a branch."""
        self.start(actor, task)
        self.checkout.branch(branch or f"fe/{task}")
        self.checkout.commit(name, text, session=actor)
        return task

    def handed_in(self, actor: Actor = CLAUDE, *, creator: Actor = ALICE, text: str = "work\n", **fields: Any) -> str:
        """A task in review, made by an agent on a branch."""
        task = self.work(actor, self.create(creator, **fields), text=text)
        self.submit(actor, task)
        return task


class DeskWorld(World):
    """A world with a scripted repository: for what does not depend on git."""

    def __init__(self, environ: Mapping[str, str] | None = None, store: Store | None = None) -> None:
        self.repo = ScriptedRepo()
        super().__init__(lambda: self.repo, environ, store)
        self.workshop.repo = self.repo

    def handed_in(self, actor: Actor = CLAUDE, *, creator: Actor = ALICE, lines: int = 1, **fields: Any) -> str:
        task = self.create(creator, **fields)
        self.start(actor, task)
        self.repo.commit(f"fe/{task}", sessions=[actor.session], lines=lines)
        self.submit(actor, task)
        return task
