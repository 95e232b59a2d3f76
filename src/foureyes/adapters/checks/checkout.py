"""The throwaway checkout of a check (D5): its directory, the files of the tree, its variables, and how a command runs there."""

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
from foureyes.adapters.contents import unlike
from foureyes.adapters.process import ProcessProblem, ProgramEnd, run, supervise
from foureyes.app.ports import TreeFiles
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
from foureyes.core.nouns.session import RUN_MARK
from foureyes.core.words.fence import named
from foureyes.core.words.text import readable, visible

if TYPE_CHECKING:
    from foureyes.adapters.checks.sandbox import Room


# ---- A stand ----

StopAsked = Callable[[], bool]


class Unprepared(Exception):
    """A check cannot stand anywhere; the sentence says why."""


class OwnParts(Exception):
    """A tree has something of its own where its environment is; the sentence says what, and what to do about it."""


class Stopped(Exception):
    """Whoever waits is not needed any more."""

    def __init__(self) -> None:
        super().__init__("it was stopped")


class Stand(msgspec.Struct, frozen=True):
    """A place, in a room or not. `first`: what goes before the PATH, as the check sees it. `disturbed`: why its files
    are not those that were laid there, if somebody else wrote to them. `environment`: the key of the one that is there.
    `changed`: the files of the tree that are others now, with what is there. `beside`: the tree of the target for which
    alone a run there says something.
    """

    place: str
    seen: str
    room: Room | None = None
    first: tuple[str, ...] = ()
    disturbed: Callable[[], str] = str
    environment: str = ""
    changed: Callable[[], Mapping[str, str]] = dict
    beside: str = ""

    @property
    def work(self) -> str:
        """The tree, as the check sees it."""
        return os.path.join(self.seen, "work")

    def readable(self, path: str) -> str:
        """Where we can read what the check sees there."""
        return self.room.inside(path) if self.room is not None else path

    def run(
        self, command: str, env: Mapping[str, str], timeout: float, hear: Callable[[bytes], None],
        stop: Callable[[int], bool],
    ) -> ProgramEnd:  # fmt: skip
        """A command of the project, in its tree."""
        return run_in(self.room, [SHELL, "-c", command], self.work, env, timeout, hear, stop)


def run_in(
    room: Room | None, argv: Sequence[str], cwd: str, env: Mapping[str, str], timeout: float,
    hear: Callable[[bytes], None], stop: Callable[[int], bool] | None = None,
) -> ProgramEnd:  # fmt: skip
    """Run a program in a room, or where there is none; nothing that it started is left."""
    if room is None:
        return supervise(argv, cwd=cwd, env=env, timeout=timeout, hear=hear, stop=stop)
    return supervise(room.entering(cwd, argv), env=env, timeout=timeout, hear=hear, stop=stop)


def why_ended(ended: ProgramEnd, minutes: int) -> str:
    """How a command ended that had to end well; empty where it did."""
    if ended.timed_out:
        return f"was still running after {minutes} minutes"
    if ended.rc is None:
        return f"did not end: {ended.problem}"
    return f"ended with exit code {ended.rc}" if ended.rc else ""


# ---- The environment variables of a check ----

SHELL = "/bin/sh"
PREPARE = "prepare"
"""What the making of an environment is called where a check has its name."""
REPORTS = {"junit": "report.xml", "sarif": "report.sarif"}
REPORT_PATH = "FOUREYES_REPORT"
PASSED_ON = ("LANG", "TZ")
NEVER_PASSED_ON = ("FOUREYES_", "GIT_", "SSH_")
HOMES = {
    "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state", "XDG_RUNTIME_DIR": ".run",
}  # fmt: skip
COPIED = {"UV_LINK_MODE": "copy"}
"""What an installer takes from a cache must not be the cache's own file."""


def environment(environ: Mapping[str, str], rule: CheckRule, place: str, first: Sequence[str] = ()) -> dict[str, str]:
    """All that a check finds in its environment. What it asks for by name never replaces what is set here. `first` goes
    before the PATH.
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
    """Java asks the system where the home is; what Maven and Gradle fetch belongs into that of the check."""
    return {"MAVEN_OPTS": f"-Duser.home={home}", "GRADLE_USER_HOME": os.path.join(home, ".gradle")}


def clean_path(path: str) -> str:
    """Only absolute directories: a relative one, or an empty one, is a directory of the files that are checked."""
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if entry.startswith("/")) or os.defpath


def _toolchains(environ: Mapping[str, str]) -> dict[str, str]:
    """Where rustup has its toolchains, which it looks for in the home: a check has an empty one."""
    home = os.path.join(environ.get("HOME") or "/", ".rustup")
    return {"RUSTUP_HOME": home} if os.path.isdir(home) else {}


# ---- Throwaway directories of checks ----

INSIDE = ("work", "home", "tmp", "report", "home/.run")
REMOVING = 600.0


@contextmanager
def scratch(environ: Mapping[str, str], checkouts: Sequence[str]) -> Iterator[str]:
    """A place for one check, with all that is in one; removed in any case."""
    with made(environ, checkouts) as place:
        for name in INSIDE:
            os.mkdir(os.path.join(place, name), 0o700)
        yield place


@contextmanager
def made(environ: Mapping[str, str], checkouts: Sequence[str]) -> Iterator[str]:
    """An empty directory that nobody else can enter or guess; those of killed processes are removed first. Never in a
    checkout: tools look for their files in every directory above (node_modules, go.work, .cargo).
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
    """Also with directories that may not be written to or read, and with deeper ones than a recursion reaches."""
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
    """A line about what could not be removed: another user's files, made by a program that may do that."""
    return f"\n({place} could not be removed.)\n" if os.path.lexists(place) else ""


