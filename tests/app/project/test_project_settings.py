"""Policy: settings and features by people only, on the record; the security record (P8, P12)."""

from __future__ import annotations

import pytest

from foureyes.config.settings import FEATURES, SETTINGS
from foureyes.core.events import PolicyAccepted
from foureyes.core.rules.policy import digest_of
from foureyes.core.words.store_place import NOT_SHOWN
from foureyes.errors import BadInput, ConfigError, FoureyesError, NotFound, Refused
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX
from tests.stage.world import DeskWorld


def setting(desk: DeskWorld, key: str) -> tuple[object, str]:
    row = next(row for row in desk.app.policy.show(CLAUDE) if row.key == key)
    return row.value, row.source


def test_every_setting_is_shown_with_where_it_came_from_P12(desk: DeskWorld) -> None:
    rows = desk.app.policy.show(CLAUDE)
    assert [row.key for row in rows] == [*(s.key for s in SETTINGS), *FEATURES]
    assert {row.source for row in rows} == {"default"}


def test_an_address_that_was_accepted_before_is_not_shown_where_it_could_hold_a_password_P12(desk: DeskWorld) -> None:
    text = '[store]\nurl = "host=h user=u password=s3cr3t"\n'
    with desk.app.context.writing(ALICE, "config accept") as work:
        work.record("", PolicyAccepted(digest=digest_of(text), text=text))  # as a version before this one did
    assert setting(desk, "store.url") == (NOT_SHOWN, "foureyes.toml")
    desk.repo.files["foureyes.toml"] = '[store]\nurl = "postgresql://h/x"\n'
    (changed,) = desk.app.policy.offered(ALICE).changed
    assert (changed.key, changed.text) == ("store.url", f"store.url: {NOT_SHOWN} → postgresql://h/x")


def test_layers_environment_over_store_over_file_over_default_P12(desk: DeskWorld) -> None:
    assert setting(desk, "minor.max_lines") == (50, "default")
    desk.repo.files["foureyes.toml"] = "[minor]\nmax_lines = 40\n"
    desk.app.policy.accept(ALICE)
    assert setting(desk, "minor.max_lines") == (40, "foureyes.toml")
    desk.app.policy.set(ALICE, "minor.max_lines", "30")
    assert setting(desk, "minor.max_lines") == (30, "store")
    desk.environ["FOUREYES_MINOR_MAX_LINES"] = "20"
    assert setting(desk, "minor.max_lines") == (20, "environment")
    desk.environ["FOUREYES_MINOR_MAX_LINES"] = "90"
    assert setting(desk, "minor.max_lines") == (30, "store")
    assert next(row for row in desk.app.policy.show(ALICE) if row.key == "minor.max_lines").value == 90


def test_only_people_change_settings_and_features_P12(desk: DeskWorld) -> None:
    with desk.refused("P12"):
        desk.app.policy.set(CLAUDE, "review.policy", "trusted")
    with desk.refused("P12"):
        desk.app.policy.set(CLAUDE, "review.policy", None)
    with desk.refused("P12"):
        desk.app.policy.set_feature(CLAUDE, "balanced_review_policy", "true")
    with desk.refused("P12"):
        desk.app.policy.set_feature(CLAUDE, "balanced_review_policy", None)


