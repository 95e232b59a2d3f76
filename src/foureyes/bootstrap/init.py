"""`fe init`: create the store and foureyes.toml with the checks found in the repository, and commit it on the target
(P12).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.clock import RandomIds
from foureyes.adapters.folders import MB, read
from foureyes.adapters.folders import folder as entered
from foureyes.adapters.folders import replace as replace_file
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.store.store import Store
from foureyes.adapters.store.store_files import NAME, create_store, retire_mirrors
from foureyes.app.application import Application
from foureyes.app.context import permit
from foureyes.bootstrap.files import read_given
from foureyes.bootstrap.join import Joined, join_known
from foureyes.bootstrap.places import (
    FOLDER,
    folder_of,
    git,
    is_project,
    no_project_here,
    project_on_target,
    repository,
    settings_on_target,
    usual_target,
    workshop,
)
from foureyes.bootstrap.project_folder import made_folder
from foureyes.bootstrap.restore import server_address
from foureyes.bootstrap.wiring import application, now, open_project
from foureyes.config import FILE
from foureyes.config.parser import read_file, read_tree
from foureyes.config.settings import SettingValue
from foureyes.core.nouns.session import HOST_MAP, Actor
from foureyes.core.words.ids import PREFIX
from foureyes.errors import (
    BadInput,
    ConfigError,
    EnvironmentProblem,
    FoureyesError,
    GitProblem,
    NoProject,
    NotFound,
    Refused,
)
from foureyes.steps import NO_STEP, Steps, blank, either, fe, in_turn, phrase, shell

if TYPE_CHECKING:
    from collections.abc import Callable

    from foureyes.adapters.git.repo import GitRepo
    from foureyes.app.gate.checks import Telling
    from foureyes.app.results.project import ProjectView
    from foureyes.bootstrap.check_discovery import CheckProposal, Detected
    from foureyes.core.rules.policy import IdentityRule


# ---- `fe init` ----

LARGEST = 16 * MB
HEADING = "# Foureyes reads this file from the target branch. A change to it is reviewed like any other.\n"


class Created(msgspec.Struct, frozen=True, kw_only=True):
    """Result of `fe init`."""

    new: bool
    target: str
    prefix: str
    project: str
    committed: str
    notes: list[str]
    checks: Sequence[CheckProposal] = ()
    prepare: str = ""
    next: Steps = NO_STEP
    """Remaining steps if git refused the commit."""
    joined: Joined | None = None


def create_project(
    cwd: str,
    environ: Mapping[str, str],
    actor: Actor,
    *,
    prefix: str,
    target: str | None,
    commit: bool,
    source: str | None = None,
    trying: bool = False,
    other_program: bool = False,
    home: IdentityRule | None = None,
    again: bool = False,
    tell: Telling = lambda news: None,
) -> Created:
    """Create the store and foureyes.toml. For a person, also commit it to the target. Repeating it changes nothing
    (P12).

    - home: the container or host of a new project (I3)
    - again: start a new journal after the store was lost
    - other_program: forbid approvals by agents of the author's program (I6)
    - tell: receives progress
    """
    permit(actor, "init")
    place, repo = _asked(cwd)
    folder = folder_of(place)
    new = not is_project(folder)
    if new and not again:
        refuse_second_journal(place, environ)
        if joined := join_known(place, environ):
            return _as_created(joined)
    settings = (_settings_from(os.path.join(cwd, source)) if source else {}) | _home(home)
    settings |= {"review.independence": "program"} if other_program else {}
    detected = _proposed(place, environ, settings, tell if trying else None)
    if not PREFIX.match(prefix):
        raise BadInput(
            f"prefix {prefix!r} is not allowed. Use one to ten lowercase letters and digits, starting with a letter."
        )
    if again:
        begin_again(place, environ, actor)
    elif new:
        _make(folder, place, environ, actor, prefix, target or _target(repo, place))
    if place.worktree != place.git_dir:
        with suppress(GitProblem):  # the first worktree retries, or reports why it failed
            workshop(place).prepare_worktrees()
    app = open_project(cwd, environ)
    try:
        project = app.projects.get()
        checks = _kept(app, actor, detected)
    finally:
        app.close()
    notes = _kept_target(project, None if new else target)
    file = _write_config(place, repo, actor, project, commit=commit, notes=notes, settings=settings, proposed=checks)
    if actor.kind == "human":
        _accept(cwd, environ, actor, notes, own=file.text if file.commit else None)
    return Created(
        new=new,
        target=project.target,
        prefix=project.prefix,
        project=project.id,
        committed=file.commit,
        notes=[*(detected.notes if new else ()), *notes],
        checks=checks,
        prepare=detected.prepare,
        next=file.next,
    )


def _asked(cwd: str) -> tuple[Located, GitRepo]:
    """Return the repository around a directory, after checking that git works in it."""
    place = repository(cwd)
    repo = git(place)
    repo.check_version()
    repo.refuse_refused()
    return place, repo


def _kept_target(project: ProjectView, target: str | None) -> list[str]:
    kept = f"the target stays {project.target}, because it was chosen when the project was created"
    return [] if target in (None, project.target) else [kept]


def _as_created(joined: Joined) -> Created:
    """Return the result for a clone that joined an existing project."""
    return Created(
        new=False,
        target=joined.target,
        prefix=joined.prefix,
        project=joined.project,
        committed="",
        notes=[each.message for each in joined.missing],
        joined=joined,
    )


def _home(home: IdentityRule | None) -> dict[str, SettingValue]:
    """Return the settings of the project's home. The host itself needs none. (I3)"""
    if home is None or home.home == "host":
        return {}
    mapped: dict[str, SettingValue] = {} if home.uid_map == HOST_MAP else {"identity.uid_map": home.uid_map}
    return {"identity.home": home.home} | mapped


