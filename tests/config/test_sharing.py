"""The keys of `[git]`: which remote several machines share (Q6)."""

from __future__ import annotations

import pytest

from foureyes.config.effective_policy import review_policy
from foureyes.config.layers import Layers
from foureyes.config.loosening import is_loosened
from foureyes.config.parser import read_file
from foureyes.config.settings import why_no_remote
from foureyes.errors import ConfigError


def test_no_remote_is_shared_unless_the_project_names_one_Q6() -> None:
    assert review_policy(Layers()).remote == ""
    assert review_policy(Layers(file=read_file('[git]\nremote = "origin"\n'))).remote == "origin"


@pytest.mark.parametrize("name", ["", "origin", "up.stream", "my_remote-2"])
def test_a_remote_is_given_by_its_name(name: str) -> None:
    assert why_no_remote(name) == ""


@pytest.mark.parametrize("name", ["-u", "a b", "https://host/x.git", "../x", "a..b", "x.lock", "ext::sh", "a/b"])
def test_an_address_or_an_option_is_no_remote(name: str) -> None:
    with pytest.raises(ConfigError, match=r"git\.remote"):
        read_file(f'[git]\nremote = "{name}"\n')


def test_another_remote_is_marked_for_who_accepts_it_P12() -> None:
    assert is_loosened("git.remote", "", "origin")
    assert is_loosened("git.remote", "origin", "fork")
