"""`fe store join`: a clone gets to the store that a server has of its project, or is told what is missing (P12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from foureyes.adapters.store.shared_store import Pointer, read_pointer
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.join import join_store
from foureyes.bootstrap.restore import restore_backup
from foureyes.bootstrap.store_move import address_to_name
from foureyes.bootstrap.wiring import open_project
from foureyes.errors import BadInput, FoureyesError, NoProject, NoStore, Refused, StoreProblem
from foureyes.ui.steps import steps_text

from tests import engines
from tests.stage.checkout import Checkout
from tests.stage.on_server import Project, clone_of
from tests.stage.people import ALICE, BOB, CI, CLAUDE


@pytest.fixture(autouse=True)
def _shelved() -> Iterator[None]:
    with engines.from_the_shelf():
        yield


@pytest.fixture
def project(checkout: Checkout, server: engines.Server) -> Project:
    project = Project(checkout, server)
    project.copy()
    return project


def test_a_clone_joins_and_is_told_what_it_found_and_what_is_missing(project: Project, tmp_path: Path) -> None:
    clone = clone_of(project, tmp_path / "clone")
    joined = join_store(clone, {}, BOB, project.server.url)
    assert (joined.project, joined.target, joined.kept) == (project.id, "main", True)
    assert joined.role is not None
    assert joined.role.kind == "owner"
    (missing,) = joined.missing
    assert missing.check == "keys"
    assert missing.message.endswith("unless the same key is on both"), "two keys are two people"
    app = open_project(clone, {})
    app.tasks.create(BOB, "from the clone")
    assert app.audit.verify().findings == ()
    (check,) = [each for each in app.doctor.examine(BOB) if each.check == "role"]
    assert (check.result, "is the owner of schema" in check.message) == ("ok", True)
    app.close()
    again = join_store(clone, {}, BOB)
    assert again.rows > joined.rows, "a second time looks once more"


def test_by_the_environment_the_address_is_not_written_down_and_that_is_said(project: Project, tmp_path: Path) -> None:
    clone, environ = clone_of(project, tmp_path / "clone"), {"FOUREYES_STORE": project.server.url}
    with pytest.raises(NoProject) as caught:
        open_project(clone, environ)
    assert "fe store join" in steps_text(caught.value.next_step)
    joined = join_store(clone, environ, BOB)
    assert "address" in [each.check for each in joined.missing]
    assert read_pointer(f"{clone}/.foureyes") == Pointer(project.id, "")
    assert join_store(clone, environ, BOB, project.server.url).kept, "typed, it is"


def test_a_clone_whose_configuration_names_the_server_proposes_exactly_that(project: Project, tmp_path: Path) -> None:
    text = (project.checkout.path / "foureyes.toml").read_text()
    project.checkout.commit("foureyes.toml", f'{text}\n[store]\nurl = "{project.server.url}"\n')
    clone = clone_of(project, tmp_path / "clone")
    with pytest.raises(NoProject, match="on a PostgreSQL server") as caught:
        open_project(clone, {})
    assert f"fe store join {project.server.url}" in steps_text(caught.value.next_step).replace("'", "")
    assert join_store(clone, {}, BOB).project == project.id


def test_what_a_copy_proposes_for_fresh_clones_lets_one_propose_the_join_P12(project: Project, tmp_path: Path) -> None:
    url, path = project.server.url, project.checkout.path / "foureyes.toml"
    with pytest.raises(NoProject, match=r"where fe init ran, or on a server\.") as caught:
        open_project(clone_of(project, tmp_path / "before"), {})
    assert "if it is on a server, join it: " in steps_text(caught.value.next_step)
    address = address_to_name(project.cwd, {}, url)
    assert address == url.replace("postgres:@", "")
    assert address_to_name(project.cwd, {"FOUREYES_STORE": url}, url) == "", "it is to stand in no file"
    project.checkout.commit("foureyes.toml", f'{path.read_text()}\n[store]\nurl = "{address}"\n')
    assert address_to_name(project.cwd, {}, url) == "", "it says so"
    with pytest.raises(NoProject, match="on a PostgreSQL server") as caught:
        open_project(clone_of(project, tmp_path / "clone"), {})
    assert f"fe store join {address}" in steps_text(caught.value.next_step).replace("'", "")


def test_a_configuration_whose_address_is_none_is_refused_everywhere_and_not_said_P12(
    project: Project, tmp_path: Path
) -> None:
    text = (project.checkout.path / "foureyes.toml").read_text()
    project.checkout.commit("foureyes.toml", f'{text}\n[store]\nurl = "host=h user=u password=s3cr3t"\n')
    clone = clone_of(project, tmp_path / "clone")
    with closing(project.app()) as app:
        app.projects.backup(ALICE, str(tmp_path / "backup.db"))
    uses: list[Callable[[], object]] = [
        partial(open_project, clone, {}),
        partial(join_store, clone, {}, BOB),
        partial(restore_backup, clone, {}, BOB, "../backup.db"),
        partial(create_project, clone, {}, BOB, prefix="fe", target=None, commit=True),
        partial(create_project, clone, {}, BOB, prefix="fe", target=None, commit=True, again=True),
    ]
    for use in uses:
        with pytest.raises(FoureyesError, match=r"begins? with postgresql://") as caught:
            use()
        assert caught.value.next_step
        assert "s3cr3t" not in f"{caught.value.message}{steps_text(caught.value.next_step)}"
    assert not (tmp_path / "clone/.foureyes").exists(), "nothing was made"


@pytest.mark.parametrize("actor", [CLAUDE, CI])
def test_agents_and_services_join_by_init_alone(project: Project, tmp_path: Path, actor: object) -> None:
    clone = clone_of(project, tmp_path / "clone")
    with pytest.raises(Refused):
        join_store(clone, {}, actor, project.server.url)  # type: ignore[arg-type]
    environ = {"FOUREYES_STORE": project.server.url}
    done = create_project(clone, environ, actor, prefix="fe", target=None, commit=True)  # type: ignore[arg-type]
    assert (done.new, done.joined is not None, done.project) == (False, True, project.id)


def test_without_foureyes_toml_nothing_says_which_project_it_is(project: Project, tmp_path: Path) -> None:
    clone = Path(clone_of(project, tmp_path / "clone"))
    project.checkout.git("-C", str(clone), "rm", "-q", "foureyes.toml")
    project.checkout.git("-C", str(clone), "commit", "-q", "-m", "as before it was pushed")
    with pytest.raises(Refused, match="nothing says which project") as caught:
        join_store(str(clone), {}, BOB, project.server.url)
    assert "git pull" in steps_text(caught.value.next_step)
    assert not (clone / ".foureyes").exists()


def test_a_password_in_an_address_that_would_be_kept_is_refused(project: Project, tmp_path: Path) -> None:
    clone = clone_of(project, tmp_path / "clone")
    for url in (project.server.url.replace("postgres:@", "postgres:s3cr3t@"), f"{project.server.url}&password=s3cr3t"):
        with pytest.raises(BadInput, match="contains a password") as caught:
            join_store(clone, {}, BOB, url)
        assert ".pgpass" in steps_text(caught.value.next_step)
        assert "s3cr3t" not in f"{caught.value.message}{steps_text(caught.value.next_step)}"
        assert join_store(clone, {"FOUREYES_STORE": url}, BOB).address == project.server.url.replace(":@", "@")
    with pytest.raises(BadInput, match="name the address"):
        join_store(clone, {}, BOB)


def test_what_is_no_address_is_told_what_one_looks_like(project: Project, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="begins with postgresql://") as caught:
        join_store(clone_of(project, tmp_path / "clone"), {}, BOB, "nonsense")
    assert "postgresql://HOST/DATABASE" in steps_text(caught.value.next_step)


def test_a_pointer_that_cannot_be_read_is_written_anew_by_who_joins_once_more(project: Project, tmp_path: Path) -> None:
    clone = clone_of(project, tmp_path / "clone")
    join_store(clone, {}, BOB, project.server.url)
    (tmp_path / "clone" / ".foureyes" / "store.json").write_text("{")
    for again in (lambda: open_project(clone, {}), lambda: join_store(clone, {}, BOB)):
        with pytest.raises(StoreProblem, match="cannot be read") as caught:
            again()
        assert steps_text(caught.value.next_step) == "a person runs: fe store join URL"
    join_store(clone, {}, BOB, project.server.url)
    assert read_pointer(f"{clone}/.foureyes") == Pointer(project.id, project.server.url)


def test_a_clone_with_a_store_of_its_own_keeps_it(checkout: Checkout, server: engines.Server) -> None:
    project = Project(checkout, server)
    with pytest.raises(Refused, match="already has the project's store") as caught:
        join_store(project.cwd, {}, ALICE, server.url)
    assert "fe store copy" in steps_text(caught.value.next_step)
    pointer = checkout.path / ".foureyes" / "store.json"
    pointer.write_text("{")
    with pytest.raises(StoreProblem) as damaged:
        open_project(project.cwd, {})
    assert "move .foureyes/store.json away" in steps_text(damaged.value.next_step)
    pointer.unlink()
    text = (checkout.path / "foureyes.toml").read_text()
    checkout.commit("foureyes.toml", text.replace(project.id, "0" * 16))
    with pytest.raises(Refused, match="of another project") as other:
        join_store(project.cwd, {}, ALICE, server.url)
    assert other.value.next_step.steps[-1].argv == ("fe", "store", "join", server.url), "as it was typed"


def test_a_server_without_the_store_is_said_to_have_none_and_gets_none(
    checkout: Checkout, server: engines.Server, tmp_path: Path
) -> None:
    project = Project(checkout, server)
    clone = clone_of(project, tmp_path / "clone")
    with pytest.raises(NoStore, match="has no store of it") as caught:
        join_store(clone, {}, BOB, server.url)
    step = steps_text(caught.value.next_step)
    assert ("fe store copy" in step, "fe store restore FILE" in step) == (True, True)
    assert (server.schemas(project.id), (tmp_path / "clone" / ".foureyes").exists()) == ([], False)


def test_what_was_pushed_and_not_pulled_yet_is_no_reason_for_another_project_P12(
    project: Project, tmp_path: Path
) -> None:
    """The line that used to make a second project and a second schema, and said nothing."""
    clone = clone_of(project, tmp_path / "clone")
    project.checkout.git("-C", clone, "reset", "-q", "--hard", "HEAD~1")
    for environ in ({}, {"FOUREYES_STORE": project.server.url}):
        with pytest.raises(NoProject, match=f"on origin/main names project {project.id}") as caught:
            create_project(clone, environ, BOB, prefix="fe", target=None, commit=True)
        assert "git pull" in steps_text(caught.value.next_step)
    assert not (Path(clone) / ".foureyes").exists()
    assert project.server.schemas(project.id) == [f"foureyes_{project.id}"]
