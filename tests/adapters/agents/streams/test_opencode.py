"""opencode's stream (S1, S2)."""

from __future__ import annotations

import pytest

from foureyes.adapters.agents.streams.opencode import NAMELESS
from foureyes.adapters.agents.streams.parser import RunStreams

from tests.adapters.agents.streams.samples import OPENCODE, lines, read


def test_each_step_reports_its_own_tokens_and_the_last_one_stops() -> None:
    outcome = read("opencode", OPENCODE)
    assert (outcome.succeeded, outcome.signal, outcome.conversation) == (True, "DONE", "o-1")
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens, outcome.usage.cost_micros) == (15, 4, 3000)
    half = b"".join(OPENCODE.splitlines(keepends=True)[:3])
    assert (read("opencode", half).ended, read("opencode", half).error) == (False, "crash")


def test_an_error_has_its_status_and_how_long_to_wait() -> None:
    data = {"message": "slow down", "statusCode": 429, "responseHeaders": {"retry-after": "33"}}
    outcome = read(
        "opencode", lines({"type": "error", "sessionID": "o-1", "error": {"name": "APIError", "data": data}}), rc=1
    )
    assert (outcome.error, outcome.retry_after, outcome.error_text) == ("quota", 33, "slow down")


LOG = (
    'timestamp=2026-01-01T00:00:00.000Z level=ERROR run=00000000 message="stream error" session.id=ses_1 agent={} '
    'mode=primary error.error="AI_APICallError: \\"Rate limit\\" reached"\n'
)


def test_that_it_tries_again_stands_in_its_log_alone_and_is_no_work() -> None:
    reader = RunStreams("opencode")
    reader.hear_error(LOG.format("title").encode())
    assert not reader.story.idle
    reader.hear_error(LOG.format("build").encode())
    assert (reader.story.idle, reader.story.trouble) == (True, 'AI_APICallError: \\"Rate limit\\" reached')


@pytest.mark.parametrize("is_logged_first", [True, False])
def test_an_error_without_a_name_is_the_one_of_its_log(is_logged_first: bool) -> None:
    reader, log = RunStreams("opencode"), b'timestamp=1 level=ERROR run=0 message=failed error="Model not found"\n'
    if is_logged_first:
        reader.hear_error(log)
    reader.hear(
        lines({"type": "error", "error": {"name": "UnknownError", "data": {"message": f"{NAMELESS}. See logs"}}})
    )
    if not is_logged_first:
        reader.hear_error(log)
    assert reader.story.failed == "Model not found"
