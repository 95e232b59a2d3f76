"""A throwaway project: a repository and a store of its own, whatever the environment says, and nothing of it stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.bootstrap.throwaway import sweep, throwaway
from foureyes.config.policy import agent_profiles

from tests.stage.people import ALICE

SETTINGS = '[review]\npolicy = "strict"\n\n[agents]\nodd = { program = "odd" }\n'


def test_it_has_its_own_files_store_and_configuration_in_force_and_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    environ = {**os.environ, "FOUREYES_STORE": "postgresql://nowhere.example/x", "FOUREYES_REVIEW_POLICY": "trusted"}
    with throwaway(environ, ALICE, SETTINGS, {"src/a.py": "a\n"}) as made:
        (place,) = tmp_path.glob("foureyes-throwaway-*/project")
        assert (place / "src" / "a.py").read_text() == "a\n"
        assert (place / "foureyes.toml").read_text() == SETTINGS
        assert made.repo().commit_of("refs/heads/main") is not None
        from foureyes.app.call.context import Context

        context = Context(made.store, made.repo, None, None, {}, outside=made.outside)  # type: ignore[arg-type]
        with made.store.read() as tx:
            assert context.gate_policy(tx).name == "strict"
            assert "odd" in agent_profiles(context.layers(tx, context.gate))
    assert list(tmp_path.glob("foureyes-throwaway-*")) == []


def test_texts_come_beside_what_is_there_and_what_is_written_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def fill(path: str) -> None:
        Path(path, "new.py").write_text("new\n")
        Path(path, "foureyes.toml").write_text("[review]\nreviews = 9\n")

    with throwaway(dict(os.environ), ALICE, SETTINGS, fill) as made:
        (place,) = tmp_path.glob("foureyes-throwaway-*/project")
        assert (place / "new.py").read_text() == "new\n"
        assert (place / "foureyes.toml").read_text() == SETTINGS, "what the tree says of the gate is not in force"
        work = tmp_path / "work"
        work.mkdir()
        (work / ".git").write_text("gitdir: x\n")
        (work / "old").mkdir()
        made.put(str(work), {"src/b.py": "b\n"})
        assert sorted(each.name for each in work.iterdir()) == [".git", "foureyes.toml", "old", "src"]
        made.put(str(work), fill)
        assert sorted(each.name for each in work.iterdir()) == [".git", "foureyes.toml", "new.py"]


def test_it_goes_also_when_what_was_tried_there_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(KeyboardInterrupt), throwaway(dict(os.environ), ALICE, SETTINGS, {"a": "a\n"}):
        raise KeyboardInterrupt
    assert list(tmp_path.glob("foureyes-throwaway-*")) == []


def test_what_a_killed_one_left_long_ago_is_swept_and_a_young_one_stays(tmp_path: Path) -> None:
    old, young, other = (tmp_path / name for name in ("foureyes-throwaway-a", "foureyes-throwaway-b", "else"))
    for place in (old, young, other):
        place.mkdir()
    for place in (old, other):
        os.utime(place, (0, 0))
    sweep(str(tmp_path))
    assert [place.exists() for place in (old, young, other)] == [False, True, True]
