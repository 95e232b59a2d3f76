"""Runs git against a remote with the caller's own transport and credentials. (Q2, Q6)

Of the repository's configuration it uses only the address. Otherwise, anyone who can write that configuration could
make git run a program with the merging user's keys: `core.sshCommand`, `credential.helper`, `remote.*.uploadpack`, or
an address `ext::sh -c …`.

So git runs in a separate directory that borrows the repository's objects. The configuration of user and system applies
as in the repository itself, including conditional includes. Addresses with a helper are refused, and only the remote's
own hooks run. Git never asks for a password, because there is no terminal.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from os.path import isabs, join, normpath, realpath
from shlex import quote

from foureyes.adapters import process
from foureyes.adapters.folders import folder, opened, replace
from foureyes.adapters.git.client.answers import as_text
from foureyes.adapters.git.client.clean_room import borrower
from foureyes.adapters.git.client.git import Git, callers_own, check_version, scrubbed
from foureyes.adapters.git.client.odd_files import refuse_odd
from foureyes.core.words.text import visible
from foureyes.errors import BadInput, RemoteProblem
from foureyes.steps import Steps, blank, in_turn, prose, shell

# ---- Transport ----


PATIENCE = 600.0
"""Longest time in seconds for one fetch or push, which may transfer the whole history."""
ASKING = 60.0
PROTOCOLS = ("file", "git", "http", "https", "ssh")
LONGEST = 600
_COUNT = "GIT_CONFIG_COUNT"
_MOST_SETTINGS = 9_999
_TRANSPORT = (
    "GIT_SSH", "GIT_ASKPASS", "GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_",
    _COUNT, "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_",
)  # fmt: skip
_OURS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false", "fetch.unpackLimit=1",
    "transfer.unpackLimit=1", "submodule.recurse=false", "advice.pushUpdateRejected=false",
    "core.alternateRefsCommand=true",  # reads no ref of the repository, so a broken one or a pipe cannot block
)  # fmt: skip
_BOTH = (" (fetch)", " (push)")
_HELPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_NOT_A_PATH = re.compile(r"[^/]*:")
_SECRET = re.compile(r"(?<=://)[^/\s]*@")
# The English messages of git, ssh and curl. Used only for messages to users, never for decisions.
_KINDS = {
    "changed": ("host identification has changed", "host key for", "offending "),
    "unknown": ("host key verification failed", "no host key is known"),
    "auth": ("permission denied", "authentication failed", "could not read username", "could not read password",
             "error: 401", "error: 403"),
    "unreachable": ("could not resolve", "connection refused", "timed out", "unreachable", "no route to host",
                    "couldn't connect", "failed to connect", "connection reset", "hung up", "early eof"),
    "missing": ("does not appear to be a git repository", "repository not found", "does not exist", "not found"),
}  # fmt: skip


_BEFORE_LOOKING = {
    "auth": "let git ask without a password here (ssh-agent, credential helper), then: ",
    "unknown": "in a terminal, ssh shows the host's key and asks whether it is right: ",
}


class Transport:
    """The configuration and environment of git for one remote of a repository."""

    def __init__(self, git: Git, root: str, name: str) -> None:
        self._git, self._root, self.name = git, root, name

    def named(self) -> tuple[str, str]:
        """Return the configured read and push addresses, reachable or not."""
        read = self._named("url")
        return read, self._named("pushurl") if f"remote.{self.name}.pushurl" in self._said else read

    @cached_property
    def reached(self) -> tuple[str, str]:
        """The read and push addresses after git's own rewriting (`insteadOf`, `pushInsteadOf`) by user and system
        settings. All later calls use exactly these."""
        read, written = self.named()
        name = os.urandom(16).hex()
        settings = [(f"remote.{name}.url", read), *([(f"remote.{name}.pushurl", written)] if written != read else [])]
        with self._folder() as path:
            done = self.run((f"--git-dir={path}", "remote", "-v"), path, self._environment(path, settings), ASKING)
        rows = [
            line.removeprefix(f"{name}\t") for line in as_text(done.out).split("\n") if line.startswith(f"{name}\t")
        ]
        addresses = [row.removesuffix(how) for row, how in zip(rows, _BOTH, strict=False) if row.endswith(how)]
        if done.rc or len(rows) != len(_BOTH) or len(addresses) != len(_BOTH):
            raise RemoteProblem(
                f"git does not say where {self.name} is: {plain(last_words(done))}", kind="missing",
                next_step=shell("git", "remote", "-v"),
            )  # fmt: skip
        if not all(is_comparable(address) for address in addresses):
            raise RemoteProblem(
                f"the address of {self.name} can be read in more than one way, so nothing is sent there",
                kind="missing",
                next_step=in_turn(shell("git", "remote", "-v"), self._another()),
            )
        return self._whole(addresses[0]), self._whole(addresses[1])

    def _another(self) -> Steps:
        return shell("git", "remote", "set-url", self.name, blank("ADDRESS"))

    def _whole(self, address: str) -> str:
        """Return an address that is valid in every directory: a relative path is resolved from the repository's root."""
        if isabs(address) or _NOT_A_PATH.match(address):
            return address
        joined = join(self._root, address)
        flat = normpath(joined)
        return flat if realpath(flat) == realpath(joined) else joined

    def _named(self, key: str) -> str:
        address = self._said.get(f"remote.{self.name}.{key}", "")
        if not address:
            raise RemoteProblem(
                f"this repository has no remote called {self.name}",
                kind="missing",
                next_step=shell("git", "remote", "add", self.name, blank("ADDRESS")),
            )
        if address.startswith("-") or _HELPER.match(address):
            raise RemoteProblem(
                f"the address of {self.name} names a program, which Foureyes does not run: {plain(address)}",
                kind="missing",
                next_step=self._another(),
            )
        return address

    @cached_property
    def _settings(self) -> list[tuple[str, str, str]]:
        """Scope, key and value of all settings that git would read in the repository."""
        return self._listed(self._git.git_dir)

    @cached_property
    def _said(self) -> dict[str, str]:
        """The settings of remotes. For several addresses, the first one."""
        return {key: value for _, key, value in reversed(self._settings) if key.startswith("remote.")}

    def _listed(self, git_dir: str) -> list[tuple[str, str, str]]:
        refuse_odd(git_dir, self._git.common_dir)
        args = (f"--git-dir={git_dir}", "config", "--list", "--null", "--show-scope", "--includes")
        words = self.run(args, git_dir, {**callers_own(), **_of_the_caller()}, ASKING).out.split(b"\0")[:-1]
        pairs = ((as_text(scope), *raw.partition(b"\n")) for scope, raw in zip(words[::2], words[1::2], strict=True))
        return [(scope, as_text(key), as_text(value) if is_set else "true") for scope, key, is_set, value in pairs]

    def _users(self, place: str) -> list[tuple[str, str]]:
        """Return the user and system settings that apply to this repository only, through conditional includes."""
        here = _of_users(self._settings)
        if not any(key.startswith("includeif.") for key, _ in here):
            return []
        everywhere = _of_users(self._listed(place))
        return [setting for setting in here if setting not in everywhere]

    @contextmanager
    def place(self) -> Iterator[ExchangeFolder]:
        """Yield a temporary directory for one exchange, with the repository's objects.

        Each address gets a random name there, which git rewrites to it. So no other rewriting rule can match a longer
        prefix.
        """
        read, written = self.reached
        names = [f"{os.urandom(16).hex()}-{how}" for how in ("read", "written")]
        rules = [(f"url.{read}.insteadof", names[0])]
        rules += [(f"url.{written}.{how}", names[1]) for how in ("insteadof", "pushinsteadof")]
        with self._folder() as path:
            yield ExchangeFolder(self, path, self._environment(path, rules), names[0], names[1])

    @contextmanager
    def _folder(self) -> Iterator[str]:
        path = join(self._git.room_path, f"exchange-{os.urandom(8).hex()}")
        borrower(self._git.common_dir, path)
        try:
            yield path
        finally:
            _remove(path)

    def _environment(self, place: str, more: list[tuple[str, str]]) -> dict[str, str]:
        caller = _of_the_caller()
        own = os.environ.get("GIT_ALLOW_PROTOCOL")
        allowed = [name for name in PROTOCOLS if own is None or name in own.split(":")]
        count = int(caller.get(_COUNT) or 0)
        added = [*self._users(place), *(_pair(each) for each in _OURS), *more]
        numbered = list(enumerate(added, count))
        return {
            **callers_own(),
            **caller,
            **{f"GIT_CONFIG_KEY_{number}": key for number, (key, _) in numbered},
            **{f"GIT_CONFIG_VALUE_{number}": value for number, (_, value) in numbered},
            _COUNT: str(count + len(added)),
            "GIT_ALLOW_PROTOCOL": ":".join(allowed) or "none",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }

    def run(self, args: tuple[str, ...], cwd: str, env: dict[str, str], timeout: float) -> process.Finished:
        """Run git. Raise RemoteProblem if it does not finish."""
        check_version()
        try:
            return process.run(["git", *args], cwd=cwd, env=env, timeout=timeout)
        except process.ProgramTimedOut as slow:
            raise RemoteProblem(
                f"{self.name} did not answer: {slow}", kind="unreachable", next_step=self.access_check()
            ) from slow
        except process.ProcessProblem as problem:
            raise RemoteProblem(f"{self.name} cannot be asked: {problem}") from problem

    def access_check(self) -> Steps:
        """Return the command with which a user can check the remote."""
        return shell("git", "ls-remote", self.name)

    def problem(self, done: process.Finished) -> RemoteProblem:
        """Return the problem for a failed exchange, with git's message."""
        words = plain(last_words(done))
        kind = kind_of(words)
        step = shell("git", "ls-remote", self.name, before=_BEFORE_LOOKING.get(kind, ""))
        if kind == "changed":
            step = prose("ask the owner of that host whether its key was changed. Until then, its identity is unknown.")
        return RemoteProblem(f"{self.name} cannot be asked: {words}", kind=kind, next_step=step)

    def take(self, pack: str) -> None:
        """Write the objects of a pack into the repository, verified by hash: all of them or none."""
        with open(opened(pack), "rb") as file:
            argv = ["git", f"--git-dir={self._git.common_dir}", "--no-replace-objects", "-c",
                    "core.fsync=objects", "index-pack", "--stdin"]  # fmt: skip
            done = process.run(argv, cwd=self._git.common_dir, env=scrubbed(), reads=file.fileno(), timeout=PATIENCE)
        if done.rc:
            raise RemoteProblem(
                f"data from {self.name} could not be written here: {last_words(done)}",
                next_step=prose("check the free space on the disk, and the permissions of git's directory"),
            )


