"""The folders of runs: a private directory for each run, a home for each task and profile."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress

from foureyes.adapters import process
from foureyes.adapters.folders import LOGS, OddFile, entered, entries, folder, opened, replace
from foureyes.core.nouns.session import RUN_TOKEN
from foureyes.core.words.ids import Shape

RUNS, HOMES, CHECKOUTS = "runs", "homes", "checkouts"
REVIEW_FOLDER = ".foureyes-review"
TOKEN, PROMPT, TMP = RUN_TOKEN, "prompt.md", "tmp"
NAME = Shape(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")
ONLY_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
MOST_HOMES = 10_000
IDENTITY = ("user.name", "user.email")


class RunFiles:
    """The files of runs below a project's `.foureyes`."""

    def __init__(self, base: str) -> None:
        self._base = base

    def run(self, run: str) -> str:
        return self._below(RUNS, run)

    def log(self, task: str) -> str:
        return self._below(LOGS, f"{_named(task)}.log")

    def open_run(self, run: str, *, token: str, prompt: str) -> str:
        """Create the directory of a run with its token and prompt. An existing one is never reused."""
        path = self.run(run)
        self._made(RUNS)
        os.mkdir(path, 0o700)
        os.mkdir(os.path.join(path, TMP), 0o700)
        for name, text in ((TOKEN, token), (PROMPT, prompt)):
            with open(opened(os.path.join(path, name), ONLY_NEW, 0o600), "wb") as file:
                file.write(text.encode("utf-8", "backslashreplace"))
        return path

    def write(self, run: str, name: str, text: str) -> str:
        """Write one more file of a run and return its path."""
        with folder(self.run(run)) as handle:
            replace(handle, name, text.encode(), 0o600, durable=False)
        return os.path.join(self.run(run), name)

    def checkout(self, run: str, write: Callable[[str], object], files: Mapping[str, str]) -> tuple[str, str]:
        """Create a directory filled by `write`, with a folder for `files` in it whose name the tree does not use.
        Return the path and that name.
        """
        self._made(CHECKOUTS)
        path = _new(self._below(CHECKOUTS, run))
        write(path)
        taken = set(os.listdir(path))
        review_folder = next(each for n in itertools.count() if (each := f"{REVIEW_FOLDER}{n or ''}") not in taken)
        os.mkdir(os.path.join(path, review_folder), 0o700)
        for each, text in files.items():
            with open(opened(os.path.join(path, review_folder, _named(each)), ONLY_NEW, 0o600), "wb") as file:
                file.write(text.encode("utf-8", "backslashreplace"))
        return path, review_folder

    def drop_checkouts(self, run: str) -> None:
        with suppress(OSError), entered(os.path.join(self._base, CHECKOUTS)) as checkouts:
            for name in entries(checkouts, MOST_HOMES):
                if name.rpartition(".")[0] == _named(run):
                    _remove(self._below(CHECKOUTS, name))

    def close_run(self, run: str) -> None:
        """Remove the files of a run, its token first."""
        path = self.run(run)
        for name in (TOKEN, PROMPT):
            try:
                os.unlink(os.path.join(path, name))
            except OSError:
                continue
        _remove(path)

    def home(self, task: str, profile: str) -> str:
        """Return the home of a profile's runs for a task. It is kept until the task closes, because programs resume
        from it.
        """
        self._made(HOMES, _named(task), _named(profile))
        return os.path.join(self._below(HOMES, task), profile)

    def new_home(self, run: str) -> str:
        """Create a home for one run inside its directory."""
        return _new(os.path.join(self.run(run), "home"))

    def kept(self) -> list[str]:
        """Return the tasks that have homes."""
        try:
            with entered(os.path.join(self._base, HOMES)) as homes:
                return [name for name in entries(homes, MOST_HOMES) if NAME.match(name)]
        except OSError:
            return []

    def forget(self, task: str) -> None:
        _remove(self._below(HOMES, task))

    def append_to_log(self, path: str) -> int:
        """Open a log for appending and create it if needed."""
        if os.path.dirname(path) == os.path.join(self._base, LOGS):
            self._made(LOGS)
        else:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        return opened(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def _made(self, *names: str) -> None:
        """Create nested folders in our own. None of them may be a link."""
        os.makedirs(self._base, mode=0o700, exist_ok=True)
        path = self._base
        with ExitStack() as stack:
            at = stack.enter_context(entered(path))
            for name in names:
                path = os.path.join(path, name)
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=at)
                try:
                    at = stack.enter_context(entered(name, at))
                except OddFile as odd:
                    raise OddFile(odd.strerror or "", path) from odd

    def _below(self, room: str, name: str) -> str:
        return os.path.join(self._base, room, _named(name))


def furnish(
    home: str, *, links: Sequence[tuple[str, str]], identity: Sequence[tuple[str, str]], files: Mapping[str, str]
) -> None:
    """Furnish a new home: links to the person's directories of the program (name, target), the git identity, and files."""
    for name, target in links:
        path = os.path.join(home, name)
        if os.path.isdir(target) and not os.path.lexists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(target, path)
    lines = [f"\t{name.partition('.')[2]} = {_quoted(value)}" for name, value in identity]
    config = {".gitconfig": "\n".join(["[user]", *lines, ""])} if lines else {}
    for name, text in {**config, **files}.items():
        path = os.path.join(home, name)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if not os.path.lexists(path):
            with open(opened(path, ONLY_NEW, 0o600), "w", encoding="utf-8") as file:
                file.write(text)


def identity_of(environ: Mapping[str, str], worktree: str) -> list[tuple[str, str]]:
    """Return the person's git identity for commits, because an agent's home has no git configuration."""
    env = {name: environ[name] for name in ("PATH", "HOME", "XDG_CONFIG_HOME") if name in environ}
    settings = []
    for name in IDENTITY:
        try:
            done = process.run(["git", "config", "--get", name], cwd=worktree, env=env)
        except process.ProcessProblem:
            return []
        if done.rc == 0 and (value := done.out.decode("utf-8", "replace").strip()):
            settings.append((name, value))
    return settings


def _quoted(value: str) -> str:
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{text}"'


def _new(path: str) -> str:
    """Create a directory with this prefix and an unguessable end."""
    made = f"{path}.{os.urandom(8).hex()}"
    os.mkdir(made, 0o700)
    return made


def _named(name: str) -> str:
    """Return a name. Raise OddFile if it could leave its folder."""
    if not NAME.match(name):
        raise OddFile(f"{name!r} cannot be the name of a file of ours")
    return name


def _remove(path: str) -> None:
    """Remove a directory, even with unwritable subdirectories. A link is removed without touching its target."""
    if not os.path.isdir(path) or os.path.islink(path):
        with suppress(OSError):
            os.unlink(path)
        return
    with suppress(RecursionError):  # a thousand folders in each other
        shutil.rmtree(path, ignore_errors=True)
    if os.path.lexists(path):
        for command in (["/bin/chmod", "-R", "u+rwx", path], ["/bin/rm", "-rf", path]):
            try:
                process.run(command)
            except process.ProcessProblem:
                return
