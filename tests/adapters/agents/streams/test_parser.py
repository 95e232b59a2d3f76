"""Streams that are cut, garbled, mixed, huge or endless: counted, bounded, never fatal (S1)."""

from __future__ import annotations

import tracemalloc
from itertools import repeat

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.adapters.agents.streams.parser import LONGEST, RunStreams

from tests.adapters.agents.streams.samples import CLAUDE, CODEX, STREAMS, read

NAMES = ["type", "message", "content", "usage", "part"]
KINDS = "assistant result item.completed turn.completed message step_finish error system".split()
FORMATS = pytest.mark.parametrize("format", sorted(STREAMS))


@FORMATS
def test_a_stream_is_the_same_in_any_pieces(format: str) -> None:
    whole = read(format, STREAMS[format], piece=1 << 20)
    assert whole.succeeded
    for piece in (1, 2, 13, 64):
        assert read(format, STREAMS[format], piece=piece) == whole


@FORMATS
def test_a_last_line_without_an_end_is_a_line(format: str) -> None:
    assert read(format, STREAMS[format].rstrip(b"\n")) == read(format, STREAMS[format])


@FORMATS
def test_a_stream_that_is_cut_anywhere_is_no_success_and_never_an_exception(format: str) -> None:
    stream = STREAMS[format].rstrip(b"\n")
    for at in range(0, len(stream), 17):
        cut = read(format, stream[:at])
        assert (cut.ended, cut.succeeded, cut.error) == (False, False, "crash")


@FORMATS
def test_lines_that_cannot_be_read_are_counted_and_change_nothing(format: str) -> None:
    noise = b'\xff\xfe\x00\nwarning: {"type":"result"}\n[1,2]\n"x"\n{"type":\n\n   \nnull\n' + b"[" * 3000 + b"\n"
    first, rest = STREAMS[format].split(b"\n", 1)
    outcome = read(format, noise + first + b"\n" + noise + rest)
    assert outcome.malformed > 0
    assert (outcome.succeeded, outcome.signal) == (True, "DONE")


def test_events_that_share_a_line_are_read_both() -> None:
    assert read("codex", CODEX.replace(b"\n", b"", 2)).signal == "DONE"
    assert read("claude", b"[" + b",".join(CLAUDE.splitlines()) + b"]").signal == "DONE"


@given(st.binary(max_size=300), st.sampled_from(sorted(STREAMS)))
def test_nothing_that_is_written_breaks_the_reader(garbage: bytes, format: str) -> None:
    read(format, garbage + b"\n" + STREAMS[format] + garbage)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(NAMES), inner),
        max_leaves=10,
    ),
    st.sampled_from(KINDS),
    st.sampled_from(sorted(STREAMS)),
)  # fmt: skip
def test_events_of_any_shape_are_taken_as_they_come(value: object, kind: str, format: str) -> None:
    names = ("message", "usage", "part", "error", "item", "result", "session_id", "stats", "content", "total_cost_usd")
    event = {"type": kind, **dict(zip(names, repeat(value), strict=False))}
    read(format, msgspec.json.encode(event) + b"\n", piece=1 << 20)


def test_fifty_megabytes_and_a_line_without_an_end_need_little_memory() -> None:
    reader = RunStreams("claude")
    long = msgspec.json.encode({"type": "user", "message": {"content": "x" * 20_000}}) + b"\n"
    piece = (CLAUDE + long) * 10
    tracemalloc.start()
    held = []
    for _ in range((50 << 20) // len(piece)):
        reader.hear(piece)
        held.append(tracemalloc.get_traced_memory()[0])
    for _ in range(3 * LONGEST // (1 << 20)):
        reader.hear(b"x" * (1 << 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    reader.hear(b"\n" + CLAUDE)
    assert held[-1] - held[len(held) // 10] < 1 << 16, "not even a few bytes of every line are kept"
    assert peak < 48 << 20
    assert reader.story.malformed == 1
    assert reader.story.ended


def test_of_a_text_the_end_is_kept() -> None:
    outcome = read("text", b"x\n" * 3_000_000 + b'{"type":"signal","signal":"BLOCKED"}\n', piece=1 << 16)
    assert (outcome.signal, outcome.succeeded, outcome.ended) == ("BLOCKED", True, True)
    assert len(outcome.final) < 25_000


def test_a_text_that_echoes_its_prompt_says_nothing_with_it_S1() -> None:
    assert read("text", b'do it\n{"type":"signal","signal":"DONE"}').signal == "DONE"
    assert read("text", b'{"type":"signal","signal":"DONE"}\ndo it\nno').signal is None
