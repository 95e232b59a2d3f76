"""A look at the files of a repository: what is not there, or is something else, is empty."""

from __future__ import annotations

from pathlib import Path

from foureyes.bootstrap.check_discovery import FolderFiles, table


def test_what_is_not_there_or_cannot_be_read_is_empty(tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "bad.toml").write_text("a = [")
    (tmp_path / "bad.ini").write_text("no section\n[x\n")
    look = FolderFiles(str(tmp_path))
    assert (look.text("no"), look.text("dir"), look.json("list.json"), look.toml("bad.toml")) == ("", "", {}, {})
    assert (look.names("no"), look.sections("bad.ini").sections(), look.has("dir")) == ([], [], False)
    assert (look.is_folder("dir"), look.first("no", "list.json"), look.is_large()) == (True, "list.json", False)


def test_a_table_within_tables() -> None:
    assert table({"a": {"b": {"c": 1}}}, "a", "b") == {"c": 1}
    assert table({"a": 1}, "a", "b") == table(None, "a") == table({"a": [1]}, "a") == {}
