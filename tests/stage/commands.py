"""The stage of command-line stories: a repository with a project in it, and everybody who acts there, by real
processes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import apsw

from foureyes.core.words.ids import seen_name

from tests.stage.loose import NotLoose, Objects, Pieces, plain, stream
from tests.stage.processes import Caller, FakeAgent, Options, People, Person, Result, Service
from tests.stage.recalled import recalled

DESTRUCTIVE = re.compile(
    r"\brm -|\bgit rm\b|--hard\b|--force|(?<!in )\bforce\b|\bpush -f|\bwipe|\bdrop\b|\bclean -|\bdelete\b|checkout --|\bunlink\b",
    re.IGNORECASE,
)
"""G5: what no error text may contain."""

GIT_ENV = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": "/nowhere",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}
APP = "".join(f"line {number}\n" for number in range(1, 21))


def who_commits(branch: str) -> str:
    """Who commits on a branch: commits of two branches are two, also if they change the same."""
    return f"Dev <{branch.replace('/', '.')}@example.org> 1767225600 +0000"


def git(cwd: Path, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
    """Run git as nobody in particular."""
    done = subprocess.run(
        ["git", *args], cwd=cwd, env={**GIT_ENV, **(env or {})}, input=stdin, capture_output=True, check=False
    )
    assert done.returncode == 0, f"git {' '.join(args)}: {done.stderr.decode()}"
    return done.stdout.decode().strip()


TROUBLE = ("conflict", "checks", "void", "stuck")
"""What became of a task that a merge did not bring to the target."""


class Cast:
    """Everybody, each started when first needed. People of one machine are one person: the OS user."""

    def __init__(self, people: People) -> None:
        self.people = people
        self.sessions: dict[Caller, str] = {}
        """What `fe whoami` said; it is the same in every store."""

    @cached_property
    def alice(self) -> Person:
        return self.people.person("alice")

    @cached_property
    def job(self) -> Service:
        return self.people.service()

    @cached_property
    def claude(self) -> FakeAgent:
        return self.people.agent("claude")

    @cached_property
    def codex(self) -> FakeAgent:
        return self.people.agent("codex")

    @cached_property
    def gemini(self) -> FakeAgent:
        return self.people.agent("gemini")

    @cached_property
    def opencode(self) -> FakeAgent:
        return self.people.agent("opencode")

    @cached_property
    def qwen(self) -> FakeAgent:
        return self.people.agent("qwen")

    @cached_property
    def aider(self) -> FakeAgent:
        return self.people.agent("aider")

    @cached_property
    def helper(self) -> FakeAgent:
        """Another agent program, started by claude."""
        return self.people.agent("codex", under=self.claude)


class SubmissionTime(NamedTuple):
    """What a submit froze."""

    task: str
    diff_id: str
    branch: str
    head: str
    attempt: int

    @property
    def seen(self) -> str:
        """What an agent calls the change that it approves (D7)."""
        return seen_name(self.attempt, self.diff_id)


class Problem(NamedTuple):
    """An error object of `--json`."""

    rc: int
    code: str
    message: str
    rules: tuple[str, ...]
    hints: tuple[str, ...]
    text: str


def staying(args: Sequence[str]) -> Sequence[str]:
    """A claim of the stage stays in the checkout, unless the test says where it goes (K1)."""
    says = {"--worktree", "--here", "--help"} & set(args)
    return args if says or args[:1] not in (("start",), ("next",)) else (args[0], "--here", *args[1:])


class Stage:
    """One repository with a project. Agents claim in its checkout: their work is committed where the test says."""

    def __init__(self, repo: Path, cast: Cast) -> None:
        self.repo = repo
        self.cast = cast
        self._count = 0

    def state(self) -> tuple[int, dict[str, str]]:
        """What a word depends on beside the project and its arguments."""
        return self._count, dict(self.cast.people.env)

    def resume(self, state: tuple[int, dict[str, str]]) -> None:
        """Go on where somebody else had come to."""
        self._count = state[0]

    def let_go(self) -> None:
        """Every command has let go of the project when it ends."""

    # Commands

    def run(self, who: Caller, *args: str, **options: Unpack[Options]) -> Result:
        """Run `fe`. Nothing it says about a failure may be dangerous to follow (G5)."""
        options.setdefault("cwd", self.repo)
        result = who.fe(*staying(args), **options)
        if result.rc != 0 and "delete" not in args:
            assert DESTRUCTIVE.search(result.err + result.out) is None, (
                f"fe {' '.join(args)} says: {result.err}{result.out}"
            )
        return result

    def done(self, who: Caller, *args: str, **options: Unpack[Options]) -> Any:
        """Run `fe … --json`, which must work; its answer."""
        result = self.run(who, *args, "--json", **options)
        assert result.rc == 0, f"{who.name}: fe {' '.join(args)} -> {result.rc}: {result.out}{result.err}"
        return result.json

    def lines(self, who: Caller, *args: str, **options: Unpack[Options]) -> list[Any]:
        """Run a `fe … --json` that answers with one object per line. A merge exits with 6 where a task came back or is
        stuck.
        """
        result = self.run(who, *args, "--json", **options)
        rows = [json.loads(line) for line in result.out.splitlines()] if result.rc in (0, 6) else []
        is_trouble = args[:1] == ("merge",) and "--list" not in args and any(row["outcome"] in TROUBLE for row in rows)
        wanted = 6 if is_trouble else 0
        assert result.rc == wanted, f"{who.name}: fe {' '.join(args)} -> {result.rc}: {result.out}{result.err}"
        return rows

    def no(
        self, who: Caller, *args: str, rc: int = 1, rules: Sequence[str] | None = None, **options: Unpack[Options]
    ) -> Problem:
        """Run `fe … --json`, which must fail with this exit code and these rules, one object on stdout and nothing on
        stderr.
        """
        result = self.run(who, *args, "--json", **options)
        assert result.rc == rc, f"{who.name}: fe {' '.join(args)} -> {result.rc}, not {rc}: {result.out}{result.err}"
        assert result.err == ""
        error = result.json["error"]
        found = Problem(
            rc=rc,
            code=error["code"],
            message=error["message"],
            rules=tuple(reason["rule"] for reason in error["reasons"]),
            hints=tuple(
                hint for hint in (error.get("next", ""), *(reason["next"] for reason in error["reasons"])) if hint
            ),
            text=result.out,
        )
        if rules is not None:
            assert found.rules == tuple(rules), result.out
        return found

    # Git

    def git(self, *args: str, cwd: Path | None = None, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """Run git in the repository."""
        return git(cwd or self.repo, *args, stdin=stdin, env=env)

    def commit(self, branch: str, files: Mapping[str, str], *, message: str = "work", onto: str = "") -> str:
        """One commit on a branch that is not checked out, without touching any worktree; its id."""
        return self.bring(branch, plain(files), message, onto)

    def bring(self, branch: str, pieces: Pieces, message: str, onto: str) -> str:
        """The same of files of any kind, without a program; where git has packed what is there, by one."""
        try:
            objects = Objects(self.repo / ".git")
            parent = objects.tip(onto) if onto else objects.tip(branch) or objects.tip("main")
            return objects.commit(branch, parent, pieces, message, who_commits(branch))
        except NotLoose:
            start = onto or (f"refs/heads/{branch}" if self.has_branch(branch) else "main")
            words = stream(branch, start, pieces, message, who_commits(branch))
            return self.git("fast-import", "--quiet", "--force", stdin=words)

    def has_branch(self, branch: str) -> bool:
        """Whether a branch exists: by git's files, and a program only where there are no files of the usual kind."""
        place = self.repo / ".git"
        if (place / "refs" / "heads" / branch).is_file():
            return True
        if place.is_dir() and not (place / "packed-refs").exists() and not (place / "reftable").exists():
            return False
        return bool(self.git("for-each-ref", f"refs/heads/{branch}"))

    # Common moves

    @recalled
    def create(self, who: Caller, *options: str, title: str = "Add login") -> str:
        """Plan a task; its id."""
        return str(self.done(who, "create", title, *options)["task"])

    @recalled
    def submit_work(self, who: Caller, task: str, *, message: str = "work", lines: int = 1) -> SubmissionTime:
        """Start a task, commit something new on its branch, and submit that."""
        self.done(who, "start", task)
        self._count += 1
        self.commit(
            f"fe/{task}",
            {f"{task}.txt": "".join(f"{self._count} {number}\n" for number in range(lines))},
            message=message,
        )
        return self.submit(who, task)

    def submit(self, who: Caller, task: str, branch: str = "", **options: Unpack[Options]) -> SubmissionTime:
        """Submit a branch."""
        found = self.done(who, "submit", task, "--branch", branch or f"fe/{task}", **options)
        return SubmissionTime(task, found["diff_id"], branch or f"fe/{task}", found["head"], found["attempt"])

    @recalled
    def in_review(self, creator: Caller, implementer: Caller, *options: str, lines: int = 1) -> SubmissionTime:
        """A task that one planned and another one has submitted."""
        return self.submit_work(implementer, self.create(creator, *options), lines=lines)

    def approve(self, who: Caller, work: SubmissionTime, *options: str, **more: Unpack[Options]) -> Any:
        """Approve, having seen the diff."""
        return self.done(who, "approve", work.task, "--seen", work.seen, *options, **more)

    def accept_policy(self, who: Caller, **options: Unpack[Options]) -> Any:
        """Look at the foureyes.toml of the target, and accept exactly that (P12)."""
        asked = self.run(who, "config", "accept", "--json", **options)
        if asked.rc == 0:
            return asked.json
        return self.done(who, *asked.json["error"]["next"].split()[1:], **options)

    def may_not_approve(
        self, who: Caller, work: SubmissionTime, *options: str, rules: Sequence[str], **more: Unpack[Options]
    ) -> Problem:
        """Approve, having seen the diff, and be refused by these rules."""
        return self.no(who, "approve", work.task, "--seen", work.seen, *options, rules=rules, **more)

    def session(self, who: Caller) -> str:
        """The id of somebody's session."""
        if who not in self.cast.sessions:
            self.cast.sessions[who] = str(self.done(who, "whoami")["session"])
        return self.cast.sessions[who]

    def status(self, task: str) -> str:
        """A task's status."""
        return str(self.show(task)["task"]["status"])

    def show(self, task: str, who: Caller | None = None) -> Any:
        """A task's page."""
        return self.done(who or self.cast.alice, "show", task)

    def reviewable(self, who: Caller, **options: Unpack[Options]) -> dict[str, Any]:
        """What somebody may approve: task and how."""
        return {row["id"]: row["you"] for row in self.lines(who, "reviewable", **options)}

    # What is on disk

    @property
    def folder(self) -> Path:
        """Where the store lies."""
        return self.repo / ".foureyes"

    def head(self) -> tuple[int, str]:
        """The last row of the journal, read by another program. (A read-only one would leave its -wal file behind.)"""
        store = apsw.Connection(str(self.folder / "store.db"), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            ((seq, hash_),) = store.execute("SELECT seq, hash FROM head").fetchall()
        finally:
            store.close()
        return int(str(seq)), str(hash_)

    def tasks(self) -> list[str]:
        """The ids of all tasks, oldest first, read by another program."""
        store = apsw.Connection(str(self.folder / "store.db"), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            return [str(row[0]) for row in store.execute("SELECT id FROM tasks ORDER BY n")]
        finally:
            store.close()

    def verify(self) -> int:
        """The journal must be whole; how many rows it has."""
        report = self.done(self.cast.alice, "audit", "verify")
        assert report["ok"], report
        return int(report["rows"])

    def edit(self, statement: str, *values: str | int) -> None:
        """Change the store with a plain SQL client."""
        store = apsw.Connection(str(self.folder / "store.db"))
        try:
            store.execute(statement, values)
        finally:
            store.close()


def new_repository(path: Path) -> Path:
    """A git repository with two files and one commit on main."""
    path.mkdir(parents=True)
    git(path, "init", "-q", "-b", "main", "--template=")
    for key, value in (
        ("user.name", "Dev"),
        ("user.email", "dev@example.org"),
        ("gc.auto", "0"),
        ("maintenance.auto", "false"),
        ("commit.gpgsign", "false"),
    ):
        git(path, "config", key, value)
    (path / "app.py").write_text(APP)
    (path / "README.md").write_text("# Shop\n")
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "first")
    return path
