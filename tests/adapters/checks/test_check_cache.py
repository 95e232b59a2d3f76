"""Where environments are kept: nowhere that a tool climbs to, and nobody else's (D5)."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from foureyes.adapters.checks.check_cache import CheckCache, waited
from foureyes.adapters.checks.checkout import Stopped, Unprepared
from foureyes.adapters.folders import OddFile


@pytest.fixture
def cache(tmp_path: Path) -> CheckCache:
    made = CheckCache({"TMPDIR": str(tmp_path)}, [])
    made.make()
    made.make()
    return made


def test_D5_it_lies_in_no_home_and_no_checkout(tmp_path: Path) -> None:
    own = f"foureyes-{os.geteuid()}"
    assert CheckCache({"TMPDIR": str(tmp_path)}, []).root == str(tmp_path / own)
    assert CheckCache({}, []).root == f"/var/tmp/{own}"
    assert CheckCache({"TMPDIR": str(tmp_path)}, [str(tmp_path)]).root == f"/var/tmp/{own}"
    assert CheckCache({"TMPDIR": str(tmp_path / "tmp"), "HOME": str(tmp_path)}, []).root == f"/var/tmp/{own}"


@pytest.mark.parametrize("wrong", ["a link", "written by others"])
def test_D5_where_somebody_was_first_nothing_is_kept(tmp_path: Path, wrong: str) -> None:
    cache = CheckCache({"TMPDIR": str(tmp_path)}, [])
    if wrong == "a link":
        (tmp_path / "theirs").mkdir()
        os.symlink(tmp_path / "theirs", cache.root)
    else:
        os.mkdir(cache.root)
        os.chmod(cache.root, 0o777)
    with pytest.raises(OddFile, match="not a directory of this user alone"):
        cache.make()


def test_a_slot_is_one_runs_alone_and_empty(cache: CheckCache) -> None:
    with cache.slot(lambda: False) as one, cache.slot(lambda: False) as other:
        assert (os.path.basename(one), os.path.basename(other)) == ("1", "2")
        Path(one, "work", "left").touch()
    with cache.slot(lambda: False) as again:
        assert again == one
        assert os.listdir(os.path.join(again, "work")) == []


def test_who_waits_for_a_slot_can_be_stopped(cache: CheckCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foureyes.adapters.checks.check_cache.MOST_SLOTS", 1)
    with cache.slot(lambda: False), pytest.raises(Stopped), cache.slot(lambda: True):
        pass


def test_who_waits_for_a_lock_says_what_for_and_not_for_ever(
    cache: CheckCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foureyes.adapters.checks.check_cache.PAUSE", 0)
    monkeypatch.setattr("foureyes.adapters.checks.check_cache.MOST_PAUSES", 40)
    lock, said = os.path.join(cache.environments, "abc.lock"), list[bytes]()
    held = waited(lock, fcntl.LOCK_EX, lambda: False, said.append)
    with pytest.raises(Unprepared, match=r"for too long .*/environments/abc\.lock"):
        waited(lock, fcntl.LOCK_SH, lambda: False, said.append)
    os.close(held)
    (line,) = said
    assert lock.encode() in line
    os.close(waited(lock, fcntl.LOCK_SH, lambda: False, said.append))


def test_what_killed_runs_left_is_swept_and_who_still_runs_is_left_alone(cache: CheckCache) -> None:
    left = Path(cache.root, "runs", "run-left")
    left.mkdir()
    with cache.run() as place:
        assert cache.sweep() == 1
        assert os.path.isdir(place)
    assert not left.exists()


def test_a_place_that_is_swept_before_it_is_locked_is_nobodys(
    cache: CheckCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept, lock = [1], fcntl.flock

    def late(held: int, how: int) -> None:
        if swept:
            swept.pop()
            assert cache.sweep() == 1
        lock(held, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with cache.run() as place:
        assert os.path.isdir(os.path.join(place, "work"))
