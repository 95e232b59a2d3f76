"""`fe setup` and `fe agent remind`: what they print, what they answer as JSON; a hook never fails its program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foureyes.adapters.agents.setup.programs import PROGRAMS as TABLE
from foureyes.bootstrap.agent_setup import PROGRAMS
from foureyes.config.primer import RULES
from foureyes.ui.cli.agent import HOOKED

from tests.stage.commands import Stage
from tests.stage.processes import Caller

ASKED = json.dumps({"hook_event_name": "Stop", "stop_hook_active": False})


def said(stage: Stage, who: Caller, program: str, asked: str = ASKED, cwd: Path | None = None) -> str:
    """What the hook of a program is told."""
    done = who.fe("agent", "remind", program, cwd=cwd or stage.repo, input=asked)
    assert (done.rc, done.err) == (0, "")
    return done.out


def test_every_program_can_be_named_and_every_hook_is_known() -> None:
    assert set(PROGRAMS) == set(TABLE)
    hooked = {name for name, program in TABLE.items() if any(each.part == "reminder" for each in program.entries)}
    assert set(HOOKED) == hooked | {"codex"}


def test_setup_says_what_it_did_to_each_file_and_what_to_do_next(stage: Stage) -> None:
    assert stage.run(stage.cast.alice, "setup", "claude").out == (
        "CLAUDE.md: written\n"
        ".mcp.json: written\n"
        ".claude/settings.json: written\n"
        "  note  claude asks once before it starts the server of .mcp.json\n"
        "next: review and commit it\n"
    )
    again = stage.done(stage.cast.alice, "setup", "claude")
    assert (again["file"], again["result"], again["next"]) == ("CLAUDE.md", "unchanged", "")
    assert [row["result"] for row in again["files"]] == ["unchanged"] * 3
    assert stage.run(stage.cast.alice, "setup", "claude", "--remove").out == (
        "CLAUDE.md: removed\n.mcp.json: removed\n.claude/settings.json: removed\nnext: review and commit it\n"
    )
    assert stage.git("status", "--porcelain") == ""


def test_setup_keeps_what_is_around_the_block(stage: Stage) -> None:
    page = stage.repo / "AGENTS.md"
    page.write_text("# Ours\n\nBe kind.\n")
    stage.done(stage.cast.alice, "setup", "agents-md")
    assert stage.run(stage.cast.claude, "prime").out.startswith(RULES)
    assert RULES in page.read_text()
    assert stage.done(stage.cast.alice, "setup", "codex")["result"] == "updated"
    assert stage.done(stage.cast.alice, "setup", "codex", "--remove")["files"][0]["why"] == (
        "the block stays for agents-md"
    )
    stage.done(stage.cast.alice, "setup", "agents-md", "--remove")
    assert page.read_text() == "# Ours\n\nBe kind.\n"


def test_a_dry_run_shows_a_diff_and_writes_nothing(stage: Stage) -> None:
    (stage.repo / ".mcp.json").write_text('{\n  "mcpServers": {}\n}\n')
    out = stage.run(stage.cast.alice, "setup", "claude", "--dry-run").out
    assert "--- /dev/null\n+++ b/CLAUDE.md\n@@ " in out
    assert "--- a/.mcp.json\n+++ b/.mcp.json\n@@ " in out
    assert '-  "mcpServers": {}\n+  "mcpServers": {"foureyes": {\n' in out
    assert out.endswith("dry run: nothing was written\n")
    assert not (stage.repo / "CLAUDE.md").exists()
    answer = stage.done(stage.cast.alice, "setup", "claude", "--dry-run")
    assert (answer["dry_run"], answer["next"]) == (True, "")
    assert "+++ b/CLAUDE.md" in answer["files"][0]["diff"]
    (stage.repo / ".mcp.json").unlink()
    stage.done(stage.cast.alice, "setup", "claude")
    assert (
        "--- a/CLAUDE.md\n+++ /dev/null\n"
        in stage.run(stage.cast.alice, "setup", "claude", "--remove", "--dry-run").out
    )
    assert (stage.repo / "CLAUDE.md").exists()


def test_lines_to_add_by_hand_are_shown(stage: Stage) -> None:
    (stage.repo / "opencode.json").write_text("{\n  // ours\n}\n")
    out = stage.run(stage.cast.alice, "setup", "opencode").out
    assert "opencode.json: by hand: it is not plain JSON (line 2: " in out
    assert '  add by hand:\n    {\n      "mcp": {\n        "foureyes": {\n' in out


def test_a_hostile_file_is_an_error_of_the_environment(stage: Stage) -> None:
    (stage.repo / ".mcp.json").symlink_to("/etc/hostname")
    done = stage.run(stage.cast.alice, "setup", "claude")
    assert done.rc == 5
    assert ".mcp.json: a link leads to /etc/hostname" in done.err
    assert not (stage.repo / "CLAUDE.md").exists()


def test_doctor_says_what_is_set_up_and_whether_it_fits(stage: Stage) -> None:
    def lines() -> list[dict[str, str]]:
        return [row for row in stage.lines(stage.cast.alice, "doctor") if row["check"] == "agents"]

    (none,) = lines()
    assert (none["result"], none["next"]) == ("ok", "fe setup PROGRAM")
    stage.done(stage.cast.alice, "setup", "agents-md")
    (one,) = lines()
    assert (one["result"], one["message"]) == ("ok", "agents-md: instructions in AGENTS.md")
    page = stage.repo / "AGENTS.md"
    page.write_text(page.read_text().replace("Never approve", "Always approve"))
    (edited,) = lines()
    assert (edited["result"], "was edited" in edited["message"]) == ("warn", True)
    assert edited["next"].startswith("fe setup agents-md")


# The reminder


def test_an_agent_with_an_open_claim_is_reminded_once(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    assert said(stage, stage.cast.claude, "claude") == ""
    stage.done(stage.cast.claude, "start", task, "--here")
    told = json.loads(said(stage, stage.cast.claude, "claude"))
    assert (told["decision"], f"this session still holds {task}" in told["reason"]) == ("block", True)
    assert f'fe submit {task} -m "what you did"' in told["reason"]
    assert json.loads(said(stage, stage.cast.claude, "cursor", "{}")) == {"followup_message": told["reason"]}
    for again in ({"stop_hook_active": True}, {"stopHookActive": True}, {"loop_count": 1}, {"status": "aborted"}):
        assert said(stage, stage.cast.claude, "claude", json.dumps(again)) == ""
    assert json.loads(said(stage, stage.cast.claude, "qwen", '{"stop_hook_active": true}')) == {
        "systemMessage": told["reason"]
    }, "it says so of every stop"
    assert said(stage, stage.cast.codex, "codex") == "", "what others hold is theirs"
    stage.done(stage.cast.claude, "unstart", task)
    assert said(stage, stage.cast.claude, "claude") == ""


@pytest.mark.parametrize("asked", ["", "{", "[]", "null", '"x"', "\udcff".encode("utf-8", "surrogatepass").hex()])
def test_a_hook_that_is_asked_nonsense_says_nothing(stage: Stage, asked: str) -> None:
    stage.done(stage.cast.claude, "start", stage.create(stage.cast.alice), "--here")
    assert said(stage, stage.cast.claude, "claude", asked) == ""


def test_a_hook_says_nothing_where_there_is_no_project_or_a_broken_store(stage: Stage, tmp_path: Path) -> None:
    assert said(stage, stage.cast.claude, "claude", cwd=tmp_path) == ""
    (stage.folder / "store.db").write_bytes(b"no database at all" * 500)
    assert said(stage, stage.cast.claude, "claude") == ""


def test_who_asks_themselves_gets_a_sentence(stage: Stage) -> None:
    assert stage.run(stage.cast.claude, "remind").out == "you hold no task\n"
    task = stage.create(stage.cast.alice)
    stage.done(stage.cast.claude, "start", task, "--here")
    assert stage.run(stage.cast.claude, "remind").out.startswith(f"Foureyes: this session still holds {task}. ")
    assert stage.done(stage.cast.claude, "remind") == {"tasks": [task]}
