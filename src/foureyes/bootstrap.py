"""Plugs the rooms together: the only file that knows every concrete class."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from foureyes.adapters.clock import RandomIds, SharedClock, SystemClock
from foureyes.adapters.git.locate import Located, locate
from foureyes.adapters.store.opening import create_store, open_store, restore_store
from foureyes.adapters.store.store import Store
from foureyes.app.application import Application
from foureyes.app.context import Context, permit, stamp
from foureyes.core.ids import PREFIX
from foureyes.core.session import Actor
from foureyes.errors import BadInput, EnvironmentProblem, FoureyesError, GitProblem, NoProject, NoStore, NotFound, Refused, StoreProblem

if TYPE_CHECKING:
    from foureyes.adapters.git.repo import GitRepo
    from foureyes.adapters.identity.keys import KeyRing
    from foureyes.app.ports import Progress
    from foureyes.config import Value

FOLDER = ".foureyes"
HEADING = "# Foureyes reads this file from the target branch. A change to it is reviewed like any other.\n"


def whoami(environ: Mapping[str, str], asserted: str = "", programs: Sequence[str] = ()) -> Actor:
    """Who is calling, as far as can be seen; the store may know more (`Sessions.recognise`)."""
    from foureyes.adapters.identity.observe import observe

    return observe(environ, asserted=asserted, programs=programs)


def keys(environ: Mapping[str, str]) -> KeyRing:
    """The caller's own keys."""
    from foureyes.adapters.identity.keys import KeyRing

    return KeyRing(environ)


def repository(cwd: str) -> Located:
    """The repository around a directory, or a sentence about what is missing."""
    found = locate(cwd)
    if found is None:
        raise EnvironmentProblem(
            "this directory is not in a git repository.\n  Foureyes keeps agents' work on branches until someone else has agreed to it.",
            next_step="git init && fe init",
        )
    return found


def git(place: Located) -> GitRepo:
    """The repository's port; imported late, because many commands never need git."""
    from foureyes.adapters.git.repo import GitRepo

    return GitRepo(place.worktree, place.git_dir, place.common_dir, place.root)


def describe(place: Located) -> str:
    """A repository in a few words, for the first run."""
    repo = git(place)
    commits = repo.commit_count()
    state = "clean" if repo.is_clean() else "with uncommitted changes"
    return f"branch {repo.default_target() or 'detached'}, {commits} {'commit' if commits == 1 else 'commits'}, {state}"


def folder_of(place: Located) -> str:
    """Where a project keeps what is not committed; the same from every worktree (K3)."""
    return os.path.join(place.root, FOLDER)


def open_project(cwd: str, environ: Mapping[str, str]) -> Application:
    """The project around a directory."""
    place = repository(cwd)
    folder = folder_of(place)
    if not os.path.isdir(folder):
        raise NoProject("no Foureyes project here or above.", next_step="fe init")
    return application(_open(folder, place, environ), place, environ)


def _open(folder: str, place: Located, environ: Mapping[str, str]) -> Store:
    """The store of a project: where FOUREYES_STORE or the pointer file says, else the file."""
    url = environ.get("FOUREYES_STORE", "")
    if not url and not os.path.exists(os.path.join(folder, "store.json")):
        return open_store(folder, _now())
    from foureyes.adapters.store.shared import open_shared

    url, project = _server(folder, place, url)
    return open_shared(folder, url, project, _now())


def _server(folder: str, place: Located, url: str) -> tuple[str, str]:
    """Address and project of a shared store."""
    from foureyes.adapters.store.shared import check_url, read_pointer

    pointer = read_pointer(folder)
    address = url or (pointer.url if pointer else "")
    if not address:
        raise StoreProblem("this project's store is on a PostgreSQL server.", next_step="export FOUREYES_STORE=postgresql://…")
    project = pointer.project if pointer else str(_settings_on_target(place).get("project.id", ""))
    if not project:
        raise StoreProblem("foureyes.toml names no project id, so the server's store cannot be found.", next_step="fe init")
    return check_url(address), project


def _settings_on_target(place: Located) -> dict[str, Value]:
    """foureyes.toml as it is on the branch checked out in the main worktree: what a fresh clone knows of its project."""
    from foureyes.config import FILE, read_file

    repo = git(place)
    target = repo.default_target()
    text = repo.file_at(target, FILE) if target else None
    repo.close()
    return read_file(text) if text else {}


def application(store: Store, place: Located, environ: Mapping[str, str]) -> Application:
    """An Application over a store and a repository."""
    return Application(
        Context(store, lambda: git(place), SharedClock(store.engine), RandomIds(), environ, folder_of(place), lambda: keys(environ))
    )


def _now() -> str:
    return stamp(SystemClock().now())


class Created:
    """What `fe init` did."""

    def __init__(self, *, new: bool, target: str, prefix: str, project: str, committed: str, notes: list[str]) -> None:
        self.new = new
        self.target = target
        self.prefix = prefix
        self.project = project
        self.committed = committed
        self.notes = notes


