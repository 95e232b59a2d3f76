"""What the Application needs of the world, in reach of the test: a clock that stands, ids that count, keys, checks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from foureyes.adapters.drafts.files import FilesOfDrafts
from foureyes.adapters.exchange import sarif
from foureyes.adapters.exchange.sarif import ReportPaths
from foureyes.adapters.identity import sshsig
from foureyes.adapters.store.feedback_files import FeedbackFiles, Written
from foureyes.app.agent_ports import Attached, Availability, Checkout, Launch, LiveRun, LocalAgents
from foureyes.app.git_ports import Remote, Workshop
from foureyes.app.ports import Lent, TreeFiles
from foureyes.app.results.attempt import EnvironmentRow
from foureyes.app.results.settings import ProgramSetup
from foureyes.app.results.work import Unwritable
from foureyes.app.work.worktrees import FilesOfTree
from foureyes.bootstrap import services
from foureyes.core.nouns.check import Ran, TestResult
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
from foureyes.core.nouns.finding import Finding, ReportedFinding, Severity
from foureyes.core.nouns.run import RunId
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.policy import Profile
from foureyes.errors import AgentMissing, AgentUnavailable, RemoteProblem

from tests.stage.scripted_git import NoRealGit


class FixedClock:
    """Stands still until it is told to go on, or somebody waits; `during` happens while they do."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
        self.place = "UTC"
        self.waited: list[float] = []
        self.during: Callable[[], None] | None = None

    def now(self) -> datetime:
        return self.time

    def zone(self) -> str:
        return self.place

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


WRITTEN = "2026-03-01 12:00 UTC"
"""When the files of keys were written that have none."""


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

    def private_files(self) -> dict[str, str]:
        return {fingerprint: f"keys/key-{fingerprint[7:15]}.pem" for fingerprint in self.held()}

    def written(self, file: str) -> str:
        return WRITTEN

    def sign(self, fingerprint: str, statement: bytes) -> str:
        self.signed.append(statement)
        public, private = self.private[fingerprint]
        return sshsig.sign_with(private, public, statement)

    def once(self) -> AbstractContextManager[None]:
        return nullcontext()

    def verify(self, public: str, statement: bytes, signature: str) -> str:
        return sshsig.verify(public, statement, signature)

    def fingerprint(self, public: str) -> str:
        return sshsig.fingerprint(public)

    def forget(self, fingerprint: str) -> None:
        self.private.pop(fingerprint)


class ScriptedChecks:
    """A check runner that runs nothing: it answers what the test says, by the check's name, and counts. Tests that
    fail, and what says no more than that it failed, pass where a change begins, unless something happens `during` its
    runs.
    """

    def __init__(self) -> None:
        self.answers: dict[str, Ran] = {}
        self.ran: list[str] = []
        self.programs: dict[str, str] = {}
        self.absents: dict[str, str] = {}
        self.in_place = ""
        self.no_rooms = ""
        self.lent: Lent | None = None
        self.kept: list[EnvironmentRow] = []
        self.during: Callable[[], None] | None = None

    def says(self, name: str, *, exit_code: int | None = 0, **fields: Any) -> None:
        """From now on the check ends like this; `passing` and `failing` are test names of its report."""
        passing, failing = fields.pop("passing", None), fields.pop("failing", ())
        if passing is not None:
            tests = [TestResult(test, "passed") for test in passing] + [TestResult(test, "failed") for test in failing]
            fields["tests"] = tuple(tests)
        self.answers[name] = Ran(exit_code=exit_code, **fields)

    def program(self, rule: CheckRule, tree: TreeFiles) -> str:
        return self.programs.get(rule.name, "")

    def absent(self, rule: CheckRule) -> str:
        return self.absents.get(rule.name, "")

    def misled(self, rule: CheckRule) -> str:
        return self.in_place

    def run(
        self,
        rule: CheckRule,
        export: Callable[[str], None],
        progress: Callable[[str], None] | None = None,
        stop: Callable[[], bool] | None = None,
        *,
        tree: TreeFiles | None = None,
        last: bool = False,
    ) -> Ran:
        self.ran.append(rule.name)
        if self.during is not None:
            self.during()
        ran = self.answers.get(rule.name, Ran(exit_code=0))
        is_before = isinstance(tree, FilesOfTree) and tree.tree == tree.base
        if not is_before or self.during is not None or ran.findings is not None:
            return ran
        if ran.tests is None:
            return replace(ran, exit_code=0) if ran.exit_code and not ran.problem else ran
        tests = tuple(replace(test, state="passed") if test.state == "failed" else test for test in ran.tests)
        return replace(ran, tests=tests, exit_code=0)

    def close(self) -> None:
        pass

    def environments(self) -> list[EnvironmentRow]:
        return self.kept

    def prune_environments(self, *, everything: bool, only_try: bool) -> list[EnvironmentRow]:
        gone = self.kept if everything else []
        self.kept = self.kept if only_try else [row for row in self.kept if row not in gone]
        return gone

    def lend(self, rule: CheckoutRule, tree: TreeFiles) -> AbstractContextManager[Lent | None]:
        return nullcontext(self.lent)

    def why_no_sandboxes(self) -> str:
        return self.no_rooms


