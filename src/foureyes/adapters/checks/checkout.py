"""Builds the throwaway checkout of a check: its directory, files, variables and a way to run a command there. (D5)"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters import folders
from foureyes.adapters.checks.code_origin import SCRATCH
from foureyes.adapters.process import ProcessProblem, ProgramEnd, run, supervise
from foureyes.adapters.tree_comparison import unlike
from foureyes.app.ports import TreeFiles
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
from foureyes.core.nouns.session import RUN_MARK
from foureyes.core.words.text import readable, visible
from foureyes.core.words.untrusted_text import named

if TYPE_CHECKING:
    from foureyes.adapters.checks.sandbox import Sandbox


# ---- The checkout of a check ----

StopAsked = Callable[[], bool]


class Unprepared(Exception):
    """Raised if no sandbox could be prepared for a check, with the reason."""


class OwnParts(Exception):
    """Raised if the tree changes files that its environment provides. The message names the file and the fix."""


class Stopped(Exception):
    """Raised if the caller cancelled the run."""

    def __init__(self) -> None:
        super().__init__("it was stopped")


class PreparedCheckout(msgspec.Struct, frozen=True):
    """A prepared checkout for a check, in a sandbox or not.

    - first: directories to put before PATH, as the check sees them
    - disturbed: returns why its files are not as they were, if another program wrote to them
    - environment: the cache key of its environment
    - changed: returns the modified files of the tree with their current state
    - beside: the only tree of the target for which a run here is valid, "" for any
    """

    place: str
    seen: str
    sandbox: Sandbox | None = None
    first: tuple[str, ...] = ()
    disturbed: Callable[[], str] = str
    environment: str = ""
    changed: Callable[[], Mapping[str, str]] = dict
    for_start: str = ""

    @property
    def work(self) -> str:
        """Path of the tree, as the check sees it."""
        return os.path.join(self.seen, "work")

    def readable(self, path: str) -> str:
        """Return the path by which we can read a path that the check sees."""
        return self.sandbox.inside(path) if self.sandbox is not None else path

    def run(
        self, command: str, env: Mapping[str, str], timeout: float, hear: Callable[[bytes], None],
        stop: Callable[[int], bool],
    ) -> ProgramEnd:  # fmt: skip
        """Run a shell command of the project in its tree."""
        return run_in(self.sandbox, [SHELL, "-c", command], self.work, env, timeout, hear, stop)


def run_in(
    sandbox: Sandbox | None, argv: Sequence[str], cwd: str, env: Mapping[str, str], timeout: float,
    hear: Callable[[bytes], None], stop: Callable[[int], bool] | None = None,
) -> ProgramEnd:  # fmt: skip
    """Run a program in a sandbox, or without one if `sandbox` is None. Kills everything that it started."""
    if sandbox is None:
        return supervise(argv, cwd=cwd, env=env, timeout=timeout, hear=hear, stop=stop)
    return supervise(sandbox.entering(cwd, argv), env=env, timeout=timeout, hear=hear, stop=stop)


def why_ended(ended: ProgramEnd, minutes: int) -> str:
    """Return why a command that had to succeed failed, or ""."""
    if ended.timed_out:
        return f"was still running after {minutes} minutes"
    if ended.rc is None:
        return f"did not end: {ended.problem}"
    return f"ended with exit code {ended.rc}" if ended.rc else ""


# ---- The environment variables of a check ----

SHELL = "/bin/sh"
PREPARE = "prepare"
"""Name of the step that builds the environment, used in place of a check's name."""
REPORTS = {"junit": "report.xml", "sarif": "report.sarif"}
REPORT_PATH = "FOUREYES_REPORT"
PASSED_ON = ("LANG", "TZ")
NEVER_PASSED_ON = ("FOUREYES_", "GIT_", "SSH_")
HOMES = {
    "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state", "XDG_RUNTIME_DIR": ".run",
}  # fmt: skip
COPIED = {"UV_LINK_MODE": "copy"}
"""Makes installers copy files. A linked file could be written through to the installer's cache."""


