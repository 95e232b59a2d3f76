"""What few commands need of the world: reports, logs and prompts."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path

import pytest

from foureyes.adapters.git.client.locate import Located, SharedGit
from foureyes.app import ports
from foureyes.bootstrap.services import LazyOutside, template
from foureyes.core.nouns.finding import Finding
from foureyes.core.words.ids import SessionId
from foureyes.errors import Internal

from tests.stage.documents import sarif


@pytest.fixture
def outside() -> ports.Outside:
    place = Located("/place/tree", "/place/.git/worktrees/tree", "/place/.git", "/place")
    return LazyOutside(place, "/place/.foureyes", {}, SharedGit(place))


def test_the_paths_of_a_report_are_those_of_the_worktree_where_the_caller_stands_L3(outside: ports.Outside) -> None:
    paths = ["/place/tree/a.py", "/place/b.py", "/elsewhere/lib/c.py"]
    document = sarif(*((path, 1, "no") for path in paths))
    found = outside.read_findings(document, "x", lambda: ("a.py", "lib/c.py"), {})
    assert [one.path for one in found] == ["a.py", "b.py", "lib/c.py"]


def test_a_waiver_counts_by_the_time_of_writing_E3(outside: ports.Outside) -> None:
    def waived(until: str) -> Finding:
        return Finding(
            root="TL-x-1-001",
            id="TL-x-1-001",
            task="x",
            kind="TL",
            severity="HIGH",
            title="a race",
            session=SessionId("ses-1"),
            raised=1,
            flagged=1,
            state="waived",
            waived_until=until,
        )

    made = json.loads(outside.write_sarif([waived("2020-01-01T00:00:00.000Z"), waived("9999-01-01T00:00:00.000Z")]))
    assert ["suppressions" in result for result in made["runs"][0]["results"]] == [False, True]


def test_every_prompt_of_the_package_can_be_read(outside: ports.Outside) -> None:
    names = [
        file.name.removesuffix(".md")
        for file in (files("foureyes.config") / "prompts").iterdir()
        if file.name.endswith(".md")
    ]
    assert names
    assert all(outside.template(name).strip() for name in names)


@pytest.mark.parametrize("name", ["", "no-such-prompt", "../settings", "/etc/passwd", "review.md", "a\0b"])
def test_a_prompt_that_is_not_there_is_a_defect_of_ours(name: str) -> None:
    with pytest.raises(Internal, match="there is no prompt"):
        template(name)


def test_what_was_the_store_is_named_and_what_belongs_to_it_is_not(tmp_path: Path) -> None:
    place = Located(str(tmp_path), str(tmp_path / ".git"), str(tmp_path / ".git"), str(tmp_path))
    folder = tmp_path / ".foureyes"
    outside = LazyOutside(place, str(folder), {}, SharedGit(place))
    assert outside.kept_stores() == []
    folder.mkdir()
    left = ["store.db.before-restore-2", "store.db.before-schema-16", "store.db.moved-1"]
    for name in (*left, "store.db", "store.db-wal", "store.db.moved-1-wal", "store.db.incoming-7", "store.json"):
        (folder / name).touch()
    assert outside.kept_stores() == left


def test_a_notification_ends_with_a_line_feed_and_what_was_sent_is_kept(tmp_path: Path) -> None:
    place = Located(str(tmp_path), str(tmp_path / ".git"), str(tmp_path / ".git"), str(tmp_path))
    (tmp_path / ".foureyes").mkdir()
    outside = LazyOutside(place, str(tmp_path / ".foureyes"), {"PATH": os.defpath}, SharedGit(place))
    for line in ("fe-1 waits", "fe-2 waits"):
        assert outside.notify("cat >> sent", line) == ""
    assert (tmp_path / "sent").read_text() == "fe-1 waits\nfe-2 waits\n"
    assert outside.kept_notices() == set()
    outside.keep_notices({"stuck:fe-1:4", "held:fe-2:5"})
    assert outside.kept_notices() == {"stuck:fe-1:4", "held:fe-2:5"}
