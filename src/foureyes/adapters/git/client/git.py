"""Runs git: its arguments and environment, and what happens if it fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, cached_property, partial
from os.path import join
from typing import TYPE_CHECKING

from foureyes.adapters import process
from foureyes.adapters.git.client.answers import explained, last_words
from foureyes.adapters.git.client.clean_room import CleanRoom, shared_mode
from foureyes.adapters.git.client.config_programs import GitSetting, OwnConfig, own_settings, silenced
from foureyes.adapters.git.client.locate import LOOK
from foureyes.adapters.git.client.odd_files import KEPT, held_by, refuse_odd, refuse_odd_refs
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import Steps, either, fe, in_turn, prose, shell

if TYPE_CHECKING:
    from foureyes.adapters.git.client.clean_room_objects import Entrance
    from foureyes.adapters.git.client.locate import Located
    from foureyes.adapters.git.client.object_reader import Lookup
    from foureyes.adapters.pipes import AskedProgram, Both


# ---- Git ----

# Five ways to run git. `room`: in the clean room, for every fact behind a decision. `store`: there too, but writes
# objects to the repository's store. `doorstep`: on the repository's unverified objects, without any configuration,
# never for decisions. `real`: in the repository without the user's environment, configuration and hooks, and without
# its configured filters when it touches files, for refs and file states. `own`: as the caller's own git, for commits.

NAME, EMAIL = "Foureyes gate", "foureyes@localhost"
DURABLE = ("-c", "core.fsync=objects,reference")
"""Options that make git sync more than by default. The journal survives a power cut (`synchronous=FULL`), and its
merges must too.
"""

OLDEST = (2, 38)
"""The first git with `merge-tree --write-tree`. (A3)"""

READ_TIMEOUT = 120.0
COMMIT_TIMEOUT = 1800.0
"""Longest time for a commit, in seconds. The caller's hooks may run a test suite."""

FETCH = either(
    shell("git", "fsck"), shell("git", "fetch", "--refetch", "--no-filter", before="in a partial clone: "), joint="; "
)
"""Step for missing objects. Reading never fetches them, because that would ask a server with the user's keys."""

