"""Recorded streams in a folder of one's own: `PROGRAM-CASE.jsonl`. `http400` is an error, others end well.

Runs where FOUREYES_AGENT_STREAMS names the folder. A file that is no stream (one document) is no end.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.agents.dialects import DIALECTS

from tests.adapters.agents.streams.samples import read

FILES = sorted(Path(os.environ.get("FOUREYES_AGENT_STREAMS", "/nowhere")).glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.stem))
def test_a_stream_is_read_for_what_it_is(path: Path) -> None:
    program, _, case = path.stem.partition("-")
    text = path.read_bytes()
    if program not in DIALECTS:
        assert (read("text", text).ended, read("text", text).signal) == (True, None)
        return
    is_stream = b'"type"' in text.partition(b"\n")[0]
    outcome = read(DIALECTS[program].output, text, rc=0 if case != "http400" or program == "qwen" else 1)
    assert (outcome.ended, outcome.signal) == (is_stream, None)
    assert outcome.error == (("refused" if case == "http400" else "none") if is_stream else "crash")
    assert bool(outcome.conversation) == is_stream
    assert outcome.malformed == 0 or not is_stream
