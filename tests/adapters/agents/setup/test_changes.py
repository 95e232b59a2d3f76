"""Setting a program up: every program's files as they are written, merged into what is there, and gone again."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from foureyes.adapters.agents.setup import changes
from foureyes.adapters.agents.setup.marked_block import MARKDOWN, install
from foureyes.adapters.agents.setup.programs import PROGRAMS, SetupEntry
from foureyes.app.results.settings import FileChange
from foureyes.config.primer import BLOCK
from foureyes.core.rules.gate_files import is_gate_file
from foureyes.errors import EnvironmentProblem

EVERY = pytest.mark.parametrize("program", PROGRAMS)
SERVER = {"command": "fe", "args": ["mcp"]}


def stop(program: str, timeout: int) -> list[dict[str, object]]:
    run = {"type": "command", "command": f"fe agent remind {program} 2>/dev/null || true", "timeout": timeout}
    return [{"hooks": [run]}]


WRITTEN: dict[str, dict[str, object]] = {
    "agents-md": {},
    "claude": {
        ".mcp.json": {"mcpServers": {"foureyes": SERVER}},
        ".claude/settings.json": {"hooks": {"Stop": stop("claude", 10)}},
    },
    "codex": {
        ".codex/config.toml": {"mcp_servers": {"foureyes": SERVER}, "hooks": {"Stop": stop("codex", 10)}},
    },
    "gemini": {
        ".gemini/settings.json": {
            "mcpServers": {"foureyes": SERVER},
            "hooks": {"AfterAgent": stop("gemini", 10_000)},
        }
    },
    "opencode": {
        "opencode.json": {
            "mcp": {"foureyes": {"type": "local", "command": ["fe", "mcp"], "enabled": True}},
            "$schema": "https://opencode.ai/config.json",
        }
    },
    "qwen": {
        ".qwen/settings.json": {"mcpServers": {"foureyes": SERVER}, "hooks": {"Stop": stop("qwen", 10_000)}},
    },
    "cursor": {
        ".cursor/mcp.json": {"mcpServers": {"foureyes": SERVER}},
        ".cursor/hooks.json": {
            "hooks": {"stop": [{"command": "fe agent remind cursor 2>/dev/null || true", "timeout": 10}]},
            "version": 1,
        },
    },
    "copilot": {
        ".github/mcp.json": {"mcpServers": {"foureyes": {"type": "local", **SERVER, "tools": ["*"]}}},
        ".vscode/mcp.json": {"servers": {"foureyes": {"type": "stdio", **SERVER}}},
        ".github/hooks/foureyes.json": {
            "hooks": {
                "agentStop": [
                    {"type": "command", "bash": "fe agent remind copilot 2>/dev/null || true", "timeoutSec": 10}
                ]
            },
            "version": 1,
        },
    },
}
"""What each program finds beside its instructions."""


def set_up(root: Path, program: str, *, remove: bool = False) -> list[FileChange]:
    done = changes.plan(str(root), program, BLOCK, remove=remove)
    changes.apply(str(root), done)
    return done


def results(done: list[FileChange]) -> dict[str, str]:
    return {change.file: change.result for change in done}


def snapshot(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def value_of(root: Path, file: str) -> object:
    text = (root / file).read_text()
    return tomllib.loads(text) if file.endswith(".toml") else json.loads(text)


# From nothing


@EVERY
def test_a_program_finds_instructions_tools_and_reminder_A4(tmp_path: Path, program: str) -> None:
    done = set_up(tmp_path, program)
    page = PROGRAMS[program].page
    assert results(done) == dict.fromkeys([page, *WRITTEN[program]], "written")
    assert {file: value_of(tmp_path, file) for file in WRITTEN[program]} == WRITTEN[program]
    assert BLOCK.strip() in (tmp_path / page).read_text()
    assert all(is_gate_file(change.file) for change in done), "a person agrees to a change of it"


@EVERY
def test_a_second_time_changes_nothing_and_writes_nothing(tmp_path: Path, program: str) -> None:
    set_up(tmp_path, program)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert set(results(set_up(tmp_path, program)).values()) == {"unchanged"}
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@EVERY
def test_removed_it_leaves_no_trace(tmp_path: Path, program: str) -> None:
    set_up(tmp_path, program)
    assert set(results(set_up(tmp_path, program, remove=True)).values()) == {"removed"}
    assert os.listdir(tmp_path) == []
    assert set(results(set_up(tmp_path, program, remove=True)).values()) == {"absent"}


def test_all_of_them_together_and_gone_again(tmp_path: Path) -> None:
    for program in PROGRAMS:
        set_up(tmp_path, program)
    for program in PROGRAMS:
        assert set(results(set_up(tmp_path, program)).values()) == {"unchanged"}
    for program in PROGRAMS:
        set_up(tmp_path, program, remove=True)
    assert os.listdir(tmp_path) == []


# Into what is there

SETTINGS = """\
{
    "permissions": {"allow": ["Bash(make *)"]},
    "mcpServers": {
        "other": {"command": "other", "env": {"KEY": "ü"}}
    },
    "mcp": {},
    "servers": {
        "other": {}
    },
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "./mine.sh"}]}
        ],
        "AfterAgent": [],
        "stop": [{"command": "./mine.sh"}]
    },
    "version": 1
}
"""
TABLES = """\
# what we use
model = "gpt-5.5"   # not the newest

