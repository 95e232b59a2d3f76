"""Finds and disables the programs that a repository's configuration would make git run. (Q2)"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os.path import join
from typing import TYPE_CHECKING, Protocol

from foureyes.adapters.folders import MB, read
from foureyes.adapters.git.client.answers import as_text
from foureyes.errors import GitProblem
from foureyes.steps import shell

if TYPE_CHECKING:
    from foureyes.adapters import process


# ---- Programs (Q2) ----

# Programs that git may run while it reads objects, compares, merges, writes files or makes commits. `*` is any
# subsection. Not listed: settings used only with a terminal or network (core.editor, core.pager, core.sshCommand,
# credential.helper, alias.*), and core.hooksPath, which every call of the gate overrides and tools such as husky set.
_PROGRAMS = """
core.fsmonitor core.alternateRefsCommand uploadpack.packObjectsHook gc.recentObjectsHook
merge.*.driver filter.*.clean filter.*.smudge filter.*.process
diff.external diff.*.command diff.*.textconv
gpg.program gpg.*.program gpg.ssh.defaultKeyCommand
trailer.*.command trailer.*.cmd hook.*.command
"""
_SHOWN = {name.lower(): name for name in _PROGRAMS.split()}
_OF_THE_REPOSITORY = (b"local", b"worktree")
_BOOLEAN = frozenset({"", "true", "false", "yes", "no", "on", "off", "0", "1"})
_FILTER_KEYS = (".clean", ".smudge", ".process", ".required")


GitSetting = tuple[str, str]
"""A key as git prints it (section and name in lower case), with its value."""


class _Asks(Protocol):
    def __call__(self, *args: str, git_dir: str) -> process.Finished: ...


class _Runs(Protocol):
    def __call__(self, *args: str, cwd: str) -> process.Finished: ...


def own_settings(ask: _Asks, git_dir: str) -> list[GitSetting]:
    """Return the repository's own configuration with its includes, as seen from one of its git directories."""
    out = ask("config", "--list", "--null", "--show-scope", "--includes", git_dir=git_dir).out
    words = out.split(b"\0")[:-1]
    pairs = zip(words[::2], words[1::2], strict=True)
    return [_setting(raw) for scope, raw in pairs if scope in _OF_THE_REPOSITORY]


def _setting(raw: bytes) -> GitSetting:
    key, equals, value = raw.partition(b"\n")
    return as_text(key), as_text(value) if equals else "true"


def programs_named(settings: list[GitSetting]) -> list[str]:
    """Return the keys that name a program which git could run for the gate."""
    return sorted({name for key, value in settings if value.strip() and (name := _program(key, value))})


def _program(key: str, value: str) -> str:
    """Return the key as it is documented if it names a program, otherwise ""."""
    section, _, rest = key.partition(".")
    subsection, _, name = rest.rpartition(".")
    documented = _SHOWN.get(key) or (_SHOWN.get(f"{section}.*.{name}") if subsection else None)
    if documented is None or (key == "core.fsmonitor" and value.lower() in _BOOLEAN):
        return ""
    return documented.replace("*", subsection)


def users_settings(own: _Runs) -> dict[str, str]:
    """Return the configuration of the user and the system, without any repository."""
    rows = own("config", "--list", "--null", "--includes", cwd="/").out.split(b"\0")
    return dict(_setting(row) for row in rows if row)


def silenced(settings: list[GitSetting], users: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return options that disable the repository's own filter programs. Filters that the user configured (`users`)
    stay.

    Only keys set by the repository are overridden, because an empty `process` would also disable the user's `smudge`.
    """
    named = sorted({key for key, _ in settings if key.startswith("filter.") and key.endswith(_FILTER_KEYS)})
    return tuple(word for key in named for word in ("-c", f"{_overridable(key)}={(users or {}).get(key, _off(key))}"))


def _off(key: str) -> str:
    return "false" if key.endswith(".required") else ""


def _overridable(key: str) -> str:
    if "=" in key or "\n" in key:
        raise GitProblem(
            f"the repository's configuration sets {key!r}, which cannot be switched off by name",
            next_step=shell("git", "config", "--local", "--list"),
        )
    return key


# ---- The repository's own configuration ----

# Compare the content to detect changes, because a write through a mapped file can keep time and size.

LARGEST = 16 * MB


class OwnConfig:
    """A cache of git's view of one repository's configuration. Configurations with includes are not cached."""

    def __init__(self, common_dir: str) -> None:
        self._common_dir = common_dir
        self._kept: dict[str, tuple[tuple[bytes | None, ...], list[GitSetting]]] = {}

    def seen_from(self, git_dir: str, ask: Callable[[str], list[GitSetting]]) -> list[GitSetting]:
        """Return the settings in force for one git directory of the repository. `ask` asks git itself."""
        marks = self._contents(git_dir)
        kept = self._kept.get(git_dir)
        if kept is not None and kept[0] == marks:
            return kept[1]
        settings = ask(git_dir)
        includes = any(key.startswith(("include.", "includeif.")) for key, _ in settings)
        if not includes and marks == self._contents(git_dir):
            self._kept[git_dir] = (marks, settings)
        return settings

    def _contents(self, git_dir: str) -> tuple[bytes | None, ...]:
        return tuple(_content(path) for path in (join(self._common_dir, "config"), join(git_dir, "config.worktree")))


def _content(path: str) -> bytes | None:
    try:
        return read(path, LARGEST, follow=True)
    except OSError:
        return None
