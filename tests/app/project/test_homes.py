"""Where a caller stands, as the verbs see it: judged by what a person accepted, before anything else (I3, P12)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Namespaces
from foureyes.errors import Internal, Reason
from foureyes.steps import prose

from tests.stage.people import ALICE, BOB, CODEX
from tests.stage.world import DeskWorld

INSIDE = Namespaces(first=False, top="tini")
MAPPED = Namespaces(first=False, top="tini", uid_map="0 1000 1, 1 100000 65536")
HOME = '[identity]\nhome = "container"\n'


def test_I3_a_container_is_home_once_a_person_has_accepted_that_and_its_map_belongs_to_it_P12(desk: DeskWorld) -> None:
    def kind(namespaces: Namespaces) -> str:
        return desk.app.sessions.recognise(lambda _: replace(BOB, namespaces=namespaces)).kind

    def kinds() -> list[str]:
        return [kind(INSIDE), kind(MAPPED)]

    assert kinds() == ["service", "service"]
    desk.repo.files["foureyes.toml"] = HOME
    assert kinds() == ["service", "service"], "nobody has accepted it"
    desk.app.policy.accept(ALICE)
    assert kinds() == ["human", "service"]
    desk.app.policy.set(ALICE, "identity.uid_map", MAPPED.uid_map)
    assert kinds() == ["service", "human"]
    desk.environ["FOUREYES_IDENTITY_HOME"] = "host"
    assert kinds() == ["service", "service"]


def test_I3_who_was_not_judged_uses_no_verb(desk: DeskWorld) -> None:
    with pytest.raises(Internal, match="at home"):
        desk.app.tasks.create(replace(BOB, namespaces=INSIDE), "x")


def test_I3_what_decides_nothing_may_work_and_the_doctor_says_why(desk: DeskWorld) -> None:
    bound = Reason("I3", "a sandbox", prose("come out"))
    sandboxed = replace(CODEX, processes=(), bound=bound)
    task = desk.app.tasks.create(sandboxed, "x").task
    desk.app.claims.start(sandboxed, task)
    with desk.refused("I3"):
        desk.app.decisions.approve(sandboxed, task, seen="0" * 8, reason="fine")
    checks = {check.check: check for check in desk.app.doctor.examine(sandboxed)}
    assert (checks["identity"].result, checks["identity"].message[-9:]) == ("warn", "a sandbox")
