"""Who is calling: agent, person or service."""

from __future__ import annotations

import os
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from foureyes.adapters.identity import recognition as module
from foureyes.adapters.identity.process_tree import Process, ProcessTree
from foureyes.adapters.identity.recognition import actor_from, observe
from foureyes.errors import Refused

INIT = Process(pid=1, start=1, names=("init",), paths=("/sbin/init",))
SHELL = Process(pid=300, start=300, names=("bash",), paths=("/usr/bin/bash",))
CLAUDE = Process(pid=411, start=50, names=("node", "claude"), paths=("/usr/bin/node", "/usr/bin/claude"))
CODEX = Process(pid=512, start=60, names=("codex",), paths=("/usr/bin/codex",))
CHECK = Process(
    pid=700, start=70, names=("python3.11", "fe"), paths=("/usr/bin/python3.11", "/v/bin/fe"), words=("check", "run")
)
REAPER = Process(
    pid=710,
    start=71,
    names=("python3.11", "process"),
    paths=("/usr/bin/python3.11", "/v/foureyes/adapters/reaper.py"),
    words=("/bin/sh", "-c"),
)
PLACE = "0a1b2c3d:4026531836"


@pytest.fixture(autouse=True)
def ann_at_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The OS user and the host, as if on somebody's desk."""
    monkeypatch.setattr(module, "_user", lambda: "ann")
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "desk", "6", "1", "x86_64")))


def tree(*ancestors: Process, terminal: str = "", readable: bool = True) -> ProcessTree:
    return ProcessTree(ancestors=(*ancestors, INIT), readable=readable, terminal=terminal, place=PLACE)


def test_i3_an_agent_process_above_makes_an_agent_even_at_a_terminal() -> None:
    actor = actor_from(tree(SHELL, CLAUDE, terminal="pts/3"), {})
    assert (actor.kind, actor.trust, actor.agent, actor.person) == ("agent", "observed", "claude", "")
    assert actor.processes == actor.evidence == (f"proc:{PLACE}:411:50",)
    assert actor.why == ("claude (pid 411) is an ancestor of this process.",)


def test_i3_nested_agents_are_all_evidence_and_the_nearest_names_the_session() -> None:
    inner = actor_from(tree(SHELL, CODEX, CLAUDE), {})
    outer = actor_from(tree(CLAUDE), {})
    assert inner.agent == "codex"
    assert inner.processes == (f"proc:{PLACE}:512:60", f"proc:{PLACE}:411:50")
    assert set(outer.evidence) < set(inner.evidence), "a shared piece: one origin"
    assert inner.session != outer.session
    assert inner.why == ("codex (pid 512) is an ancestor of this process. Above it: claude (pid 411).",)


def test_i3_the_same_agent_process_is_the_same_session_and_another_one_another() -> None:
    again = Process(pid=411, start=51, names=("claude",))
    one, same, other = (actor_from(one_tree, {}) for one_tree in (tree(CLAUDE), tree(SHELL, CLAUDE), tree(again)))
    assert one.session == same.session != other.session
    assert not set(one.evidence) & set(other.evidence)


def test_no_variable_gives_an_agent_another_session_or_takes_evidence_away() -> None:
    plain = actor_from(tree(CLAUDE), {})
    environments: list[Mapping[str, str]] = [
        {"CLAUDE_CODE_SESSION_ID": "new"},
        {"CODEX_THREAD_ID": "new", "AGENT": "other"},
        {"USER": "bob", "LOGNAME": "bob", "HOSTNAME": "elsewhere"},
    ]
    for environ in environments:
        actor = actor_from(tree(CLAUDE), environ)
        assert (actor.session, actor.agent, actor.processes) == (plain.session, "claude", plain.processes)
        assert set(plain.evidence) <= set(actor.evidence)


def test_i3_a_conversation_joins_the_evidence_of_an_agent_process() -> None:
    actor = actor_from(tree(CLAUDE), {"CLAUDE_CODE_SESSION_ID": "x"})
    assert len(actor.evidence) == 2
    assert actor.evidence[1].startswith("conv:CLAUDE_CODE_SESSION_ID:")
    assert actor.why[-1] == "The environment names the conversation: CLAUDE_CODE_SESSION_ID."


def test_i3_a_hidden_ancestor_above_an_agent_leaves_its_independence_unshown() -> None:
    actor = actor_from(tree(CLAUDE, readable=False), {"CODEX_THREAD_ID": "x"})
    assert (actor.kind, actor.processes) == ("agent", ())
    assert f"proc:{PLACE}:411:50" in actor.evidence
    assert len(actor.why) == 3
    assert actor.session == actor_from(tree(CLAUDE), {}).session


def test_i3_a_configured_program_is_an_agent() -> None:
    bot = Process(pid=7, start=7, names=("my-bot",))
    assert actor_from(tree(bot, terminal="pts/1"), {}, programs=["my-bot"]).agent == "my-bot"
    assert actor_from(tree(bot, terminal="pts/1"), {}).kind == "human", "the threat model says so"


