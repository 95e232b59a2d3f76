"""What a program is started with: a dialect filled in."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from foureyes.adapters.agents.arguments import LaunchWords, attached_words, words_of
from foureyes.adapters.agents.dialects import DIALECTS, dialect_of
from foureyes.app.agent_ports import Launch
from foureyes.core.nouns.run import RunId
from foureyes.core.rules.policy import Profile
from foureyes.ui.mcp.tools import tools as served_tools

MCP = ("/opt/fe", "mcp")
TOOL = re.compile(r"\b(?:[a-z]+_[a-z]+|signal|emit)\b(?!`)")


def words(
    profile: Profile, *, mcp: tuple[str, ...] = (), environ: dict[str, str] | None = None, **more: Any
) -> LaunchWords:
    asked = {
        "run": RunId("run-1"), "profile_name": "p", "profile": profile, "role": "implement", "purpose": "implement",
        "worktree": "/w", "prompt": "secret prompt", "token": "t0ken", "task": "fe-1", **more,
    }  # fmt: skip
    return words_of(dialect_of(profile), Launch(**asked), "/runs/run-1", mcp, environ or {})


def line(profile: Profile, **more: Any) -> str:
    return " ".join(words(profile, **more).arguments)


def test_each_program_is_asked_to_work_as_it_was_measured() -> None:
    assert line(Profile("codex", model="gpt-5.5")) == (
        "exec --json --ignore-user-config --disable plugins -s workspace-write -m gpt-5.5 -"
    )
    assert line(Profile("claude", model="m")) == (
        "-p --output-format stream-json --verbose --setting-sources user --strict-mcp-config "
        "--permission-mode acceptEdits --allowedTools Bash,mcp__foureyes --model m"
    )
    assert line(Profile("gemini")) == "-o stream-json --skip-trust --approval-mode yolo"
    assert line(Profile("qwen")) == "-o stream-json --bare --approval-mode yolo"
    logs = "--print-logs --log-level ERROR"
    assert line(Profile("opencode", model="prov/m")) == f"run --pure --format json {logs} --auto -m prov/m"
    assert words(Profile("opencode")).env["OPENCODE_DISABLE_PROJECT_CONFIG"] == "1"


def test_only_programs_whose_shell_cannot_run_fe_are_told_its_tools_I2() -> None:
    for profile, role, purpose, tools in [
        (Profile("codex"), "implement", "respond", True),
        (Profile("claude"), "implement", "respond", False),
        (Profile("claude"), "lead", "lead", True),
        (Profile("codex"), "review", "review", False),
        (Profile("qwen"), "lead", "lead", False),
        (Profile("mine"), "lead", "lead", False),
    ]:
        found = words(profile, mcp=MCP, role=role, purpose=purpose)
        named = [name for line in found.more.splitlines() if line.startswith("- `fe ") for name in TOOL.findall(line)]
        assert bool(named) == tools, (profile, role)
        offered = served_tools(everything='"--all"' in " ".join(found.arguments))
        assert set(named) - {"loop_lead"} <= set(offered)
        assert ("loop_lead" in offered) == (tools and role == "lead")


def test_how_qwen_is_logged_in_is_said_once_where_a_key_is_set_or_the_profile_says_it() -> None:
    key = {"OPENAI_API_KEY": "sk-1"}
    for profile in (Profile("qwen"), Profile("qwen", args=("--auth-type", "openai"))):
        assert line(profile, environ=key).count("--auth-type openai") == 1


def test_who_reviews_cannot_write_and_reads_no_configuration_of_the_repository() -> None:
    assert "-s read-only -c project_doc_max_bytes=0" in line(Profile("codex"), role="review")
    claude = line(Profile("claude"), role="review")
    assert "--tools Read,Grep,Glob --permission-mode dontAsk" in claude
    assert "--setting-sources user --strict-mcp-config" in claude
    assert "acceptEdits" not in claude
    assert line(Profile("gemini"), role="review").endswith("--approval-mode plan")
    assert line(Profile("qwen"), role="review").endswith("--bare --approval-mode plan")
    opencode = words(Profile("opencode"), role="review")
    assert "--auto" not in opencode.arguments
    assert json.loads(opencode.env["OPENCODE_PERMISSION"])["edit"] == "deny"
    assert opencode.env["OPENCODE_DISABLE_PROJECT_CONFIG"] == "1"


def test_who_can_be_held_to_a_schema_is_V3() -> None:
    for role in ("review", "lead"):
        said = words(Profile("claude"), role=role, schema="{}")
        assert said.arguments[said.arguments.index("--json-schema") + 1] == "{}"
        codex = words(Profile("codex"), role=role, schema='{"a": 1}', resumes="c-7")
        assert "--output-schema /runs/run-1/answer.schema.json" in " ".join(codex.arguments)
        assert codex.files == {"answer.schema.json": '{"a": 1}'}
    for name in ("gemini", "qwen", "opencode"):
        assert (
            words(Profile(name), role="review", schema="{}").arguments == words(Profile(name), role="review").arguments
        )
    assert "--json-schema" not in words(Profile("claude"), role="review").arguments


def test_an_author_who_clarifies_writes_nothing_V9() -> None:
    assert "-s read-only" in line(Profile("codex"), role="implement", purpose="clarify")


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "qwen", "opencode"])
def test_a_conversation_goes_on_only_where_one_is_named(name: str) -> None:
    profile = Profile(name)
    assert "c-7" in words(profile, resumes="c-7").arguments
    assert not {"resume", "--resume", "-s"} & set(words(profile, role="review").arguments) - {"-s"}
    assert "--ignore-user-config" in words(profile, resumes="c-7").arguments or name != "codex"


NO_NAMES = ["--dangerously-bypass-approvals-and-sandbox", "-c", "", " c1", "a b", "a\n", "c" * 201, "ü", "{task}"]


@pytest.mark.parametrize("told", NO_NAMES)
@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_a_conversation_of_an_old_row_never_becomes_an_option_of_its_program_I2(name: str, told: str) -> None:
    profile = Profile(name)
    assert words(profile, resumes=told) == words(profile)
    assert attached_words(dialect_of(profile), profile, "fe-1", "p", told) == ()


def test_who_goes_on_and_must_not_write_still_cannot() -> None:
    first = "exec resume --json --ignore-user-config --disable plugins"
    assert line(Profile("codex"), resumes="c-7") == f'{first} -c sandbox_mode="workspace-write" c-7 -'
    for role in ("review", "lead", "plan"):
        assert line(Profile("codex"), role=role, resumes="c-7") == (
            f'{first} -c sandbox_mode="read-only" -c project_doc_max_bytes=0 --skip-git-repo-check c-7 -'
        )
        claude = line(Profile("claude"), role=role, resumes="c-7")
        assert "--permission-mode dontAsk" in claude
        assert claude.endswith("--resume c-7")
        own = Profile("mine", args=("work",), review_args=("look",), resume_args=("work", "on", "{conversation}"))
        assert line(own, role=role, resumes="c-7") == "look"


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_neither_prompt_nor_token_is_in_the_arguments_or_variables_I2(name: str) -> None:
    found = words(Profile(name, adapter=name), mcp=MCP)  # type: ignore[arg-type]
    assert "secret prompt" not in str(found)
    assert "t0ken" not in str(found)


def test_the_server_of_the_run_is_given_to_each_in_its_way() -> None:
    claude = words(Profile("claude"), mcp=MCP).arguments
    config = json.loads(claude[claude.index("--mcp-config") + 1])
    assert config == {"mcpServers": {"foureyes": {"command": "/opt/fe", "args": ["mcp", "--run", "/runs/run-1"]}}}
    codex = words(Profile("codex"), mcp=MCP).arguments
    assert 'mcp_servers.foureyes.args=["mcp", "--run", "/runs/run-1"]' in codex
    assert 'mcp_servers.foureyes.default_tools_approval_mode="approve"' in codex
    opencode = json.loads(words(Profile("opencode"), mcp=MCP).env["OPENCODE_CONFIG_CONTENT"])
    assert opencode["mcp"]["foureyes"]["command"] == ["/opt/fe", "mcp", "--run", "/runs/run-1"]


def test_any_command_gets_what_its_profile_says_with_words_in_braces_filled_in_once() -> None:
    profile = Profile("aider", model="{task}", args=("--message-file", "{prompt_file}", "{model}", "{no}", "{", "a}"))
    assert words(profile).arguments == ("--message-file", "/runs/run-1/prompt.md", "{task}", "{no}", "{", "a}")
    own = Profile("mine", args=("work",), review_args=("look",), resume_args=("on", "{conversation}"))
    assert line(own) == "work"
    assert line(own, role="review") == "look"
    assert line(own, resumes="c") == "on c"


def test_what_a_profile_adds_stands_behind_the_words_of_a_known_program() -> None:
    assert line(Profile("codex", args=("-c", "x=1"))).endswith("-s workspace-write -c x=1 -")


@pytest.mark.parametrize(
    ("profile", "conversation", "words"),
    [
        (Profile("claude"), "c1", "--setting-sources user --strict-mcp-config --resume c1"),
        (Profile("claude", model="m"), "c1", "--setting-sources user --strict-mcp-config --resume c1 --model m"),
        (Profile("codex"), "c1", "resume c1"),
        (Profile("gemini"), "c1", "--skip-trust --resume c1"),
        (Profile("qwen"), "c1", "--resume c1"),
        (Profile("opencode", model="p/m"), "c1", "-s c1 -m p/m"),
        (Profile("claude"), "", ""),
        (Profile("aider"), "c1", ""),
        (Profile("aider", attach_args=("--chat", "{task}", "{conversation}")), "", "--chat fe-1 "),
        (Profile("claude", model="m", attach_args=("--continue",)), "c1", "--continue"),
    ],
)
def test_each_program_goes_on_with_a_conversation_at_a_terminal_where_it_can(
    profile: Profile, conversation: str, words: str
) -> None:
    assert " ".join(attached_words(dialect_of(profile), profile, "fe-1", "p", conversation)) == words
