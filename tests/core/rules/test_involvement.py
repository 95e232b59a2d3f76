"""What a decision rests on: makers, delegators, who did what (I7, I8)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.attempt import Author
from foureyes.core.nouns.session import Party
from foureyes.core.rules.facts import Control, Facts, HistoryEntry
from foureyes.core.rules.involvement import (
    delegators_of,
    did,
    is_creator,
    labels_in_force,
    made_by,
    makers_of,
    why_it_may_not_loosen,
)
from foureyes.core.words.ids import SessionId

from tests.core.samples import (
    ADA,
    CREATOR,
    MAKER,
    STRANGER,
    agent,
    asserted,
    entry,
    made,
    off,
    person,
    planned,
    service,
)


def put(by: Party, *, late: bool = False, key: str = "") -> Control:
    return Control("label", by.session, "trivial", late=late, key=key)


@pytest.mark.parametrize("action", ["started", "unstarted", "submitted", "responded", "committed"])
def test_every_implementation_action_makes_a_maker_I7(action: str) -> None:
    facts = made(MAKER, CREATOR, STRANGER, history=[entry(STRANGER, action)])
    assert STRANGER.session in makers_of(facts)


@pytest.mark.parametrize("action", ["submitted", "responded"])
def test_an_agent_that_acts_for_another_is_a_maker_a_person_is_not_I3(action: str) -> None:
    def done(via: Party) -> Facts:
        row = HistoryEntry(MAKER.session, action, 1, via=via.session)
        return made(MAKER, CREATOR, via, history=[row])

    assert STRANGER.session in makers_of(done(STRANGER))
    assert ADA.session not in makers_of(done(ADA))


def test_a_spawner_that_starts_a_task_for_its_child_is_no_maker_P3() -> None:
    row = HistoryEntry(MAKER.session, "started", 0, via=STRANGER.session)
    assert STRANGER.session not in makers_of(made(MAKER, CREATOR, STRANGER, history=[row]))


@pytest.mark.parametrize("action", ["created", "reviewed", "requested_changes", "approved"])
def test_looking_and_planning_make_no_maker_I7(action: str) -> None:
    facts = made(MAKER, CREATOR, STRANGER, history=[entry(STRANGER, action)])
    assert STRANGER.session not in makers_of(facts)


def test_whom_a_trailer_names_is_a_maker_A1() -> None:
    facts = made(authors=[STRANGER])
    assert "commit abc1234" in makers_of(facts)[STRANGER.session].why


def test_the_current_implementer_is_a_maker_even_with_an_empty_history_P2() -> None:
    facts = replace(made(), history=(), authors=())
    assert list(makers_of(facts)) == [MAKER.session]


def test_a_task_that_nobody_began_has_no_makers_P4() -> None:
    assert makers_of(planned()) == {}


def test_agents_above_a_maker_are_delegators_at_any_depth_I7() -> None:
    top = agent("top")
    lead = agent("lead", parents=[top])
    worker = agent("worker", parents=[lead, top])
    assert delegators_of(made(worker, CREATOR, lead, top)) == {lead.session, top.session}


def test_people_and_services_are_never_delegators_I7() -> None:
    runner = service("runner")
    assert delegators_of(made(agent("worker", parents=[ADA]), CREATOR, ADA)) == set()
    assert delegators_of(made(agent("worker", parents=[runner]), CREATOR, runner)) == set()


def test_services_are_never_authors_I7() -> None:
    bot = service("bot")
    assert bot.session not in makers_of(made(authors=[bot]))


def test_an_action_about_an_earlier_attempt_is_told_from_one_about_this_one_P5() -> None:
    facts = made(MAKER, CREATOR, STRANGER, history=[entry(STRANGER, "approved", 2)])
    assert did(facts, STRANGER, ("approved",), before=3)
    assert not did(facts, STRANGER, ("approved",), before=2)
    assert did(facts, STRANGER, ("approved",))
    assert not did(facts, STRANGER, ("reviewed",))


def test_what_another_session_of_the_origin_did_counts_I4() -> None:
    again = agent("again", origin="origin of stranger")
    facts = made(MAKER, CREATOR, STRANGER, history=[entry(STRANGER, "approved", 1)])
    assert did(facts, again, ("approved",))


def test_a_person_is_creator_from_every_terminal_P3() -> None:
    facts = made(MAKER, person("ada", terminal="1"))
    assert is_creator(facts, person("ada", terminal="2"))
    assert not is_creator(facts, person("bob"))


def test_another_session_of_the_creators_origin_is_the_creator_P3() -> None:
    assert is_creator(made(), agent("again", origin="origin of creator"))
    assert not is_creator(made(), STRANGER)


def test_a_session_that_the_store_does_not_know_is_only_itself_A1() -> None:
    unknown = replace(made(), authors=(Author(SessionId("ses-forged"), "commit 1234567"),))
    assert unknown.party(SessionId("ses-forged")).session == "ses-forged"
    assert made_by(unknown, STRANGER) is None


def test_the_words_say_how_somebody_is_a_maker_G2() -> None:
    lead = MAKER
    cases = [
        (MAKER, "implement"),
        (agent("again", origin="origin of maker"), "the same origin"),
        (agent("child", parents=[lead]), "started the caller"),
        (agent("marked", proven=False), "cannot be told apart"),
    ]
    for actor, expected in cases:
        found = made_by(made(), actor)
        assert found is not None
        assert expected in found.why


LEAD = agent("lead")
WORKER = agent("worker", parents=[LEAD])
CRITIC = agent("critic")


@pytest.mark.parametrize(
    ("who", "kept"),
    [
        (WORKER, True), (agent("again", origin="origin of worker"), True), (LEAD, True),
        (agent("child", parents=[WORKER]), True), (CREATOR, True), (agent("twin", origin="origin of creator"), True),
        (CRITIC, True), (service(), True), (asserted(), True), (agent("marked", proven=False), True),
        (agent("errand", parents=[CREATOR]), True), (agent("help", parents=[ADA]), False), (STRANGER, False),
        (ADA, False),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)  # fmt: skip
def test_a_label_that_anybody_took_off_but_a_person_or_an_uninvolved_session_still_counts_M6(
    who: Party, kept: bool
) -> None:
    looked = [entry(CRITIC, "reviewed", 1)]
    facts = made(WORKER, CREATOR, LEAD, CRITIC, who, labels=["docs"], history=looked)
    facts = replace(facts, labels_taken_off=(off("security", who),))
    assert labels_in_force(facts) == ({"docs", "security"} if kept else {"docs"})


def test_people_are_called_by_name_and_agents_by_name_and_session() -> None:
    facts = made(MAKER, ADA)
    assert facts.party_name(ADA.session) == "ada"
    assert facts.party_name(MAKER.session) == "maker (ses-maker)"
    assert facts.party_name("ses-forged") == "ses-forged"


@pytest.mark.parametrize("maker", [ADA, person("ada", terminal="2")], ids=["ada", "ada at another terminal"])
def test_a_person_who_made_the_work_loosens_nothing_M6(maker: Party) -> None:
    facts = replace(made(maker, CREATOR, ADA), labels_taken_off=(off("security", ADA),))
    assert labels_in_force(facts) == {"security"}


def test_the_creator_of_a_task_chooses_its_labels_when_it_creates_it_and_not_later_M6() -> None:
    facts = made()
    assert why_it_may_not_loosen(facts, put(CREATOR)) == ""
    assert "created or reviewed the task" in why_it_may_not_loosen(facts, put(CREATOR, late=True))
    assert "made or delegated" in why_it_may_not_loosen(facts, put(MAKER))


def test_where_a_key_exists_a_person_loosens_only_with_it_M6_I9() -> None:
    facts = made(MAKER, CREATOR, STRANGER, ADA)
    assert why_it_may_not_loosen(facts, put(ADA, late=True)) == ""
    keyed = replace(facts, has_keys=True)
    assert "did not sign" in why_it_may_not_loosen(keyed, put(ADA, late=True))
    assert "did not sign" in why_it_may_not_loosen(keyed, put(ADA))
    assert why_it_may_not_loosen(keyed, put(ADA, late=True, key="SHA256:ada")) == ""
    assert why_it_may_not_loosen(keyed, put(STRANGER, late=True)) == "", "an agent has no key to sign with"


def test_a_label_goes_on_asking_that_a_person_took_off_without_the_key_that_there_is_M6_I9() -> None:
    facts = replace(made(MAKER, CREATOR, ADA), labels_taken_off=(off("security", ADA),), has_keys=True)
    assert labels_in_force(facts) == {"security"}
    signed = replace(off("security", ADA), key="SHA256:ada")
    assert labels_in_force(replace(facts, labels_taken_off=(signed,))) == set()


def test_a_label_that_was_taken_off_is_the_same_however_it_is_written_M3_M6() -> None:
    facts = replace(made(MAKER, CREATOR, ADA), labels_taken_off=(off("security"), off("Security", ADA)))
    assert labels_in_force(facts) == set()
