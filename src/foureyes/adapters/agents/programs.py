"""Finds and starts agent programs on this machine, and cleans up after a dead runner. Implements `LocalAgents` of
`app.agent_ports`.

A program gets its instructions by arguments, environment and files of its run. The token is only in a file.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol

from foureyes.adapters import process, reaper
from foureyes.adapters.agents.arguments import (
    LOGIN_PROFILES,
    attached_words,
    clean_path,
    environment,
    login_profile,
    persons_environment,
    words_of,
)
from foureyes.adapters.agents.dialects import Dialect, dialect_of
from foureyes.adapters.agents.live_run import LiveProgram, RunBrief, RunLimits, RunLog
from foureyes.adapters.agents.run_folders import PROMPT, RunFiles, furnish, identity_of
from foureyes.adapters.agents.stray_processes import marked, sweep
from foureyes.adapters.folders import opened
from foureyes.adapters.supervised import Supervised
from foureyes.adapters.tree_comparison import blob, unlike
from foureyes.app.agent_ports import Attached, Availability, Checkout, Launch
from foureyes.core.nouns.run import RunId
from foureyes.core.rules.policy import Profile
from foureyes.core.words.text import in_line
from foureyes.errors import AgentMissing, AgentUnavailable
from foureyes.steps import fe

MAX_PROGRAM = 2_000_000_000
VERSION_SECONDS = 30.0
MAX_SETTINGS = 1_000_000
PATIENCE = reaper.LIMIT + 2.0


class Doors(Protocol):
    """Sockets through which commands of runs reach the runner."""

    def open(self, run: str, directory: str, token: str, worktree: str) -> None: ...

    def shut(self, run: str) -> bool:
        """Stop accepting callers. Return True if no request is in progress."""


class AgentPrograms:
    """The programs of profiles.

    - folder: the project's `.foureyes`
    - evidence: returns the evidence of a process (I3)
    - mcp: the command of an MCP server for runs, to which `--run DIR` is added, or empty
    - minute: the length of a minute in seconds, shorter in tests
    - doors: sockets for the commands of runs
    """

    def __init__(
        self, folder: str, environ: Mapping[str, str], *, evidence: Callable[[int], str], mcp: Sequence[str] = (),
        minute: float = 60.0, doors: Doors | None = None,
    ) -> None:  # fmt: skip
        self.places = RunFiles(folder)
        self._environ = environ
        self._evidence = evidence
        self._mcp = tuple(mcp)
        self._minute = minute
        self._doors = doors
        self._digests: dict[tuple[str, int, int, int], str] = {}
        self._versions: dict[tuple[str, int, int, int], str] = {}
        self._shown: dict[RunId, tuple[str, Mapping[str, str]]] = {}
        """Checkouts of runs, each with its path and the mode and object of every file written there."""

    def available(self, name: str, profile: Profile, *, ask: bool = False) -> Availability:
        dialect = dialect_of(profile)
        wanted = profile.program or dialect.program
        try:
            path = self._find(profile, dialect)
        except AgentMissing as problem:
            return Availability(profile=name, program=wanted, problem=problem.message)
        version = self._version(path, dialect) if ask else ""
        return Availability(profile=name, program=wanted, path=path, version=version, login=self._login(dialect))

    def prepare(self, launch: Launch) -> LiveProgram:
        profile, dialect = launch.profile, dialect_of(launch.profile)
        path = self._find(profile, dialect)
        if os.path.realpath(path).startswith(os.path.realpath(launch.worktree) + os.sep):
            raise AgentUnavailable(f"{path} is inside the worktree that it would work on, so it is not started.")
        obeyed = obeyed_in(launch.worktree, dialect)
        if obeyed and not launch.writes:
            raise AgentUnavailable(
                f"{launch.profile_name} would run plugins named by {obeyed[0]} of the worktree, so it is not started."
            )
        try:
            return self._started(launch, dialect, path)
        except (OSError, process.ProcessProblem) as problem:
            self._shut(launch.run)
            self.places.close_run(launch.run)
            raise AgentUnavailable(
                f"{launch.profile_name} could not be started: {_why(problem)}", next_step=fe("doctor")
            ) from problem

    def _started(self, launch: Launch, dialect: Dialect, path: str) -> LiveProgram:
        words = words_of(dialect, launch, self.places.run(launch.run), self._mcp, self._environ)
        prompt = launch.prompt + words.more
        directory = self.places.open_run(launch.run, token=launch.token, prompt=prompt)
        home = self._home(launch, dialect)
        env = environment(
            self._environ,
            run=launch.run,
            directory=directory,
            home=home,
            asked=(*dialect.keys, *launch.profile.env),
            own={**words.env, **self._own(dialect)},
            writes=launch.writes,
            checkout=launch.worktree if launch.purpose in ("review", "plan") else "",
        )
        for name, text in words.files.items():
            self.places.write(launch.run, name, text)
        given = os.path.join(directory, PROMPT)
        # Do everything that can fail first, so that no reaper is left waiting.
        log = RunLog(
            self.places.append_to_log(self.places.log(launch.task or launch.run)),
            f"{launch.run} {launch.profile_name} {launch.purpose} {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            secret=launch.token,
        )
        if self._doors is not None:
            self._doors.open(launch.run, directory, launch.token, launch.worktree)
        child = Supervised([*dialect.before, path, *words.arguments], cwd=launch.worktree, env=env, given=given)
        asked = RunBrief(
            run=launch.run,
            program=path,
            digest=self._digest(path),
            prompt=prompt,
            token=launch.token,
            format=launch.profile.output or dialect.output,
            asks=launch.purpose in ("review", "clarify", "plan"),
        )
        limits = RunLimits(launch.profile.deadline_minutes * self._minute, launch.profile.idle_minutes * self._minute)
        over = lambda: self.places.close_run(launch.run)  # noqa: E731
        return LiveProgram(asked, child, self._evidence(child.pid), log, limits, over, lambda: self._shut(launch.run))

    def _shut(self, run: RunId) -> bool:
        """Close the socket of a run. Return True if no request is in progress."""
        return self._doors is None or self._doors.shut(run)

    def attached(self, name: str, profile: Profile, *, task: str, conversation: str) -> Attached:
        dialect = dialect_of(profile)
        words = attached_words(dialect, profile, task, name, conversation)
        if not words:
            no_way = "its profile does not say how to continue one (attach_args)"
            raise AgentUnavailable("it reported no conversation" if dialect.attach else no_way)
        path, home = self._find(profile, dialect), self.places.home(task, name)
        asked = (*dialect.keys, *profile.env)
        env = persons_environment(self._environ, home=home, asked=asked, own={**dialect.env, **self._own(dialect)})
        return Attached((*dialect.before, path, *words), env)

    def checkout(self, run: RunId, write: Callable[[str], Mapping[str, str]], files: Mapping[str, str]) -> Checkout:
        shown: dict[str, str] = {}
        try:
            path, review_folder = self.places.checkout(run, lambda path: shown.update(write(path)), files)
        except OSError as problem:
            raise AgentUnavailable(f"there is no room for a checkout: {_why(problem)}") from problem
        shown |= {
            f"{review_folder}/{name}": blob(text.encode("utf-8", "backslashreplace")) for name, text in files.items()
        }
        self._shown[run] = path, shown
        return Checkout(path, review_folder)

    def altered(self, run: RunId) -> str:
        try:
            return unlike(*self._shown[run])
        except (KeyError, OSError):  # what cannot be compared is no evidence (G1)
            return "its checkout"

    def drop_checkout(self, run: RunId) -> None:
        self._shown.pop(run, None)
        self.places.drop_checkouts(run)

    def end_left(self, processes: Sequence[str], runs: Sequence[RunId]) -> Sequence[RunId]:
        """End the processes of a dead runner. Return the runs that have none left.

        Reapers get time to end their programs and are then killed. One whose pid may have been reused is skipped here
        and found by its mark.
        """
        reapers = {evidence: _pid_of(evidence) for evidence in processes}
        end = time.monotonic() + PATIENCE
        while living := [pid for evidence, pid in reapers.items() if pid and self._evidence(pid) == evidence]:
            if time.monotonic() > end:
                for pid in living:
                    reaper.kill_below(pid)
                    reaper.tell(pid)
                break
            time.sleep(reaper.PAUSE)
        left = sweep(runs) if marked(runs) else {}
        ended = [run for run in runs if run not in left]
        for run in ended:
            self.places.close_run(run)
        return ended

    def kept(self) -> Sequence[str]:
        return self.places.kept()

    def forget(self, task: str) -> None:
        self.places.forget(task)

    def _home(self, launch: Launch, dialect: Dialect) -> str:
        if launch.role == "implement":
            home = self.places.home(launch.task or launch.run, launch.profile_name)
        else:
            home = self.places.new_home(launch.run)
        if not os.path.exists(os.path.join(home, ".gitconfig")):
            mine = self._environ.get("HOME", "")
            links = [(name, os.path.join(mine, name)) for name in dialect.links] if mine else []
            profile = login_profile(self._environ.get("PATH", ""))
            files = dict.fromkeys(LOGIN_PROFILES, profile)
            furnish(home, links=links, identity=identity_of(self._environ, launch.worktree), files=files)
        return home

    def _own(self, dialect: Dialect) -> dict[str, str]:
        """Return the program's own directories that the person has."""
        home, directories = self._environ.get("HOME", ""), {}
        for name, below in dialect.own:
            path = self._environ.get(name) or (os.path.join(home, below) if home else "")
            if path and os.path.isdir(path):
                directories[name] = path
        return directories

    def _find(self, profile: Profile, dialect: Dialect) -> str:
        """Return the absolute path of the program. A plain name is looked up on PATH."""
        wanted = profile.program if profile.program not in ("", "scripted") else dialect.program
        if "/" in wanted and not wanted.startswith("/"):
            raise AgentMissing(f"{wanted} is neither the name of a program nor an absolute path.")
        path = shutil.which(wanted, path=clean_path(self._environ.get("PATH", ""))) if wanted else None
        if dialect.before and os.path.isfile(wanted):
            path = wanted
        if path is None:
            raise AgentMissing(f"{wanted or 'the program'} was not found.", next_step=fe("doctor"))
        return path

    def _login(self, dialect: Dialect) -> str:
        """Return the login state as far as files and variables show it. Reads no secret."""
        home = self._environ.get("HOME", "")
        named = next((name for name in dialect.keys if self._environ.get(name) and not name.endswith("_URL")), "")
        if named:
            return f"{named} is set"
        places = {below: self._environ.get(name, "") for name, below in dialect.own}
        for file in dialect.login:
            first, _, rest = file.partition("/")
            path = os.path.join(places.get(first) or os.path.join(home, first), rest)
            if os.path.exists(path):
                return "logged in"
        return "not logged in" if dialect.login else ""

    def _digest(self, path: str) -> str:
        """Return the digest of a program, "" if it is unreadable or very large. Each program is read once."""
        from hashlib import file_digest

        try:
            key = _file_key(path)
            if key not in self._digests and key[3] < MAX_PROGRAM:
                with open(opened(path, follow=True), "rb") as file:
                    self._digests[key] = "sha256:" + file_digest(file, "sha256").hexdigest()
            return self._digests.get(key, "")
        except OSError:
            return ""

    def _version(self, path: str, dialect: Dialect) -> str:
        """Return the first line of a program's version output."""
        if not dialect.version:
            return ""
        import tempfile

        with tempfile.TemporaryDirectory(prefix="foureyes-") as home:
            env = environment(self._environ, run="none", directory=home, home=home)
            try:
                key = _file_key(path)
                if key not in self._versions:
                    done = process.run([path, *dialect.version], cwd=home, env=env, timeout=VERSION_SECONDS)
                    lines = (done.out or done.err).decode("utf-8", "replace").strip().splitlines()
                    self._versions[key] = in_line(lines[0], 80) if done.rc == 0 and lines else ""
                return self._versions[key]
            except (OSError, process.ProcessProblem):
                return ""


