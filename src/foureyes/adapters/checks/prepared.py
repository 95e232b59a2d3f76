"""Environments of checks: what `[checkout] prepare` makes of the inputs of a tree, kept until it is not needed (D5).

`prepare` sees an export of the inputs and nothing else, so no attempt's code fills an environment that others use. An
environment is known by all that it is made from: inputs, command, the variables and programs that it uses, the path at
which it is seen. Inputs that are not the target's have an environment that serves their tree alone.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256

import msgspec

from foureyes.adapters.checks.exported import seal
from foureyes.adapters.checks.scratch import remove
from foureyes.adapters.checks.seals import Seals
from foureyes.adapters.checks.shelf import LOCK, Hear, Shelf, locked, waited
from foureyes.adapters.checks.stand import StopAsked
from foureyes.adapters.folders import MB, entered, opened, read, replace, walked
from foureyes.app.views.attempt import EnvironmentRow
from foureyes.core.nouns.check_config import CheckoutRule

ABOUT, NEW = "about.json", "new-"
DAY = 24 * 3600.0
OLD, UNUSED, LARGE = 30 * DAY, 14 * DAY, 20_000 * MB
"""An environment is made again after so long, forgotten when nobody used it for so long, and all of them together have
so many bytes at most: the one that was used longest ago goes first.
"""
FORM = 1
"""Changes when environments are made in another way."""


class About(msgspec.Struct, frozen=True):
    """What is on record about an environment, beside it."""

    seal: str
    made: float
    size: int
    command: str
    tree: str = ""
    """The only tree that it serves; empty: every tree with the target's inputs."""


class Environment(msgspec.Struct, frozen=True):
    """An environment that can be used: what lies in the tree, and what lies in the home."""

    key: str
    path: str
    seal: str

    @property
    def work(self) -> str:
        return os.path.join(self.path, "work")

    @property
    def home(self) -> str:
        return os.path.join(self.path, "home")

    @property
    def is_sound(self) -> bool:
        """Whether nobody wrote to it since it was made."""
        return _sealed(self.path) == self.seal


