"""The generated pages are what the code says now; what pages lead to and name is there."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import click
import pytest

from foureyes.ui.tui.keys import CONTEXTS, KEYS, all_shown

from tests.architecture.house import PACKAGE, ROOT, name_of
from tools.command_pages import sections
from tools.site_pages import with_links_of_the_site

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"`([a-z_]+(?:/[a-z_0-9]+)+\.(?:py|sql))`")


def pages() -> list[Path]:
    """Every page of the repository."""
    return [
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "changes").glob("*.md")),
    ]


@cache
def anchors(page: Path) -> frozenset[str]:
    """What the headings of a page are called in links."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in HEADING.findall(text)]
    return frozenset(re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles)


def is_there(page: Path, target: str, anchor: str) -> bool:
    """Whether a link of a page leads to a file, and to a heading in it."""
    path = (page.parent / target).resolve() if target else page
    return path.exists() and (not anchor or path.suffix != ".md" or anchor in anchors(path))


def test_every_link_between_the_pages_leads_somewhere() -> None:
    links = [(page, *link) for page in pages() for link in LINK.findall(FENCE.sub("", page.read_text("utf-8")))]
    assert len(links) > 100
    broken = [
        f"{name_of(page)}: {target}#{anchor}"
        for page, target, anchor in links
        if "://" not in target and not is_there(page, target, anchor)
    ]
    assert broken == []


def test_every_file_of_code_that_a_page_names_is_there() -> None:
    named = {(name_of(page), name) for page in pages() for name in FILE.findall(page.read_text(encoding="utf-8"))}
    assert len(named) > 10
    assert [pair for pair in sorted(named) if not any((place / pair[1]).exists() for place in (ROOT, PACKAGE))] == []


def test_the_generated_references_are_up_to_date() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tools.reference", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def blocks_of(page: Path) -> dict[str, str]:
    """The blocks of a page of commands by command, each with the block whose options it also takes."""
    found = dict(re.findall(r"^##+ `(.+?)`\n(.*?)(?=^#|\Z)", page.read_text("utf-8"), re.MULTILINE | re.DOTALL))
    also = {name: re.search(r"options of `(.+)`", text) for name, text in found.items()}
    return {name: text + (found[other[1]] if (other := also[name]) else "") for name, text in found.items()}


def test_pages_of_commands_have_every_command_and_option() -> None:
    entries = sections()
    assert len(entries) > 5
    first = (ROOT / "docs/reference/commands.md").read_text("utf-8")
    missing = []
    for title, commands in entries.items():
        blocks = blocks_of(ROOT / f"docs/reference/commands/{title.lower()}.md")
        assert list(blocks) == [context.command_path for _, context in commands]
        for command, context in commands:
            text = blocks[context.command_path] + first
            shown = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
            missing += [f"{context.command_path} {each.opts[0]}" for each in shown if each.opts[0] not in text]
    assert missing == []


def test_page_of_keys_has_every_key_of_every_screen() -> None:
    common, *screens = (ROOT / "docs/reference/keys.md").read_text("utf-8").split("\n## ")[1:]
    assert len(screens) == len(CONTEXTS)
    rows = [
        (screen, f"|{all_shown(key)}|{key.help}|")
        for screen, name in zip(screens, CONTEXTS, strict=True)
        for key in KEYS[name]
    ]
    assert [row for screen, row in rows if row not in screen + common] == []


def test_make_without_a_word_says_what_there_is_to_make() -> None:
    run = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert "make test-sandboxes" in run.stdout
    assert "one test: " in run.stdout


@pytest.mark.parametrize(
    ("page", "link", "on_the_site"),
    [
        ("stability.md", "[a](../SECURITY.md)", "[a](security.md)"),
        ("howto/audit.md", "[a](../concepts.md#words)", "[a](../concepts.md#words)"),
        ("index.md", "[a](docs/concepts.md)", "[a](concepts.md)"),
        ("index.md", "![a](docs/pictures/review.svg)", "![a](pictures/review.svg)"),
        ("howto/audit.md", "[a](../../README.md)", "[a](../index.md)"),
        ("index.md", "[a](docs/README.md)", "[a](index.md)"),
        ("index.md", "[a](docs/decisions/)", "[a](decisions/README.md)"),
        ("index.md", "[a](LICENSE)", "a"),
        ("index.md", "[a](docs/nowhere.md)", "[a](docs/nowhere.md)"),
        ("index.md", "[a](https://example.org/b)", "[a](https://example.org/b)"),
    ],
)
def test_links_of_a_page_fit_the_site(page: str, link: str, on_the_site: str) -> None:
    assert with_links_of_the_site(link, page) == on_the_site
