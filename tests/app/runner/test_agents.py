"""Agent programs as they are on this machine: found, at work, skipped, what last went wrong (E2)."""

from __future__ import annotations

import msgspec

from foureyes.app.agent_ports import Availability
from foureyes.core.nouns.run import RunOutcome

from tests.engines import NOW
from tests.stage.people import ALICE, CODEX
from tests.stage.ports import NoPrograms
from tests.stage.running import PROCESS, bound, runner
from tests.stage.world import DeskWorld


def test_every_profile_with_its_tier_and_what_is_known_of_its_program_E2(desk: DeskWorld) -> None:
    programs = NoPrograms()
    programs.there["claude"] = Availability(profile="claude", program="claude", path="/bin/claude", login="logged in")
    desk.outside.programs = programs
    seen = {row.profile: row for row in desk.app.agents.listed(ALICE)}
    assert sorted(seen) == ["claude", "claude-senior", "codex", "gemini", "opencode", "qwen"]
    claude = seen["claude"]
    assert (claude.path, claude.login, claude.tiers, claude.slots) == ("/bin/claude", "logged in", ["developer"], 2)
    assert (seen["codex"].problem, seen["codex"].tiers) == ("codex was not found.", [])
    assert seen["claude-senior"].tiers == ["senior"]


def test_a_run_takes_a_slot_and_its_error_stays_known_until_another(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create(CODEX)
    run = bound(desk, me, task)
    (claude,) = [row for row in desk.app.agents.listed(ALICE) if row.profile == run.profile]
    assert (claude.running, claude.error) == (1, "none")
    desk.outside.gone.add(PROCESS)
    (claude,) = [row for row in desk.app.agents.listed(ALICE) if row.profile == run.profile]
    assert (claude.running, claude.left) == (0, 1), "its runner is gone (J4)"
    desk.outside.gone.clear()
    failed = RunOutcome(ended=True, rc=1, error="quota", error_text="usage limit reached")
    desk.app.runs.release(me, run.id, how="crash", reason="no quota")
    desk.app.runs.end(me, run.id, failed, ending="failed")
    (claude,) = [row for row in desk.app.agents.listed(ALICE) if row.profile == run.profile]
    assert (claude.running, claude.error, claude.error_text) == (0, "quota", "usage limit reached")
    assert (claude.error_at, claude.cooled) == (NOW, False)
    desk.app.runs.cool(me, run.profile, until="2100-01-01T00:00:00Z", error="auth", error_text="please run /login")
    (claude,) = [row for row in desk.app.agents.listed(ALICE) if row.profile == run.profile]
    assert (claude.cooled, claude.until, claude.error) == (True, "2100-01-01T00:00:00Z", "auth")
    assert claude.error_text == "please run /login"


def test_the_doctor_names_them_and_misses_none(desk: DeskWorld) -> None:
    (line,) = [check for check in desk.app.doctor.examine(ALICE) if check.check == "profiles"]
    assert line.result == "ok"
    assert line.message == "not found: claude, claude-senior, codex, gemini, opencode, qwen"


def test_the_latest_conversation_of_an_author_can_be_gone_on_with_where_it_is(desk: DeskWorld) -> None:
    me, task = runner(desk), desk.create(CODEX)
    assert desk.app.agents.conversation(ALICE, task).problem == f"none ran on {task} yet"
    run = bound(desk, me, task)
    live = desk.app.agents.conversation(ALICE, task)
    assert (live.run, live.live, live.problem) == (run.id, True, "")
    desk.app.runs.release(me, run.id, how="cancelled", reason="stopped")
    desk.app.runs.end(me, run.id, RunOutcome(ended=False, conversation="c7"), ending="stopped")
    over = desk.app.agents.conversation(ALICE, task)
    assert (over.live, over.argv[-1], over.problem) == (False, "c7", "")
    elsewhere = msgspec.structs.replace(ALICE, host="far")
    assert desk.app.agents.conversation(elsewhere, task).problem == f"it is on {run.host}"