class NoPrograms:
    """A machine without agent programs, but for those that a test says are there."""

    def __init__(self) -> None:
        self.there: dict[str, Availability] = {}
        self.forgotten: list[str] = []

    def available(self, name: str, profile: Profile, *, ask: bool = False) -> Availability:
        missing = Availability(profile=name, program=profile.program, problem=f"{profile.program} was not found.")
        return self.there.get(name, missing)

    def prepare(self, launch: Launch) -> LiveRun:
        raise AgentMissing(f"{launch.profile.program} was not found.")

    def attached(self, name: str, profile: Profile, *, task: str, conversation: str) -> Attached:
        if not conversation:
            raise AgentUnavailable("it said no conversation to go on with")
        return Attached((profile.program, "--resume", conversation), {})

    def checkout(self, run: RunId, write: Callable[[str], Mapping[str, str]], files: Mapping[str, str]) -> Checkout:
        return Checkout(f"/checkouts/{run}", ".foureyes-review")

    def altered(self, run: RunId) -> str:
        return ""

    def drop_checkout(self, run: RunId) -> None:
        pass

    def end_left(self, processes: Sequence[str], runs: Sequence[RunId]) -> Sequence[RunId]:
        return runs

    def kept(self) -> list[str]:
        return []

    def forget(self, task: str) -> None:
        self.forgotten.append(task)


class DeskOutside:
    """What few commands need of the world, in reach of the test."""

    def __init__(self, workshop: Callable[[], Workshop]) -> None:
        self._workshop = workshop
        self.runner = ScriptedChecks()
        self.programs: LocalAgents = NoPrograms()
        self.own = "process:test"
        self.here = "desk:0123456789ab"
        self.remotes: dict[str, Remote] = {}
        self.folder = ""
        self.gone: set[str] = set()
        self.shut: list[Unwritable] = []
        self.aside: list[str] = []
        self.set_up: list[ProgramSetup] = []
        self.notified: list[tuple[str, str]] = []
        self.notices: set[str] = set()
        self.launched: list[tuple[str, int]] = []
        self.plans: dict[str, str] = {}
        self.room: int | None = 1 << 40

    def workshop(self) -> Workshop:
        return self._workshop()

    def remote(self, name: str) -> Remote:
        if name not in self.remotes:
            raise RemoteProblem(f"this repository has no remote called {name}", kind="missing")
        return self.remotes[name]

    def clone(self) -> str:
        return self.here

    def checks(self) -> ScriptedChecks:
        return self.runner

    def drafts(self) -> FilesOfDrafts:
        return FilesOfDrafts(self.folder)

    def agents(self) -> LocalAgents:
        return self.programs

    def launch_runner(self, starter: Actor, agents: int, *, sprints: bool = False) -> int:
        self.launched.append((starter.session, agents))
        return 4711

    def read_findings(
        self, document: bytes, name: str, paths: Callable[[], Collection[str]], most: Mapping[str, Severity]
    ) -> list[ReportedFinding]:
        try:
            places = ReportPaths((), paths) if paths() else None
        except NoRealGit:
            places = None
        return sarif.read(document, name, places, most)

    def write_sarif(self, findings: Sequence[Finding]) -> bytes:
        return sarif.write(findings)

    def template(self, name: str) -> str:
        return services.template(name)

    def process(self) -> str:
        return self.own

    def is_gone(self, process: str) -> bool:
        return process in self.gone

    def notify(self, command: str, message: str) -> str:
        self.notified.append((command, message))
        return ""

    def kept_notices(self) -> set[str]:
        return self.notices

    def keep_notices(self, keys: Set[str]) -> None:
        self.notices = set(keys)

    def keep_plan(self, name: str, text: str) -> str:
        self.plans[name] = text
        return f"/plans/{name}.md"

    def free_space(self) -> int | None:
        return self.room

    def unwritable(self) -> list[Unwritable]:
        return self.shut

    def kept_stores(self) -> list[str]:
        return self.aside

    def set_ups(self) -> list[ProgramSetup]:
        return self.set_up


class KeptFiles(FeedbackFiles):
    """Mirror files (F2) that are kept in mind and not on a disk; `note` is what there is to say about each."""

    def __init__(self) -> None:
        super().__init__("nowhere", shared=True)
        self.documents: dict[str, bytes] = {}
        self.note = ""

    def owe(self, tasks: Iterable[str]) -> None:
        """Nobody is killed here."""

    def put(self, task: str, document: bytes) -> Written:
        self.documents[task] = document
        return Written(not self.note, self.note)
