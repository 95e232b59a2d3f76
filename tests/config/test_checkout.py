"""`[checkout]` of a foureyes.toml, and what the checks get of it (D5, P12)."""

from __future__ import annotations

import pytest

from foureyes.config.effective_policy import review_policy
from foureyes.config.layers import Layers
from foureyes.config.loosening import is_loosened
from foureyes.config.parser import read_file
from foureyes.core.nouns.check_config import CheckoutRule
from foureyes.errors import ConfigError

from tests.projects.kinds import OF_THE_PAGE
from tests.projects.page import recipes

CHECKS = '[[checks]]\nname = "tests"\nrun = "pytest"\n'


def test_D5_every_check_has_the_checkout_of_the_project_where_it_matters() -> None:
    text = f'[checkout]\nprepare = "npm ci"\nkeep = ["node_modules"]\nisolation = "none"\n{CHECKS}'
    policy = review_policy(Layers(file=read_file(text)))
    assert policy.checkout == CheckoutRule(prepare="npm ci", keep=("node_modules",), isolation="none")
    assert [rule.checkout for rule in policy.checks] == [policy.checkout]
    for text in (CHECKS, f'[checkout]\nisolation = "none"\n{CHECKS}'):
        assert [rule.checkout for rule in review_policy(Layers(file=read_file(text))).checks] == [None]


def test_D5_a_checkout_is_not_said_by_a_check() -> None:
    with pytest.raises(ConfigError, match=r"\[checkout\]"):
        read_file(CHECKS + 'checkout = { prepare = "x" }\n')


def test_P12_another_command_or_less_isolation_loosens() -> None:
    assert is_loosened("checkout.prepare", "npm ci", "true")
    assert is_loosened("checkout.isolation", "full", "auto")
    assert not is_loosened("checkout.isolation", "none", "auto")
    assert is_loosened("checkout.env", (), ("TOKEN",))


def test_D5_the_recipes_of_the_page_are_settings_and_each_is_typed_in_a_project_of_its_kind() -> None:
    page = recipes()
    assert page.keys() == OF_THE_PAGE.keys()
    for name, text in page.items():
        policy = review_policy(Layers(file=read_file(text)))
        assert {rule.name for rule in policy.checks} == set(OF_THE_PAGE[name].checks), name
        assert all(rule.checkout is not None and rule.checkout.prepare for rule in policy.checks), name
