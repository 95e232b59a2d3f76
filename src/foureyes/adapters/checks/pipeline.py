"""One check in a throwaway checkout: without token, store, terminal, secrets or a home, and gone without a trace (D5).

The command is the project's own, the files are those of whoever wants them merged: nothing that either does may reach
the caller's files by a variable, hold us up, fill our memory, or outlive the check.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from foureyes.adapters.checks.exported import Exported
from foureyes.adapters.checks.scratch import make, remains, scratch
from foureyes.adapters.checks.soundness import Watch
from foureyes.adapters.folders import Odd, opened
from foureyes.adapters.process import Ended, ProcessProblem, supervise
from foureyes.core.nouns.check import CheckRule, Ran, tool_of
from foureyes.core.nouns.session import RUN_MARK
from foureyes.core.words.text import readable, visible
from foureyes.errors import GitProblem

SHELL = "/bin/sh"
REPORTS = {"junit": "report.xml", "sarif": "report.sarif"}
MAX_REPORT = 50_000_000
MAX_PROGRAM = 1_000_000_000
"""The size of a program that is still read for its digest; some files of the kernel say that they have terabytes."""
ONLY_READ = frozenset("bandit black flake8 isort mypy pylint pyright ruff semgrep".split())
"""Tools that are given the files of the tree and run none of them."""
REPORT_PATH = "FOUREYES_REPORT"
PASSED_ON = ("LANG", "TZ")
NEVER_PASSED_ON = ("FOUREYES_", "GIT_", "SSH_")
HOMES = {
    "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state", "XDG_RUNTIME_DIR": ".run",
}  # fmt: skip

HEAD, TAIL = 4_096, 12_288
"""How many bytes of the output are kept, from its beginning and from its end."""
LINE = 200
BETWEEN = 0.2
"""Seconds between two lines of progress."""

Progress = Callable[[str], None]


class Pipeline:
    """Runs checks, with what of `environ` they may see. `checkouts`: where the repository is checked out, and no code
    may come from. `minute`: how many seconds one has (tests have no time).
    """

    def __init__(self, environ: Mapping[str, str], checkouts: Sequence[str] = (), *, minute: float = 60.0) -> None:
        self._environ = environ
        self._checkouts = checkouts
        self._minute = minute
        self._trees: dict[str, Exported] = {}

    def close(self) -> None:
        """Remove what was exported for several checks."""
        for tree in self._trees.values():
            tree.close()
        self._trees.clear()

    def run(
        self,
        rule: CheckRule,
        export: Callable[[str], None],
        progress: Progress | None = None,
        stop: Callable[[], bool] | None = None,
        *,
        tree: str = "",
    ) -> Ran:
        """Run one check on what `export` writes; what cannot be started is a problem, not an exception. What is written
        for a `tree` is used again for it, until this is closed.
        """
        began = time.monotonic()
        output = Output(progress)
        left = ""
        try:
            shared = self._shared(tree, export) if tree else None
            with scratch(self._environ, self._checkouts) as place:
                ran = self._in(place, rule, shared.copy_to if shared else export, output, stop)
            left = remains(place)
        except (ProcessProblem, OSError, GitProblem) as problem:
            ran = Ran(exit_code=None, problem=visible(str(problem)))
        return replace(ran, duration_ms=round((time.monotonic() - began) * 1000), output=output.text() + left)

    def _shared(self, tree: str, export: Callable[[str], None]) -> Exported:
        if tree not in self._trees:
            self._trees[tree] = Exported(export, make(self._environ, self._checkouts))
        return self._trees[tree]

    def program(self, rule: CheckRule) -> str:
        """What of the PATH the check would run, as its results name it; empty where that cannot be told before it
        runs.
        """
        word = next((word for word in rule.run.split() if "=" not in word), "")
        return "" if "/" in word else _program(rule.run, "", _clean_path(self._environ.get("PATH", "")))

    def misled(self, rule: CheckRule) -> str:
        """The directory of a checkout that the Python of a check's command has in place, unless the tree goes first."""
        from foureyes.adapters.checks.installed import sites_of, used_in_place
        from foureyes.adapters.checks.interpreters import in_command

        if tool_of(rule.run) in ONLY_READ:
            return ""
        roots = [os.path.realpath(path) for path in self._checkouts]
        env = {"PATH": _clean_path(self._environ.get("PATH", ""))}
        for one in in_command(rule.run, env, roots[0], watch="") if roots else ():
            place = "" if one.path else used_in_place(sites_of(one.program), roots)
            # A conftest.py puts the root first, and a package in src is still found where it is installed.
            is_beside = place.endswith("/src") and not any(path.endswith("/src") for path in one.told)
            if place and (is_beside or not one.told):
                return visible(place)
        return ""

    def _in(
        self,
        place: str,
        rule: CheckRule,
        export: Callable[[str], None],
        output: Output,
        stop: Callable[[], bool] | None,
    ) -> Ran:
        work, report = os.path.join(place, "work"), os.path.join(place, "report")
        export(work)
        watch = Watch(place, self._checkouts)
        env = watch.environment(environment(self._environ, rule, place))
        program = _program(rule.run, work, env["PATH"])

        def looking(reaper: int) -> bool:
            watch.look(reaper)
            return stop is not None and stop()

        reports = os.open(report, os.O_RDONLY | os.O_DIRECTORY)  # the directory itself, wherever the check moves it
        try:
            ended = supervise(
                [SHELL, "-c", rule.run],
                cwd=work,
                env=env,
                timeout=rule.timeout_minutes * self._minute,
                hear=output.hear,
                stop=looking,
            )
            ran = replace(_seen(ended, program), elsewhere=watch.found(rule.run, env))
            return _with_report(rule, reports, work, ran)
        finally:
            os.close(reports)