[mcp_servers.other]
command = "other"

[[hooks.Stop]]
hooks = [{ type = "command", command = "./mine.sh" }]
"""


@EVERY
def test_it_is_merged_into_what_is_there_and_taken_out_byte_for_byte(tmp_path: Path, program: str) -> None:
    (tmp_path / PROGRAMS[program].page).write_text("# Ours\n\nBe kind.")
    for file in WRITTEN[program]:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(TABLES if file.endswith(".toml") else SETTINGS)
    before = snapshot(tmp_path)
    assert set(results(set_up(tmp_path, program)).values()) == {"written"}
    for file in WRITTEN[program]:
        text = (tmp_path / file).read_text()
        there = TABLES if file.endswith(".toml") else SETTINGS
        assert [line for line in there.splitlines() if line.strip(" ]}") and line.rstrip(",]}") not in text] == []
    assert set(results(set_up(tmp_path, program)).values()) == {"unchanged"}
    set_up(tmp_path, program, remove=True)
    assert snapshot(tmp_path) == before


def test_merged_settings_mean_both(tmp_path: Path) -> None:
    (tmp_path / ".qwen").mkdir()
    (tmp_path / ".qwen" / "settings.json").write_text(SETTINGS)
    set_up(tmp_path, "qwen")
    there = json.loads((tmp_path / ".qwen" / "settings.json").read_text())
    assert there["mcpServers"] == {"other": {"command": "other", "env": {"KEY": "ü"}}, "foureyes": SERVER}
    assert there["hooks"]["Stop"][1:] == stop("qwen", 10_000)
    assert there["permissions"] == {"allow": ["Bash(make *)"]}


def test_merged_tables_mean_both(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text(TABLES)
    set_up(tmp_path, "codex")
    there = tomllib.loads((tmp_path / ".codex" / "config.toml").read_text())
    assert there["mcp_servers"] == {"other": {"command": "other"}, "foureyes": SERVER}
    assert there["hooks"]["Stop"][1:] == stop("codex", 10)
    assert there["model"] == "gpt-5.5"


@pytest.mark.parametrize("text", ["{}", "{}\n", "{ }", "{\n}\n"])
def test_an_empty_document_is_there_again_afterwards(tmp_path: Path, text: str) -> None:
    for file in (".mcp.json", "opencode.json"):
        (tmp_path / file).write_text(text)
    for program in ("claude", "opencode"):
        set_up(tmp_path, program)
        set_up(tmp_path, program, remove=True)
    assert snapshot(tmp_path) == {".mcp.json": text.encode(), "opencode.json": text.encode()}


def test_a_file_that_holds_only_what_comes_with_a_new_one_was_there_before(tmp_path: Path) -> None:
    text = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'
    (tmp_path / "opencode.json").write_text(text)
    set_up(tmp_path, "opencode")
    set_up(tmp_path, "opencode", remove=True)
    assert (tmp_path / "opencode.json").read_text() == text


def test_what_somebody_added_later_stays(tmp_path: Path) -> None:
    set_up(tmp_path, "gemini")
    file = tmp_path / ".gemini" / "settings.json"
    there = json.loads(file.read_text())
    there["mcpServers"]["later"] = {"command": "later"}
    there["theme"] = "dark"
    file.write_text(json.dumps(there, indent=4))
    set_up(tmp_path, "gemini", remove=True)
    assert json.loads(file.read_text()) == {"mcpServers": {"later": {"command": "later"}}, "theme": "dark"}


def test_one_text_under_two_names_holds_one_block(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("# Ours\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    for program in ("claude", "codex"):
        set_up(tmp_path, program)
    assert (tmp_path / "AGENTS.md").read_text().count("foureyes:begin") == 1
    assert set_up(tmp_path, "claude", remove=True)[0].why == "the block stays for codex"
    set_up(tmp_path, "codex", remove=True)
    assert snapshot(tmp_path) == {"AGENTS.md": b"# Ours\n", "CLAUDE.md": b"# Ours\n"}


# What an earlier version wrote, or somebody else


def test_what_an_earlier_version_wrote_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = {"command": "foureyes", "args": ["serve"]}
    now = PROGRAMS["claude"].entries[0]
    entries = (now._replace(former=(old,)), *PROGRAMS["claude"].entries[1:])
    monkeypatch.setitem(PROGRAMS, "claude", PROGRAMS["claude"]._replace(entries=entries))
    around = '{\n  "mcpServers": {\n    "x": {}%s\n  }\n}\n'
    (tmp_path / ".mcp.json").write_text(around % f',\n    "foureyes": {json.dumps(old)}')
    assert results(set_up(tmp_path, "claude"))[".mcp.json"] == "updated"
    assert json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"] == {"x": {}, "foureyes": SERVER}
    set_up(tmp_path, "claude", remove=True)
    assert (tmp_path / ".mcp.json").read_text() == around % ""


def test_an_entry_of_somebodys_own_is_kept_and_said(tmp_path: Path) -> None:
    own = '{"mcpServers": {"foureyes": {"command": "/opt/fe", "args": ["mcp", "--all"]}}}'
    (tmp_path / ".mcp.json").write_text(own)
    for remove in (False, True):
        change = next(each for each in set_up(tmp_path, "claude", remove=remove) if each.file == ".mcp.json")
        assert (change.result, change.why) == ("kept", changes.OWN)
        assert (tmp_path / ".mcp.json").read_text() == own


def test_a_hook_of_somebodys_own_that_reminds_is_kept_and_said(tmp_path: Path) -> None:
    own = '{"version": 1, "hooks": {"stop": [{"command": "/opt/fe agent remind cursor"}]}}'
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "hooks.json").write_text(own)
    for remove in (False, True):
        change = set_up(tmp_path, "cursor", remove=remove)[-1]
        assert (change.result, change.why) == ("kept", changes.OWN_HOOK)
        assert (tmp_path / ".cursor" / "hooks.json").read_text() == own


def test_a_table_of_somebodys_own_is_kept_and_said(tmp_path: Path) -> None:
    own = '[mcp_servers.foureyes]\ncommand = "/opt/fe"\nargs = ["mcp"]\n'
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text(own)
    change = set_up(tmp_path, "codex")[1]
    assert (change.result, change.why) == ("kept", changes.OWN)
    assert results(set_up(tmp_path, "codex", remove=True))[".codex/config.toml"] == "absent"
    assert (tmp_path / ".codex" / "config.toml").read_text() == own


# By hand

WITH_COMMENTS = '{\n  // ours\n  "mcp": {"x": {"type": "local", "command": ["x"]},},\n}\n'


def test_a_file_with_comments_is_not_touched_and_the_lines_to_add_are_said(tmp_path: Path) -> None:
    (tmp_path / "opencode.json").write_text(WITH_COMMENTS)
    page, file = set_up(tmp_path, "opencode")
    assert (page.result, file.result) == ("written", "by hand")
    assert "line 2" in file.why
    assert json.loads(file.lines)["mcp"]["foureyes"]["command"] == ["fe", "mcp"]
    assert (tmp_path / "opencode.json").read_text() == WITH_COMMENTS


def test_a_file_with_comments_in_which_somebody_added_them_is_as_it_should_be(tmp_path: Path) -> None:
    entry = PROGRAMS["opencode"].entries[0]
    by_hand = WITH_COMMENTS.replace('"mcp": {', f'"mcp": {{"foureyes": {json.dumps(entry.value)}, ')
    (tmp_path / "opencode.json").write_text(by_hand)
    assert results(set_up(tmp_path, "opencode"))["opencode.json"] == "unchanged"
    change = set_up(tmp_path, "opencode", remove=True)[1]
    assert (change.result, "foureyes" in change.lines) == ("by hand", True)
    assert (tmp_path / "opencode.json").read_text() == by_hand


def test_of_a_file_with_comments_there_is_nothing_to_take_out_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "opencode.json").write_text(WITH_COMMENTS)
    assert set(results(set_up(tmp_path, "opencode", remove=True)).values()) == {"absent"}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"mcpServers": []}', '{"mcpServers": {}, "mcpServers": {}}', "null", "\ufeff{}"]
)
def test_json_that_cannot_be_merged_is_not_touched(tmp_path: Path, text: str) -> None:
    (tmp_path / ".mcp.json").write_text(text)
    change = set_up(tmp_path, "claude")[1]
    assert (change.result, bool(change.why), "foureyes" in change.lines) == ("by hand", True, True)
    assert (tmp_path / ".mcp.json").read_text() == text


@pytest.mark.parametrize("text", ["a = ", "mcp_servers = {}\n", 'hooks = "none"\n', "[hooks]\nStop = []\n"])
def test_toml_that_cannot_be_merged_is_not_touched(tmp_path: Path, text: str) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text(text)
    change = set_up(tmp_path, "codex")[1]
    assert (change.result, bool(change.why), "[mcp_servers.foureyes]" in change.lines) == ("by hand", True, True)
    assert (tmp_path / ".codex" / "config.toml").read_text() == text


# Hostile


@EVERY
def test_where_one_file_is_hostile_none_is_written(tmp_path: Path, program: str) -> None:
    last = changes.plan(str(tmp_path), program, BLOCK, remove=False)[-1].file
    (tmp_path / last).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(tmp_path / last)
    for remove in (False, True):
        with pytest.raises(EnvironmentProblem, match="named pipe"):
            set_up(tmp_path, program, remove=remove)
    assert snapshot(tmp_path) == {}


def test_a_read_only_file_is_refused_where_it_would_change(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text(install(None, MARKDOWN, "codex", BLOCK).text or "")
    (tmp_path / "AGENTS.md").chmod(0o444)
    assert results(set_up(tmp_path, "codex"))["AGENTS.md"] == "unchanged"
    with pytest.raises(EnvironmentProblem, match=r"AGENTS\.md: it is read-only"):
        set_up(tmp_path, "cursor")
    assert not (tmp_path / ".cursor").exists()


def test_a_new_document_has_ours_before_what_comes_with_it() -> None:
    """What is added to a document that is there comes last: so the two are told apart."""
    for program in PROGRAMS.values():
        for entry in program.entries:
            assert next(iter(changes.fresh([entry]))) == entry.path[0]


def test_states_of_an_entry() -> None:
    entry = SetupEntry("x", "tools", ("a", "b"), 1, former=(0,))
    assert [changes.state({"a": {"b": value}}, entry)[0] for value in (1, 0, 2)] == ["ours", "older", "edited"]
    nothing: list[object] = [{}, {"a": []}, {"a": {}}, None]
    assert {changes.state(value, entry)[0] for value in nothing} == {"absent"}
