"""What an agent program finds in its environment: a list of what is let through, and nothing else (I2).

A home of its own keeps settings and shell profiles of the person out. What a person is logged in with stays where it
is: the program's own directory is named to it, or linked into the home; nothing of it is copied, as tokens there are
good for one use.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from foureyes.core.nouns.session import RUN_DIR, RUN_MARK

AGENT_MARK = "agent:"
"""What the run mark of an agent begins with; the run's id follows."""
PASSED_ON = frozenset(
    "LANG LANGUAGE TZ USER LOGNAME SHELL HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy "
    "no_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE".split()
)
NEVER_PASSED_ON = ("FOUREYES_", "GIT_", "SSH_", "LD_", "DYLD_")
"""Ours, and what would reach the person's repositories, machines or this machine's loader."""
QUIET = {
    "TERM": "dumb", "NO_COLOR": "1", "DO_NOT_TRACK": "1", "DISABLE_AUTOUPDATER": "1", "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true", "GIT_PAGER": "cat", "PAGER": "cat",
}  # fmt: skip
"""Nobody sits there: nothing asks, pages, edits, or changes its own program."""
MONITOR, HOOKS = ("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null")
"""I5: what git would run in a checkout unasked. Who commits keeps the hooks: they write the trailers (K1)."""
HOMES = {
    "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
}  # fmt: skip

TERMINAL = ("TERM", "COLORTERM", "TERM_PROGRAM", "DISPLAY", "WAYLAND_DISPLAY", "TMPDIR", "EDITOR", "VISUAL", "NO_COLOR")
"""What a program that a person sits at has besides."""

LOGIN_PROFILES = (".profile", ".zprofile")
"""What login shells read in a home; codex runs each command in one, and the machine's own profile sets another PATH."""


def run_mark(run: str) -> str:
    """The value of the run mark, by which processes of a run are found."""
    return f"{AGENT_MARK}{run}"


def environment(
    environ: Mapping[str, str], *, run: str, directory: str, home: str, asked: Sequence[str] = (),
    own: Mapping[str, str] | None = None, writes: bool = False, checkout: str = "",
) -> dict[str, str]:  # fmt: skip
    """All of it. `asked` are names to let through, or `NAME=value`; `own` is what the program needs and nobody asked
    for. Neither replaces what is set here. `writes`: whoever it is commits. `checkout`: files that are no repository,
    and git does not look for one around them.
    """
    passed = {name: value for name, value in environ.items() if name in PASSED_ON or name.startswith("LC_")}
    return {
        **passed,
        **QUIET,
        **{name: os.path.join(home, below) for name, below in HOMES.items()},
        **(own or {}),
        **wanted(environ, asked),
        "PATH": path_with_fe(environ.get("PATH", "")),
        "HOME": home,
        "TMPDIR": os.path.join(directory, "tmp"),
        "GIT_CEILING_DIRECTORIES": os.pathsep.join(filter(None, (directory, os.path.dirname(checkout)))),
        RUN_MARK: run_mark(run),
        RUN_DIR: directory,
        **git_settings(MONITOR, *(() if writes else (HOOKS,))),
    }


def persons_environment(
    environ: Mapping[str, str], *, home: str, asked: Sequence[str], own: Mapping[str, str]
) -> dict[str, str]:
    """For a person who goes on with a conversation at a terminal: what a run finds, without what marks one."""
    variables = environment(environ, run="none", directory="", home=home, asked=asked, own=own, writes=True)
    for name in (*QUIET, RUN_MARK, RUN_DIR, "TMPDIR", "GIT_CEILING_DIRECTORIES"):
        variables.pop(name, None)
    return {**{name: environ[name] for name in TERMINAL if name in environ}, **variables}


def git_settings(*settings: tuple[str, str]) -> dict[str, str]:
    """Settings for every git of a run, over those of any file."""
    numbered = [(f"GIT_CONFIG_KEY_{n}", f"GIT_CONFIG_VALUE_{n}", *pair) for n, pair in enumerate(settings)]
    variables = {name: word for key, value, setting, to in numbered for name, word in ((key, setting), (value, to))}
    return {"GIT_CONFIG_COUNT": str(len(settings)), **variables}


def wanted(environ: Mapping[str, str], asked: Sequence[str]) -> dict[str, str]:
    """What a profile asks for by name, or sets."""
    variables: dict[str, str] = {}
    for entry in asked:
        name, is_set, value = entry.partition("=")
        if not name.startswith(NEVER_PASSED_ON) and (is_set or name in environ):
            variables[name] = value if is_set else environ[name]
    return variables


def clean_path(path: str) -> str:
    """Only absolute directories: a relative one, or an empty one, is a directory of the files that are worked on."""
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if entry.startswith("/")) or os.defpath


def path_with_fe(path: str) -> str:
    """The PATH, at its end the directory of this `fe` where no other is on it."""
    import shutil

    entries = clean_path(path)
    beside = os.path.dirname(sys.executable or "")
    has_own = beside and os.path.exists(os.path.join(beside, "fe"))
    return entries if not has_own or shutil.which("fe", path=entries) else f"{entries}{os.pathsep}{beside}"


def login_profile(path: str) -> str:
    """A profile for login shells: the PATH of a run."""
    import shlex

    return f"PATH={shlex.quote(path_with_fe(path))}\nexport PATH\n"
