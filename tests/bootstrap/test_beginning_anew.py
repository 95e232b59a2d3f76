"""`fe init --again`: a journal for a project whose store is lost (P12)."""

from __future__ import annotations

import shutil

import pytest

from foureyes.app.target import misplaced
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.wiring import open_project
from foureyes.errors import NoProject, Refused, StoreProblem
from foureyes.ui.steps import steps_text

from tests import engines
from tests.bootstrap.beginning import init
from tests.stage.checkout import Checkout
from tests.stage.on_server import Project
from tests.stage.people import ALICE, CLAUDE


@pytest.mark.parametrize("folder", ["there", "gone"])
def test_a_person_begins_a_lost_store_again_and_adopts_main_P12(checkout: Checkout, folder: str) -> None:
    first = init(checkout)
    merged = checkout.commit("merged.py", message="merged with the lost store\n\nJournal: 900:ffff")
    if folder == "gone":
        shutil.rmtree(checkout.path / ".foureyes")
    else:
        (checkout.path / ".foureyes" / "store.db").unlink()
    with pytest.raises((NoProject, StoreProblem)) as caught:
        open_project(str(checkout.path), {})
    assert "fe init --again" in steps_text(caught.value.next_step)
    with pytest.raises(Refused):
        create_project(str(checkout.path), {}, CLAUDE, prefix="fe", target=None, commit=True, again=True)
    done = create_project(str(checkout.path), {}, ALICE, prefix="fe", target=None, commit=True, again=True)
    assert (done.project, done.target) == (first.project, "main")
    app = open_project(str(checkout.path), {})
    (row,) = app.audit.exceptions()
    assert (row.kind, merged[:12] in row.detail) == ("store_adopted", True)
    app.policy.accept(ALICE)
    with app.context.store.read() as tx:
        assert misplaced(app.context, tx, app.context.project(tx)) == []
    assert not [row for row in app.doctor.examine(ALICE) if row.result == "fail"]
    app.close()
    with pytest.raises(Refused, match="there is already a store here"):
        create_project(str(checkout.path), {}, ALICE, prefix="fe", target=None, commit=True, again=True)


def test_so_does_one_that_a_server_lost_and_only_where_it_has_none_P12(
    checkout: Checkout, server: engines.Server
) -> None:
    with engines.from_the_shelf():
        project = Project(checkout, server)
        project.copy()
        with pytest.raises(Refused, match="that server already has a store of this project"):
            create_project(project.cwd, {}, ALICE, prefix="fe", target=None, commit=True, again=True)
        server.run(f"DROP SCHEMA foureyes_{project.id} CASCADE")
        with pytest.raises(StoreProblem) as caught:
            open_project(project.cwd, {})
        assert "fe init --again" in steps_text(caught.value.next_step)
        done = create_project(project.cwd, {}, ALICE, prefix="fe", target=None, commit=True, again=True)
    assert done.project == project.id
    app = project.app()
    assert [row.kind for row in app.audit.exceptions()] == ["store_adopted"]
    assert app.audit.verify().findings == ()
    app.close()
