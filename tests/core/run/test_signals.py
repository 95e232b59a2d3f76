"""S1: a signal is a line of JSON in the agent's own last message; prose is prose (lesson 42)."""

from __future__ import annotations

import pytest

from foureyes.core.run.signals import Said, after_echo, signal_in

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
def test_words_quotes_fences_and_malformed_lines_are_no_signal_S1_lesson_42(text: str) -> None:
    assert signal_in(text) is None


def test_the_last_valid_one_counts_S1() -> None:
    assert signal_in(f"Made.\n\n  {DONE}  \n") == Said("DONE", "made")
    assert signal_in(f"{DONE}\n{BLOCKED}\nbye") == Said("BLOCKED")
    assert signal_in(f'{BLOCKED}\n{{"type":"signal","signal":"nonsense"}}\n```\n{DONE}\n```') == Said("BLOCKED")
    assert signal_in(f"````\n```\n{BLOCKED}\n````\n{DONE}") == Said("DONE", "made")


def test_what_is_said_with_it_is_cut() -> None:
    said = signal_in('{"type":"signal","signal":"FAILED","message":"' + "x" * 9000 + '"}')
    assert said is not None
    assert len(said.message) == 2000


def test_an_echoed_prompt_is_not_the_agents_own_S1() -> None:
    prompt = f"Do it. At the end write a line:\n{DONE}\n"
    assert signal_in(after_echo(f"> prompt:\n{prompt}\nI could not.", prompt)) is None
    assert signal_in(after_echo(f"{prompt}{prompt}{BLOCKED}", prompt)) == Said("BLOCKED")
    assert after_echo("all of it", "") == "all of it"
