"""Every stream that was recorded of a real program is read for what it was; README.md lists them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foureyes.adapters.agents.dialects import DIALECTS
from foureyes.core.nouns.run import RunOutcome

from tests.adapters.agents.streams.samples import read

HERE = Path(__file__).parent
PROGRAMS = sorted(path.parent.name for path in HERE.glob("*/index.json"))
CASES = [
    (program, case, found["rc"])
    for program in PROGRAMS
    for case, found in json.loads((HERE / program / "index.json").read_text()).items()
]
KINDS = {
    **{case: {"none"} for case in ("implement", "review", "resume", "failing-command")},
    **{case: {"auth"} for case in ("no-key", "401", "403")},
    **{case: {"refused"} for case in ("400", "long")},
    **{case: {"quota"} for case in ("429", "429-after", "limit", "credit", "500", "busy", "500-in-the-middle")},
    **{case: {"refused", "crash", "quota"} for case in ("garbage", "page", "cut")},
    **{case: {"none", "refused", "quota"} for case in ("cut-once", "429-once")},
    "hang": {"timeout"},
}


def outcome_of(program: str, case: str, rc: int | None) -> RunOutcome:
    """As a run would have ended: one that had to be ended was silent for too long."""
    out, err = ((HERE / program / f"{case}.{stream}").read_bytes() for stream in ("out", "err"))
    shape = DIALECTS[program].output
    if rc is None:
        return read(shape, out, rc=-15, err=err, timed_out="idle", problem="silent")
    return read(shape, out, rc=rc, err=err)


def test_all_programs_were_recorded() -> None:
    assert PROGRAMS == ["claude", "codex", "gemini", "opencode", "qwen"]


@pytest.mark.parametrize(("program", "case", "rc"), CASES, ids=lambda value: str(value))
def test_what_the_service_did_is_known_from_the_stream(program: str, case: str, rc: int | None) -> None:
    outcome = outcome_of(program, case, rc)
    kinds = KINDS.get(case.removesuffix("-patient"), {"refused", "crash"})
    # One that tries for ever without a word, or loses its connection each time, only takes too long.
    is_silent = rc is None and not outcome.error_text.replace("silent", "")
    lost = {"timeout"} if is_silent or (rc is None and "crash" in kinds) else set()
    assert outcome.error in kinds | lost, outcome
    assert outcome.succeeded == (outcome.error == "none")
    assert outcome.malformed == 0
    assert bool(outcome.error_text) == (outcome.error != "none")
    if outcome.succeeded:
        assert (outcome.signal, outcome.message) == ("DONE", "hello.txt is there")
        assert outcome.usage.input_tokens > 0
        assert outcome.conversation
    else:
        assert outcome.signal is None


def test_how_long_to_wait_is_known_where_the_program_passes_it_on() -> None:
    assert outcome_of("gemini", "429-after", 173).retry_after == 3600
    assert (outcome_of("codex", "limit", 1).retry_after or 0) > 10**9
