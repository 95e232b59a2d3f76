"""What the environment tells about agents, and what it must not."""

from __future__ import annotations

import pytest

from foureyes.adapters.identity.environment import AgentMarks, read_marks
from foureyes.adapters.identity.programs import CONVERSATIONS, MARKS


@pytest.mark.parametrize(
    ("variable", "agent"),
    [("CLAUDECODE", "claude"), ("GEMINI_CLI", "gemini"), ("OPENCODE", "opencode"), ("COPILOT_CLI", "copilot"),
     ("CURSOR_AGENT", "cursor-agent"), ("QWEN_CODE", "qwen"), ("PI_CODING_AGENT", "pi"), ("GOOSE_TERMINAL", "goose"),
     ("CODEX_THREAD_ID", "codex"), ("CLAUDE_CODE_SESSION_ID", "claude"), ("AGENT", "agent"), ("AI_AGENT", "agent")],
)  # fmt: skip
def test_i3_a_mark_tells_of_its_agent(variable: str, agent: str) -> None:
    marks = read_marks({variable: "1", "PATH": "/bin"})
    assert (marks.variables, marks.agents) == ((variable,), (agent,))


@pytest.mark.parametrize("variable", [variable for variable, _ in MARKS])
def test_i3_an_empty_mark_does_not_count(variable: str) -> None:
    assert read_marks({variable: ""}) == AgentMarks()


@pytest.mark.parametrize(
    "variable",
    [
        "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_ENTRYPOINT_X", "CLAUDECODE_X", "XCLAUDECODE", "CURSOR_TRACE_ID",
        "TERM_PROGRAM", "VSCODE_PID", "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_ASKPASS_NODE", "CODEX_HOME", "GEMINI_API_KEY",
        "OPENCODE_CONFIG", "PI_CODING_AGENT_DIR", "GOOSE_PROVIDER", "COPILOT_MODEL", "SSH_AGENT_PID", "AGENT_ID",
        "claudecode",
    ],
)  # fmt: skip
def test_i3_what_editors_and_settings_leave_in_a_terminal_is_no_mark(variable: str) -> None:
    assert read_marks({variable: "1"}) == AgentMarks()


def test_i3_a_conversation_id_is_evidence_by_its_hash() -> None:
    marks = read_marks({"CODEX_THREAD_ID": "abc"})
    assert marks.conversations == ("conv:CODEX_THREAD_ID:ba7816bf8f01cfea",)


def test_i3_the_same_value_in_another_variable_is_another_conversation() -> None:
    both = read_marks(dict.fromkeys(CONVERSATIONS, "7")).conversations
    assert len(set(both)) == len(both) == len(CONVERSATIONS)


def test_i3_every_conversation_id_is_a_mark_too() -> None:
    assert set(CONVERSATIONS) <= {variable for variable, _ in MARKS}


def test_i3_a_mark_without_an_id_is_no_conversation() -> None:
    assert read_marks({"CLAUDECODE": "1", "AGENT": "1"}).conversations == ()


@pytest.mark.parametrize(
    ("value", "agent"),
    [("goose", "goose"), ("Claude-Code_2.1_cli", "claude"), ("amp@1.2", "amp"), ("1", "agent"), ("me\nyou", "agent")],
)
def test_i3_a_general_mark_may_name_the_agent_and_nothing_else(value: str, agent: str) -> None:
    assert read_marks({"AGENT": value}).agents == (agent,)


@pytest.mark.parametrize(
    ("environ", "agent"),
    [({"AMP_CURRENT_THREAD_ID": "T-1", "CLAUDECODE": "1", "AGENT": "amp"}, "amp"),
     ({"QWEN_CODE": "1", "GEMINI_CLI": "1"}, "qwen"), ({"OPENCODE": "1", "AGENT": "1"}, "opencode")],
)  # fmt: skip
def test_i3_of_several_marks_the_most_telling_names_the_agent(environ: dict[str, str], agent: str) -> None:
    assert read_marks(environ).agents[0] == agent


def test_i3_a_value_that_is_no_text_is_still_evidence() -> None:
    assert len(read_marks({"CODEX_THREAD_ID": "\udcff"}).conversations) == 1
