"""S1: a signal is a line of JSON in the agent's own last message; prose is prose."""

from __future__ import annotations

import pytest

from foureyes.core.runner.signals import ParsedSignal, Spoken, after_echo, events_in, signal_in

DONE = '{"type": "signal", "signal": "DONE", "message": "made"}'
BLOCKED = '{"type":"signal","signal":"BLOCKED"}'


@pytest.mark.parametrize(
    "text",
    [
        "", "done", "Not done yet.", "DONE", "signal: DONE", "It is DONE: {}", '{"signal":"DONE"}', '{"type":"signal"}',
        '{"type":"signal","signal":"done"}', '{"type":"signal","signal":"FINISHED"}',
        '{"type":"signal","signal":["DONE"]}',
        f"he wrote {DONE}", f"> {DONE}", f"```json\n{DONE}\n```", f"~~~~\n{DONE}\n~~~\n{DONE}", f"```\n{DONE}",
        "{" * 5000,
        '{"type":"signal","signal":"DONE"',
    ],
)  # fmt: skip
def test_words_quotes_fences_and_malformed_lines_are_no_signal_S1(text: str) -> None:
    assert signal_in(text) is None


def test_the_last_valid_one_counts_S1() -> None:
    assert signal_in(f"Made.\n\n  {DONE}  \n") == ParsedSignal("DONE", "made")
    assert signal_in(f"{DONE}\n{BLOCKED}\nbye") == ParsedSignal("BLOCKED")
    assert signal_in(f'{BLOCKED}\n{{"type":"signal","signal":"nonsense"}}\n```\n{DONE}\n```') == ParsedSignal("BLOCKED")
    assert signal_in(f"````\n```\n{BLOCKED}\n````\n{DONE}") == ParsedSignal("DONE", "made")


def test_what_is_said_with_it_is_cut() -> None:
    said = signal_in('{"type":"signal","signal":"FAILED","message":"' + "x" * 9000 + '"}')
    assert said is not None
    assert len(said.message) == 2000


def test_an_echoed_prompt_is_not_the_agents_own_S1() -> None:
    prompt = f"Do it. At the end write a line:\n{DONE}\n"
    assert signal_in(after_echo(f"> prompt:\n{prompt}\nI could not.", prompt)) is None
    assert signal_in(after_echo(f"{prompt}{prompt}{BLOCKED}", prompt)) == ParsedSignal("BLOCKED")
    assert after_echo("all of it", "") == "all of it"


MILESTONE = '{"type": "milestone", "summary": "the parser  reads\\nit", "payload": {"files": 3}}'


@pytest.mark.parametrize(
    "text",
    [
        "", DONE, '{"type":"party","summary":"x"}', '{"type":"milestone"}', '{"type":"milestone","summary":"  "}',
        '{"type":"milestone","summary":7}', '{"type":"milestone","summary":"x","payload":[1]}',
        f"```\n{MILESTONE}\n```", f"it said {MILESTONE}", "{" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_event_is_text_S3(text: str) -> None:
    assert events_in(text) == []


def test_events_are_found_in_their_order_and_what_is_too_long_is_cut_S3() -> None:
    long = '{"type":"progress","summary":"' + "x" * 900 + '","payload":{"a":"' + "y" * 30_000 + '"}}'
    first, second = events_in(f"So far:\n{MILESTONE}\nand then\n{long}")
    assert first == Spoken("milestone", "the parser reads it", '{"files":3}')
    assert (second.type, len(second.summary), second.payload) == ("progress", 500, "")
