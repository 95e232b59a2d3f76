"""The instruction block of an agent's file: idempotent, versioned, removable; everything around it stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.agents.instructions import BEGIN, END, FILES, VERSION, install, remove
from foureyes.config.primer import BLOCK
from foureyes.errors import EnvironmentProblem

NAME = "AGENTS.md"
AROUND = [
    "",
    "# Ours\n",
    "# Ours\n\nSome words.\n\n",
    "# Ours, without a line end",
    "# Ours\r\n\r\nwith the other line ends\r\n",
    "# Ünïcode \U0001f642 and <!-- a comment -->\n",
    "```\nfoureyes:begin v1\n```\n",
]


def put(root: Path, text: str) -> Path:
    path = root / NAME
    path.write_bytes(text.encode())
    return path


def read(root: Path) -> str:
    return (root / NAME).read_bytes().decode()


def test_a_new_file_is_the_block_alone(tmp_path: Path) -> None:
    assert install(str(tmp_path), NAME, "the rules\n") == "written"
    assert read(tmp_path) == f"{BEGIN}\nthe rules\n{END}\n"


@pytest.mark.parametrize("around", AROUND)
def test_a_second_time_changes_nothing(tmp_path: Path, around: str) -> None:
    path = put(tmp_path, around)
    assert install(str(tmp_path), NAME, BLOCK) == "written"
    once, changed = read(tmp_path), path.stat().st_mtime_ns
    assert install(str(tmp_path), NAME, BLOCK) == "unchanged"
    assert (read(tmp_path), path.stat().st_mtime_ns) == (once, changed)


@pytest.mark.parametrize("around", AROUND)
def test_everything_before_it_stays_byte_for_byte(tmp_path: Path, around: str) -> None:
    put(tmp_path, around)
    install(str(tmp_path), NAME, BLOCK)
    assert read(tmp_path).startswith(around)
    assert read(tmp_path).endswith(f"{END}\n")


@pytest.mark.parametrize("around", [text for text in AROUND if text])
def test_what_was_there_before_is_there_after_removing_it(tmp_path: Path, around: str) -> None:
    put(tmp_path, around)
    install(str(tmp_path), NAME, BLOCK)
    assert remove(str(tmp_path), NAME) == "removed"
    assert read(tmp_path).rstrip("\r\n") == around.rstrip("\r\n")
    assert remove(str(tmp_path), NAME) == "absent"


def test_a_file_that_held_nothing_else_goes_with_it(tmp_path: Path) -> None:
    install(str(tmp_path), NAME, BLOCK)
    assert remove(str(tmp_path), NAME) == "removed"
    assert list(tmp_path.iterdir()) == []
    assert remove(str(tmp_path), NAME) == "absent"


def test_an_older_version_is_brought_up_to_date_in_its_place(tmp_path: Path) -> None:
    put(tmp_path, f"above\n<!-- foureyes:begin v{VERSION - 1} -->\nold rules\n{END}\nbelow\n")
    assert install(str(tmp_path), NAME, "new rules") == "updated"
    assert read(tmp_path) == f"above\n{BEGIN}\nnew rules\n{END}\nbelow\n"


def test_another_text_of_the_same_version_is_brought_up_to_date_too(tmp_path: Path) -> None:
    install(str(tmp_path), NAME, "one")
    assert install(str(tmp_path), NAME, "two") == "updated"
    assert read(tmp_path) == f"{BEGIN}\ntwo\n{END}\n"


def test_text_between_two_others_is_replaced_and_removed_alone(tmp_path: Path) -> None:
    put(tmp_path, f"above\n\n{BEGIN}\nold\n{END}\n\nbelow\n")
    install(str(tmp_path), NAME, r"new with \1 and \g<0>")
    assert read(tmp_path) == f"above\n\n{BEGIN}\n" + r"new with \1 and \g<0>" + f"\n{END}\n\nbelow\n"
    remove(str(tmp_path), NAME)
    assert read(tmp_path) == "above\n\n\nbelow\n"


def test_a_block_whose_line_ends_an_editor_changed_does_not_grow(tmp_path: Path) -> None:
    put(tmp_path, "# Ours\n")
    install(str(tmp_path), NAME, BLOCK)
    put(tmp_path, read(tmp_path).replace("\n", "\r\n") + "below\r\n")
    install(str(tmp_path), NAME, BLOCK)
    once = read(tmp_path)
    install(str(tmp_path), NAME, BLOCK)
    assert read(tmp_path) == once
    assert once.count("foureyes:begin") == 1
    assert once.startswith("# Ours\r\n")
    assert once.endswith("below\r\n")
    remove(str(tmp_path), NAME)
    assert read(tmp_path).split() == ["#", "Ours", "below"]


def test_a_block_without_its_end_swallows_nothing(tmp_path: Path) -> None:
    """Somebody deleted the end mark by accident and wrote on below."""
    put(tmp_path, f"above\n{BEGIN}\nold rules\n\nour own rules\n")
    for _ in range(3):
        install(str(tmp_path), NAME, "new rules")
    assert "our own rules" in read(tmp_path)
    remove(str(tmp_path), NAME)
    assert "our own rules" in read(tmp_path)


def test_a_link_to_another_file_stays_a_link(tmp_path: Path) -> None:
    """Many projects have one text under both names."""
    put(tmp_path, "# Ours\n")
    (tmp_path / "CLAUDE.md").symlink_to(NAME)
    install(str(tmp_path), "CLAUDE.md", BLOCK)
    assert (tmp_path / "CLAUDE.md").is_symlink()
    assert BEGIN in read(tmp_path)


def test_the_rights_of_the_file_stay(tmp_path: Path) -> None:
    path = put(tmp_path, "# Ours\n")
    path.chmod(0o600)
    install(str(tmp_path), NAME, BLOCK)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_no_text_is_a_problem_and_not_touched(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EnvironmentProblem, match="not touched"):
        install(str(tmp_path), NAME, BLOCK)
    with pytest.raises(EnvironmentProblem, match="not touched"):
        remove(str(tmp_path), NAME)
    assert (tmp_path / NAME).read_bytes() == b"\xff\xfe\x00"


def test_a_directory_in_its_place_is_a_problem_and_leaves_no_litter(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(EnvironmentProblem):
        install(str(tmp_path), NAME, BLOCK)
    assert os.listdir(tmp_path) == [NAME]


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "# Ours\n")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(EnvironmentProblem, match="No space left"):
        install(str(tmp_path), NAME, BLOCK)
    assert read(tmp_path) == "# Ours\n"
    assert os.listdir(tmp_path) == [NAME]


def test_the_rules_come_first_and_fit_lesson_65() -> None:
    assert len(BLOCK.encode()) < 2500
    assert BLOCK.index("RULES") < BLOCK.index("WORK")
    assert set(FILES) == {"agents-md", "codex", "claude"}
