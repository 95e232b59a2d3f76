"""Builds, caches and provides the environments of checks, which `[checkout] prepare` makes from a tree's inputs.
(D5)
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256

import msgspec

from foureyes.adapters.checks.check_cache import LOCK, CheckCache, Hear, locked, waited
from foureyes.adapters.checks.checkout import (
    ALL,
    PREPARE,
    Exported,
    PreparedCheckout,
    StopAsked,
    Unprepared,
    copy_tree,
    environment,
    fingerprint,
    overlaps,
    refuse_own_parts,
    remove,
    why_ended,
)
from foureyes.adapters.checks.output import Output
from foureyes.adapters.checks.sandbox import Layer, Outlook, Sandbox, Sight, why_none
from foureyes.adapters.folders import MB, entered, opened, read, replace, walked
from foureyes.adapters.folders import folder as open_folder
from foureyes.adapters.tree_comparison import changed, sizes
from foureyes.app.ports import Lent, TreeFiles
from foureyes.app.results.attempt import EnvironmentRow
from foureyes.core.nouns.check_config import TIMEOUT_MINUTES, CheckoutRule, CheckRule

# ---- The provider of checkouts (D5) ----

OWN_PROGRAMS = (".venv/bin", "node_modules/.bin")
"""The program directories of an environment. They go first on the PATH, unless the tree has files there."""


class Ask(msgspec.Struct, frozen=True):
    """A request to run a check on a tree, with its output and a way to cancel."""

    rule: CheckRule
    checkout: CheckoutRule
    tree: TreeFiles
    shared: Exported
    output: Output
    stop: StopAsked


class CheckoutProvider:
    """Provides sandboxes for the checks of one runner.

    - hidden: paths that checks must not see
    - minute: the length of a minute in seconds
    - store: the folder for the fingerprints of environments in slots
    """

    def __init__(self, environ: Mapping[str, str], hidden: Sequence[str], minute: float, store: str = "") -> None:
        self._environ, self._minute = environ, minute
        self.cache = CheckCache(environ, hidden)
        self._outlook = Outlook(environ, hidden, self.cache)
        self.environments = Environments(self.cache)
        self._fingerprints = Fingerprints(store, self.cache.environments)
        self._keys: dict[tuple[str, str, CheckoutRule], tuple[str, str]] = {}
        self._unprepared: dict[str, tuple[str, bytes]] = {}
        """Environments that could not be built, with reason and output. This runner does not try them again."""

    def why_none(self) -> str:
        """Return the reason that sandboxes are unavailable here, or an empty string."""
        try:
            self.cache.make()
        except OSError as problem:
            return str(problem)
        return why_none(self.cache)

    @contextmanager
    def prepared(self, ask: Ask) -> Iterator[PreparedCheckout]:
        """Provide a checkout with the tree and the environment that its inputs need."""
        self.cache.make()
        why = why_none(self.cache) if ask.checkout.hides else "isolation = none"
        if why and ask.checkout.isolation == "full":
            raise Unprepared(f"it may not run without isolation (isolation = full): {why}")
        with self._in_slot(ask) if why else self._in_sandbox(ask) as prepared:
            yield prepared

    @contextmanager
    def _in_sandbox(self, ask: Ask) -> Iterator[PreparedCheckout]:
        sight = self._outlook.sight((*ask.rule.env, *ask.checkout.env))
        with ExitStack() as stack:
            kept = self._environment(ask, self.cache.at, lambda new: self._prepare_in_sandbox(ask, sight, new), stack)
            place = stack.enter_context(self.cache.run())
            tree = ask.shared.written(verify=False)  # is_sound() verifies it after the run
            for_start = refuse_own_parts(tree, kept.work, ask.checkout, ask.tree) if kept is not None else ""
            layers = [_layer(place, "work", tree, *([kept.work] if kept else []))]
            layers += [_layer(place, "home", kept.home)] if kept else []
            sandbox = Sandbox(self.cache, place, sight, layers)
            stack.callback(sandbox.close)
            first = _own_programs(ask.checkout, tree)

            def size_of(path: str) -> int | None:
                with suppress(OSError):
                    return os.lstat(os.path.join(tree, path)).st_size
                return None

            def disturbed() -> str:
                if not sandbox.is_kept:
                    return "ended the process that isolated its files"
                return self._disturbed(ask.shared, kept)

            yield PreparedCheckout(
                place, self.cache.at, sandbox, tuple(os.path.join(self.cache.at, "work", name) for name in first),
                disturbed, kept.key if kept else "",
                lambda: changed(sandbox.inside(f"{self.cache.at}/work"), ask.tree.listed(ALL), layers[0].upper, size_of),
                for_start,
            )  # fmt: skip

    @contextmanager
    def _in_slot(self, ask: Ask) -> Iterator[PreparedCheckout]:
        with self.cache.slot(ask.stop) as place, ExitStack() as stack:
            kept = self._environment(ask, place, lambda new: self._prepare_in_slot(ask, place, new), stack)
            work, tree = os.path.join(place, "work"), os.path.join(place, "tree")
            os.mkdir(tree, 0o700)
            ask.shared.copy_to(tree)
            for_start = ""
            if kept is not None:
                for_start = refuse_own_parts(tree, kept.work, ask.checkout, ask.tree)
                copy_tree(kept.work, work)
                copy_tree(kept.home, os.path.join(place, "home"))
                for path in list(overlaps(tree, work)):  # nothing is written through a link of the environment
                    _remove(os.path.join(work, path))
            first = tuple(os.path.join(work, name) for name in _own_programs(ask.checkout, tree))
            before = sizes(tree)
            copy_tree(tree, work)
            remove(tree)
            key = kept.key if kept else ""
            disturbed = lambda: self._disturbed(None, kept)  # noqa: E731
            left = lambda: changed(work, ask.tree.listed(ALL), size_of=before.get)  # noqa: E731
            yield PreparedCheckout(place, place, None, first, disturbed, key, left, for_start)

    def _environment(self, ask: Ask, at: str, make: Callable[[str], None], stack: ExitStack) -> Environment | None:
        if not ask.checkout.prepare.strip():
            return None
        key, alone = self._known_key(ask.checkout, ask.tree, at)
        if key in self._unprepared:
            why, output = self._unprepared[key]
            ask.output.hear(output)
            raise Unprepared(why)
        opened = self.environments.open(
            key, ask.checkout, alone, make, ask.stop, ask.output.hear, self._fingerprints_at(at)
        )
        try:
            return stack.enter_context(opened)
        except Unprepared as problem:
            self._unprepared[key] = (str(problem), ask.output.raw())
            raise

    def _fingerprints_at(self, at: str) -> Fingerprints | None:
        """Return the record of fingerprints for environments used in slots. In a sandbox none is needed, because no
        check can reach the file next to its environment.
        """
        return None if at == self.cache.at else self._fingerprints

    def _known_key(self, rule: CheckoutRule, tree: TreeFiles, at: str) -> tuple[str, str]:
        known = (tree.name, at, rule)
        if known not in self._keys:
            self._keys[known] = self._key(rule, tree, at)
        return self._keys[known]

    def key_in_sandbox(self, rule: CheckoutRule, tree: TreeFiles) -> str:
        """Return the cache key of a tree's environment if checks run in sandboxes, otherwise "". Each slot has a key of
        its own.
        """
        is_known = rule.prepare.strip() and rule.hides and not self.why_none()
        return self._known_key(rule, tree, self.cache.at)[0] if is_known else ""

    def _disturbed(self, shared: Exported | None, kept: Environment | None) -> str:
        if shared is not None and not shared.is_sound():
            return "ran while another program wrote to the files of its checkout"
        if kept is not None and not self.environments.is_sound(kept):
            return "ran while another program wrote to its environment"
        return ""

    def _key(self, rule: CheckoutRule, tree: TreeFiles, at: str) -> tuple[str, str]:
        """Return the cache key of a tree's environment, and the tree if the environment is only for that one."""
        inputs = tree.listed(rule.inputs)
        alone = "" if inputs in tree.of_target(rule.inputs) else tree.name
        whose = f" of {self._fingerprints.owner}" if self._fingerprints_at(at) is not None else ""
        return key_of(rule, inputs, self._environ, at + whose, alone), alone

    @contextmanager
    def lend(self, rule: CheckoutRule, tree: TreeFiles) -> Iterator[Lent | None]:
        """Yield the cached environment for a tree, from a sandbox or the first slot, or None. Never builds or waits."""
        for at in (self.cache.at, self.cache.first_slot):
            with self.environments.lent(self._key(rule, tree, at)[0], self._fingerprints_at(at)) as kept:
                if kept is not None:
                    yield Lent(kept.work, os.path.join(at, "work"))
                    return
        yield None

    def _prepare_in_sandbox(self, ask: Ask, sight: Sight, new: str) -> None:
        with self.cache.run() as place:
            inputs = _made(place, "inputs")
            ask.tree.write_some(list(ask.tree.listed(ask.checkout.inputs)), inputs)
            os.mkdir(os.path.join(new, "home", ".run"), 0o700)
            layer = Layer("work", (inputs,), os.path.join(new, "work"), _made(place, "moving"), lasts=True)
            sandbox = Sandbox(self.cache, place, sight, [layer], [("home", os.path.join(new, "home"))])
            try:
                self._prepare(ask, PreparedCheckout(place, self.cache.at, sandbox))
            finally:
                sandbox.close()

    def _prepare_in_slot(self, ask: Ask, place: str, new: str) -> None:
        work, home = os.path.join(place, "work"), os.path.join(place, "home")
        inputs = list(ask.tree.listed(ask.checkout.inputs))
        ask.tree.write_some(inputs, work)
        self._prepare(ask, PreparedCheckout(place, place))
        for path in inputs:
            _unlink(os.path.join(work, path))
        for path, name in ((work, "work"), (home, "home")):
            os.rmdir(os.path.join(new, name))
            os.rename(path, os.path.join(new, name))
            os.mkdir(path, 0o700)

    def _prepare(self, ask: Ask, prepared: PreparedCheckout) -> None:
        checkout = ask.checkout
        rule = CheckRule(name=PREPARE, run=checkout.prepare, env=checkout.env)
        with ask.output.during("preparing the environment", checkout.prepare):
            ended = prepared.run(
                checkout.prepare, environment(self._environ, rule, prepared.seen), TIMEOUT_MINUTES * self._minute,
                ask.output.hear, ask.output.beating(ask.stop),
            )  # fmt: skip
        if why := why_ended(ended, TIMEOUT_MINUTES):
            raise Unprepared(f"its environment could not be prepared: checkout.prepare {why}")