def environment(environ: Mapping[str, str], rule: CheckRule, place: str) -> dict[str, str]:
    """All that a check finds in its environment. What it asks for by name never replaces what is set here."""
    home = os.path.join(place, "home")
    asked = {name: environ[name] for name in rule.env if name in environ and not name.startswith(NEVER_PASSED_ON)}
    words = {name: value for name, value in environ.items() if name in PASSED_ON or name.startswith("LC_")}
    report = {REPORT_PATH: os.path.join(place, "report", REPORTS[rule.report])} if rule.report in REPORTS else {}
    return {
        **asked,
        **words,
        **{name: os.path.join(home, below) for name, below in HOMES.items()},
        **report,
        "PATH": _clean_path(environ.get("PATH", "")),
        "HOME": home,
        "TMPDIR": os.path.join(place, "tmp"),
        "TERM": "dumb",
        "CI": "1",
        RUN_MARK: "check",
    }


def _clean_path(path: str) -> str:
    """Only absolute directories: a relative one, or an empty one, is a directory of the files that are checked."""
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if entry.startswith("/")) or os.defpath


def _seen(ended: Ended, program: str) -> Ran:
    return Ran(exit_code=ended.rc, timed_out=ended.timed_out, program=program, problem=ended.problem)


def _program(command: str, work: str, path: str) -> str:
    """The program that a command begins with, and what it is: its path and the beginning of its digest; best effort."""
    import shutil
    from hashlib import file_digest

    word = next((word for word in command.split() if "=" not in word), "")
    program = os.path.join(work, word) if "/" in word else shutil.which(word, path=path) if word else None
    try:
        if not program or not os.path.isfile(program) or not 0 < os.path.getsize(program) < MAX_PROGRAM:
            return ""
        with open(opened(program, follow=True), "rb") as file:
            digest = file_digest(file, "sha256").hexdigest()[:12]
    except (OSError, ValueError):
        return ""
    shown = program.removeprefix(work + "/") if work else program
    return f"{visible(shown)} sha256:{digest}"


def _with_report(rule: CheckRule, directory: int, work: str, ran: Ran) -> Ran:
    """What was seen, and what the report says of it; a report that is not one is a problem (G1)."""
    if rule.report == "none" or ran.exit_code is None:
        return ran
    name = REPORTS[rule.report]
    try:
        data = _read(directory, name)
        if rule.report == "junit":
            from foureyes.adapters.checks import junit

            return replace(ran, tests=junit.read(data))
        from foureyes.adapters.checks import sarif

        return replace(ran, findings=sarif.read(data, work))
    except FileNotFoundError:
        problem = f"no report was written to ${REPORT_PATH} ({name})"
    except OSError as refused:
        problem = f"the report {name} cannot be read: {refused.strerror}"
    except ValueError as wrong:
        problem = str(wrong)
    return replace(ran, problem="; ".join(filter(None, (ran.problem, problem))))


def _read(directory: int, name: str) -> bytes:
    """A plain file, and not a large one: no link, pipe or device."""
    try:
        with open(opened(name, at=directory), "rb") as file:
            data = file.read(MAX_REPORT + 1)
    except Odd as odd:
        raise ValueError(f"the report {name} is not a plain file: {odd.strerror}") from odd
    if len(data) > MAX_REPORT:
        raise ValueError(f"the report {name} is larger than {MAX_REPORT // 1_000_000} MB")
    return data


class Output:
    """The beginning and the end of what a check writes, however much that is; and its last line, now and then."""

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress
        self._next = 0.0
        self._head = b""
        self._tail = bytearray()
        self._size = 0

    def hear(self, part: bytes) -> None:
        """Take the next piece."""
        self._size += len(part)
        missing = HEAD - len(self._head)
        self._head += part[:missing] if missing > 0 else b""
        self._tail += part[max(missing, 0) :]
        if len(self._tail) > TAIL:
            del self._tail[:-TAIL]
        if self._progress is not None and time.monotonic() >= self._next and (line := self._last_line()):
            self._next = time.monotonic() + BETWEEN
            self._progress(line)

    def text(self) -> str:
        """What is kept, readable, with a line for what is not."""
        left_out = self._size - len(self._head) - len(self._tail)
        if not left_out:
            return readable(self._head + self._tail)
        return f"{readable(self._head)}\n[… {left_out:,} bytes left out …]\n{readable(bytes(self._tail))}"

    def _last_line(self) -> str:
        lines = (self._head + self._tail)[-LINE * 4 :].replace(b"\r", b"\n").split(b"\n")
        line = next((line for line in reversed(lines) if line.strip()), b"")
        return readable(line.strip())[:LINE]
