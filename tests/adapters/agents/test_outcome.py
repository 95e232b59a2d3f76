"""What became of a run: exit code 0 alone means nothing, and a failed run has no signal (S2)."""

from __future__ import annotations

import pytest

from tests.adapters.agents.streams.samples import CLAUDE, SIGNAL, STREAMS, lines, read


@pytest.mark.parametrize("format", sorted(STREAMS))
def test_exit_0_without_the_last_event_means_nothing_S2(format: str) -> None:
    outcome = read(format, b"")
    assert (outcome.rc, outcome.ended, outcome.succeeded, outcome.error) == (0, False, False, "crash")


@pytest.mark.parametrize("format", sorted(STREAMS))
def test_a_good_stream_with_another_exit_code_is_a_crash_S2(format: str) -> None:
    outcome = read(format, STREAMS[format], rc=1, err=b"panicked at main.rs")
    assert (outcome.succeeded, outcome.error, outcome.error_text) == (False, "crash", "panicked at main.rs")


def test_what_is_said_on_the_way_down_tells_the_kind() -> None:
    assert read("claude", b"", rc=1, err=b"Invalid API key. Please run /login").error == "auth"
    assert read("codex", b"", rc=1, err=b"You've hit your usage limit. Try again in 2 minutes.").retry_after == 120
    assert read("text", b"Error: 429 Too Many Requests", rc=1).error == "quota"
    assert read("text", b"talk of 401 and quota", rc=0).error == "none"


def test_a_failed_run_has_no_signal_S2() -> None:
    failed = {"type": "result", "is_error": True, "result": SIGNAL}
    outcome = read("claude", lines(failed), rc=1)
    assert (outcome.signal, outcome.succeeded) == (None, False)


def test_who_was_stopped_or_late_did_not_succeed_whatever_it_says() -> None:
    assert read("claude", CLAUDE, stopped="a hold").succeeded is False
    late = read("claude", CLAUDE, rc=-15, timed_out="deadline", problem="it was late")
    assert (late.succeeded, late.error, late.error_text) == (False, "timeout", "it was late")


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    final = read("text", b"begin" + b"x" * 100_000 + b"end", piece=4096).final
    assert final.startswith("begin")
    assert final.endswith("end")
    assert "characters left out" in final
    assert len(final) < 21_000


def test_an_answer_that_was_asked_for_is_kept_whole_without_the_token_V3() -> None:
    long = "[" + "1, " * 20_000 + '"tok-1"]'
    assert read("text", long.encode(), asks=True, secret="tok-1").answer == long.replace("tok-1", "[token]")
    assert read("text", long.encode()).answer == ""


def test_structured_output_counts_before_the_message_V3() -> None:
    stream = lines({"type": "result", "is_error": False, "result": "Here you are.", "structured_output": {"a": [1]}})
    assert read("claude", stream, asks=True).answer == '{"a": [1]}'
    failed = lines({"type": "result", "is_error": True, "result": "429", "structured_output": None})
    assert read("claude", failed, asks=True).succeeded is False


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("0199-a1b2", "0199-a1b2"),
        ("ses_4F:x.1", "ses_4F:x.1"),
        ("--dangerously-bypass-approvals-and-sandbox", ""),
        ("-c", ""),
        ("a b", ""),
        ("c" * 201, ""),
    ],
)
def test_what_a_stream_calls_its_conversation_is_a_name_or_none_I2(told: str, kept: str) -> None:
    assert read("codex", lines({"type": "thread.started", "thread_id": told})).conversation == kept
    assert read("claude", lines({"type": "system", "subtype": "init", "session_id": told})).conversation == kept