def create_project(
    cwd: str, environ: Mapping[str, str], actor: Actor, *, prefix: str, target: str | None, commit: bool, source: str | None = None
) -> Created:
    """`fe init`: a store, foureyes.toml, and, for a person, its commit on the target (P12). A second time changes nothing."""
    permit(actor, "init")
    place = repository(cwd)
    repo = git(place)
    repo.check_version()
    folder = folder_of(place)
    settings = _settings_from(os.path.join(cwd, source)) if source else {}
    if not PREFIX.match(prefix):
        raise BadInput(f"prefix {prefix!r}: one to ten small letters and digits, a letter first.")
    new = not os.path.isdir(folder)
    if new:
        _make_folder(folder, place, environ, actor, prefix, target or _target(repo))
    app = open_project(cwd, environ)
    try:
        project = app.projects.get()
    finally:
        app.close()
    notes: list[str] = []
    if not new and target not in (None, project.target):
        notes.append(f"the target stays {project.target}: it was chosen when the project was created")
    committed = _write_config(place, repo, actor, project.id, project.prefix, project.target, commit=commit, notes=notes, settings=settings)
    if actor.kind == "human":
        _accept(cwd, environ, actor, notes, own=bool(committed))
    return Created(new=new, target=project.target, prefix=project.prefix, project=project.id, committed=committed, notes=notes)


def _accept(cwd: str, environ: Mapping[str, str], actor: Actor, notes: list[str], *, own: bool) -> None:
    """P12: what a person sets up, that person accepts; what was on the target before, they look at first."""
    app = open_project(cwd, environ)
    try:
        if app.projects.get().accepted_digest is None and own:
            app.policy.accept(actor)
        elif app.projects.get().accepted_digest is None and not notes:
            notes.append(_there_before(app))
    except NotFound:
        pass
    except FoureyesError as problem:
        notes.append(f"foureyes.toml is not accepted: {problem.message}")
    finally:
        app.close()


def _there_before(app: Application) -> str:
    """What to say about a foureyes.toml that this init did not write."""
    from foureyes.config import FILE, read_file

    project = app.projects.get()
    named = str(read_file(app.context.repo.file_at(project.target, FILE) or "").get("project.id", ""))
    if named not in ("", project.id):
        return f"{FILE} belongs to project {named}, whose store is not here: this one is another project and merges nothing (P12)"
    return f"{FILE} was there before and is not in force: look at it, then fe policy accept"


def _target(repo: GitRepo) -> str:
    found = repo.default_target()
    if found is None:
        raise GitProblem("no branch is checked out, so there is no target branch to protect.", next_step="fe init --target main")
    return found


def _make_folder(folder: str, place: Located, environ: Mapping[str, str], actor: Actor, prefix: str, target: str) -> None:
    """Make everything beside its place and move it there in one step, so that a crash leaves no half project."""
    temporary = f"{folder}.new-{os.getpid()}"
    project = f"{RandomIds().number():032x}"[:16]
    try:
        os.mkdir(temporary)
        with open(os.path.join(temporary, ".gitignore"), "w", encoding="utf-8") as file:
            file.write("*\n")
        joined = _make_store(temporary, place, environ, project)
        try:
            if not joined.joined:
                app = application(joined.store, place, environ)
                app.projects.create(actor, os.path.basename(place.root) or "project", prefix, target)
        finally:
            joined.store.close()
        os.rename(temporary, folder)
    except OSError as problem:
        raise EnvironmentProblem(
            f"{FOLDER}/ cannot be made here: {problem.strerror}. Nothing was changed.",
            next_step="make the repository's directory writable for you",
        ) from problem
    finally:
        if os.path.isdir(temporary):
            import shutil

            shutil.rmtree(temporary, ignore_errors=True)


class _Made:
    """A new store, or a shared one that was there already."""

    def __init__(self, store: Store, *, joined: bool) -> None:
        self.store = store
        self.joined = joined


def _make_store(folder: str, place: Located, environ: Mapping[str, str], project: str) -> _Made:
    """A file; or, where FOUREYES_STORE or foureyes.toml names a server, a schema there, joined if it exists."""
    known = _settings_on_target(place)
    url = environ.get("FOUREYES_STORE", "") or str(known.get("store.url", ""))
    if not url:
        return _Made(create_store(folder, project, _now()), joined=False)
    from foureyes.adapters.store.shared import Pointer, has_project, open_shared, write_pointer

    named = str(known.get("project.id", ""))
    if named and not has_project(url, named):
        raise NoStore(
            f"foureyes.toml names project {named}, and that server has no store of it: a second journal of one project is never begun.",
            next_step="fe store copy URL, on the machine that has the store",
        )
    store = open_shared(folder, url, named or project, _now(), create=not named)
    write_pointer(folder, Pointer(named or project, "" if environ.get("FOUREYES_STORE") else url))
    return _Made(store, joined=bool(named))