def test_an_agent_that_only_the_environment_tells_of_has_no_processes() -> None:
    actor = actor_from(tree(SHELL, terminal="pts/1"), {"CLAUDECODE": "1"})
    assert (actor.kind, actor.agent, actor.processes, actor.person) == ("agent", "claude", (), "")
    assert actor.evidence == ("envonly:ann@desk",)
    other = actor_from(tree(SHELL), {"CODEX_THREAD_ID": "new"})
    assert other.evidence[-1] == "envonly:ann@desk", "a variable joins origins, it never makes one"
    assert other.processes == ()
    assert actor.why[0] == "CLAUDECODE is set in the environment."


@pytest.mark.parametrize("variable", ["CLAUDE_CODE_SSE_PORT", "CURSOR_TRACE_ID", "TERM_PROGRAM", "VSCODE_PID"])
def test_i5_a_person_in_an_editors_terminal_is_a_person(variable: str) -> None:
    assert actor_from(tree(SHELL, terminal="pts/1"), {variable: "1", "CLAUDECODE": ""}).kind == "human"


def test_i5_a_terminal_without_an_agent_above_is_a_person() -> None:
    actor = actor_from(tree(SHELL, terminal="pts/3"), {"USER": "root", "LOGNAME": "root"})
    assert (actor.kind, actor.trust, actor.person, actor.host) == ("human", "observed", "ann@desk", "desk")
    assert (actor.evidence, actor.processes, actor.agent) == (("person:ann@desk",), (), "")
    assert actor.why[0] == "Terminal pts/3, no agent among 2 ancestors."


def test_a_person_is_the_same_in_every_terminal() -> None:
    one = actor_from(tree(SHELL, terminal="pts/3"), {})
    other = actor_from(tree(terminal="tty1"), {"LANG": "C"})
    assert one.session == other.session


def test_agents_services_and_people_never_collapse_into_one_session() -> None:
    actors = [
        actor_from(tree(SHELL, terminal="pts/3"), {}),
        actor_from(tree(SHELL), {}),
        actor_from(tree(SHELL), {"CLAUDECODE": "1"}),
        actor_from(tree(CLAUDE), {}),
        actor_from(tree(CODEX), {}),
        actor_from(tree(CODEX), {}, asserted="helper"),
    ]
    assert len({actor.session for actor in actors}) == len(actors)


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (tree(SHELL), ("This process has no terminal.", "No agent among 2 ancestors.")),
        (tree(SHELL, terminal="pts/1", readable=False), ("Not every ancestor of this process can be read.",)),
        (ProcessTree(), ("This process has no terminal.", "Not every ancestor of this process can be read.")),
    ],
)
def test_i5_no_terminal_or_unreadable_ancestors_is_a_service(seen: ProcessTree, why: tuple[str, ...]) -> None:
    actor = actor_from(seen, {})
    assert (actor.kind, actor.evidence, actor.person) == ("service", ("service:ann@desk",), "")
    assert actor.why == why


@pytest.mark.parametrize("terminal", ["", "pts/1"])
@pytest.mark.parametrize("readable", [True, False])
@pytest.mark.parametrize(
    "above", [(CHECK,), (SHELL, CHECK), (CLAUDE, CHECK), (SHELL, CHECK, SHELL, CLAUDE), (SHELL, REAPER, CHECK, CODEX)]
)
def test_i5_what_foureyes_started_is_nobody_whatever_terminal_or_agent_there_is(
    above: tuple[Process, ...], readable: bool, terminal: str
) -> None:
    actor = actor_from(tree(*above, terminal=terminal, readable=readable), {"CLAUDECODE": "1"})
    assert (actor.kind, actor.within, actor.person, actor.agent, actor.processes) == (
        "service",
        "fe check run",
        "",
        "",
        (),
    )
    assert actor.why[0] == "fe check run (pid 700) is an ancestor of this process."
    assert len(actor.why) <= 3


@pytest.mark.parametrize(
    ("value", "within"), [("check", "a check"), ("hook", "a hook"), ("", "Foureyes"), ("\x1b", "Foureyes")]
)
def test_i5_the_run_mark_alone_tells_too(value: str, within: str) -> None:
    actor = actor_from(tree(SHELL, terminal="pts/1"), {"FOUREYES_RUN": value})
    assert (actor.kind, actor.within, actor.ancestors) == ("service", within, ())
    assert actor.why[0] == "FOUREYES_RUN is set in the environment."


def test_i5_a_reaper_alone_tells_too() -> None:
    assert actor_from(tree(SHELL, REAPER, terminal="pts/1"), {}).within == "Foureyes"
    assert actor_from(tree(SHELL, REAPER, terminal="pts/1"), {"FOUREYES_RUN": "check"}).within == "a check"