class ExchangeFolder:
    """The directory of one exchange. `read` and `written` are the names of the remote's addresses there."""

    def __init__(self, transport: Transport, path: str, env: dict[str, str], read: str, written: str) -> None:
        self._transport, self.path, self._env = transport, path, env
        self.read, self.written = read, written

    def git(self, *args: str, timeout: float = PATIENCE) -> process.Finished:
        """Run git there and return the result for any exit code."""
        return self._transport.run((f"--git-dir={self.path}", *args), self.path, self._env, timeout)

    def knowing(self, commits: bytes) -> str:
        """Return the command that tells git which commits are already here. Git appends the repository's path to it."""
        with folder(self.path) as place:
            replace(place, "known", commits, 0o600, durable=False)
        return f"cat {quote(join(self.path, 'known'))}; :"

    def packs(self) -> list[str]:
        """Return the packs from a fetch."""
        packs = join(self.path, "objects/pack")
        return [join(packs, name) for name in sorted(os.listdir(packs)) if name.endswith(".pack")]


def last_words(done: process.Finished) -> str:
    """Return git's message in one line: its fatal and error lines, else all of it."""
    lines = _whole([line.strip("@ \t") for line in as_text(done.err or done.out).splitlines() if line.strip("@ \t")])
    marked = [line for line in lines if line.startswith(("fatal:", "error:", "remote:", "ERROR:"))]
    first = [
        line for line in lines if line not in marked and not line.startswith(("and the repository", "Please make"))
    ]
    return "; ".join([*first[:2], *marked])[:LONGEST] or f"exit code {done.rc}, no message"


