"""Of a repository's configuration nothing gets into the clean room but the name of a hash that git has."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.git.client.clean_room import CleanRoom, shared_mode
from foureyes.errors import GitProblem

DRIVER = '[merge "x"]\\n\\tdriver = touch ran\\n'


@pytest.mark.parametrize(
    "value",
    [f'"sha1\\n{DRIVER}"'.replace('"x"', '\\"x\\"'), "sha1\rsha256", "SHA256", "md5", "", '"sha1\\n"', "sha256 x"],
)
def test_no_other_word_is_the_name_of_a_hash_Q2(tmp_path: Path, value: str) -> None:
    (tmp_path / "config").write_text(f"[extensions]\n\tobjectformat = {value}\n")
    with pytest.raises(GitProblem, match="objectFormat"):
        assert CleanRoom(str(tmp_path)).path


@pytest.mark.parametrize(("value", "told"), [("group", "group"), ("0660", "0660"), ('"1\\n[x]y=z"', None), ("x", None)])
def test_who_may_read_the_store_is_one_of_gits_own_words_Q2(tmp_path: Path, value: str, told: str | None) -> None:
    (tmp_path / "config").write_text(f"[core]\n\tsharedRepository = {value}\n")
    if told:
        assert shared_mode(str(tmp_path)) == told
        return
    with pytest.raises(GitProblem, match="sharedRepository"):
        shared_mode(str(tmp_path))


def test_the_room_borrows_nothing_and_goes_when_it_is_closed(tmp_path: Path) -> None:
    room = CleanRoom(str(tmp_path))
    path = Path(room.path)
    assert sorted(file.name for file in path.rglob("alternates")) == ["alternates"]
    assert (path / "doorstep/objects/info/alternates").is_file()
    assert not (path / "objects/info/alternates").exists()
    room.close()
    assert not path.exists()