# ---- The files of one tree for several checks ----

# What one check does to its files, another never sees. The files that are shared can be written by whoever is the same
# user, a check among them; so what the kernel says of each of them (its content cannot change without that) is kept in
# memory, and compared whenever they were used.

COPYING = 600.0
TRIES = 3


class Exported:
    """A tree below `place`, a directory that is its own; written with the first use, and again when it was changed."""

    def __init__(self, export: Callable[[str], None], place: str, files: Callable[[], Mapping[str, str]]) -> None:
        self._export = export
        self._files = files
        self._place = place
        self.path = os.path.join(place, "tree")
        self._seal = ""

    def written(self, *, look: bool = True) -> str:
        """The directory with the files as they were committed. `look`: see that they still are, for who does not ask
        afterwards.
        """
        if not self._seal or (look and not self.is_sound()):
            self._write()
        return self.path

    def _write(self) -> None:
        """What is written between git's last file and the seal is found by its content."""
        other = ""
        for _ in range(TRIES):
            remove(self.path)
            os.mkdir(self.path, 0o700)
            self._export(self.path)
            self._seal = seal(self.path)
            if not (other := unlike(self.path, self._files())):
                return
        self._seal = ""
        raise OSError(errno.EIO, "another program writes to the files of its tree", visible(other))

    def is_sound(self) -> bool:
        """Whether nobody wrote there since git did; else it is written again with the next use."""
        is_sound = seal(self.path) == self._seal
        self._seal = self._seal if is_sound else ""
        return is_sound

    def copy_to(self, work: str) -> None:
        """The files of the tree in an empty directory; what was changed meanwhile is copied again."""
        for _ in range(TRIES):
            copy_tree(self.written(), work)
            if self.is_sound():
                return
            remove(work)
            os.mkdir(work, 0o700)
        self._export(work)

    def move_to(self, work: str) -> None:
        """The files themselves in the place of an empty directory: nobody needs them here any more."""
        os.rename(self.written(), work)
        self._seal = ""

    def close(self) -> None:
        remove(self._place)


def copy_tree(source: str, into: str) -> None:
    """Copy a directory into another, links as links, times and rights as they are."""
    done = run(["/bin/cp", "-a", source + "/.", into], timeout=COPYING)
    if done.rc != 0:
        raise OSError(errno.EIO, f"its files could not be copied: {readable(done.err).strip()}", into)


def seal(path: str) -> str:
    """What the kernel says of everything below a directory, as a digest. A write changes it, whatever is done
    afterwards: nobody sets the time of a change.
    """
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


# ---- Overlaps (D5) ----

WHOLE = frozenset({".venv", "venv", "node_modules"})
"""Directories of which every file is an environment's: a new one in there is as good as another program."""
ALL = ("**",)


def refuse_own_parts(tree: str, environment: str, rule: CheckoutRule, files: TreeFiles) -> str:
    """D5: an attempt that changes what `prepare` makes does not run, and fails by that. What the target has or had
    there, too, somebody agreed to; and inputs are what an environment is known by. The tree of the target for which
    alone it may run; empty where that is on record.
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
    beside = files.agreed_beside() if own else {}
    for path in own:
        if now[path] != beside.get(path):
            is_older = any(now[path] == had.get(path) for had in files.of_target(ALL))
            raise OwnParts(_older(path) if is_older else _changed(path))
    return files.beside if own else ""


def _changed(path: str) -> str:
    where = f"it changes {named(path)}, where checkout.prepare makes something"
    return f"{where}: take that out of the tree, or name it in checkout.extra_inputs"


def _older(path: str) -> str:
    """What a commit by hand brought is not the change's: it can take nothing out."""
    where = f"{named(path)} lies where checkout.prepare makes something; it was there where the change begins"
    return (
        f"{where}, and the last merge on record lacks it: take it off the target, or name it in checkout.extra_inputs"
    )


def overlaps(tree: str, environment: str, whole: frozenset[str] = frozenset(), here: str = "") -> Iterator[str]:
    """The paths at which both have something; of directories that both have, those inside, or, if called like one of
    `whole`, their own.
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
