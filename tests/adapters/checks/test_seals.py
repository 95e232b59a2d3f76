"""What is on record about environments apart from them: in a slot, what lies beside one vouches for nothing (D5)."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from foureyes.adapters.checks import environments
from foureyes.adapters.checks.environments import ABOUT, FINGERPRINTS, Fingerprints, about_of

from tests.adapters.checks.trees import Project, Tree

FILES = {"lock": "1\n", "src/app.py": "right\n"}
PREPARE = "mkdir node_modules && cp lock node_modules/made && echo prepared"


@pytest.fixture
def slot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(environments, "why_none", lambda cache: "forbidden")
    return Project(tmp_path, prepare=PREPARE, inputs=("lock",))


def poison(project: Project) -> None:
    """Rewrite an environment, and what lies beside it so that it fits."""
    (key,) = [name for name in os.listdir(project.cache / "environments") if not name.endswith(".lock")]
    place = project.cache / "environments" / key
    (place / "work" / "node_modules" / "made").write_text("poison\n")
    about = about_of(str(place))
    assert about is not None
    forged = msgspec.structs.replace(about, fingerprint=environments._fingerprint_of(str(place)))
    (place / ABOUT).write_bytes(msgspec.json.encode(forged))


def test_D5_a_poisoned_environment_that_its_own_record_vouches_for_is_made_anew_in_a_slot(slot: Project) -> None:
    tree = Tree(FILES)
    assert slot.run("cat node_modules/made", tree).output == "prepared\n1\n"
    poison(slot)
    assert slot.run("cat node_modules/made", tree).output == "prepared\n1\n", "another process finds it so"
    assert slot.run("cat node_modules/made", tree).output == "1\n", "and keeps what it made"
    runner = slot.runner()
    assert slot.run("cat node_modules/made", tree, runner).output == "1\n"
    poison(slot)
    assert slot.run("cat node_modules/made", tree, runner).output == "prepared\n1\n", "who knows it looks as well"
    writing = f"for made in {slot.cache}/environments/*/work/node_modules/made; do echo poison > $made; done"
    verdict = slot.judged(writing, tree, runner)
    assert (verdict.outcome, verdict.summary) == ("unsound", "ran while another program wrote to its environment")
    poison(slot)
    assert slot.run("cat node_modules/made", tree, runner).output == "prepared\n1\n"
    runner.close()


def test_D5_what_another_project_made_in_a_slot_is_not_used_and_what_was_poisoned_is_lent_to_nobody(
    slot: Project,
) -> None:
    tree = Tree(FILES)
    slot.run("true", tree)
    runner = slot.runner()
    poison(slot)
    with runner.lend(slot.rule, tree) as lent:
        assert lent is None
    runner.close()
    slot.store = slot.folder / "another"
    slot.store.mkdir()
    assert slot.run("true", tree).output == "prepared\n"


def test_what_is_said_about_environments_that_are_gone_goes_and_without_a_store_one_process_knows(
    tmp_path: Path,
) -> None:
    store, kept = tmp_path / "store", tmp_path / "environments"
    for place in (store, kept / "new"):
        place.mkdir(parents=True)
    fingerprints = Fingerprints(str(store), str(kept))
    assert fingerprints.known("old") == ""
    fingerprints.note("old", "1")
    fingerprints.note("new", "2")
    assert (os.listdir(store / FINGERPRINTS), Fingerprints(str(store), str(kept)).known("new")) == (["new"], "2")
    alone = Fingerprints("", str(kept))
    alone.note("new", "3")
    assert (alone.known("new"), Fingerprints("", str(kept)).known("new")) == ("3", "")
    assert fingerprints.owner != alone.owner