def test_i5_what_foureyes_started_shares_nothing_with_anybody_and_is_below_nobody_above_it() -> None:
    actor = actor_from(tree(SHELL, CODEX, CHECK, CLAUDE, terminal="pts/1"), {"CODEX_THREAD_ID": "x"})
    assert actor.ancestors == (f"proc:{PLACE}:300:300", f"proc:{PLACE}:512:60"), (
        "a token given to claude is not good below the check"
    )
    for other in (tree(SHELL), tree(SHELL, terminal="pts/1"), tree(CLAUDE), tree(CODEX, CLAUDE)):
        assert not set(actor.evidence) & set(actor_from(other, {"CODEX_THREAD_ID": "x"}).evidence)


def test_i5_a_typed_name_does_not_lead_out_of_a_check() -> None:
    actor = actor_from(tree(SHELL, CHECK), {}, asserted="ann")
    assert (actor.trust, actor.within) == ("asserted", "fe check run")


@pytest.mark.parametrize(
    ("words", "within"),
    [
        (("submit", "fe-7k2"), "fe submit"),
        ((), "fe"),
        (("--json", "log"), "fe"),
        (("\x1b[2J", "x"), "fe"),
        (("run", ""), "fe run"),
    ],
)
def test_i5_the_command_that_started_it_is_said_and_nothing_else_of_its_words(
    words: tuple[str, ...], within: str
) -> None:
    assert actor_from(tree(replace(CHECK, words=words)), {}).within == within


def test_i5_everybody_else_is_within_nothing() -> None:
    for seen in (tree(SHELL), tree(SHELL, terminal="pts/1"), tree(CLAUDE)):
        assert actor_from(seen, {}).within == ""


@pytest.mark.parametrize("seen", [tree(CLAUDE), tree(SHELL, terminal="pts/1"), tree(SHELL)])
def test_i1_a_typed_name_is_asserted_and_changes_neither_kind_nor_evidence(seen: ProcessTree) -> None:
    plain, typed = actor_from(seen, {}), actor_from(seen, {}, asserted="reviewer")
    assert (typed.trust, typed.asserted_name, typed.name) == ("asserted", "reviewer", "reviewer")
    assert (typed.kind, typed.evidence, typed.processes) == (plain.kind, plain.evidence, plain.processes)
    assert typed.session != plain.session
    assert typed.session == actor_from(seen, {}, asserted="reviewer").session
    assert typed.why[0] == "The name reviewer was given with --as, so it may only log."


def test_i1_the_same_typed_name_of_two_callers_is_two_sessions() -> None:
    one, other = (actor_from(seen, {}, asserted="reviewer") for seen in (tree(CLAUDE), tree(CODEX)))
    assert one.session != other.session


def test_g2_there_are_never_more_than_three_reasons() -> None:
    actor = actor_from(tree(CODEX, CLAUDE, readable=False), {"CODEX_THREAD_ID": "x"}, asserted="me")
    assert len(actor.why) == 3


def test_i2_a_token_that_cannot_be_checked_is_refused() -> None:
    with pytest.raises(Refused) as refusal:
        observe({"FOUREYES_TOKEN": "abc", "CLAUDECODE": "1"}, asserted="me")
    assert [reason.rule for reason in refusal.value.reasons] == ["I2"]
    assert "abc" not in str(refusal.value)


def test_i2_an_empty_token_is_none() -> None:
    assert observe({"FOUREYES_TOKEN": ""}).trust == "observed"


def test_i1_a_uid_without_a_name_is_still_somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    assert actor_from(tree(terminal="pts/1"), {}).person.startswith("uid-4000000@")


# Below a runner

RUNNER = Process(pid=690, start=69, names=("python3.11", "fe"), paths=("/v/bin/fe",), words=("run",))


def test_i2_who_shows_a_token_may_be_a_run_below_the_nearest_process_of_ours_and_is_nobody_until_it_is_checked() -> (
    None
):
    actor = actor_from(tree(SHELL, CODEX, REAPER, RUNNER, CLAUDE), {"FOUREYES_RUN": "agent:run-1"}, token="fe-1")
    assert actor.within == "fe run"
    assert actor.ancestors == tuple(f"proc:{PLACE}:{pid}" for pid in ("300:300", "512:60", "710:71"))
    assert actor.processes == (f"proc:{PLACE}:512:60",)
    assert actor.evidence == ("within:ann@desk",)


def test_i2_a_check_of_an_agents_run_is_not_the_run() -> None:
    check = replace(REAPER, pid=800, start=80)
    actor = actor_from(tree(SHELL, check, CHECK, CODEX, REAPER, RUNNER), {}, token="fe-1")
    assert f"proc:{PLACE}:710:71" not in actor.ancestors


def test_i5_without_a_token_whatever_a_runner_started_is_nobody() -> None:
    plain = actor_from(tree(CODEX, REAPER, RUNNER, terminal="pts/1"), {})
    assert (plain.within, plain.ancestors) == ("fe run", (f"proc:{PLACE}:512:60",))
    assert actor_from(tree(CODEX), {"FOUREYES_RUN": "agent:run-1"}).within == "a runner"
