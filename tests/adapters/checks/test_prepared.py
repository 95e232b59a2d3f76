"""Environments that are kept: what they are known by, who has them, when they go (D5)."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from foureyes.adapters.checks import check_cache as shelves
from foureyes.adapters.checks import environments as module
from foureyes.adapters.checks.check_cache import CheckCache, Hear
from foureyes.adapters.checks.checkout import StopAsked, Stopped
from foureyes.adapters.checks.environments import DAY, Environments, key_of, programs_of
from foureyes.core.nouns.check_config import CheckoutRule

RULE = CheckoutRule(prepare="tool ci", env=("REGISTRY",))


class Kept:
    """Environments under a clock that stands."""

    def __init__(self, folder: Path) -> None:
        self.cache = CheckCache({"TMPDIR": str(folder)}, [])
        self.cache.make()
        self.now = os.stat(self.cache.root).st_mtime
        self.made = 0
        self.kept = Environments(self.cache, lambda: self.now)

    def use(self, key: str) -> Path:
        def make(new: str) -> None:
            self.made += 1
            Path(new, "work", "made").write_text(f"{self.made}\n")

        with self.kept.open(key, RULE, "", make, lambda: False, print) as found:
            assert self.kept.is_sound(found)
            return Path(found.work)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_D5_an_environment_is_made_once_and_again_when_somebody_wrote_to_it_or_it_is_old(kept: Kept) -> None:
    for _ in range(2):
        assert (kept.use("a") / "made").read_text() == "1\n"
    (kept.use("a") / "more").touch()
    kept.kept = Environments(kept.cache, lambda: kept.now)
    assert os.listdir(kept.use("a")) == ["made"]
    assert kept.made == 2
    kept.now += 31 * DAY
    kept.use("a")
    assert kept.made == 3


def test_a_making_that_fails_leaves_nothing(kept: Kept) -> None:
    def fails(new: str) -> None:
        raise KeyError(new)

    with pytest.raises(KeyError), kept.kept.open("a", RULE, "", fails, lambda: False, print):
        pass
    assert [name for name in os.listdir(kept.cache.environments) if not name.endswith(".lock")] == []
    assert kept.kept.listed() == []
    kept.kept.prune()
    assert os.listdir(kept.cache.environments) == []


def test_who_is_stopped_while_it_waits_to_make_one_closes_no_other_file(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, theirs = shelves.waited, []

    def waited(lock: str, how: int, stop: StopAsked, hear: Hear) -> int:
        if how == fcntl.LOCK_EX:
            theirs.append(os.open(os.devnull, os.O_RDONLY))  # it gets the number that was free just now
            raise Stopped
        return waits(lock, how, stop, hear)

    monkeypatch.setattr(module, "waited", waited)
    with pytest.raises(Stopped), kept.kept.open("a", RULE, "", lambda new: None, lambda: True, print):
        pass
    os.close(*theirs)


def test_what_a_killed_prepare_left_is_swept(kept: Kept) -> None:
    kept.use("b")
    left = Path(kept.cache.environments, "new-a")
    left.mkdir()
    left.with_name("a.lock").touch()
    kept.kept.prune()
    assert sorted(os.listdir(kept.cache.environments)) == ["b", "b.lock"]


def test_what_nobody_used_or_is_too_much_goes_and_what_is_in_use_stays(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("a", "b"):
        kept.use(key)
    os.utime(Path(kept.cache.environments, "a.lock"), (kept.now - 15 * DAY, kept.now - 15 * DAY))
    assert [row.key for row in kept.kept.prune()] == ["a"]
    monkeypatch.setattr(module, "LARGE", 0)
    with kept.kept.open("b", RULE, "", lambda new: None, lambda: False, print):
        assert kept.kept.prune() == []
    assert [row.key for row in kept.kept.prune(only_try=True)] == ["b"]
    assert [(row.key, row.command) for row in kept.kept.prune()] == [("b", "tool ci")]
    assert os.listdir(kept.cache.environments) == []


def test_D5_it_is_known_by_all_that_it_is_made_from(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    environ = {"PATH": str(tmp_path), "REGISTRY": "one", "OTHER": "1"}
    inputs = {"lock": "100644 abc"}
    known = key_of(RULE, inputs, environ, "/at", "")
    assert key_of(RULE, dict(inputs), {**environ, "OTHER": "2"}, "/at", "") == known
    others = [
        key_of(CheckoutRule(prepare="tool ci -q", env=RULE.env), inputs, environ, "/at", ""),
        key_of(RULE, {"lock": "100755 abc"}, environ, "/at", ""),
        key_of(RULE, inputs, {**environ, "REGISTRY": "two"}, "/at", ""),
        key_of(RULE, inputs, environ, "/slots/1", ""),
        key_of(RULE, inputs, environ, "/at", "tree"),
    ]
    tool.write_text("#!/bin/sh\n# another version\n")
    others.append(key_of(RULE, inputs, environ, "/at", ""))
    assert len({known, *others}) == 7


def test_the_programs_of_a_command_are_those_that_it_names_and_those_that_run_them(tmp_path: Path) -> None:
    for name, text in {"npm": "#!/usr/bin/env node\n", "node": "binary"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    found = programs_of("A=b npm ci && ./npm x; no-such", str(tmp_path))
    assert [os.path.basename(path) for path, _, _ in found if path.startswith(str(tmp_path))] == ["node", "npm"]
