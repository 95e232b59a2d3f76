"""Settings that cannot mean what they say beside the others."""

from __future__ import annotations

import pytest

from foureyes.config.consistency import disagreements, refuse_disagreement
from foureyes.config.layers import Layers
from foureyes.config.parser import read_file
from foureyes.errors import ConfigError
from foureyes.ui.steps import steps_text


def keys(text: str) -> list[str]:
    return [each.key for each in disagreements(Layers(file=read_file(text)))]


def test_the_defaults_agree() -> None:
    assert disagreements(Layers()) == []


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("review.peers.reviewers", '[review.peers]\nreviewers = ["codex", "nobody"]'),
        ("tiers.developer", '[tiers]\ndeveloper = "cluade"'),
        ("tiers.senior", '[tiers]\nsenior = "cluade"'),
        ("tiers.lead", '[tiers]\nlead = "cluade"'),
        ("review.peers.ask", '[review.peers]\nreviewers = ["codex"]\nask = 2'),
        ("review.label_rules", '[review.label_rules]\nlaw = { reviewers = ["cluade"] }'),
        ("review.label_rules", '[review.label_rules]\nsecurity = { reviewers = ["codex"] }'),
        ("agents.codex", '[review.peers]\nreviewers = ["codex"]\n[agents.codex]\nidle_minutes = 15'),
        ("work.copy", '[work]\ncopy = [".env", "../secrets/*"]'),
        ("work.copy", '[work]\ncopy = ["/etc/passwd"]'),
        ("checkout.keep", '[checkout]\nkeep = [".venv", "../x"]'),
        ("checkout.writes", '[checkout]\nwrites = ["/etc/x"]'),
    ],
)
def test_what_does_not_fit_the_rest_is_named(key: str, text: str) -> None:
    assert keys(text) == [key]


@pytest.mark.parametrize(
    "text",
    [
        '[review.peers]\nreviewers = ["own"]\n[agents.own]\nprogram = "own"',
        '[tiers]\nlead = "human"',
        "[review.peers]\nask = 3",
        '[review.label_rules]\nlaw = { reviewers = ["codex", "alice@laptop"] }\nsecurity = { reviewers = ["human"] }',
        '[review.peers]\nreviewers = ["codex"]\n[review]\nsilence_minutes = 2\n[agents.codex]\nidle_minutes = 3',
        '[work]\ncopy = [".env", "config/local.*", "a..b"]',
    ],
)
def test_what_fits_is_let_be(text: str) -> None:
    assert keys(text) == []


def test_all_of_it_is_said_at_once_or_what_one_setting_has_to_do_with() -> None:
    layers = Layers(file=read_file('[tiers]\nsenior = "a"\nlead = "b"'))
    with pytest.raises(ConfigError, match=r"tiers\.senior: .* a\. .*\. tiers\.lead: .* b\. "):
        refuse_disagreement(layers)
    with pytest.raises(ConfigError, match=r"^tiers\.lead: "):
        refuse_disagreement(layers, "tiers.lead")
    refuse_disagreement(layers, "tiers.developer")


def test_an_address_with_a_password_is_not_accepted_and_not_said_P12() -> None:
    for url in ("postgresql://u:s3cr3t@h/x", "postgresql://h/x?user=u&password=s3cr3t"):
        with pytest.raises(ConfigError, match=r"store\.url: it contains a password") as caught:
            refuse_disagreement(Layers(file=read_file(f'[store]\nurl = "{url}"')))
        assert "s3cr3t" not in caught.value.message
        assert "profiles" not in steps_text(caught.value.next_step)
    assert disagreements(Layers(file=read_file('[store]\nurl = "postgresql://u@h/x"'))) == []
    with pytest.raises(ConfigError, match=r"store\.url: it does not begin with postgresql://") as caught:
        refuse_disagreement(Layers(file=read_file('[store]\nurl = "host=h password=s3cr3t"')))
    assert "s3cr3t" not in caught.value.message