_OFFLINE = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # before 2.44 git minds only this, and the repository names the program to fetch with
}
# Git allocates a quarter of a megabyte per compressed object and by default returns it to the system each time. For
# 2,000 loose files that costs more than everything else. Only the GNU C library reads these variables.
_THRIFTY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 26), "MALLOC_MMAP_THRESHOLD_": str(1 << 25)}
_SCRUBBED = (
    _OFFLINE
    | _THRIFTY
    | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
    }
)
_ALWAYS = ("--no-replace-objects", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_OWN = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")


class Git:
    """Git for one repository, seen from one worktree."""

    def __init__(self, git_dir: str, common_dir: str) -> None:
        self.git_dir = git_dir
        self.common_dir = common_dir
        self._room = CleanRoom(common_dir)
        self._config = OwnConfig(common_dir)
        self._checked_folders: set[str] = set()

    @property
    def room_path(self) -> str:
        """The path of the clean room. Callers may add files."""
        return self._room.path

    def room(
        self,
        *args: str,
        stdin: bytes = b"",
        ok: tuple[int, ...] = (0,),
        env: Mapping[str, str] | None = None,
        history: Sequence[Sha] = (),
        trees: Sequence[Sha] = (),
    ) -> process.Finished:
        """Run git in the clean room. Raise GitProblem for an exit code not in `ok`.

        The needed objects are first copied in and verified by hash: `history` are the commits whose ancestry matters,
        `trees` the commits or trees to compare or merge. No other objects exist there.
        """
        if history:
            self.entrance.history(*history)
        if trees:
            self.entrance.differences(*trees)
        return self._inside(self._room.path, args, stdin, ok, env)

    def doorstep(
        self, *args: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,), env: Mapping[str, str] | None = None
    ) -> process.Finished:
        """Run git with the repository's objects and nothing else of it. The objects are not verified, so no decision
        may rely on the output."""
        return self._inside(self._room.doorstep, args, stdin, ok, env)

    def _inside(
        self, where: str, args: tuple[str, ...], stdin: bytes, ok: tuple[int, ...], env: Mapping[str, str] | None
    ) -> process.Finished:
        environment = {**scrubbed(), **self._room.environment(), **(env or {})}
        refuse_odd(self.common_dir, self.common_dir)
        held = partial(held_by, self.common_dir)
        return _run([f"--git-dir={where}", *_ALWAYS], args, where, environment, stdin, ok, held=held)

    @cached_property
    def lookup(self) -> Lookup:
        """The reader for commits and trees by hash. It refers to the room, not to this object, so that both can be
        collected.
        """
        from foureyes.adapters.git.client.object_reader import Lookup, ObjectReader

        room, common_dir = self._room, self.common_dir
        return Lookup(common_dir, lambda: room.path, ObjectReader(lambda: _conversation(room, common_dir), common_dir))

    @cached_property
    def entrance(self) -> Entrance:
        """The object that copies others into the clean room."""
        from foureyes.adapters.git.client.clean_room_objects import Entrance, RoomWays

        room, common_dir = self._room, self.common_dir
        ways = RoomWays(
            lambda first, second, names: _through(room, common_dir, room.doorstep, first, second, names),
            lambda first, second, names: _through(
                room, common_dir, room.path, first, (*_durable(common_dir), *second), names, _to_store(common_dir)
            ),
            lambda tip, since: _listed(room, tip, since),
        )
        return Entrance(self.lookup, ways)

    @contextmanager
    def scratch_index(self) -> Iterator[dict[str, str]]:
        """Yield the environment for clean room calls that share a temporary index."""
        path = join(self.room_path, f"index-{os.urandom(8).hex()}")
        try:
            yield {"GIT_INDEX_FILE": path}
        finally:
            with suppress(OSError):
                os.unlink(path)

    def store(
        self, *args: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,), env: Mapping[str, str] | None = None
    ) -> process.Finished:
        """Create an object from the input alone and write it to the repository's store."""
        where = {**_to_store(self.common_dir), **(env or {})}
        return self.room(*_durable(self.common_dir), *args, stdin=stdin, ok=ok, env=where)

    def publish(self, tree: Sha) -> None:
        """Write objects created in the clean room for a tree, such as a merge result, to the repository's store."""
        self.entrance.publish(tree)

    def real(
        self, *args: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,), git_dir: str = "", work_tree: str = ""
    ) -> process.Finished:
        """Run git in the repository. Never writes the index's stat cache."""
        where = git_dir or self.git_dir
        before = [f"--git-dir={where}", *_ALWAYS]
        if work_tree:
            before += [f"--work-tree={work_tree}", *silenced(self.settings(where))]
        self._check_folder(where, *(word for word in args if word.startswith(KEPT)))
        held = partial(held_by, self.common_dir, work_tree)
        return _run(before, args, work_tree or where, scrubbed(), stdin, ok, held=held)

    def _check_folder(self, git_dir: str, *named: str) -> None:
        """Raise GitProblem if a file that git is about to read would block it forever. The named refs are checked, and
        once all refs except the kept ones.
        """
        refuse_odd(git_dir, self.common_dir)
        for below in {"refs", *named} - self._checked_folders:
            refuse_odd_refs(self.common_dir, below)
            self._checked_folders.add(below)

    def settings(self, git_dir: str) -> list[GitSetting]:
        """Return the repository's own configuration, as seen from one of its git directories."""
        return self._config.seen_from(git_dir, lambda seen: own_settings(self.real, seen))

    def own(
        self,
        *args: str,
        cwd: str,
        ok: tuple[int, ...] = (0,),
        stdin: bytes = b"",
        offline: bool = False,
        index: str = "",
    ) -> process.Finished:
        """Run git with the caller's own configuration, hooks and identity, in the repository around `cwd`.

        `offline` forbids fetching by any configured program. `index` replaces the index of the worktree.
        """
        self._check_folder(self.git_dir)
        held = partial(held_by, self.common_dir, cwd)
        env = callers_own() | (_OFFLINE if offline else {}) | ({"GIT_INDEX_FILE": index} if index else {})
        return _run([], args, cwd, env, stdin, ok, timeout=COMMIT_TIMEOUT, held=held)

    def users_setting(self, key: str) -> str:
        """Return a path configured by the user or the system, not by a repository, or an empty string."""
        before = [f"--git-dir={self._room.path}"]
        args = ("config", "--null", "--type=path", "--get-all", key)
        answer = _run(before, args, self._room.path, callers_own(), b"", (0, 1))
        values = [value for value in answer.out.split(b"\0") if value]
        return os.fsdecode(values[-1]) if values else ""

    def close(self) -> None:
        """Remove the clean room now rather than at exit."""
        if "lookup" in self.__dict__:
            self.lookup.reader.close()
        self._room.close()