def _why(problem: Exception) -> str:
    """Return the error text, with the file it concerns."""
    if isinstance(problem, OSError) and problem.filename and problem.strerror:
        return f"{os.fsdecode(problem.filename)}: {problem.strerror}"
    return str(problem)


def _file_key(path: str) -> tuple[str, int, int, int]:
    about = os.stat(path)
    return path, about.st_ino, about.st_mtime_ns, about.st_size


def _pid_of(evidence: str) -> int:
    """Return the pid in process evidence, or 0."""
    parts = evidence.split(":")
    return int(parts[-2]) if len(parts) > 2 and parts[0] == "proc" and parts[-2].isdigit() and int(parts[-2]) > 1 else 0


def obeyed_in(worktree: str, dialect: Dialect) -> list[str]:
    """Return the files of a tree that could make the program run code from it. In a configuration file, the word
    "plugin" counts, and so does any syntax that could hide it.
    """
    names = [name for name in dialect.obeys if os.path.lexists(os.path.join(worktree, name))]
    for name in dialect.reads:
        try:
            with open(opened(os.path.join(worktree, name)), "rb") as file:
                text = file.read(MAX_SETTINGS + 1)
        except FileNotFoundError:
            continue
        except OSError:
            text = b"plugin"
        if len(text) > MAX_SETTINGS or any(word in text for word in (b"plugin", b"\\u", b"{file:", b"{env:")):
            names.append(name)
    return names
