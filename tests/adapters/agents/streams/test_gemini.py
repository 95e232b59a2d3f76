"""gemini's stream (S1, S2)."""

from __future__ import annotations

from foureyes.adapters.agents.streams.parser import RunStreams

from tests.adapters.agents.streams.samples import GEMINI, lines, read


def test_the_last_message_is_put_together_since_the_last_tool_and_the_prompt_is_not_it_S1() -> None:
    outcome = read("gemini", GEMINI)
    assert (outcome.succeeded, outcome.signal, outcome.conversation) == (True, "DONE", "g-1")
    assert outcome.final.startswith("Made it.\n")
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (20, 4)


def test_an_odd_exit_code_is_no_success_and_an_error_in_the_result_is_the_reason() -> None:
    failed = {
        "type": "result",
        "status": "error",
        "error": {"type": "unknown", "message": "[API Error: quota exceeded]"},
    }
    outcome = read("gemini", lines(failed), rc=144)
    assert (outcome.ended, outcome.error, outcome.rc) == (True, "quota", 144)
    assert read("gemini", GEMINI, rc=144).succeeded is False


def test_that_it_tries_again_stands_on_its_standard_error_alone_and_is_no_work() -> None:
    reader = RunStreams("gemini")
    reader.hear(GEMINI[: GEMINI.index(b"\n") + 1])
    assert not reader.story.idle
    reader.hear_error(b"Warning: 256-color support not detected.\nAttempt 1 failed: You exceeded your cur")
    assert not reader.story.idle
    reader.hear_error(b"rent quota\n    at async Turn.run\n")
    assert (reader.story.idle, reader.story.trouble) == (True, "You exceeded your current quota")
    reader.hear_error(b"Attempt 2 failed with status 503. Retrying with backoff... _ApiError: overloaded\n")
    assert (reader.story.trouble, reader.story.status) == ("_ApiError: overloaded", 503)
    reader.hear(GEMINI[GEMINI.index(b"\n") + 1 :])
    assert (reader.story.idle, reader.story.trouble) == (False, "")