def _write_config(
    place: Located,
    repo: GitRepo,
    actor: Actor,
    project: str,
    prefix: str,
    target: str,
    *,
    commit: bool,
    notes: list[str],
    settings: dict[str, Value],
) -> str:
    """Write foureyes.toml if it is not there, and commit exactly it to the checked-out target, if a person asks."""
    from foureyes.app.foreign import to_toml
    from foureyes.config import FILE

    path = os.path.join(place.root, FILE)
    if repo.file_at(target, FILE) is not None or (os.path.exists(path) and not _is_ours(path, project)):
        return ""
    if not os.path.exists(path):
        own: dict[str, Value] = {"project.id": project, "project.prefix": prefix, "project.target": target}
        _write_whole(path, HEADING + to_toml(own | {"review.policy": "balanced"} | settings | own))
    if not commit:
        notes.append(f"{FILE} is written but not committed; the built-in defaults are in force until it is on {target}")
        return ""
    if actor.kind != "human":
        notes.append(f"{FILE} is written but not committed: that is for a person (P12). Until it is on {target}, the defaults are in force")
        return ""
    if repo.default_target() != target:
        notes.append(
            f"{FILE} is written but not committed: {target} is not checked out. Until it is on {target}, the defaults are in force"
        )
        return ""
    try:
        return str(repo.commit_file(FILE, "Set up Foureyes"))
    except GitProblem as problem:
        notes.append(f"{FILE} is written but git would not commit it: {problem.message}")
        return ""


def _is_ours(path: str, project: str) -> bool:
    """A file that an earlier, interrupted init left, and that still waits to be committed."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return f'id = "{project}"' in file.read()


def _write_whole(path: str, text: str) -> None:
    """In one step, so that a crash leaves no half file."""
    temporary = f"{path}.new-{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as problem:
        name = os.path.basename(path)
        raise EnvironmentProblem(
            f"{name} cannot be written: {problem.strerror}.", next_step="make the directory writable, then: fe init"
        ) from problem
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def _settings_from(path: str) -> dict[str, Value]:
    """The settings of another tool's file (`fe init --from`)."""
    from foureyes.app.foreign import read

    try:
        with open(path, encoding="utf-8") as file:
            return read(file.read(), os.path.basename(path))
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"{os.path.basename(path)} cannot be read: {problem}", next_step="fe init --from FILE") from None


def restore(cwd: str, environ: Mapping[str, str], actor: Actor, source: str) -> str:
    """Put a backup in the store's place, by a person, on the record; where the old store is kept."""
    permit(actor, "restore")
    folder = folder_of(repository(cwd))
    if not os.path.isdir(folder):
        raise NoProject("no Foureyes project here or above.", next_step="fe init")
    if os.path.exists(os.path.join(folder, "store.json")):
        raise Refused("the store is on a server: its own backups restore it.", next_step="fe store copy sqlite, then fe restore FILE")
    _sign_restore(cwd, environ, actor, source)
    kept = restore_store(folder, os.path.join(cwd, source), _now())
    app = open_project(cwd, environ)
    try:
        app.projects.note_restore(actor, os.path.basename(source), os.path.basename(kept))
    finally:
        app.close()
    return kept


def _sign_restore(cwd: str, environ: Mapping[str, str], actor: Actor, source: str) -> None:
    """I9: a store with keys is put aside by somebody who has one. One that cannot be opened any more cannot say."""
    from foureyes.app.proof import demand

    try:
        app = open_project(cwd, environ)
    except StoreProblem:
        return
    try:
        demand(app.context, actor, "restore", os.path.basename(source))
    finally:
        app.close()


def copy_store(cwd: str, environ: Mapping[str, str], actor: Actor, url: str, progress: Progress | None) -> int:
    """Move the project's store to a server, or back into the file (`sqlite`); by a person; how many rows."""
    permit(actor, "store copy")
    from foureyes.adapters.store import shared

    place = repository(cwd)
    folder = folder_of(place)
    if not os.path.isdir(folder):
        raise NoProject("no Foureyes project here or above.", next_step="fe init")
    remote = shared.read_pointer(folder) is not None
    if url == shared.LOCAL:
        if not remote:
            raise Refused("the store is the file in .foureyes/ already.", next_step="fe doctor")
        address, project = _server(folder, place, environ.get("FOUREYES_STORE", ""))
        return shared.move_to_file(folder, address, project, _now(), progress)
    if remote:
        raise Refused("the store is on a server already.", next_step=f"fe store copy {shared.LOCAL}   first")
    return shared.move_to_server(folder, shared.check_url(url), _now(), keep_url=not environ.get("FOUREYES_STORE"), progress=progress)


def setup(cwd: str, actor: Actor, agent: str, *, remove: bool) -> tuple[str, str]:
    """Write or take out the instruction block of an agent; the file's name and what was done."""
    permit(actor, "setup")
    from foureyes.adapters.agents import instructions
    from foureyes.app.primer import BLOCK

    root = repository(cwd).worktree
    name = instructions.FILES[agent]
    return name, instructions.remove(root, name) if remove else instructions.install(root, name, BLOCK)