def _whole(lines: list[str]) -> list[str]:
    """Join lines that git continues after a colon."""
    whole: list[str] = []
    for line in lines:
        if whole and whole[-1].endswith(":") and " " in whole[-1]:
            whole[-1] += f" {line}"
        else:
            whole.append(line)
    return [*whole[:-1], whole[-1].rstrip(":")] if whole else []


def plain(text: str) -> str:
    """Return foreign text that is safe to show: without control characters and passwords in addresses."""
    return visible(_SECRET.sub("…@", text))


def kind_of(text: str) -> str:
    """Return the kind of a failure, judged by its text."""
    low = text.lower()
    return next((kind for kind, words in _KINDS.items() if any(word in low for word in words)), "failed")


def _of_users(settings: list[tuple[str, str, str]]) -> list[tuple[str, str]]:
    return [(key, value) for scope, key, value in settings if scope in ("system", "global")]


def _of_the_caller() -> dict[str, str]:
    count = os.environ.get(_COUNT, "")
    if count and not (count.isascii() and count.isdigit() and len(count) <= len(str(_MOST_SETTINGS))):
        raise BadInput(f"{_COUNT} is not a count of settings: {visible(count)[:20]}", next_step=shell("unset", _COUNT))
    return {name: value for name, value in os.environ.items() if name.startswith(_TRANSPORT)}


