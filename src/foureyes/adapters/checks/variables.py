"""The environment variables of a check: a list of what is allowed, nothing else gets through (D5)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.nouns.session import RUN_MARK

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