def environment(environ: Mapping[str, str], rule: CheckRule, place: str, first: Sequence[str] = ()) -> dict[str, str]:
    """Return all environment variables of a check. Those it asks for by name never override the ones set here. `first`
    goes before the PATH.
    """
    home = os.path.join(place, "home")
    asked = {name: environ[name] for name in rule.env if name in environ and not name.startswith(NEVER_PASSED_ON)}
    words = {name: value for name, value in environ.items() if name in PASSED_ON or name.startswith("LC_")}
    report = {REPORT_PATH: os.path.join(place, "report", REPORTS[rule.report])} if rule.report in REPORTS else {}
    has_own = rule.checkout is not None or rule.name == PREPARE
    return {
        **_toolchains(environ),
        **(_of_java(home) if has_own else {}),
        **asked,
        **words,
        **{name: os.path.join(home, below) for name, below in HOMES.items()},
        **report,
        "PATH": os.pathsep.join([*first, clean_path(environ.get("PATH", ""))]),
        "HOME": home,
        "TMPDIR": os.path.join(place, "tmp"),
        "TERM": "dumb",
        "CI": "1",
        **(COPIED if has_own else {}),
        RUN_MARK: "check",
    }


def _of_java(home: str) -> dict[str, str]:
    """Return variables that point Maven and Gradle to the check's home. Java ignores HOME and asks the system."""
    return {"MAVEN_OPTS": f"-Duser.home={home}", "GRADLE_USER_HOME": os.path.join(home, ".gradle")}


def clean_path(path: str) -> str:
    """Return PATH with absolute directories only. A relative or empty entry would mean a directory of the tested files."""
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if entry.startswith("/")) or os.defpath


def _toolchains(environ: Mapping[str, str]) -> dict[str, str]:
    """Return where the rustup toolchains are. Rustup would look in the home, which is empty for a check."""
    home = os.path.join(environ.get("HOME") or "/", ".rustup")
    return {"RUSTUP_HOME": home} if os.path.isdir(home) else {}


# ---- Throwaway directories of checks ----

INSIDE = ("work", "home", "tmp", "report", "home/.run")
REMOVING = 600.0


@contextmanager
def scratch(environ: Mapping[str, str], checkouts: Sequence[str]) -> Iterator[str]:
    """Create a furnished directory for one check and remove it in any case."""
    with made(environ, checkouts) as place:
        for name in INSIDE:
            os.mkdir(os.path.join(place, name), 0o700)
        yield place


@contextmanager
def made(environ: Mapping[str, str], checkouts: Sequence[str]) -> Iterator[str]:
    """Create a private directory with an unpredictable name, and remove it in any case.

    Those left by killed processes are removed too. It is never inside a checkout, because tools search every parent
    directory (node_modules, go.work, .cargo).
    """
    around = os.path.realpath(environ.get("TMPDIR") or "/tmp") + "/"  # noqa: S108
    if any(around.startswith(os.path.realpath(checkout) + "/") for checkout in checkouts):
        around = "/tmp"  # noqa: S108
    for place in folders.abandoned(around, SCRATCH):
        remove(place)
    place, held = folders.scratch(os.path.realpath(around), SCRATCH)
    try:
        yield place
    finally:
        os.close(held)
        remove(place)


def remove(place: str) -> None:
    """Remove a directory, even with unwritable, unreadable or very deep subdirectories."""
    import shutil

    try:
        shutil.rmtree(place)
    except FileNotFoundError:
        if not os.path.lexists(place):
            return
        _by_force(place)
    except (OSError, RecursionError):
        _by_force(place)


def _by_force(place: str) -> None:
    for command in (["/bin/chmod", "-R", "u+rwx", place], ["/bin/rm", "-rf", place]):
        with suppress(ProcessProblem):
            run(command, timeout=REMOVING)


def remains(place: str) -> str:
    """Return a line about files that could not be removed because another user owns them, or ""."""
    return f"\n({place} could not be removed.)\n" if os.path.lexists(place) else ""


# ---- The files of one tree for several checks ----

# A check never sees another check's changes to its files. Every process of the same user, including a check, can write
# to the shared files. So their metadata, which changes with any write, is kept in memory and compared after each use.

COPYING = 600.0
TRIES = 3


