"""The part of `fe doctor` that needs no store: git, target and configuration."""

from __future__ import annotations

from foureyes.app.results.status import Check
from foureyes.bootstrap.places import git, repository, settings_on_target
from foureyes.errors import FoureyesError
from foureyes.steps import fe


def examined_without(cwd: str) -> list[Check]:
    """Return the checks that need no store."""
    try:
        place = repository(cwd)
        repo, known = git(place), settings_on_target(place)
        target = str(known.get("project.target", "")) or repo.default_target() or ""
        head = repo.commit_of(f"refs/heads/{target}") if target else None
    except FoureyesError as wrong:
        return [Check("git", "fail", wrong.message, wrong.next_step)]
    checks = [Check("git", "ok", "git answers")]
    if head is None:
        checks.append(Check("target", "fail", f"there is no branch {target or 'checked out'}"))
    else:
        checks.append(Check("target", "ok", f"target {target} at {head[:7]}"))
    if not known.get("project.id"):
        checks.append(Check("configuration", "warn", f"foureyes.toml on {target} names no project", fe("init")))
    else:
        checks.append(Check("configuration", "ok", f"foureyes.toml names project {known['project.id']}"))
    return checks
