"""Places of a project: the repository around a directory, and the project's folder."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from foureyes.adapters.git.client.locate import Located, locate
from foureyes.errors import EnvironmentProblem, NoProject
from foureyes.steps import Steps, blank, by, by_person, either, fe, in_turn, prose, shell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foureyes.adapters.git.client.locate import SharedGit
    from foureyes.adapters.git.repo import GitRepo
    from foureyes.adapters.git.workshop import GitWorkshop
    from foureyes.config.settings import SettingValue

FOLDER = ".foureyes"
PROMPTS = "prompts"


def repository(cwd: str) -> Located:
    """Return the repository around a directory, or raise EnvironmentProblem with the next step."""
    place = locate(cwd)
    if place is None and (broken := _broken_above(cwd)):
        raise EnvironmentProblem(
            f"{broken} exists, but git does not accept it as a repository, because HEAD, objects or refs is missing.",
            next_step=in_turn(
                shell(
                    "git", "init", os.path.dirname(broken), before="this restores what is missing and nothing else: "
                ),
                fe("init"),
            ),
        )
    if place is None:
        raise EnvironmentProblem(
            "this directory is not in a git repository.",
            next_step=in_turn(shell("git", "init"), fe("init"), joint=" && "),
        )
    return place


def _broken_above(cwd: str) -> str:
    """Return a damaged `.git` at or above a directory, or an empty string."""
    here = os.path.realpath(cwd)
    while not os.path.lexists(path := os.path.join(here, ".git")):
        if here == (above := os.path.dirname(here)):
            return ""
        here = above
    return path


def git(place: Located, shared: SharedGit | None = None) -> GitRepo:
    """Return the repository's read port. It is imported late, because many commands never need git."""
    from foureyes.adapters.git.repo import GitRepo

    return GitRepo(place, shared)


def workshop(place: Located) -> GitWorkshop:
    """Return the port that changes the repository."""
    from foureyes.adapters.git.workshop import GitWorkshop

    return GitWorkshop(place, folder_of(place))


def describe(place: Located) -> str:
    """Return a short description of the repository for the first run."""
    repo = git(place)
    commits = repo.commit_count()
    state = "clean" if repo.is_clean() else "with uncommitted changes"
    return f"branch {repo.default_target() or 'detached'}, {commits} {'commit' if commits == 1 else 'commits'}, {state}"


def folder_of(place: Located) -> str:
    """Return the path of the project's folder, which has its uncommitted data. It is the same for every worktree.
    (K3)
    """
    return os.path.join(place.root, FOLDER)


def is_project(folder: str) -> bool:
    """Return True if there is a project. A folder with only prompt templates, as in a fresh clone, does not count.
    (F4)
    """
    refuse_odd(folder)
    return os.path.isdir(folder) and os.listdir(folder) != [PROMPTS]


def is_shared(folder: str) -> bool:
    """Return True if the project's store is on a server."""
    return os.path.lexists(os.path.join(folder, "store.json"))


def refuse_odd(folder: str) -> None:
    """Refuse a project folder that is not a real directory, because a link could lead anywhere."""
    from foureyes.adapters.folders import kind_of

    try:
        mode = os.lstat(folder).st_mode
    except OSError:
        return
    if not stat.S_ISDIR(mode):
        raise EnvironmentProblem(
            f"{folder} is {kind_of(mode)}, but a project's folder must be a real directory. Nothing was changed.",
            next_step=prose(f"find out who put it there, then move {FOLDER} away or put the real directory here"),
        )


def project_folder(place: Located, environ: Mapping[str, str] | None = None) -> str:
    """Return the project's folder, or raise NoProject."""
    folder = folder_of(place)
    if not is_project(folder):
        raise no_project_here(place, environ) or NoProject("no Foureyes project here or above.", next_step=fe("init"))
    return folder


def no_project_here(place: Located, environ: Mapping[str, str] | None = None) -> NoProject | None:
    """Return an error that says where the store of this clone's project is, None if no project is named. A second store
    would be another project. (P12)
    """
    from foureyes.config import FILE
    from foureyes.core.words.store_place import why_not_kept
    from foureyes.errors import FoureyesError

    if not os.path.lexists(os.path.join(place.root, FILE)):
        return None
    try:
        known = settings_on_target(place)
    except FoureyesError:
        return None
    if not known.get("project.id"):
        return None
    what = f"{FILE} names project {known['project.id']}, but its store is not in this clone"
    address = str(known.get("store.url") or "")
    why = why_not_kept(address)
    if address and not why:
        return NoProject(f"{what}. It is on a PostgreSQL server.", next_step=_join(address))
    if (environ or {}).get("FOUREYES_STORE"):
        return NoProject(f"{what}. FOUREYES_STORE names a PostgreSQL server.", next_step=_join())
    if why:
        return NoProject(
            f"{what}. store.url says where it is, but is not used: {why}.",
            next_step=by(
                "person", fe("store", "join", blank("postgresql://…")), "a person with the address joins it: "
            ),
        )
    return NoProject(f"{what}. It is in the clone where fe init ran, or on a server.", next_step=_ways())


def _ways() -> Steps:
    """Return the ways to reach a store whose place is unknown."""
    join = fe("store", "join", blank("postgresql://…"))
    share = fe("store", "copy", blank("postgresql://…"), before="or share it: there ", after=", here ")
    bring = fe("store", "backup", blank("FILE"), before="or bring it here: there ", after=", here ")
    return in_turn(
        prose("work in that clone, or in a git worktree of it"),
        by_person(fe("store", "join", blank("postgresql://…"), before="if it is on a server, join it: ")),
        in_turn(share, by_person(join), joint=""),
        in_turn(bring, by_person(fe("store", "restore", blank("FILE"))), joint=""),
        ANEW,
        joint="; ",
    )


def _join(address: str = "") -> Steps:
    step = fe("store", "join", address) if address else fe("store", "join")
    return either(by("person", step, "a person joins it: "), fe("init", before="an agent or a service: "), joint="; ")


ANEW = by("person", fe("init", "--again"), "if it is lost, a person starts a new journal: ")
"""Next step if the store is lost everywhere."""


def project_on_target(place: Located) -> str:
    """Return the project named in the target's foureyes.toml, or an empty string. The checked-out file names the
    target.
    """
    from foureyes.config import FILE
    from foureyes.config.parser import read_file
    from foureyes.errors import FoureyesError

    try:
        known = settings_on_target(place)
        target = str(known.get("project.target", ""))
        text = git(place).file_at(target, FILE) if target else None
        return str((read_file(text) if text else known).get("project.id", ""))
    except FoureyesError:
        return ""


def usual_target(place: Located) -> str:
    """Return the usual main branch: origin/HEAD, main or master, or an empty string."""
    repo = git(place)
    heads = repo.heads()
    return next((name for name in (repo.origin_head(), "main", "master") if f"refs/heads/{name}" in heads), "")


def settings_on_target(place: Located) -> dict[str, SettingValue]:
    """Return the settings of foureyes.toml on the main worktree's branch. A fresh clone knows nothing else."""
    from foureyes.config import FILE
    from foureyes.config.parser import read_file

    repo = git(place)
    target = repo.default_target()
    text = repo.file_at(target, FILE) if target else None
    repo.close()
    return read_file(text) if text else {}