def _own_programs(checkout: CheckoutRule, tree: str) -> list[str]:
    """Return the environment's program directories, but none where the attempt itself brings files. (D5)"""
    if not checkout.prepare.strip() and not checkout.build.strip():
        return []
    return [name for name in OWN_PROGRAMS if not os.path.lexists(os.path.join(tree, name.partition("/")[0]))]


def _layer(place: str, where: str, *lower: str) -> Layer:
    return Layer(where, lower, _made(place, f"{where}-upper"), _made(place, f"{where}-moving"))


def _made(place: str, name: str) -> str:
    path = os.path.join(place, name)
    os.mkdir(path, 0o700)
    return path


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        remove(path)
    else:
        os.unlink(path)


def _unlink(path: str) -> None:
    if os.path.lexists(path) and not os.path.isdir(path):
        os.unlink(path)


# ---- Environments of checks ----

# `prepare` sees only an export of the inputs, so no attempt's code gets into a shared environment. The cache key covers
# everything that goes into it: inputs, command, its variables and programs, and the path at which it is seen. Inputs
# that differ from the target's get an environment for their tree alone.

ABOUT, NEW = "about.json", "new-"
DAY = 24 * 3600.0
OLD, UNUSED, LARGE = 30 * DAY, 14 * DAY, 20_000 * MB
"""Age at which an environment is rebuilt, idle time after which it is deleted, and size limit of all together. The
least recently used is deleted first.
"""
FORM = 1
"""The format number of environments. Change it when they are built differently."""