def test_old_and_new_value_are_on_record_P12(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.policy", "strict")
    desk.app.policy.set(ALICE, "review.policy", "delegated")
    desk.app.policy.set(ALICE, "review.policy", None)
    payloads = [row.payload for row in desk.app.audit.log() if row.kind == "SettingChanged"]
    assert payloads == [
        '{"name":"review.policy","old":null,"new":"strict"}',
        '{"name":"review.policy","old":"strict","new":"delegated"}',
        '{"name":"review.policy","old":"delegated","new":null}',
    ]
    assert setting(desk, "review.policy") == ("balanced", "default")


def test_setting_what_is_set_already_changes_nothing(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.policy", "strict")
    with desk.unchanged():
        desk.app.policy.set(ALICE, "review.policy", "strict")
        desk.app.policy.set(ALICE, "minor.self", None)


def test_impossible_values_and_keys_are_named_with_what_is_allowed(desk: DeskWorld) -> None:
    with desk.refused(error=ConfigError) as caught:
        desk.app.policy.set(ALICE, "review.policy", "lax")
    assert "strict, balanced, delegated, trusted" in caught[0].message
    for key, text in (
        ("minor.max_lines", "-1"),
        ("minor.max_lines", "many"),
        ("minor.self", "perhaps"),
        ("review.independence", "x"),
    ):
        with desk.refused(error=ConfigError):
            desk.app.policy.set(ALICE, key, text)
    for key in ("nope", "project.id", "review.label_rules", "project.extra_protected_paths", "run.order"):
        with desk.refused(error=NotFound):
            desk.app.policy.set(ALICE, key, "x")
    with desk.refused(error=BadInput):
        desk.app.policy.set_feature(ALICE, "nope", "true")
    with desk.refused(error=ConfigError):
        desk.app.policy.set_feature(ALICE, "balanced_review_policy", "perhaps")


def test_the_alias_of_the_policy_setting_P(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review_policy_mode", "strict")
    assert setting(desk, "review.policy") == ("strict", "store")


def test_the_feature_flag_means_balanced_or_strict_P(desk: DeskWorld) -> None:
    assert setting(desk, "balanced_review_policy") == (True, "default")
    desk.app.policy.set_feature(ALICE, "balanced_review_policy", "false")
    assert setting(desk, "review.policy") == ("strict", "store")
    assert setting(desk, "balanced_review_policy") == (False, "store")
    desk.app.policy.set_feature(ALICE, "balanced_review_policy", "true")
    assert setting(desk, "review.policy") == ("balanced", "store")
    desk.app.policy.set_feature(ALICE, "balanced_review_policy", None)
    assert setting(desk, "review.policy") == ("balanced", "default")


def test_flag_and_setting_must_agree_within_the_store_P(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.policy", "strict")
    with desk.refused(error=ConfigError):
        desk.app.policy.set_feature(ALICE, "balanced_review_policy", "true")
    desk.app.policy.set_feature(ALICE, "balanced_review_policy", "false")
    with desk.refused(error=ConfigError):
        desk.app.policy.set(ALICE, "review.policy", "trusted")


@pytest.mark.parametrize("variable", ["FOUREYES_FEATURE_BALANCED_REVIEW_POLICY", "TD_FEATURE_BALANCED_REVIEW_POLICY"])
def test_the_flag_in_the_environment_tightens_P12(desk: DeskWorld, variable: str) -> None:
    desk.environ[variable] = "false"
    assert setting(desk, "review.policy") == ("strict", "environment")
    assert setting(desk, "balanced_review_policy")[0] is False


def test_the_security_record_lists_every_kind_latest_first_P8(desk: DeskWorld) -> None:
    first = desk.submitted_task(creator=CODEX)
    desk.approve(CODEX, first, reason="asked for it")
    desk.clock.advance(minutes=5)
    second = desk.submitted_task(minor=True)
    desk.approve(CLAUDE, second)
    third = desk.submitted_task(CLAUDE, creator=CLAUDE)
    desk.app.closing.close(CLAUDE, third, exception="wrong place")
    rows = desk.app.audit.exceptions()
    assert [(row.kind, row.task) for row in rows] == [
        ("self_close", third),
        ("minor", second),
        ("creator_approval", first),
    ]
    assert [row.kind for row in desk.app.audit.exceptions(limit=1)] == ["self_close"]
    totals = {row.kind: (row.n, row.first, row.last) for row in desk.app.audit.exception_totals()}
    assert totals["minor"] == (1, "2026-03-01T12:05:00.000Z", "2026-03-01T12:05:00.000Z")
    assert set(totals) == {"self_close", "minor", "creator_approval"}


def test_no_verb_clears_the_journal_or_undoes_a_row_P8(desk: DeskWorld) -> None:
    nouns = (
        "tasks claims notes stops attempts decisions closing merges lists sessions keys policy audit projects".split()
    )
    verbs = {f"{noun}.{verb}" for noun in nouns for verb in dir(getattr(desk.app, noun)) if not verb.startswith("_")}
    words = ("clear", "undo", "purge", "wipe", "reset", "rewrite", "set_status")
    assert len(verbs) > 40
    assert not {verb for verb in verbs if any(word in verb for word in words)}


# The accepted configuration (P12)


def test_a_configuration_on_the_target_is_not_used_until_a_person_accepts_it_P12(desk: DeskWorld) -> None:
    desk.repo.files["foureyes.toml"] = '[review]\npolicy = "trusted"\n'
    assert setting(desk, "review.policy") == ("balanced", "default")
    for who in (CLAUDE, CI):
        with desk.refused("P12"):
            desk.app.policy.accept(who)
    done = desk.app.policy.accept(ALICE)
    assert (done.new, done.changed) == (True, ["review.policy: balanced (default) → trusted (looser)"])
    assert setting(desk, "review.policy") == ("trusted", "foureyes.toml")


def test_another_file_on_the_target_leaves_the_accepted_one_in_force_and_is_reported_P12(desk: DeskWorld) -> None:
    desk.repo.files["foureyes.toml"] = '[review]\npolicy = "strict"\n'
    desk.app.policy.accept(ALICE)
    desk.repo.files["foureyes.toml"] = '[review]\npolicy = "trusted"\n'
    assert setting(desk, "review.policy") == ("strict", "foureyes.toml")
    assert any("changes that were not accepted" in steps_text(note) for note in desk.app.status.show(CLAUDE).notes)
    check = next(check for check in desk.app.doctor.examine(ALICE) if check.check == "configuration")
    assert (check.result, steps_text(check.next)) == ("warn", "a person runs: fe config accept")
    del desk.repo.files["foureyes.toml"]
    assert setting(desk, "review.policy") == ("strict", "foureyes.toml")
    assert any("gone from main" in steps_text(note) for note in desk.app.status.show(CLAUDE).notes)


def test_accepting_again_changes_nothing_and_the_record_has_every_acceptance_P12(desk: DeskWorld) -> None:
    desk.repo.files["foureyes.toml"] = '[review]\npolicy = "strict"\n'
    desk.app.policy.accept(ALICE)
    with desk.unchanged():
        assert desk.app.policy.accept(ALICE).new is False
    desk.repo.files["foureyes.toml"] = '[review]\npolicy = "delegated"\n'
    assert desk.app.policy.accept(BOB).changed == ["review.policy: strict → delegated (looser)"]
    kinds = [row.kind for row in desk.app.audit.log(limit=100)]
    assert kinds.count("PolicyAccepted") == 1 + 2, "the first one began the project"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[review]\npolicy = "lax"\n', ConfigError),
        ("no toml", ConfigError),
        ('[project]\nid = "somebody-else"\n', Refused),
        (None, NotFound),
    ],
    ids=["an impossible value", "no TOML", "another project's", "none at all"],
)
def test_what_cannot_be_in_force_cannot_be_accepted_G1_P12(
    desk: DeskWorld, text: str | None, error: type[FoureyesError]
) -> None:
    desk.repo.files = {} if text is None else {"foureyes.toml": text}
    with desk.refused(error=error):
        desk.app.policy.accept(ALICE)
    assert setting(desk, "review.policy") == ("balanced", "default")


def test_of_a_table_that_adds_to_the_built_in_one_only_what_changes_is_shown_P12(desk: DeskWorld) -> None:
    desk.repo.files["foureyes.toml"] = '[agents.dev]\nprogram = "aider"\n[agents.claude]\nmodel = "large"\n'
    (line,) = [line for line in desk.app.policy.offered(ALICE).lines if line.startswith("agents")]
    assert line == (
        "agents: claude: program claude, vendor anthropic → "
        "claude: program claude, model large, vendor anthropic; dev: program aider"
    )


def test_who_accepts_sees_whose_reviews_a_label_wants_and_that_fewer_is_looser_D6_P12(desk: DeskWorld) -> None:
    rule = '[review.label_rules]\nux = { reviewers = ["codex", "human"] }\n'
    desk.repo.files["foureyes.toml"] = rule
    (wanted,) = desk.app.policy.accept(ALICE).changed
    assert ("reviewers codex human" in wanted, "(looser)" in wanted) == (True, False)
    desk.repo.files["foureyes.toml"] = rule.replace('reviewers = ["codex", "human"]', "reviews = 1")
    (fewer,) = desk.app.policy.accept(ALICE).changed
    assert ("reviewers" in fewer.partition(" → ")[2], "(looser)" in fewer) == (False, True)


# Former keys


def doctor_on_settings(desk: DeskWorld) -> list[tuple[str, str]]:
    rows = [row for row in desk.app.doctor.examine(ALICE) if row.check == "settings"]
    assert {row.result for row in rows} <= {"warn"}
    return [(row.message, steps_text(row.next)) for row in rows]


def test_doctor_names_the_former_keys_of_the_file(desk: DeskWorld) -> None:
    desk.repo.files["foureyes.toml"] = "[minor]\nmax_bytes = 9\nmax_lines = 9\n[review.risk]\nhigh_lines = 9\n"
    desk.app.policy.accept(ALICE)
    (removed, step), (renamed, _) = doctor_on_settings(desk)
    assert removed == "minor.max_bytes has no effect and can be removed (a minor change has at most 4096 bytes)"
    assert renamed == "review.risk.high_lines is now review.risk.large_change"
    assert "fe config accept" in step
    assert setting(desk, "minor.max_lines") == (9, "foureyes.toml")
    assert setting(desk, "review.risk.large_change") == (9, "foureyes.toml")


def test_doctor_says_nothing_about_current_keys(desk: DeskWorld) -> None:
    desk.repo.files["foureyes.toml"] = 'review_policy_mode = "strict"\n[review]\nextra_docs_paths = ["x"]\n'
    desk.app.policy.accept(ALICE)
    desk.app.policy.set(ALICE, "minor.max_lines", "9")
    assert doctor_on_settings(desk) == []


def test_a_renamed_setting_can_be_set_by_its_former_key(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.risk.high_lines", "9")
    assert setting(desk, "review.risk.large_change") == (9, "store")
    with desk.refused(error=NotFound) as caught:
        desk.app.policy.set(ALICE, "minor.max_bytes", "9")
    assert "a minor change has at most 4096 bytes" in caught[0].message


FORMER_AND_NEW = [
    ('[review]\ndocs_paths = ["docs/**"]', '[review]\nextra_docs_paths = ["docs/**"]', True),
    ("[review]\nlinters = []", "", True),
    ("", '[review]\nextra_coverage_exclude = ["dist/**"]', True),
    ("", '[review]\nextra_docs_paths = ["site/**"]', True),
    ('[review]\ncheck_paths = ["ci/**"]', '[review]\nextra_check_paths = ["ci/**"]', False),
    ('[review]\ncheck_paths = ["ci/**"]', "", True),
    ("", '[review.risk]\nextra_test_paths = ["src/**"]', True),
    ("[review.risk]\nhigh_lines = 9", "[review.risk]\nlarge_change = 9", False),
    ("[review.risk]\nhigh_lines = 9", "[review.risk]\nlarge_change = 10", True),
]


def test_what_becomes_looser_by_a_former_or_an_extra_key_is_marked_P12(desk: DeskWorld) -> None:
    found = []
    for old, new, _ in FORMER_AND_NEW:
        desk.repo.files["foureyes.toml"] = f"{old}\n"
        desk.app.policy.accept(ALICE)
        desk.repo.files["foureyes.toml"] = f"# new\n{new}\n"
        marks = [row.looser for row in desk.app.policy.offered(ALICE).changed]
        found.append((old, new, any(marks)))
    assert found == FORMER_AND_NEW
