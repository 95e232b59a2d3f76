"""Services that few commands need. Each is imported and created on first use."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from foureyes.adapters.git.client.locate import Located
from foureyes.errors import EnvironmentProblem
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.adapters.git.client.locate import SharedGit
    from foureyes.app.agent_ports import LocalAgents
    from foureyes.app.git_ports import Remote, Workshop
    from foureyes.app.ports import CheckRunner, DraftFiles
    from foureyes.app.results.settings import ProgramSetup
    from foureyes.app.results.work import Unwritable
    from foureyes.core.nouns.finding import Finding, ReportedFinding, Severity
    from foureyes.core.nouns.session import Actor


MOST_FILES = 10_000
NOTICES, MOST_NOTICES = "notified.json", 1 << 20


class LazyOutside:
    """Services that are created late: workshop, check runner, reports, prompts, and process checks."""

    def __init__(self, place: Located, folder: str, environ: Mapping[str, str], git: SharedGit) -> None:
        self._place = place
        self._folder = folder
        self._environ = environ
        self._git = git

    def workshop(self) -> Workshop:
        from foureyes.adapters.git.workshop import GitWorkshop

        return GitWorkshop(self._place, self._folder, self._git)

    def remote(self, name: str) -> Remote:
        from foureyes.adapters.git.remote import GitRemote

        return GitRemote(self._place, name, self._git)

    def clone(self) -> str:
        from hashlib import sha256

        name = sha256(os.fsencode(self._place.common_dir)).hexdigest()[:12]
        return f"{os.uname().nodename}:{name}"

    def checks(self) -> CheckRunner:
        from foureyes.adapters.checks.pipeline import Pipeline
        from foureyes.adapters.git.checkouts.freshness import roots

        return Pipeline(self._environ, roots(self._place), (self._place.common_dir, self._folder), store=self._folder)

    def drafts(self) -> DraftFiles:
        from foureyes.adapters.drafts.files import FilesOfDrafts

        return FilesOfDrafts(self._folder)

    def agents(self) -> LocalAgents:
        return self._agents

    @cached_property
    def _agents(self) -> LocalAgents:
        from foureyes.adapters.agents.programs import AgentPrograms
        from foureyes.adapters.identity.alive import of
        from foureyes.bootstrap.run_server import RunDoors

        return AgentPrograms(self._folder, self._environ, evidence=of, doors=RunDoors(self._place, self._environ))

    def launch_runner(self, starter: Actor, agents: int, *, sprints: bool = False) -> int:
        from foureyes.bootstrap.runner import BEGAN, options_for, refusal_of
        from foureyes.bootstrap.runner_launcher import prepared

        launcher = prepared()
        if launcher is None:
            raise EnvironmentProblem("no runner can be started from here.", next_step=fe("run", "--detach"))
        options = options_for(agents, once=False, until_idle=False, assigned=(), sprints=sprints)
        answer = launcher.launch(self._place.root, self._environ, options, starter)
        if answer.said != BEGAN:
            raise refusal_of(answer.said)
        return answer.pid

    def read_findings(
        self, document: bytes, name: str, paths: Callable[[], Collection[str]], most: Mapping[str, Severity]
    ) -> list[ReportedFinding]:
        from foureyes.adapters.exchange.sarif import ReportPaths, read
        from foureyes.adapters.git.checkouts.freshness import roots

        checkouts = (self._place.worktree, self._place.root, *roots(self._place))
        return read(document, name, ReportPaths(checkouts, paths), most)

    def write_sarif(self, findings: Sequence[Finding]) -> bytes:
        from foureyes.adapters.clock import SystemClock
        from foureyes.adapters.exchange.sarif import write
        from foureyes.app.context import stamp

        return write(findings, stamp(SystemClock().now()))

    def template(self, name: str) -> str:
        return template(name)

    def process(self) -> str:
        return self._own

    @cached_property
    def _own(self) -> str:
        from foureyes.adapters.identity.alive import own

        return own()

    def is_gone(self, process: str) -> bool:
        from foureyes.adapters.identity.alive import is_gone

        return is_gone(process)

    def notify(self, command: str, message: str) -> str:
        from foureyes.adapters.process import ProcessProblem, run

        words = ["/bin/sh", "-c", command]
        try:
            done = run(words, cwd=self._place.root, env=dict(self._environ), input=f"{message}\n".encode(), timeout=30)
        except (ProcessProblem, OSError) as problem:
            return str(problem)
        return "" if done.rc == 0 else f"it ended with exit code {done.rc}"

    def kept_notices(self) -> set[str]:
        import msgspec

        from foureyes.adapters.folders import LOGS, read

        try:
            return msgspec.json.decode(read(os.path.join(self._folder, LOGS, NOTICES), MOST_NOTICES), type=set[str])
        except (OSError, msgspec.MsgspecError):
            return set()

    def keep_notices(self, keys: Set[str]) -> None:
        import msgspec

        from foureyes.adapters.folders import LOGS, folder, replace

        with suppress(OSError), folder(os.path.join(self._folder, LOGS), make=True) as handle:
            replace(handle, NOTICES, msgspec.json.encode(sorted(keys)), 0o600)

    def keep_plan(self, name: str, text: str) -> str:
        from foureyes.adapters.folders import folder, replace
        from foureyes.errors import EnvironmentProblem

        place = os.path.join(self._folder, "plans")
        try:
            with folder(place, make=True) as handle:
                replace(handle, f"{name}.md", text.encode("utf-8", "backslashreplace"), 0o644)
        except OSError as problem:
            raise EnvironmentProblem(f"the plan cannot be written to {place}: {problem.strerror}") from problem
        return os.path.join(place, f"{name}.md")

    def free_space(self) -> int | None:
        try:
            about = os.statvfs(self._folder)
        except OSError:
            return None
        return about.f_bavail * about.f_frsize

    def unwritable(self) -> list[Unwritable]:
        from foureyes.adapters.folders import why_not_written
        from foureyes.app.results.work import Unwritable

        tried = ((what, path, why_not_written(folder)) for what, path, folder in self._places())
        by_path = {path: Unwritable(what, path, why) for what, path, why in tried if why}
        return list(by_path.values())

    def kept_stores(self) -> list[str]:
        from foureyes.adapters.folders import entries, folder
        from foureyes.adapters.store.store_files import NAME, SET_ASIDE

        try:
            with folder(self._folder) as handle:
                names = entries(handle, MOST_FILES)
        except OSError:
            return []
        begins = tuple(f"{NAME}.{word}-" for word in SET_ASIDE)
        return sorted(name for name in names if name.startswith(begins) and not name.endswith(("-wal", "-shm")))

    def set_ups(self) -> list[ProgramSetup]:
        from foureyes.adapters.agents.setup.examination import examine
        from foureyes.config.primer import BLOCK

        return examine(self._place.worktree, BLOCK, self._environ)

    def _places(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name of each place that must be writable, the path to allow, and the path to test."""
        place = self._place
        yield "this checkout", place.worktree, place.worktree
        yield "the store", self._folder, self._folder
        for name in ("refs/heads", "objects", "worktrees"):
            if os.path.isdir(os.path.join(place.common_dir, name)):
                yield "git's directory", place.common_dir, os.path.join(place.common_dir, name)
        if place.git_dir != place.common_dir:
            yield "git's directory of this worktree", place.git_dir, place.git_dir
        temporary = self._environ.get("TMPDIR") or "/tmp"  # noqa: S108 (looked at, not used)
        yield "the temporary directory", temporary, temporary


def template(name: str) -> str:
    """Return the built-in text of a prompt from the package."""
    from importlib.resources import files

    from foureyes.errors import Internal

    try:
        if not name.replace("-", "").replace("_", "").isalnum():
            raise FileNotFoundError(name)
        return (files("foureyes.config") / "prompts" / f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Internal(f"there is no prompt {name!r} in this installation of Foureyes") from None
