"""Where runs have their files: nobody else can enter, no name leads out, nothing is copied (I2)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.agents.run_folders import RunFiles, furnish, identity_of
from foureyes.adapters.folders import OddFile

from tests.stage.odd import deep


def test_a_run_has_a_directory_of_its_own_that_is_made_once(tmp_path: Path) -> None:
    places = RunFiles(str(tmp_path))
    path = Path(places.open_run("run-1", token="t", prompt="do ☃"))
    modes = {name: oct((path / name).stat().st_mode & 0o777) for name in (".", "token", "prompt.md", "tmp")}
    assert modes == {".": "0o700", "token": "0o600", "prompt.md": "0o600", "tmp": "0o700"}
    assert (path / "prompt.md").read_text() == "do ☃"
    with pytest.raises(FileExistsError):
        places.open_run("run-1", token="t", prompt="")
    (path / "tmp" / "shut").mkdir(0o000)
    places.close_run("run-1")
    assert not path.exists()
    places.close_run("run-1")


@pytest.mark.parametrize("name", ["..", "../x", "a/b", "", ".hidden", "a\0b", "a\n"])
def test_no_name_leads_out_of_its_folder(tmp_path: Path, name: str) -> None:
    places = RunFiles(str(tmp_path))
    for ask in (
        places.run,
        places.log,
        places.forget,
        lambda task: places.home(task, "x"),
        lambda p: places.home("t", p),
    ):
        with pytest.raises(OddFile):
            ask(name)


def test_a_home_stays_until_the_task_is_forgotten(tmp_path: Path) -> None:
    places = RunFiles(str(tmp_path))
    home = Path(places.home("fe-1", "claude"))
    (home / "story").write_text("x")
    assert (Path(places.home("fe-1", "claude")) / "story").exists()
    assert places.home("fe-1", "codex") != str(home)
    places.forget("fe-1")
    assert not home.exists()
    places.forget("fe-1")


def test_a_home_with_a_thousand_folders_in_each_other_goes_too(tmp_path: Path) -> None:
    files = RunFiles(str(tmp_path / "runs"))
    home = Path(files.home("fe-1", "claude"))
    with deep(home):
        files.forget("fe-1")
        assert not home.exists()


def test_a_home_for_one_run_has_a_name_that_nobody_can_know_and_goes_with_the_run_I2(tmp_path: Path) -> None:
    places = RunFiles(str(tmp_path))
    places.open_run("run-1", token="t", prompt="")
    homes = [Path(places.new_home("run-1")) for _ in range(2)]
    assert homes[0] != homes[1]
    assert {(path.parent, oct(path.stat().st_mode & 0o777)) for path in homes} == {(tmp_path / "runs/run-1", "0o700")}
    assert all(len(path.name.partition(".")[2]) == 16 for path in homes)
    places.close_run("run-1")
    assert not homes[0].exists()


def test_a_checkout_is_made_under_a_new_name_each_time_and_goes_V2(tmp_path: Path) -> None:
    places = RunFiles(str(tmp_path))

    def write(path: str) -> None:
        (Path(path) / "a.py").write_text("a")

    first = Path(places.checkout("run-1", write, {})[0])
    (first / "old.py").write_text("x")
    path, review_folder = places.checkout("run-1", write, {"change.diff": "+a ☃"})
    assert {each.name for each in Path(path).iterdir()} == {"a.py", review_folder}
    assert (Path(path) / review_folder / "change.diff").read_text() == "+a ☃"
    assert len(first.name.removeprefix("run-1.")) == 16
    other = Path(places.checkout("run-12", write, {})[0])
    (first / "shut").mkdir(0o000)
    for _ in range(2):
        places.drop_checkouts("run-1")
    assert list((tmp_path / "checkouts").iterdir()) == [other]


def test_a_folder_of_the_tree_is_never_written_into_whatever_it_is(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()

    def write(path: str) -> None:
        (Path(path) / ".foureyes-review").symlink_to(outside)
        (Path(path) / ".foureyes-review1").write_text("a file")

    path, review_folder = RunFiles(str(tmp_path / "p")).checkout("x", write, {"change.diff": "d"})
    assert review_folder == ".foureyes-review2"
    assert (Path(path) / review_folder / "change.diff").read_text() == "d"
    assert list(outside.iterdir()) == []


def test_credentials_are_linked_never_copied_and_forgetting_leaves_them(tmp_path: Path) -> None:
    mine = tmp_path / "me" / ".gemini"
    mine.mkdir(parents=True)
    (mine / "oauth_creds.json").write_text("secret")
    places = RunFiles(str(tmp_path))
    home = places.home("fe-1", "gemini")
    for _ in range(2):
        furnish(home, links=[(".gemini", str(mine)), (".none", str(tmp_path / "no"))], identity=[], files={"a/b": "c"})
    assert os.readlink(f"{home}/.gemini") == str(mine)
    assert Path(home, "a/b").read_text() == "c"
    assert not os.path.lexists(f"{home}/.none")
    places.forget("fe-1")
    assert (mine / "oauth_creds.json").read_text() == "secret"


def test_a_log_or_a_folder_that_is_a_link_is_not_written(tmp_path: Path) -> None:
    places = RunFiles(str(tmp_path / "p"))
    (tmp_path / "p" / "logs").mkdir(parents=True)
    os.symlink("/etc/passwd", places.log("fe-1"))
    with pytest.raises(OddFile):
        places.append_to_log(places.log("fe-1"))
    os.symlink(str(tmp_path), tmp_path / "p" / "runs")
    with pytest.raises(OddFile):
        places.open_run("run-1", token="t", prompt="")


@pytest.mark.parametrize("link", ["homes", "homes/fe-1", "homes/fe-1/claude"])
def test_no_part_of_the_way_to_a_home_is_a_link(tmp_path: Path, link: str) -> None:
    places, elsewhere = RunFiles(str(tmp_path / "p")), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "p" / link).parent.mkdir(parents=True)
    os.symlink(elsewhere, tmp_path / "p" / link)
    with pytest.raises(OddFile) as odd:
        places.home("fe-1", "claude")
    assert (odd.value.filename, odd.value.strerror) == (str(tmp_path / "p" / link), "it is a link, not a directory")
    assert os.listdir(elsewhere) == []


@pytest.mark.parametrize("what", ["link", "file", "pipe"])
def test_what_is_no_home_is_taken_away_itself_and_what_it_leads_to_stays_as_it_is(tmp_path: Path, what: str) -> None:
    places, elsewhere = RunFiles(str(tmp_path / "p")), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "key").write_text("k")
    (elsewhere / "key").chmod(0o400)
    (tmp_path / "p/homes").mkdir(parents=True)
    at = tmp_path / "p/homes/fe-1"
    if what == "link":
        at.symlink_to(elsewhere)
    elif what == "file":
        at.touch()
    else:
        os.mkfifo(at)
    places.forget("fe-1")
    assert not os.path.lexists(at)
    assert (elsewhere / "key").stat().st_mode & 0o777 == 0o400


def test_who_commits_is_asked_of_git(tmp_path: Path) -> None:
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ada\n")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    assert identity_of(env, str(tmp_path)) == [("user.name", "Ada")]
    assert identity_of({"PATH": "/nowhere"}, str(tmp_path)) == []


def test_the_tasks_that_have_homes_are_told_and_a_link_is_not_followed(tmp_path: Path) -> None:
    places = RunFiles(str(tmp_path))
    assert places.kept() == []
    places.home("fe-1", "claude")
    places.home("fe-2", "codex")
    assert sorted(places.kept()) == ["fe-1", "fe-2"]
    places.forget("fe-1")
    assert places.kept() == ["fe-2"]
    (tmp_path / "homes").rename(tmp_path / "away")
    (tmp_path / "homes").symlink_to(tmp_path / "away")
    assert places.kept() == []