def _durable(common_dir: str) -> tuple[str, ...]:
    shared = shared_mode(common_dir)
    return (*DURABLE, *(("-c", f"core.sharedRepository={shared}") if shared else ()))


def _to_store(common_dir: str) -> dict[str, str]:
    return {"GIT_OBJECT_DIRECTORY": join(common_dir, "objects")}


def _listed(room: CleanRoom, tip: Sha, since: Sha | None) -> list[Sha]:
    """Return the commits that one commit has and another lacks, as far as git can list them on the doorstep."""
    if tip == since:
        return []
    where, env = room.doorstep, {**scrubbed(), **room.environment()}
    done = _run(
        [f"--git-dir={where}", *_ALWAYS],
        ("rev-list", "--ignore-missing", tip, *([f"^{since}"] if since else [])),
        where,
        env,
        b"",
        (0, 128),
    )
    return [Sha(word) for word in done.out.decode("ascii", "replace").split()]


def _conversation(room: CleanRoom, common_dir: str) -> AskedProgram:
    """Start a git on the doorstep that returns one object after another."""
    from foureyes.adapters.pipes import AskedProgram

    check_version()
    refuse_odd(common_dir, common_dir)
    where = room.doorstep
    argv = ["git", f"--git-dir={where}", *_ALWAYS, "cat-file", "--batch-command"]
    return AskedProgram(
        argv,
        cwd=where,
        env={**scrubbed(), **room.environment()},
        timeout=READ_TIMEOUT,
        held=partial(held_by, common_dir),
    )


def _through(
    room: CleanRoom,
    common_dir: str,
    place: str,
    first: Sequence[str],
    second: Sequence[str],
    names: bytes,
    env: Mapping[str, str] | None = None,
) -> Both:
    """Pipe a git in one place into a git in the room."""
    from foureyes.adapters.pipes import through

    check_version()
    before = {**scrubbed(), **room.environment()}
    try:
        return through(
            ["git", f"--git-dir={place}", *_ALWAYS, *first],
            ["git", f"--git-dir={room.path}", *_ALWAYS, *second],
            input=names, timeout=READ_TIMEOUT, cwd=room.path, env=before, second_env={**before, **(env or {})},
            held=partial(held_by, common_dir),
        )  # fmt: skip
    except process.ProgramHung as problem:
        raise GitProblem(f"{problem}; it was ended", next_step=LOOK) from problem
    except process.ProcessProblem as problem:
        raise GitProblem(str(problem)) from problem


def scrubbed() -> dict[str, str]:
    """Return the environment without any variable that affects git."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _SCRUBBED


def callers_own() -> dict[str, str]:
    """Return the caller's environment without variables that select another repository, index or object store."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_OWN)}


