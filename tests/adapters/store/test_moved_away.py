"""A store that its owner moved away is told from one that is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.store.postgres import PostgresEngine, schema_of
from foureyes.bootstrap.creating import create_project
from foureyes.bootstrap.joining import join_store
from foureyes.bootstrap.wiring import open_project
from foureyes.errors import MovedAway, NoStore
from foureyes.ui.steps import steps_text

from tests import engines
from tests.stage.on_server import Project, clone_of
from tests.stage.people import ALICE, BOB

MOVED = r"is not in that database any more: role postgres moved it into a file, \d{4}-\d\d-\d\d \d\d:\d\d UTC\."


@pytest.fixture
def project(project: Project) -> Project:
    """A project whose store is on the server."""
    project.copy()
    return project


def test_a_clone_is_told_when_and_by_which_role_its_store_was_moved_and_not_to_begin_another_P12(
    project: Project, tmp_path: Path
) -> None:
    clone = clone_of(project, tmp_path / "clone")
    join_store(clone, {}, BOB, project.server.url)
    project.copy("sqlite")
    with pytest.raises(MovedAway, match=MOVED) as caught:
        open_project(clone, {})
    step = steps_text(caught.value.next_step)
    assert step.startswith("ask who connects as postgres, who brings it back by: fe store copy URL; ")
    assert "--anew" not in step
    assert step.index("fe store join URL") < step.index("only if postgres has lost it")
    assert caught.value.code == NoStore.code


def test_who_joins_where_it_was_is_told_the_same_P12(project: Project, tmp_path: Path) -> None:
    clone = clone_of(project, tmp_path / "clone")
    project.copy("sqlite")
    with pytest.raises(MovedAway, match=MOVED):
        join_store(clone, {}, BOB, project.server.url)
    with pytest.raises(MovedAway, match=MOVED):
        create_project(clone, {"FOUREYES_STORE": project.server.url}, BOB, prefix="fe", target=None, commit=False)
    assert not (Path(clone) / ".foureyes").exists()


def test_one_that_is_gone_without_a_trace_is_still_said_to_be_none(server: engines.Server) -> None:
    with pytest.raises(NoStore, match="has no store of project") as caught:
        PostgresEngine(server.url, engines.new_project())
    assert not isinstance(caught.value, MovedAway)
    assert "fe init --anew" in steps_text(caught.value.next_step)


@pytest.mark.parametrize(
    ("ending", "told"),
    [("moved_99999999999999999", "at a time that its name does not tell"), ("moved_x", ""), ("before_restore_1", "")],
)
def test_a_name_that_somebody_made_up_is_only_words(server: engines.Server, ending: str, told: str) -> None:
    project = engines.new_project()
    server.run(f"CREATE SCHEMA {schema_of(project)}_{ending}")
    try:
        with pytest.raises(NoStore) as caught:
            PostgresEngine(server.url, project)
        assert (isinstance(caught.value, MovedAway), told in caught.value.message) == (bool(told), True)
    finally:
        server.run(f"DROP SCHEMA {schema_of(project)}_{ending}")


def test_where_it_was_moved_from_it_can_be_moved_back(project: Project) -> None:
    rows = project.rows()
    project.copy("sqlite", ALICE)
    assert project.copy() == rows
    assert project.engine() == "postgres"