def _proposed(
    place: Located, environ: Mapping[str, str], settings: dict[str, SettingValue], trying: Telling | None
) -> Detected:
    """Return the proposed checks and add them to the settings. With `trying`, each is run once first, and a failing one
    is not required.
    """
    from foureyes.bootstrap.check_discovery import Detected, detected_in
    from foureyes.bootstrap.check_trial import beyond, settings_in

    if "checks" in settings:
        return Detected()
    own = {} if trying is None else settings_in(place.root)
    detected = beyond(detected_in(place.root), {**own, **settings, "checks": ()})
    if detected.checks:
        from foureyes.bootstrap.check_trial import tried, untried

        detected = untried(place, environ, detected) if trying is None else tried(place, environ, detected, trying)
    used = tuple(proposal.rule for proposal in detected.checks if proposal.is_of_use)
    settings |= {"checks": used} if detected.checks else {}
    settings |= detected.settings if used else {}
    return detected


def _kept(app: Application, actor: Actor, detected: Detected) -> list[CheckProposal]:
    """Record the tried checks. (D5)"""
    if not any(proposal.ran for proposal in detected.checks):
        return list(detected.checks)
    from foureyes.bootstrap.check_trial import all_kept

    return all_kept(app, actor, detected)


def _accept(cwd: str, environ: Mapping[str, str], actor: Actor, notes: list[str], *, own: str | None) -> None:
    """Accept exactly the file that this init wrote. A file that existed before has to be read and accepted by the
    person. (P12)
    """
    app = open_project(cwd, environ)
    try:
        if app.projects.get().accepted_digest is None and own is not None and own == _on_target(app):
            app.policy.accept(actor, own=own)
        elif app.projects.get().accepted_digest is None and not notes:
            notes.append(_there_before(app))
    except NotFound:
        pass
    except FoureyesError as problem:
        notes.append(f"foureyes.toml is not accepted: {problem.message}")
    finally:
        app.close()


def _on_target(app: Application) -> str | None:
    from foureyes.config import FILE

    return app.context.repo.file_at(app.projects.get().target, FILE)


def _there_before(app: Application) -> str:
    """Return a note about a foureyes.toml that this init did not write."""
    from foureyes.config import FILE
    from foureyes.config.parser import read_file

    project = app.projects.get()
    named = str(read_file(app.context.repo.file_at(project.target, FILE) or "").get("project.id", ""))
    if named not in ("", project.id):
        return (
            f"{FILE} belongs to project {named}, whose store is not here. This is another project, so it merges "
            "nothing (P12). To bring the store here: fe store backup FILE there, then fe store restore FILE here"
        )
    return f"{FILE} existed before and is not in force. Read it, then: fe config accept"


def _target(repo: GitRepo, place: Located) -> str:
    """Return the current branch as the target. If the repository has another usual branch, refuse and ask."""
    target = repo.default_target()
    if target is None:
        raise GitProblem(
            "no branch is checked out, so there is no target branch to protect.",
            next_step=fe("init", "--target", usual_target(place) or "main"),
        )
    usual = usual_target(place)
    if usual not in ("", target):
        raise BadInput(
            f"{target} is checked out, but there is also {usual}. Say which branch to protect.",
            next_step=either(fe("init", "--target", usual), fe("init", "--target", target)),
        )
    return target


