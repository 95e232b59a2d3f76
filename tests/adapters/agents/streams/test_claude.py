"""claude's stream, and qwen's (S1, S2)."""

from __future__ import annotations

from foureyes.adapters.agents.streams.parser import RunStreams

from tests.adapters.agents.streams.samples import CLAUDE, lines, read


def test_a_run_that_ended_well() -> None:
    outcome = read("claude", CLAUDE)
    assert (outcome.ended, outcome.succeeded, outcome.signal, outcome.message) == (True, True, "DONE", "made")
    assert outcome.conversation == "s-1"
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens, outcome.usage.cost_micros) == (15, 3, 12_300)


def test_an_error_that_calls_itself_a_success_is_one() -> None:
    end = {
        "type": "result",
        "subtype": "success",
        "is_error": True,
        "api_error_status": 400,
        "result": "API Error: 400 no",
    }
    outcome = read("claude", lines(end), rc=1)
    assert (outcome.ended, outcome.error, outcome.error_text, outcome.succeeded) == (
        True,
        "refused",
        "API Error: 400 no",
        False,
    )


def test_qwens_error_without_any_sign_but_its_text_is_one() -> None:
    end = {"type": "result", "subtype": "success", "is_error": False, "result": "[API Error: 401 Incorrect API key]"}
    outcome = read("claude", lines(end))
    assert (outcome.error, outcome.succeeded, outcome.signal) == ("auth", False, None)


def test_qwens_error_stands_behind_what_it_had_said_and_words_about_errors_are_none() -> None:
    cut = {"type": "result", "subtype": "success", "is_error": False, "result": "Half a sen[API Error: terminated]"}
    assert read("claude", lines(cut)).error == "refused"
    about = cut | {"result": "I handle [API Error: 400] now.\nAll is well."}
    assert read("claude", lines(about)).succeeded


def test_what_it_tries_again_is_no_work_and_the_reason_if_it_never_ends() -> None:
    retry = {"type": "system", "subtype": "api_retry", "attempt": 3, "error_status": 529, "error": "overloaded"}
    reader = RunStreams("claude")
    reader.hear(lines(retry))
    assert reader.story.idle
    assert read("claude", lines(retry), rc=-15, timed_out="idle").error == "quota"
    assert read("claude", lines(retry) + CLAUDE).error == "none"


def test_its_last_event_is_told_in_a_few_words() -> None:
    reader = RunStreams("claude")
    reader.hear(b"".join(CLAUDE.splitlines(keepends=True)[:3]))
    assert reader.story.last == "Bash ls -la"
