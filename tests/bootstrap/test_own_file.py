"""Where the user's own file lies, and what becomes of one that cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

from foureyes.bootstrap.files import LARGEST, own_path, own_settings
from foureyes.config.own_settings import Own


def test_it_lies_below_the_configuration_directory(tmp_path: Path) -> None:
    assert own_path({"XDG_CONFIG_HOME": "/c", "HOME": "/h"}) == "/c/foureyes/config.toml"
    assert own_path({"XDG_CONFIG_HOME": "c", "HOME": "/h"}) == "/h/.config/foureyes/config.toml"
    assert own_path({}) == ""
    assert own_settings({}) == own_settings({"HOME": str(tmp_path)}) == (Own(), [])
    file = tmp_path / ".config" / "foureyes" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('pager = "more"\nx = 1\n')
    own, wrong = own_settings({"HOME": str(tmp_path)})
    assert own == Own(pager="more")
    assert wrong == [f"{file}: there is no setting x, so it is ignored"]


def test_what_is_no_file_or_no_text_is_said_and_nobody_waits_for_it(tmp_path: Path) -> None:
    file = tmp_path / "foureyes" / "config.toml"
    file.parent.mkdir()
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    os.mkfifo(file)
    assert own_settings(environ)[1][0].startswith(f"{file} is ignored: ")
    file.unlink()
    file.write_bytes(b"\xff")
    assert own_settings(environ) == (Own(), [f"{file} is ignored: it is not valid UTF-8"])
    file.write_bytes(b"#" * (LARGEST + 1))
    assert own_settings(environ)[0] == Own()