class About(msgspec.Struct, frozen=True):
    """The record stored with an environment."""

    fingerprint: str
    made: float
    size: int
    command: str
    tree: str = ""
    """The only tree it is for. If empty, it is for every tree with the target's inputs."""


class Environment(msgspec.Struct, frozen=True):
    """A usable environment with the files for the tree and for the home."""

    key: str
    path: str
    fingerprint: str

    @property
    def work(self) -> str:
        return os.path.join(self.path, "work")

    @property
    def home(self) -> str:
        return os.path.join(self.path, "home")

    @property
    def is_sound(self) -> bool:
        """True if no program wrote to it since it was built."""
        return _fingerprint_of(self.path) == self.fingerprint


class Environments:
    """The environments in a cache."""

    def __init__(self, cache: CheckCache, now: Callable[[], float] = time.time) -> None:
        self._cache = cache
        self._now = now
        self._used: set[Environment] = set()
        """Environments known to be sound. Callers check again after use."""

    @contextmanager
    def open(
        self, key: str, rule: CheckoutRule, tree: str, make: Callable[[str], None], stop: StopAsked, hear: Hear,
        fingerprints: Fingerprints | None = None,
    ) -> Iterator[Environment]:  # fmt: skip
        """Yield a cached environment, or build it with `make`. It is locked during use.

        `fingerprints` has the trusted fingerprints, for checks that could write to the file next to the environment.
        """
        lock = os.path.join(self._cache.environments, key + LOCK)
        is_new = False
        while True:
            with _holding(lock, fcntl.LOCK_SH, stop, hear):
                environment = self._found(key, fingerprints)
                if environment is not None:
                    os.utime(lock)
                    if is_new:
                        self.prune()
                    yield environment
                    return
            with _holding(lock, fcntl.LOCK_EX, stop, hear):  # a lock cannot be upgraded atomically
                if self._found(key, fingerprints) is None:
                    made = self._made(key, rule, tree, make)
                    self._used.add(made)
                    if fingerprints is not None:
                        fingerprints.note(key, made.fingerprint)
                    is_new = True

    @contextmanager
    def lent(self, key: str, fingerprints: Fingerprints | None = None) -> Iterator[Environment | None]:
        """Yield a cached environment for copying, None if there is none or another run is building it."""
        is_made = about_of(os.path.join(self._cache.environments, key)) is not None
        lock = os.path.join(self._cache.environments, key + LOCK)
        held = locked(lock, fcntl.LOCK_SH | fcntl.LOCK_NB) if is_made else None
        if held is None:
            yield None
            return
        try:
            os.utime(lock)
            yield self._found(key, fingerprints)
        finally:
            os.close(held)

    def _found(self, key: str, fingerprints: Fingerprints | None) -> Environment | None:
        path = os.path.join(self._cache.environments, key)
        about = about_of(path)
        if about is None or self._now() - about.made > OLD:
            return None
        environment = Environment(key, path, about.fingerprint)
        if fingerprints is not None and fingerprints.known(key) != environment.fingerprint:
            return None
        if environment not in self._used and not environment.is_sound:
            return None
        self._used.add(environment)
        return environment

    def is_sound(self, used: Environment) -> bool:
        """Return True if no program wrote to the environment. Otherwise the next use rebuilds it."""
        if not used.is_sound:
            self._used.discard(used)
            return False
        return True

    def _made(self, key: str, rule: CheckoutRule, tree: str, make: Callable[[str], None]) -> Environment:
        path, new = (os.path.join(self._cache.environments, name) for name in (key, NEW + key))
        remove(path)
        remove(new)  # of a prepare that was killed
        os.mkdir(new, 0o700)
        try:
            for name in ("work", "home"):
                os.mkdir(os.path.join(new, name), 0o700)
            make(new)
            if rule.keep:
                _keep(os.path.join(new, "work"), rule.keep)
            about = About(_fingerprint_of(new), self._now(), _size(new), rule.prepare, tree)
            with entered(new) as handle:
                replace(handle, ABOUT, msgspec.json.encode(about), 0o600, durable=False)
            os.rename(new, path)
        finally:
            remove(new)
        return Environment(key, path, about.fingerprint)

    def listed(self) -> list[EnvironmentRow]:
        """Return all environments, the most recently used first."""
        return [row for _, row in self._rows()]

    def _rows(self) -> list[tuple[float, EnvironmentRow]]:
        """Return all environments with the time of their last use."""
        rows, folder = [], self._cache.environments
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            about = about_of(os.path.join(folder, name))
            if about is not None:
                at = _used(os.path.join(folder, name + LOCK), about.made)
                used = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
                row = EnvironmentRow(key=name, command=about.command, tree=about.tree, bytes=about.size, used=used)
                rows.append((at, row))
        return sorted(rows, key=lambda each: -each[0])

    def prune(self, *, everything: bool = False, only_try: bool = False) -> list[EnvironmentRow]:
        """Delete environments that were not used for long or exceed the size limit, and return them. Those in use are
        skipped.
        """
        gone, total = [], 0
        for used, row in self._rows():
            total += row.bytes
            if (everything or self._now() - used > UNUSED or total > LARGE) and self._dropped(
                row.key, only_try=only_try
            ):
                gone.append(row)
        if not only_try:
            self._cache.sweep()
            self._drop_locks()
        return gone

    def _drop_locks(self) -> None:
        """Delete the locks of environments that do not exist."""
        folder = self._cache.environments
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            key = name.removesuffix(LOCK)
            if key != name and not os.path.lexists(os.path.join(folder, key)):
                self._dropped(key, only_try=False)

    def _dropped(self, key: str, *, only_try: bool) -> bool:
        lock = os.path.join(self._cache.environments, key + LOCK)
        handle = locked(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if handle is None:
            return False
        try:
            if not only_try:
                for name in (key, NEW + key):
                    remove(os.path.join(self._cache.environments, name))
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
    """Return the record of an environment, or None if it is absent or unreadable."""
    try:
        return msgspec.json.decode(read(os.path.join(path, ABOUT), MB), type=About)
    except (OSError, msgspec.DecodeError):
        return None


def key_of(rule: CheckoutRule, inputs: Mapping[str, str], variables: Mapping[str, str], at: str, alone: str) -> str:
    """Return the cache key of an environment. `alone` is the only tree it is for, if its inputs are not the
    target's.
    """
    parts = [
        FORM, rule.prepare, rule.keep, sorted(inputs.items()), {name: variables.get(name) for name in rule.env},
        programs_of(rule.prepare, variables.get("PATH", "")), os.uname().machine, at, alone,
    ]  # fmt: skip
    return sha256(json.dumps(parts).encode()).hexdigest()[:32]


def programs_of(command: str, path: str) -> list[tuple[str, int, int]]:
    """Return the programs in a command, and their interpreters, with size and time, by which another version is
    recognized.
    """
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
    """Return the interpreter named in the first line of a script."""
    with open(opened(program, follow=True), "rb") as file:
        first = file.readline(4096)
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    return [word for word in words if not word.startswith("-")][:2]


def _fingerprint_of(path: str) -> str:
    return fingerprint(os.path.join(path, "work")) + fingerprint(os.path.join(path, "home"))


def _used(lock: str, otherwise: float) -> float:
    try:
        return os.stat(lock).st_mtime
    except OSError:
        return otherwise


def _size(path: str) -> int:
    """Return the bytes used on disk."""
    total = 0
    for folder, _, names in walked(path):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_blocks * 512
    return total


def _keep(folder: str, wanted: Sequence[str], here: str = "") -> None:
    """Remove everything that is not at, below or above a wanted path."""
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


# ---- Fingerprints (D5) ----

FINGERPRINTS = "seals"


class Fingerprints:
    """Trusted fingerprints of one project's environments. Without a folder they last for one process."""

    def __init__(self, store: str, environments: str) -> None:
        self._folder = os.path.join(store, FINGERPRINTS) if store else ""
        self._environments = environments
        self._own: dict[str, str] = {}

    @property
    def owner(self) -> str:
        """Id of this record. It is part of the cache key, so that no project uses an environment recorded by
        another.
        """
        return sha256(os.fsencode(self._folder)).hexdigest()[:12]

    def known(self, key: str) -> str:
        """Return the fingerprint of an environment when it was built, "" if it was not built here."""
        with suppress(OSError):
            if self._folder:
                return read(os.path.join(self._folder, key), MB).decode("ascii", "replace")
        return self._own.get(key, "")

    def note(self, key: str, fingerprint: str) -> None:
        """Store a fingerprint and drop those of deleted environments."""
        self._own[key] = fingerprint
        if not self._folder:
            return
        with open_folder(self._folder, make=True, mode=0o700) as here:
            for name in os.listdir(here):
                if name != key and not os.path.isdir(os.path.join(self._environments, name)):
                    with suppress(OSError):
                        os.unlink(name, dir_fd=here)
            replace(here, key, fingerprint.encode("ascii"), 0o600, durable=False)