def check_version() -> None:
    """Raise GitProblem when git is missing or older than 2.38. Checked once per PATH."""
    version = _version(os.environ.get("PATH", ""))
    if version < OLDEST:
        raise GitProblem(
            f"git {_dotted(version)} is too old: Foureyes needs git {_dotted(OLDEST)} or newer",
            next_step=prose(f"install git {_dotted(OLDEST)} or newer"),
        )


@cache
def _version(path: str) -> tuple[int, ...]:
    answer = _start(["git", "--version"], None, {**scrubbed(), "PATH": path}, b"", READ_TIMEOUT).out
    words = answer.decode("ascii", "replace").split()
    numbers = words[2].split(".")[:3] if len(words) > 2 and words[:2] == ["git", "version"] else []
    version = tuple(int(number) for number in numbers if number.isdecimal())
    if len(version) < 2:
        raise GitProblem(f"git printed no version, but {' '.join(words)[:80]!r}", next_step=shell("git", "--version"))
    return version


def _run(
    before: list[str],
    args: tuple[str, ...],
    cwd: str,
    env: dict[str, str],
    stdin: bytes,
    ok: tuple[int, ...],
    timeout: float = READ_TIMEOUT,
    held: Callable[[], str] | None = None,
) -> process.Finished:
    check_version()
    done = _start(["git", *before, *args], cwd, env, stdin, timeout, held)
    if done.rc not in ok:
        command = next((word for word in args if not word.startswith("-") and "=" not in word), args[0])
        words = last_words(done)
        message = f"git {command} failed: {words}"
        raise GitProblem(message, next_step=FETCH) if "unable to read" in words else explained(message)
    return done


def _start(
    argv: list[str],
    cwd: str | None,
    env: dict[str, str],
    stdin: bytes,
    timeout: float,
    held: Callable[[], str] | None = None,
) -> process.Finished:
    try:
        return process.run(argv, cwd=cwd, env=env, input=stdin, timeout=timeout, held=held)
    except process.ProgramHung as problem:
        raise GitProblem(f"{problem}; it was ended", next_step=LOOK) from problem
    except process.ProgramMissing as missing:
        raise GitProblem(
            "git was not found on the PATH", next_step=prose(f"install git {_dotted(OLDEST)} or newer")
        ) from missing
    except process.ProcessProblem as problem:
        raise GitProblem(str(problem)) from problem


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(number) for number in version)


# ---- Repositories that git refuses ----

ANY = (0, 1, 128)


def refuse_refused(git: Git, place: Located) -> None:
    """Raise GitProblem if git refuses the repository for this user or cannot read the checked-out commit."""
    here = place.worktree
    if here == place.git_dir:  # bare: whether it may be found from a directory is a setting of the user's
        return
    asked = git.own("rev-parse", "--git-dir", cwd=here, ok=ANY)
    if asked.rc:
        raise GitProblem(f"git refuses the repository {here}: {last_words(asked)}", next_step=_repair(place))
    if git.own("rev-parse", "--verify", "--quiet", "HEAD", cwd=here, ok=ANY).rc:
        return  # nothing is committed yet
    read = git.own("cat-file", "-e", "HEAD^{tree}", cwd=here, ok=ANY)
    if read.rc:
        raise GitProblem(
            f"git cannot read the commit that is checked out in {here}: {last_words(read)}",
            next_step=in_turn(shell("git", "-C", here, "fsck", before="fix the setting named here: "), fe("init")),
        )


def _repair(place: Located) -> Steps:
    """Return the next step: trust another user's files, or read git's own diagnosis."""
    owners = {os.lstat(path).st_uid for path in (place.worktree, place.git_dir) if os.path.lexists(path)}
    if owners != {os.geteuid()}:
        trust = shell(
            "git", "config", "--global", "--add", "safe.directory", place.worktree,
            before="it belongs to another user. If you trust its contents: ",
        )  # fmt: skip
        return in_turn(trust, fe("init"))
    return in_turn(shell("git", "-C", place.worktree, "status", before="fix what this prints: "), fe("init"))