class Environments:
    """Those on a shelf."""

    def __init__(self, shelf: Shelf, now: Callable[[], float] = time.time) -> None:
        self._shelf = shelf
        self._now = now
        self._used: set[Environment] = set()
        """Those that we looked at already: who uses one asks afterwards whether it is sound."""

    @contextmanager
    def open(
        self, key: str, rule: CheckoutRule, tree: str, make: Callable[[str], None], stop: StopAsked, hear: Hear,
        seals: Seals | None = None,
    ) -> Iterator[Environment]:  # fmt: skip
        """An environment that stays as long as it is used: there already, or made now by `make`. `seals`: what alone
        vouches for it, where checks can write what lies beside it.
        """
        lock = os.path.join(self._shelf.environments, key + LOCK)
        is_new = False
        while True:
            with _holding(lock, fcntl.LOCK_SH, stop, hear):
                environment = self._found(key, seals)
                if environment is not None:
                    os.utime(lock)
                    if is_new:
                        self.prune()
                    yield environment
                    return
            with _holding(lock, fcntl.LOCK_EX, stop, hear):  # nobody goes from one lock to the other in one step
                if self._found(key, seals) is None:
                    made = self._made(key, rule, tree, make)
                    self._used.add(made)
                    if seals is not None:
                        seals.note(key, made.seal)
                    is_new = True

    @contextmanager
    def lent(self, key: str, seals: Seals | None = None) -> Iterator[Environment | None]:
        """One that is there, and stays as long as it is copied; None where none is, or somebody makes it just now."""
        is_made = about_of(os.path.join(self._shelf.environments, key)) is not None
        lock = os.path.join(self._shelf.environments, key + LOCK)
        held = locked(lock, fcntl.LOCK_SH | fcntl.LOCK_NB) if is_made else None
        if held is None:
            yield None
            return
        try:
            os.utime(lock)
            yield self._found(key, seals)
        finally:
            os.close(held)

    def _found(self, key: str, seals: Seals | None) -> Environment | None:
        path = os.path.join(self._shelf.environments, key)
        about = about_of(path)
        if about is None or self._now() - about.made > OLD:
            return None
        environment = Environment(key, path, about.seal)
        if seals is not None and seals.known(key) != environment.seal:
            return None
        if environment not in self._used and not environment.is_sound:
            return None
        self._used.add(environment)
        return environment

    def is_sound(self, used: Environment) -> bool:
        """Whether nobody wrote to it since it was made; else it is made again for the next one."""
        if not used.is_sound:
            self._used.discard(used)
            return False
        return True

    def _made(self, key: str, rule: CheckoutRule, tree: str, make: Callable[[str], None]) -> Environment:
        path, new = (os.path.join(self._shelf.environments, name) for name in (key, NEW + key))
        remove(path)
        remove(new)  # of a prepare that was killed
        os.mkdir(new, 0o700)
        try:
            for name in ("work", "home"):
                os.mkdir(os.path.join(new, name), 0o700)
            make(new)
            if rule.keep:
                _keep(os.path.join(new, "work"), rule.keep)
            about = About(_sealed(new), self._now(), _size(new), rule.prepare, tree)
            with entered(new) as handle:
                replace(handle, ABOUT, msgspec.json.encode(about), 0o600, durable=False)
            os.rename(new, path)
        finally:
            remove(new)
        return Environment(key, path, about.seal)

    def listed(self) -> list[EnvironmentRow]:
        """All of them, the one that was used last first."""
        return [row for _, row in self._rows()]

    def _rows(self) -> list[tuple[float, EnvironmentRow]]:
        """With the seconds at which each was used."""
        rows, folder = [], self._shelf.environments
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            about = about_of(os.path.join(folder, name))
            if about is not None:
                at = _used(os.path.join(folder, name + LOCK), about.made)
                used = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
                row = EnvironmentRow(key=name, command=about.command, tree=about.tree, bytes=about.size, used=used)
                rows.append((at, row))
        return sorted(rows, key=lambda each: -each[0])

    def prune(self, *, everything: bool = False, only_try: bool = False) -> list[EnvironmentRow]:
        """Remove what is not needed: unused for long, or too much; those that go. What is in use stays."""
        gone, total = [], 0
        for used, row in self._rows():
            total += row.bytes
            if (everything or self._now() - used > UNUSED or total > LARGE) and self._dropped(
                row.key, only_try=only_try
            ):
                gone.append(row)
        if not only_try:
            self._shelf.sweep()
            self._drop_locks()
        return gone

    def _drop_locks(self) -> None:
        """Locks of what could not be made, or was made in another way."""
        folder = self._shelf.environments
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            key = name.removesuffix(LOCK)
            if key != name and not os.path.lexists(os.path.join(folder, key)):
                self._dropped(key, only_try=False)

    def _dropped(self, key: str, *, only_try: bool) -> bool:
        lock = os.path.join(self._shelf.environments, key + LOCK)
        handle = locked(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if handle is None:
            return False
        try:
            if not only_try:
                for name in (key, NEW + key):
                    remove(os.path.join(self._shelf.environments, name))
                with suppress(OSError):
                    os.unlink(lock)
        finally:
            os.close(handle)
        return True


@contextmanager
def _holding(lock: str, how: int, stop: StopAsked, hear: Hear) -> Iterator[None]:
    held = waited(lock, how, stop, hear)
    try:
        yield
    finally:
        os.close(held)


def about_of(path: str) -> About | None:
    """What is on record about an environment; None where there is none, or where that cannot be read."""
    try:
        return msgspec.json.decode(read(os.path.join(path, ABOUT), MB), type=About)
    except (OSError, msgspec.DecodeError):
        return None


def key_of(rule: CheckoutRule, inputs: Mapping[str, str], variables: Mapping[str, str], at: str, alone: str) -> str:
    """What an environment is known by. `alone`: the tree that it serves, where its inputs are not the target's."""
    parts = [
        FORM, rule.prepare, rule.keep, sorted(inputs.items()), {name: variables.get(name) for name in rule.env},
        programs_of(rule.prepare, variables.get("PATH", "")), os.uname().machine, at, alone,
    ]  # fmt: skip
    return sha256(json.dumps(parts).encode()).hexdigest()[:32]


def programs_of(command: str, path: str) -> list[tuple[str, int, int]]:
    """The programs that a command names, and those that run them, as they are now: another version is another file."""
    programs: dict[str, tuple[str, int, int]] = {}
    ahead = [word for word in command.replace(";", " ").replace("&", " ").split() if "=" not in word]
    for word in ahead:
        program = None if "/" in word and not word.startswith("/") else shutil.which(word, path=path)
        if program is None or program in programs:
            continue
        with suppress(OSError):
            real = os.path.realpath(program)
            about = os.stat(real)
            programs[program] = (real, about.st_size, about.st_mtime_ns)
            ahead += _run_by(real)
    return sorted(programs.values())


def _run_by(program: str) -> list[str]:
    """What the first line of a script names."""
    with open(opened(program, follow=True), "rb") as file:
        first = file.readline(4096)
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    return [word for word in words if not word.startswith("-")][:2]


def _sealed(path: str) -> str:
    return seal(os.path.join(path, "work")) + seal(os.path.join(path, "home"))


def _used(lock: str, otherwise: float) -> float:
    try:
        return os.stat(lock).st_mtime
    except OSError:
        return otherwise


def _size(path: str) -> int:
    """Bytes on the disk."""
    total = 0
    for folder, _, names in walked(path):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_blocks * 512
    return total


def _keep(folder: str, wanted: Sequence[str], here: str = "") -> None:
    """Remove what is not at, below or above a wanted path."""
    with os.scandir(folder) as listing:
        entries = list(listing)
    for entry in entries:
        name = here + entry.name
        if any(name == each.rstrip("/") or name.startswith(each.rstrip("/") + "/") for each in wanted):
            continue
        if entry.is_dir(follow_symlinks=False) and any(each.startswith(name + "/") for each in wanted):
            _keep(entry.path, wanted, name + "/")
        elif entry.is_dir(follow_symlinks=False):
            remove(entry.path)
        else:
            os.unlink(entry.path)