def _pair(setting: str) -> tuple[str, str]:
    key, _, value = setting.partition("=")
    return key, value


def _remove(path: str) -> None:
    from shutil import rmtree

    rmtree(path, ignore_errors=True)


# ---- Addresses of remotes ----

# Git, curl, ssh and people parse an address differently. In `http://one?@two/x` the host is `one` for curl, but `two`
# for a parser that takes everything before `@` as a login. Git decodes `%2F` in `ssh://…` before it looks for the host,
# also looks for `@[` in the path, and finds no port after a password. So only plain forms are accepted.

_NAME = r"[^\W_][\w.-]*"
_HOST = rf"(?:{_NAME}|\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(?:%[\w.-]+)?\])"
_LOGIN = r"(?:(?!-)[^\s@/?#\\\[\]]*@)?"
_AUTHORITY = re.compile(rf"{_LOGIN}{_HOST}(?::[0-9]*)?")
_URL = re.compile(r"(?P<scheme>[A-Za-z0-9][A-Za-z0-9+.-]*)://(?P<authority>[^/]*)(?P<path>.*)")
_SCP_LIKE = re.compile(rf"(?:(?!-)[^\s@/?#\\\[\]:]+@)?(?:{_NAME}|\[[\w:.%-]+\]):(?!.*@\[).*")
_PATH = re.compile(r"[^:]*|[^:/]*/.*")
_PORT = re.compile(r":[0-9]*$")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_WEB = ("http", "https")
_DECODED_FIRST = ("ssh", "git+ssh", "ssh+git", "git")


def is_comparable(address: str) -> bool:
    """Return True if git, curl and ssh all find the same host in the address."""
    if _CONTROL.search(address):
        return False
    url = _URL.fullmatch(address)
    if url is None:
        return "://" not in address and bool(_PATH.fullmatch(address) or _SCP_LIKE.fullmatch(address))
    return url["scheme"] == "file" or _is_plain(url["scheme"].lower(), url["authority"], url["path"])


def _is_plain(scheme: str, authority: str, path: str) -> bool:
    if not _AUTHORITY.fullmatch(authority) or (scheme == "git" and "@" in authority):
        return False
    if scheme not in _DECODED_FIRST:
        return True
    from urllib.parse import unquote

    login, _, host = unquote(authority).rpartition("@")
    if not _AUTHORITY.fullmatch(unquote(authority)) or (":" in login and _PORT.search(host)):
        return False
    return "@[" not in unquote(path) and not _CONTROL.search(unquote(path))


def without_credentials(address: str) -> str:
    """Return an address without credentials: for web addresses without the login, otherwise without the password. An
    ambiguous address stays unchanged.
    """
    url = _URL.fullmatch(address)
    if url is None or url["scheme"] == "file" or not is_comparable(address):
        return address
    login, at, host = url["authority"].rpartition("@")
    kept = "" if url["scheme"].lower() in _WEB else f"{login.partition(':')[0]}{at}"
    return f"{url['scheme']}://{kept}{host}{url['path']}"
