"""codex' stream (S1, S2)."""

from __future__ import annotations

from tests.adapters.agents.streams.samples import CODEX, lines, read


def test_a_run_that_ended_well_whatever_it_warns_of() -> None:
    outcome = read("codex", CODEX)
    assert (outcome.succeeded, outcome.signal, outcome.conversation) == (True, "DONE", "t-1")
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (12, 3)


def test_a_turn_that_failed() -> None:
    begun = {"type": "thread.started", "thread_id": "t-1"}
    failed = {"type": "turn.failed", "error": {"message": "unexpected status 429 Too Many Requests: try again in 20s"}}
    outcome = read("codex", lines(begun, {"type": "error", "message": "stream error: retrying 1/5"}, failed), rc=1)
    assert (outcome.error, outcome.retry_after, outcome.conversation) == ("quota", 20, "t-1")
    cut = read("codex", lines(begun, {"type": "error", "message": "unexpected status 503 Service Unavailable"}), rc=1)
    assert (cut.ended, cut.error) == (False, "quota")