class Exported:
    """A tree exported to its own directory `place`, on first use and again after any change."""

    def __init__(self, export: Callable[[str], None], place: str, files: Callable[[], Mapping[str, str]]) -> None:
        self._export = export
        self._files = files
        self._place = place
        self.path = os.path.join(place, "tree")
        self._fingerprint = ""

    def written(self, *, verify: bool = True) -> str:
        """Return the directory with the files as committed. With `verify`, make sure that they are. Without it, call
        is_sound() after use.
        """
        if not self._fingerprint or (verify and not self.is_sound()):
            self._write()
        return self.path

    def _write(self) -> None:
        """Export the tree and compare its contents. This also finds writes made before its fingerprint was taken."""
        other = ""
        for _ in range(TRIES):
            remove(self.path)
            os.mkdir(self.path, 0o700)
            self._export(self.path)
            self._fingerprint = fingerprint(self.path)
            if not (other := unlike(self.path, self._files())):
                return
        self._fingerprint = ""
        raise OSError(errno.EIO, "another program writes to the files of its checkout", visible(other))

    def is_sound(self) -> bool:
        """Return True if the files are unchanged. Otherwise the next use writes them again."""
        is_sound = fingerprint(self.path) == self._fingerprint
        self._fingerprint = self._fingerprint if is_sound else ""
        return is_sound

    def copy_to(self, work: str) -> None:
        """Copy the files into an empty directory. Repeat that if the source changed meanwhile."""
        for _ in range(TRIES):
            copy_tree(self.written(), work)
            if self.is_sound():
                return
            remove(work)
            os.mkdir(work, 0o700)
        self._export(work)

    def move_to(self, work: str) -> None:
        """Move the files over an empty directory. Use this for the last check of a tree."""
        os.rename(self.written(), work)
        self._fingerprint = ""

    def close(self) -> None:
        remove(self._place)


def copy_tree(source: str, into: str) -> None:
    """Copy a directory into another and keep links, times and permissions."""
    done = run(["/bin/cp", "-a", source + "/.", into], timeout=COPYING)
    if done.rc != 0:
        raise OSError(errno.EIO, f"its files could not be copied: {readable(done.err).strip()}", into)


def fingerprint(path: str) -> str:
    """Return a digest of the metadata of everything below a directory. Any write changes it, because no program can set
    a file's ctime."""
    digest, ahead = sha256(), [path]
    while ahead:
        folder = ahead.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            digest.update(b"unreadable\0")
            continue
        for entry in entries:
            digest.update(os.fsencode(entry.name) + b"\0" + _facts(entry))
            if entry.is_dir(follow_symlinks=False):
                ahead.append(entry.path)
        digest.update(b"\0\0")
    return digest.hexdigest()


def _facts(entry: os.DirEntry[str]) -> bytes:
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError:
        return b"gone\0"
    facts = (about.st_ino, about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    return repr(facts).encode()


# ---- Files of the tree in the environment's place (D5) ----

WHOLE = frozenset({".venv", "venv", "node_modules"})
"""Directories that belong to an environment as a whole. A new file in one is like a changed program."""
ALL = ("**",)


def refuse_own_parts(tree: str, environment: str, rule: CheckoutRule, files: TreeFiles) -> str:
    """Raise OwnParts if an attempt changes files that `prepare` creates. Return the only tree of the target for which
    the run is valid, or "". (D5)

    Files that the target has or had are allowed because they were approved, and inputs because they are part of the
    environment's key.
    """
    places = list(overlaps(tree, environment, WHOLE))
    if not places:
        return ""
    now, before = files.listed(ALL), files.agreed()
    own = [
        path
        for path in sorted(now.keys() - files.listed(rule.inputs).keys())
        if any(path == place or path.startswith(f"{place}/") for place in places)
        and not any(now[path] == had.get(path) for had in before)
    ]
    for_start = files.agreed_for_start() if own else {}
    for path in own:
        if now[path] != for_start.get(path):
            is_older = any(now[path] == had.get(path) for had in files.of_target(ALL))
            raise OwnParts(_older(path) if is_older else _changed(path))
    return files.for_start if own else ""


def _changed(path: str) -> str:
    where = f"it changes {named(path)}, which checkout.prepare creates"
    return f"{where}. Remove it from the change, or list it in checkout.extra_inputs"


def _older(path: str) -> str:
    """Return the message for a file from an earlier manual commit, which this change cannot remove."""
    where = f"{named(path)} is committed but also created by checkout.prepare, already before the change"
    return (
        f"{where}, and the last recorded merge lacks it. Remove it from the target, or list it in checkout.extra_inputs"
    )


def overlaps(tree: str, environment: str, whole: frozenset[str] = frozenset(), here: str = "") -> Iterator[str]:
    """Yield the paths that both have. If both have a directory, yield what both have in it, or the directory itself if
    its name is in `whole`.
    """
    for name in _names(os.path.join(tree, here)):
        path = os.path.join(here, name)
        if not os.path.lexists(os.path.join(environment, path)):
            continue
        both = _is_folder(os.path.join(tree, path)) and _is_folder(os.path.join(environment, path))
        if both and name not in whole:
            yield from overlaps(tree, environment, whole, path)
        else:
            yield path


def _names(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries)


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)