def unsure_target(cwd: str) -> tuple[str, str]:
    """Return the current and the usual branch if a new project must choose between them, else empty strings."""
    place, repo = _asked(cwd)
    here, usual = repo.default_target() or "", usual_target(place)
    return (here, usual) if not is_project(folder_of(place)) and here and usual not in ("", here) else ("", "")


def _make(folder: str, place: Located, environ: Mapping[str, str], actor: Actor, prefix: str, target: str) -> None:
    """Create the store and the project row."""
    with made_folder(folder) as made:
        store = _make_store(made, place, environ, f"{RandomIds().number():032x}"[:16])
        try:
            app = application(store, place, environ)
            app.projects.create(actor, os.path.basename(place.root) or "project", prefix, target)
        finally:
            store.close()


def _make_store(folder: str, place: Located, environ: Mapping[str, str], project: str) -> Store:
    """Create a store: a schema on the server that FOUREYES_STORE or foureyes.toml names, or else a file."""
    url = environ.get("FOUREYES_STORE", "") or str(settings_on_target(place).get("store.url", ""))
    if not url:
        return create_store(folder, project, now())
    from foureyes.adapters.store.shared_store import Pointer, kept_url, open_shared, write_pointer

    by_environment = bool(environ.get("FOUREYES_STORE"))
    store = open_shared(folder, url if by_environment else kept_url(url), project, now(), create=True)
    write_pointer(folder, Pointer(project, "" if by_environment else url))
    return store


class _Written(msgspec.Struct, frozen=True):
    """The commit of foureyes.toml with its text, or the remaining steps if git refused it."""

    commit: str = ""
    text: str = ""
    next: Steps = NO_STEP


def _write_config(
    place: Located,
    repo: GitRepo,
    actor: Actor,
    project: ProjectView,
    *,
    commit: bool,
    notes: list[str],
    settings: dict[str, SettingValue],
    proposed: Sequence[CheckProposal],
) -> _Written:
    """Write foureyes.toml if it is missing. If a person asked, commit it to the target, which must be checked out."""
    from foureyes.config import FILE
    from foureyes.config.settings import why_no_remote
    from foureyes.config.toml_text import to_comment, to_remote, to_toml

    path, target = os.path.join(place.root, FILE), project.target
    if repo.file_at(target, FILE) is not None or (os.path.lexists(path) and not _is_ours(path, project.id)):
        return _Written()
    own: dict[str, SettingValue] = {
        "project.id": project.id,
        "project.prefix": project.prefix,
        "project.target": target,
    }
    text = HEADING + to_toml(own | {"review.policy": "balanced"} | settings | own)
    text += "".join(to_comment(each.rule, each.tried) for each in proposed if not each.is_of_use)
    if (remote := repo.usual_remote()) and "git.remote" not in settings and not why_no_remote(remote):
        text += to_remote(remote)
    if not os.path.lexists(path):
        _write_whole(path, text)
    if not commit:
        notes.append(f"{FILE} is written but not committed. The built-in defaults are in force until it is on {target}")
        return _Written()
    if actor.kind != "human":
        notes.append(
            f"{FILE} is written but not committed, because only a person may commit it (P12). Until it is on {target}, the "
            "defaults are in force"
        )
        return _Written()
    if repo.default_target() != target:
        notes.append(
            f"{FILE} is written but not committed, because {target} is not checked out. Until it is on {target}, the "
            "defaults are in force"
        )
        return _Written()
    try:
        return _Written(str(workshop(place).commit_file(FILE, "Set up Foureyes")), text)
    except GitProblem as problem:
        notes.append(f"{FILE} is written but git would not commit it: {problem.message}")
        if problem.next_step:
            return _Written(next=in_turn(problem.next_step, fe("init")))
        by_hand = shell("git", "commit", "-m", phrase("a message that git accepts"))
        return _Written(next=in_turn(shell("git", "add", FILE), by_hand, fe("config", "accept")))


def _is_ours(path: str, project: str) -> bool:
    """Return True if an interrupted init left this file uncommitted."""
    try:
        return f'id = "{project}"' in read(path, LARGEST, follow=True).decode("utf-8", "replace")
    except OSError as problem:
        name = os.path.basename(path)
        raise EnvironmentProblem(
            f"{name} cannot be read: {problem.strerror}.", next_step=fe("init", before="check it, then: ")
        ) from problem


def _write_whole(path: str, text: str) -> None:
    around, name = os.path.split(path)
    try:
        with entered(around) as place:
            replace_file(place, name, text.encode(), 0o666)
    except OSError as problem:
        raise EnvironmentProblem(
            f"{name} cannot be written: {problem.strerror}.",
            next_step=fe("init", before="make the directory writable, then: "),
        ) from problem


