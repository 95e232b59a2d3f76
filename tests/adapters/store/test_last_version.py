"""The stores of the last versions: rows of every kind that it wrote are understood."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from foureyes.adapters.store.engine import Database
from foureyes.adapters.store.journal import journal_rows
from foureyes.adapters.store.migrate import migrate
from foureyes.adapters.store.projections import apply
from foureyes.adapters.store.replay import TABLES
from foureyes.adapters.store.store import Store, scratch
from foureyes.app.views.task_list import ListQuery
from foureyes.core.events import KINDS

from tests import engines
from tests.adapters.store import shop
from tests.adapters.store.old import LAST, old_at, old_database
from tests.adapters.store.shop import append, security
from tests.engines import NOW
from tests.stage.checkout import PROJECT
from tests.stage.people import BOB
from tests.stage.world import DeskWorld

each_last = pytest.mark.parametrize("schema", LAST)
COULD_WRITE = """
    ApprovalEnded ApprovalFinished ApprovalRecorded ApprovalVoided ApprovalWithdrawn Approved AttemptSentBack
    AttemptSubmitted AttributionCleared CheckFinished CheckpointNoted DecisionSigned DependencyAdded
    DependencyRemoved FindingRuled FindingTracked FindingWaived FindingsAnswered FindingsCleared FindingsPlaced
    FindingsRaised HandedOff KeyAdded KeyRetired LabelAdded LabelRemoved LeadDecided Logged MergeFailed
    MergeLeased MergeLeft MergeRetried MinorSet ParentChanged PlanAccepted PolicyAccepted ProjectCreated
    ProjectHeld ProjectResumed RedoRequested ReviewReturned ReviewSubmitted RulingTakenBack SecurityRecorded
    SessionEnded SessionEvidenceAdded SessionStarted SettingChanged TaskBlocked TaskCancelled TaskClosed
    TaskCreated TaskDeferred TaskDeleted TaskEdited TaskEscalated TaskHeld TaskMerged TaskRejected TaskReleased
    TaskReopened TaskResumed TaskStarted TaskUnblocked TaskUndeferred TaskUnstarted TemplateAccepted TestsListed
    TokenIssued UnapprovedMergeSeen
""".split()
"""The kinds of events that the first of these versions knew, each of which it could write."""
CAME = {
    8: "BatchOpened ReservationEnded StackFound StorePlaced TaskReserved",
    9: "FindingWithdrawn",
    10: "Emitted ProfileCooled ProfileWarmed RunBound RunEnded RunReserved RunStopAsked RunStuck RunTaken RunnerEnded"
    " RunnerStarted RunsPaused RunsResumed Signalled",
    11: "ClarificationAnswered ClarificationAsked CycleDecided CycleEnded CycleOpened LookTaken ReviewAsked"
    " ReviewNotGiven",
    12: "SprintEnded SprintPaused SprintPlanned SprintResumed SprintStarted SprintUndone",
    13: "ChecksLeft ChecksTaken",
    15: "ReviewerCalibrated",
    17: "MergeSent MergesPlaced RemoteAddressed TargetSetBack",
}
"""What came with each later one."""


def tables_of(engine: Database) -> dict[str, list[tuple[object, ...]]]:
    known = {table: key for table, key in TABLES.items() if table in engine.tables()}
    return {table: list(engine.fetch(f"SELECT * FROM {table} ORDER BY {key}", {})[1]) for table, key in known.items()}


def brought_forward(on: str, schema: int) -> Database:
    """The store, with the schema of today."""
    engine = old_database(on, schema)
    migrate(engine, NOW, None)
    return engine


def world_over(engine: Database) -> DeskWorld:
    """Everybody at work in a store that is there already."""
    return DeskWorld(store=Store(engine, PROJECT), create=False)


@pytest.mark.on("sqlite")
def test_the_next_version_will_have_a_store_of_this_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shop, "_sign", getattr(shop, "_sign"))  # noqa: B009 - the writer puts its own there
    runpy.run_path(str(Path(__file__).with_name("write_last.py")))["main"]()
    tables = {table for table, _ in map(json.loads, capsys.readouterr().out.splitlines())}
    assert tables >= set(TABLES)


@each_last
def test_the_last_version_wrote_rows_of_every_kind_it_knew_and_into_every_table(on: str, schema: int) -> None:
    """Else the tests below would show nothing."""
    engine = old_database(on, schema)
    written = {str(row[0]) for row in engine.fetch("SELECT DISTINCT kind FROM journal", {})[1]}
    since = {kind for came, kinds in CAME.items() if came <= schema for kind in kinds.split()}
    assert written == set(COULD_WRITE) | since
    known = [table for table in TABLES if table in engine.tables()]
    assert [table for table in known if not list(engine.fetch(f"SELECT * FROM {table} LIMIT 1", {})[1])] == []
    assert written <= set(KINDS), "what was written once is understood for ever"


@each_last
def test_a_store_of_the_last_version_opens_and_its_audit_and_signatures_are_clean_J2_I9(
    place: engines.Place, schema: int
) -> None:
    old_at(place, schema).close()
    store = place.open()
    append(store, security())  # the mirror was elsewhere, and follows the next write
    world = world_over(store.engine)
    assert world.app.audit.verify().findings == ()
    assert store.audit().findings == ()
    assert store.health() == []


@each_last
def test_replaying_the_journal_of_the_last_version_makes_its_tables_again_J2(on: str, schema: int) -> None:
    engine = brought_forward(on, schema)
    fresh = scratch()
    with engine.transaction(write=False), fresh.transaction(write=True):
        for row in journal_rows(engine):
            apply(fresh, row, row.event())
    assert tables_of(fresh) == tables_of(engine)
    fresh.close()


@each_last
def test_work_goes_on_in_a_store_of_the_last_version(on: str, schema: int) -> None:
    world = world_over(brought_forward(on, schema))
    tasks = {row.title: row.id for row in world.app.lists.page(ListQuery(limit=200))}
    recorded = tasks["recorded 0"]
    world.repo.branches[f"refs/heads/fe/{recorded}"] = [world.show(recorded).attempts[-1].head]
    assert world.approve(BOB, recorded, reason="read it").changed
    world.sound()
