"""What `[checkout]` means for a check (D5)."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.check import Ran, judge
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
from foureyes.core.words.paths import matching


@pytest.mark.parametrize(
    ("rule", "matters", "hides"),
    [
        (CheckoutRule(), False, False),
        (CheckoutRule(prepare="  "), False, False),
        (CheckoutRule(isolation="none"), False, False),
        (CheckoutRule(isolation="full"), True, True),
        (CheckoutRule(prepare="npm ci"), True, True),
        (CheckoutRule(build="make", isolation="none"), True, False),
    ],
)
def test_D5_it_matters_where_something_is_to_be_made_or_hidden(rule: CheckoutRule, matters: bool, hides: bool) -> None:
    assert (rule.matters, rule.hides) == (matters, hides)


def test_D5_another_checkout_is_another_check_and_none_is_what_it_was() -> None:
    plain = CheckRule(name="tests", run="pytest")
    digests = [
        CheckRule(name="tests", run="pytest", checkout=checkout).digest
        for checkout in (
            None,
            CheckoutRule(prepare="a"),
            CheckoutRule(prepare="b"),
            CheckoutRule(prepare="a", writes=("x",)),
        )
    ]
    assert digests[0] == plain.digest == "11bf4192035026fe"
    assert len(set(digests)) == 4


def test_D5_what_could_not_be_prepared_is_crashed_not_built_failed_and_disturbed_unsound() -> None:
    rule = CheckRule(name="tests", run="pytest")
    said = [
        judge(rule, ran)
        for ran in (
            Ran(exit_code=None, unprepared="no network"),
            Ran(exit_code=2, unbuilt="it broke"),
            Ran(exit_code=0, disturbed="ran while somebody wrote"),
        )
    ]
    assert [(each.outcome, each.summary) for each in said] == [
        ("crashed", "no network"), ("failed", "it broke"), ("unsound", "ran while somebody wrote"),
    ]  # fmt: skip


def test_the_usual_inputs_are_manifests_and_locks_and_no_code() -> None:
    paths = ["package.json", "packages/a/package.json", "go.sum", "src/app.py", "Cargo.lock", "conftest.py", "a/b.js"]
    assert matching(paths, CheckoutRule().inputs) == [
        "package.json", "packages/a/package.json", "go.sum", "Cargo.lock",
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["gradle.lockfile", "core/gradle.lockfile", "buildscript-gradle.lockfile"])
def test_D5_lock_files_of_gradle_say_what_an_environment_is_made_from(path: str) -> None:
    assert matching([path], CheckoutRule().inputs) == [path]