def _settings_from(path: str) -> dict[str, SettingValue]:
    """Return the settings of another tool's file (`fe init --from`)."""
    try:
        text = read_given(path, LARGEST).decode()
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it is not valid UTF-8"
        raise BadInput(
            f"{os.path.basename(path)} cannot be read: {why}.", next_step=fe("init", "--from", blank("FILE"))
        ) from None
    return settings_in(text, os.path.basename(path))


# ---- `fe init --again` ----


def refuse_second_journal(place: Located, environ: Mapping[str, str]) -> None:
    """Refuse a new project in a clone that already belongs to one, because two stores would be two projects. (P12)"""
    elsewhere = no_project_here(place, environ)
    shared = environ.get("FOUREYES_STORE") or settings_on_target(place).get("store.url")
    if elsewhere is not None and not shared:
        raise elsewhere
    if elsewhere is None:
        _refuse_unpulled(place)


def _refuse_unpulled(place: Located) -> None:
    """Refuse if the fetched target names a project that is not pulled yet. It is allowed if a local branch contains
    that commit and deleted the file.
    """
    repo = git(place)
    branch = repo.default_target()
    here, there = repo.commit_of(f"refs/heads/{branch}"), repo.commit_of(f"refs/remotes/origin/{branch}")
    if there is None or (here is not None and repo.is_ancestor(there, here)):
        return
    text = repo.file_at(there, FILE)
    named = read_file(text).get("project.id") if text else None
    if named:
        raise NoProject(
            f"{FILE} on origin/{branch} names project {named}, but is not in this clone yet. A new project here would "
            "merge nothing (P12).",
            next_step=in_turn(shell("git", "pull"), fe("status")),
        )


def begin_again(place: Located, environ: Mapping[str, str], actor: Actor) -> None:
    """Begin the project's journal again, by a person. Tasks and history are gone, but it is the same project. The new
    store adopts the target where it is.
    """
    permit(actor, "store adopt")
    folder, project, known = folder_of(place), project_on_target(place), settings_on_target(place)
    if not project:
        raise Refused("foureyes.toml names no project, so there is no journal to start again.", next_step=fe("init"))
    names = (os.path.basename(place.root) or "project", str(known.get("project.prefix") or "fe"))

    def begin(store: Store) -> None:
        with closing(store):
            projects = application(store, place, environ).projects
            projects.create(actor, *names, str(known.get("project.target") or "main"), lost=True)

    if os.path.lexists(os.path.join(folder, NAME)):
        raise Refused(f"there is already a store here ({FOLDER}/{NAME}).", next_step=fe("doctor"))
    with made_folder(folder) as made:
        if address := server_address(place, environ):
            _on_server(made, address, project, begin, kept=not environ.get("FOUREYES_STORE"))
        else:
            _in_the_file(made, project, begin)


def _in_the_file(folder: str, project: str, begin: Callable[[Store], None]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(dir=folder, prefix="incoming-") as workdir:
        begin(create_store(workdir, project, now()))
        retire_mirrors(folder, now())
        os.replace(os.path.join(workdir, NAME), os.path.join(folder, NAME))


def _on_server(folder: str, address: str, project: str, begin: Callable[[Store], None], *, kept: bool) -> None:
    """Create the store on the project's server. Refuse if that server still has one."""
    from foureyes.adapters.store.shared_store import Pointer, has_project, open_shared, write_pointer

    if has_project(address, project):
        raise Refused("that server already has a store of this project.", next_step=fe("doctor"))
    retire_mirrors(folder, now())
    begin(open_shared(folder, address, project, now(), create=True))
    write_pointer(folder, Pointer(project, address if kept else ""))


def settings_in(text: str, name: str) -> dict[str, SettingValue]:
    """Return the settings of another tool's file. An unknown key is an error. (G1)"""
    try:
        tree = msgspec.json.decode(text, type=dict[str, object]) if text.lstrip().startswith("{") else None
    except msgspec.DecodeError as problem:
        raise ConfigError(f"{name} is not valid JSON: {problem}") from None
    if tree is None:
        return read_file(text, name)
    return read_tree(_snake_keys(tree), text, name)


def _snake_keys(tree: dict[str, object]) -> dict[str, object]:
    """Return the tree with snake_case keys."""
    return {_snake_key(key): _snake_keys(value) if isinstance(value, dict) else value for key, value in tree.items()}


def _snake_key(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda capital: "_" + capital.group(1).lower(), key)
