"""The pictures in docs/pictures say what the app shows: every word of them, not how they are drawn."""

from __future__ import annotations

import re
from pathlib import Path

from tools.pictures import FOLDER, PICTURES, ROOT, pictures, stored, words


def test_no_picture_is_stale(tmp_path: Path) -> None:
    made = {name: words(svg) for name, svg in pictures(tmp_path).items()}
    assert all(len("".join(lines)) > 200 for lines in made.values())
    stale = [name for name, lines in made.items() if words(stored(name).read_text(encoding="utf-8")) != lines]
    assert stale == [], "next: make pictures"


def test_there_is_no_other_picture_and_every_one_is_shown_somewhere() -> None:
    assert {path.stem for path in (ROOT / FOLDER).glob("*.svg")} == set(PICTURES)
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {name for page in pages for name in re.findall(r"pictures/([\w-]+)\.svg", page.read_text(encoding="utf-8"))}
    assert shown == set(PICTURES)


def test_a_picture_names_no_place_of_the_machine_and_loads_nothing() -> None:
    for name in PICTURES:
        text = stored(name).read_text(encoding="utf-8")
        assert not re.search(r"/(tmp|home|root|work|Users)/", text), name
        assert re.findall(r"https?://(?!www\.w3\.org)[^\s\"<]*", text) in ([], ["https://www.textualize.io"]), name
